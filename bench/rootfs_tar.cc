#include "rootfs_tar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include <fmt/format.h>

#include "tar_writer.h"

namespace slipway::bench {
namespace {

constexpr std::uint64_t kFilesInFolder = 100;

void add_skeleton(TarWriter& out, Noise& noise) {
  for (const auto* folder : {"etc/", "usr/", "usr/bin/", "usr/lib/", "usr/share/", "var/", "var/lib/", "var/cache/"}) {
    out.add({.name = folder, .type = '5', .mode = 0755}, noise);
  }
  out.add({.name = "bin", .type = '2', .mode = 0777, .target = "usr/bin"}, noise);
  out.add({.name = "lib", .type = '2', .mode = 0777, .target = "usr/lib"}, noise);
  out.add({.name = "usr/bin/sh", .mode = 0755, .size = 125'000}, noise);
  out.add({.name = "usr/bin/dash", .type = '1', .mode = 0755, .target = "usr/bin/sh"}, noise);
  out.add({.name = "etc/os-release", .size = 300}, noise);
}

// Even over the logarithm from 64 bytes to 512 KiB: half of the files are below 6 KiB, the mean is about 57 KiB.
std::uint64_t file_size(Noise& noise) { return static_cast<std::uint64_t>(64.0 * std::pow(8192.0, noise.share())); }

}  // namespace

void write_rootfs_tar(const std::string& path, std::uint64_t size) {
  constexpr std::uint64_t kFolderAndFile = 2 * kTarBlock;  // their headers
  static constexpr std::array<std::string_view, 4> kParents{"usr/lib", "usr/share", "var/lib", "var/cache"};
  TarWriter out(path);
  Noise noise(1);
  add_skeleton(out, noise);
  for (std::uint64_t number = 0; out.written() + kTarEnd + kFolderAndFile <= size; ++number) {
    const std::uint64_t folder = number / kFilesInFolder;
    const auto parent = kParents.at(folder % kParents.size());
    if (number % kFilesInFolder == 0) {
      out.add({.name = fmt::format("{}/package-{}/", parent, folder), .type = '5', .mode = 0755}, noise);
    }
    const std::uint64_t room = size - kTarEnd - kTarBlock - out.written();
    out.add({.name = fmt::format("{}/package-{}/file-{}.dat", parent, folder, number),
             .size = std::min(file_size(noise), room)},
            noise);
  }
  out.end();
  out.close();
  if (out.written() != size)
    throw std::runtime_error(fmt::format("{} has {} bytes, not {}", path, out.written(), size));
}

void write_noise(const std::string& path, std::uint64_t size, std::uint64_t seed) {
  TarWriter out(path);
  Noise noise(seed << 32U);
  out.noise(size, noise);
  out.close();
}

}  // namespace slipway::bench

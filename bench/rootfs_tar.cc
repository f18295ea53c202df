#include "rootfs_tar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace slipway::bench {
namespace {

constexpr std::uint64_t kBlock = 512;
constexpr std::uint64_t kFilesInFolder = 100;

// splitmix64: fast, and good enough that no filter finds anything to compress.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

 private:
  std::uint64_t state_;
};

class Output {
 public:
  explicit Output(const std::string& path) : path_(path), file_(std::fopen(path.c_str(), "wb")) {
    if (file_ == nullptr) throw std::runtime_error("cannot make " + path);
  }

  void write(const void* bytes, std::size_t size) {
    if (std::fwrite(bytes, 1, size, file_.get()) != size) throw std::runtime_error("cannot write " + path_);
    written_ += size;
  }
  void noise(std::uint64_t size, Noise& noise) {
    while (size > 0) {
      for (auto& word : words_) word = noise.next();
      const auto piece = std::min<std::uint64_t>(size, sizeof words_);
      write(words_.data(), piece);
      size -= piece;
    }
  }
  void pad_to(std::uint64_t multiple) {
    static constexpr std::array<char, kBlock> kZeros{};
    while (written_ % multiple != 0) write(kZeros.data(), std::min(kBlock, multiple - written_ % multiple));
  }
  void close() {
    if (std::fclose(file_.release()) != 0) throw std::runtime_error("cannot write " + path_);
  }
  [[nodiscard]] std::uint64_t written() const { return written_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::array<std::uint64_t, 8192> words_{};
  std::uint64_t written_ = 0;
};

struct Entry {
  std::string name{};
  char type = '0';
  unsigned mode = 0644;
  std::uint64_t size = 0;
  std::string target{};
};

// A ustar header: POSIX.1-1988, the offsets of its table.
std::array<char, kBlock> header(const Entry& entry) {
  std::array<char, kBlock> block{};
  const auto put = [&block](std::size_t at, std::string_view text) {
    std::memcpy(&block.at(at), text.data(), text.size());
  };
  put(0, entry.name);
  put(100, fmt::format("{:07o}", entry.mode));
  put(108, "0000000");
  put(116, "0000000");
  put(124, fmt::format("{:011o}", entry.size));
  put(136, "14371352000");
  put(148, "        ");
  block[156] = entry.type;
  put(157, entry.target);
  put(257, std::string_view("ustar\00000", 8));
  put(265, "root");
  put(297, "root");
  unsigned sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, fmt::format("{:06o}", sum));
  block[154] = '\0';
  return block;
}

void add(Output& out, const Entry& entry, Noise& noise) {
  const auto block = header(entry);
  out.write(block.data(), block.size());
  out.noise(entry.size, noise);
  out.pad_to(kBlock);
}

void add_skeleton(Output& out, Noise& noise) {
  for (const auto* folder : {"etc/", "usr/", "usr/bin/", "usr/lib/", "usr/share/", "var/", "var/lib/", "var/cache/"}) {
    add(out, {.name = folder, .type = '5', .mode = 0755}, noise);
  }
  add(out, {.name = "bin", .type = '2', .mode = 0777, .target = "usr/bin"}, noise);
  add(out, {.name = "lib", .type = '2', .mode = 0777, .target = "usr/lib"}, noise);
  add(out, {.name = "usr/bin/sh", .mode = 0755, .size = 125'000}, noise);
  add(out, {.name = "usr/bin/dash", .type = '1', .mode = 0755, .target = "usr/bin/sh"}, noise);
  add(out, {.name = "etc/os-release", .size = 300}, noise);
}

// Even over the logarithm from 64 bytes to 512 KiB: half of the files are below 6 KiB, the mean is about 57 KiB.
std::uint64_t file_size(Noise& noise) {
  const double share = static_cast<double>(noise.next() >> 11) / 9007199254740992.0;  // 2^53
  return static_cast<std::uint64_t>(64.0 * std::pow(8192.0, share));
}

}  // namespace

void write_rootfs_tar(const std::string& path, std::uint64_t size) {
  constexpr std::uint64_t kEnd = 2 * kBlock;
  constexpr std::uint64_t kFolderAndFile = 2 * kBlock;  // their headers
  static constexpr std::array<std::string_view, 4> kParents{"usr/lib", "usr/share", "var/lib", "var/cache"};
  Output out(path);
  Noise noise(1);
  add_skeleton(out, noise);
  for (std::uint64_t number = 0; out.written() + kEnd + kFolderAndFile <= size; ++number) {
    const std::uint64_t folder = number / kFilesInFolder;
    const auto parent = kParents.at(folder % kParents.size());
    if (number % kFilesInFolder == 0) {
      add(out, {.name = fmt::format("{}/package-{}/", parent, folder), .type = '5', .mode = 0755}, noise);
    }
    const std::uint64_t room = size - kEnd - kBlock - out.written();
    add(out,
        {.name = fmt::format("{}/package-{}/file-{}.dat", parent, folder, number),
         .size = std::min(file_size(noise), room)},
        noise);
  }
  const std::array<char, kEnd> end{};
  out.write(end.data(), end.size());
  out.close();
  if (out.written() != size)
    throw std::runtime_error(fmt::format("{} has {} bytes, not {}", path, out.written(), size));
}

void write_noise(const std::string& path, std::uint64_t size, std::uint64_t seed) {
  Output out(path);
  Noise noise(seed << 32U);
  out.noise(size, noise);
  out.close();
}

}  // namespace slipway::bench

#include "volumes/testing/tar_peer.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

#include "base/json.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"
#include "volumes/ext4/look.h"
#include "volumes/testing/ext4_volume.h"
#include "volumes/testing/mounted.h"
#include "volumes/testing/same_tree.h"

namespace slipway::volumes::ext4 {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kWhiteout = ".wh.";
constexpr std::string_view kOpaque = ".wh..wh..opq";

std::string tar(std::vector<std::string> words) {
  words.insert(words.begin(), "tar");
  const auto ended = sys::run_to_end(words, {.streams = sys::CommandOptions::Streams::kKept});
  if (ended.code != 0) throw std::runtime_error(fmt::format("tar {}: {}", ended.code, ended.err));
  return ended.out;
}

Json read_json(const fs::path& file) { return Json::parse(std::ifstream(file)); }

fs::path blob(const fs::path& folder, const Json& descriptor) {
  const std::string digest = descriptor.at("digest");
  return folder / "blobs" / digest.substr(0, digest.find(':')) / digest.substr(digest.find(':') + 1);
}

std::vector<std::string> names_in(const fs::path& archive) {
  std::istringstream text(tar({"-tf", archive, "--quoting-style=literal"}));
  std::vector<std::string> names;
  for (std::string name; std::getline(text, name);) names.push_back(name);
  return names;
}

void remove_whiteouts(const std::vector<std::string>& names, const fs::path& out) {
  for (const std::string& name : names) {
    const fs::path path = out / name;
    const std::string last = path.filename();
    if (last == kOpaque) {
      for (const auto& entry : fs::directory_iterator(path.parent_path())) fs::remove_all(entry.path());
    } else if (last.starts_with(kWhiteout)) {
      fs::remove_all(path.parent_path() / last.substr(kWhiteout.size()));
    }
  }
}

// The layers' archives, unpacked into `work`; the image itself when it has none.
std::vector<fs::path> layers_of(const fs::path& image, const fs::path& work) {
  const auto names = names_in(image);
  const auto has = [&](const char* name) { return std::ranges::find(names, name) != names.end(); };
  if (!has("manifest.json") && !has("index.json")) return {image};
  tar({"-xf", image, "-C", work});
  std::vector<fs::path> layers;
  if (has("manifest.json")) {
    const Json manifest = read_json(work / "manifest.json");
    for (const Json& layer : manifest.at(0).at("Layers")) layers.push_back(work / layer.get<std::string>());
  } else {
    const Json manifest = read_json(blob(work, read_json(work / "index.json").at("manifests").at(0)));
    for (const Json& layer : manifest.at("layers")) layers.push_back(blob(work, layer));
  }
  return layers;
}

// `out` and `work`, for what is in between, are empty.
void extract_by_tar(const fs::path& image, const fs::path& work, const fs::path& out) {
  fs::permissions(out, fs::perms(0755));
  bool root_is_given = false;
  for (const fs::path& layer : layers_of(image, work)) {
    const auto names = names_in(layer);
    remove_whiteouts(names, out);
    tar({"-xpf", layer, "--numeric-owner", "--acls", "--xattrs", "--xattrs-include=*", "--delay-directory-restore",
         "--exclude=.wh.*", "-C", out});
    for (const std::string& name : names) root_is_given = root_is_given || name == "./" || name == ".";
  }
  if (root_is_given) return;
  // Made by nobody, it is as old as the volume.
  fs::last_write_time(out, std::chrono::file_clock::from_sys(test_options().time));
}

}  // namespace

std::optional<std::string> no_tar() {
  if (sys::find_program("tar").empty()) return "there is no tar";
  const auto version = sys::run_to_end({"tar", "--version"}, {.streams = sys::CommandOptions::Streams::kKept});
  if (!version.out.contains("GNU tar")) return "tar is not GNU tar, which keeps what an image has";
  return std::nullopt;
}

void expect_as_tar_has_it(const fs::path& image, std::uint64_t volume_size) {
  const sys::TempDir folder;
  for (const char* name : {"work", "out"}) fs::create_directory(folder.file(name));
  extract_by_tar(image, folder.file("work"), folder.file("out"));
  TestVolume volume(volume_size);
  const auto filled = volume.fill_from(image);
  ASSERT_TRUE(filled) << filled.error().message();
  const Seen seen = volume.read();
  expect_same_tree(folder.file("out"), seen);
  const auto looked = look(volume.target().fd, volume.target().size);
  ASSERT_TRUE(looked) << looked.error().message();
  EXPECT_EQ(looked->counts, filled->counts);
  if (const Mounted mounted("ext4", volume.file(), "ro,loop"); mounted.ok()) {
    expect_same_tree(mounted.file("rootfs"), seen);
  }
  EXPECT_CLEAN(volume);
}

void expect_as_tar_has_it(const std::string& image_bytes) {
  const sys::TempDir folder;
  std::ofstream(folder.file("image"), std::ios::binary) << image_bytes;
  expect_as_tar_has_it(fs::path(folder.file("image")));
}

}  // namespace slipway::volumes::ext4

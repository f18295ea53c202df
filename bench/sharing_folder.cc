#include "sharing_folder.h"

#include <cstdint>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "sys/testing/command.h"

namespace slipway::bench {
namespace {

constexpr std::uint64_t kRoom = 8ULL << 30;  // bytes: an image, its volume, and as much for a peer

}  // namespace

SharingFolder::SharingFolder(std::string image, std::string place)
    : image_(std::move(image)), place_(std::move(place)) {
  std::filesystem::create_directories(place_);
  const sys::CommandOptions quiet{.streams = sys::CommandOptions::Streams::kQuiet};
  if (sys::find_program("mkfs.xfs").empty()) {
    missing_ = "there is no mkfs.xfs";
  } else if (sys::run_to_end({"mkfs.xfs", "-q", "-d", fmt::format("file,name={},size={}", image_, kRoom)}, quiet)
                 .code != 0) {
    missing_ = "mkfs.xfs fails";
  } else if (sys::run_to_end({"mount", "-t", "xfs", "-o", "loop", image_, place_}, quiet).code != 0) {
    missing_ = "this kernel mounts no XFS";
  }
}

SharingFolder::~SharingFolder() {
  if (missing_.empty()) (void)sys::run_to_end({"umount", place_}, {});
  std::error_code ignored;
  std::filesystem::remove(image_, ignored);
}

}  // namespace slipway::bench

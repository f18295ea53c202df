#include "catalog/identity.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/digest.h"

namespace slipway::catalog {
namespace {

constexpr std::size_t kLongest = 128;
constexpr std::size_t kLongestSnapshot = 127;  // as a device's name may be
constexpr std::string_view kVolume = "thin-";  // and some digits of a hash
constexpr std::size_t kVolumeDigits = 8;
constexpr std::string_view kProgram = "slipway-";  // pools, and devices under working names
constexpr std::size_t kReadable = 64;              // bytes of a key that go into a derived id

bool allowed(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

// As a quoted text that cannot play tricks with a terminal, and not longer than a line.
std::string shown(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongest)) out += c >= ' ' && c <= '~' ? c : '?';
  return text.size() > kLongest ? out + "…" : out;
}

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

Result<> check_name(std::string_view what, std::string_view name, std::size_t longest) {
  const bool sound = !name.empty() && name.size() <= longest && name.front() != '.' && name.front() != '-' &&
                     std::ranges::all_of(name, allowed);
  if (sound) return {};
  return fail(Error(ErrorKind::kInvalid, fmt::format("\"{}\" is not {}", shown(name), what))
                  .with_hint(fmt::format("1 to {} of A-Z a-z 0-9 . _ - and not beginning with . or -", longest)));
}

DeviceId from_hash(std::string_view text) {
  const auto hash = digest(HashAlgorithm::kSha256, text);
  const std::uint32_t value = std::uint32_t{hash[0]} << 16 | std::uint32_t{hash[1]} << 8 | hash[2];
  return {std::max(value, std::uint32_t{1})};
}

// A file's name without what says that it is an archive.
std::string_view stem(std::string_view name) {
  for (const std::string_view packed : {".gz", ".zst", ".xz", ".bz2"}) {
    if (name.ends_with(packed)) name.remove_suffix(packed.size());
  }
  for (const std::string_view archive : {".tar", ".tgz"}) {
    if (name.ends_with(archive)) name.remove_suffix(archive.size());
  }
  return name;
}

}  // namespace

Result<> check_image_id(std::string_view image_id) { return check_name("an image id", image_id, kLongest); }
Result<> check_snapshot_name(std::string_view name) {
  if (auto sound = check_name("a snapshot name", name, kLongestSnapshot); !sound) return sound;
  const bool volumes = name.size() == kVolume.size() + kVolumeDigits && name.starts_with(kVolume) &&
                       std::ranges::all_of(name.substr(kVolume.size()), is_hex);
  if (!volumes && !name.starts_with(kProgram)) return {};
  return fail(Error(ErrorKind::kInvalid, fmt::format("\"{}\" is kept for volumes and pools", shown(name)))
                  .with_hint("give the snapshot another name"));
}

std::string derive_image_id(std::string_view bucket, std::string_view key) {
  std::string readable;
  for (const char c : stem(key.substr(key.rfind('/') + 1)).substr(0, kReadable)) {
    if (allowed(c)) {
      readable += c;
    } else if (!readable.ends_with('-')) {
      readable += '-';
    }
  }
  const auto begin = readable.find_first_not_of(".-");
  readable = begin == std::string::npos ? "image" : readable.substr(begin);
  // The bucket's length first: no other pair gives the same text.
  const auto hash = sha256_hex(fmt::format("{}:{}{}", bucket.size(), bucket, key));
  return fmt::format("{}-{}", readable, hash.substr(0, 12));
}

std::string volume_name(std::string_view image_id) {
  return std::string(kVolume) + sha256_hex(image_id).substr(0, kVolumeDigits);
}

std::string default_snapshot_name(std::string_view image_id) { return fmt::format("snap-{}", image_id); }

DeviceId first_volume_id(std::string_view image_id) { return from_hash(image_id); }

DeviceId first_snapshot_id(std::string_view image_id, std::string_view snapshot_name) {
  return from_hash(fmt::format("{}/{}", image_id, snapshot_name));  // an image id has no slash
}

}  // namespace slipway::catalog

#include "pipeline/extraction.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>

#include "base/digest.h"
#include "pipeline/checked_file.h"
#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::pipeline {
namespace {

constexpr std::uint16_t kWorldWritable = 0002;

// The same for the same image: it is what the volume's bytes follow from.
volumes::ext4::Uuid uuid_of(const std::string& sha256) {
  volumes::ext4::Uuid uuid{};
  const auto digest = sha256_hex("volume of " + sha256);
  for (std::size_t i = 0; i < uuid.size(); ++i) {
    uuid[i] = static_cast<std::uint8_t>(std::stoul(digest.substr(2 * i, 2), nullptr, 16));
  }
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0FU) | 0x40U);  // version 4, as others make them
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3FU) | 0x80U);
  return uuid;
}

Result<> check_place(const char* name, const std::optional<volumes::ext4::Place>& place) {
  if (!place || !place->folder || (place->mode & kWorldWritable) == 0) return {};
  return fail(ErrorKind::kRejected, "rootfs/{} may be written by everybody", name);
}

std::string describe(const volumes::ext4::Counts& counts) {
  return fmt::format("{} files of {} bytes, {} folders, {} symbolic links", counts.files, counts.bytes, counts.folders,
                     counts.symlinks);
}

}  // namespace

Result<volumes::ext4::Counts> extract(const volumes::ext4::Extractor& extractor, const ExtractionRequest& request,
                                      const std::stop_token& stop) {
  const sys::Descriptor device(::open(request.device.c_str(), O_RDWR | O_CLOEXEC));
  if (!device) return fail(sys::system_error("open", request.device, errno));
  volumes::ext4::Counts counts;
  const auto fill = [&](const archive::ImageFile& image, std::stop_token give_up) -> Result<> {
    volumes::ext4::FillOptions options;
    options.label = request.label;
    options.uuid = uuid_of(request.sha256);
    options.time = request.made_at;
    options.progress = request.progress;
    auto filled = extractor.extract(image, request.policy, {.fd = device.get(), .size = request.size, .zeroed = true},
                                    options, {}, std::move(give_up));
    if (!filled) return fail(std::move(filled.error()));
    counts = filled->counts;
    return {};
  };
  auto identity = work_while_hashing({.path = request.image, .sha256 = request.sha256}, fill, stop);
  if (!identity) return fail(std::move(identity.error()));
  return counts;
}

Result<volumes::ext4::Counts> look(const volumes::ext4::Extractor& extractor, const std::string& device,
                                   std::uint64_t size, const std::stop_token& stop) {
  const sys::Descriptor open(::open(device.c_str(), O_RDONLY | O_CLOEXEC));
  if (!open) return fail(sys::system_error("open", device, errno));
  const auto layout = extractor.look(open.get(), size, {}, stop);
  if (!layout) return fail(layout.error());
  if (!layout->rootfs || !layout->rootfs->folder) return fail(ErrorKind::kCorrupt, "the volume has no folder rootfs");
  if (auto good = check_place("etc", layout->etc); !good) return fail(std::move(good.error()));
  if (auto good = check_place("usr", layout->usr); !good) return fail(std::move(good.error()));
  return layout->counts;
}

Result<> verify(const volumes::ext4::Extractor& extractor, const std::string& device, std::uint64_t size,
                const volumes::ext4::Counts& expected, const std::stop_token& stop) {
  const auto found = look(extractor, device, size, stop);
  if (!found) return fail(found.error());
  if (*found == expected) return {};
  return fail(ErrorKind::kCorrupt, "the volume holds {}, and {} were put there", describe(*found), describe(expected));
}

}  // namespace slipway::pipeline

#include <string>
#include <utility>

#include "archive/image.h"
#include "archive/reader_child.h"
#include "volumes/ext4/extractor.h"
#include "volumes/ext4/extractor_frames.h"

namespace slipway::volumes::ext4 {
namespace {

namespace child = archive::child;

std::string run_fill(const archive::Order& common, const FillOrder& order) {
  child::Teller teller;
  const archive::Input input{.fd = child::kInput, .size = common.size, .tick = teller.tick()};
  auto seen = archive::survey(input, common.policy);
  if (!seen) return archive::frame(seen.error());
  const FillOptions options{.label = order.label,
                            .uuid = order.uuid,
                            .time = order.time,
                            // Nobody listens any more: the next tick ends it.
                            .progress = [](std::uint64_t bytes, std::uint64_t most) {
                              static_cast<void>(child::send(frame(Written{bytes, most})));
                            }};
  auto filled = fill({.fd = kVolumeDescriptor, .size = order.size, .zeroed = order.zeroed}, input, *seen, options);
  return filled ? frame(*filled) : archive::frame(filled.error());
}

std::string run_look(const LookOrder& order) {
  auto seen = look(kVolumeDescriptor, order.size);
  return seen ? frame(*seen) : archive::frame(seen.error());
}

sys::SandboxOptions sandbox(const ExtractorOrder& order) {
  auto options = child::sandbox(order.common);
  if (const auto* fill = std::get_if<FillOrder>(&order.task)) {
    options.volume = sys::SandboxVolume{.fd = kVolumeDescriptor, .size = fill->size};
  }
  return options;
}

std::string work(const ExtractorOrder& order) {
  const auto* fill = std::get_if<FillOrder>(&order.task);
  return fill != nullptr ? run_fill(order.common, *fill) : run_look(std::get<LookOrder>(order.task));
}

}  // namespace

int extractor_main() { return child::serve<ExtractorOrder>(parse_extractor_order, sandbox, work); }

}  // namespace slipway::volumes::ext4

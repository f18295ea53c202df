#include <csignal>
#include <string>
#include <utility>

#include <unistd.h>

#include "archive/image.h"
#include "archive/reader_child.h"
#include "sys/sandbox.h"
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
  sys::SandboxOptions options{.address_space = child::kAddressSpace,
                              .cpu_seconds = order.common.cpu_seconds,
                              .output = child::kAnswers,
                              .parent = static_cast<pid_t>(order.common.parent)};
  if (const auto* fill = std::get_if<FillOrder>(&order.task)) {
    options.volume = sys::SandboxVolume{.fd = kVolumeDescriptor, .size = fill->size};
  }
  return options;
}

}  // namespace

int extractor_main() {
  ::signal(SIGPIPE, SIG_IGN);
  auto body = child::receive_order();
  auto order = body ? parse_extractor_order(*body) : Result<ExtractorOrder>(fail(body.error()));
  if (!order) {
    child::send(archive::frame(order.error()));
    return 1;
  }
  child::use_what_opens_files();
  if (auto locked = sys::enter_sandbox(sandbox(*order)); !locked) {
    child::send(archive::frame(locked.error()));
    ::_exit(1);
  }
  const std::string answer = child::answer([&] {
    const auto* fill = std::get_if<FillOrder>(&order->task);
    return fill != nullptr ? run_fill(order->common, *fill) : run_look(std::get<LookOrder>(order->task));
  });
  ::_exit(child::send(answer) ? 0 : 1);
}

}  // namespace slipway::volumes::ext4

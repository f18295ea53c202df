#include <csignal>
#include <string>
#include <utility>

#include <unistd.h>

#include "archive/image.h"
#include "archive/inspection_frames.h"
#include "archive/inspector.h"
#include "archive/reader_child.h"
#include "sys/sandbox.h"

namespace slipway::archive {
namespace {

Inspection summary(Survey seen) {
  Inspection out{.kind = seen.kind,
                 .layers = seen.layers.size(),
                 .entries = seen.entries,
                 .findings = std::move(seen.findings),
                 .findings_total = seen.findings_total};
  for (std::size_t i = 0; i < seen.tree.inode_count(); ++i) {
    const Inode& inode = seen.tree.inode(InodeId{static_cast<std::uint32_t>(i)});
    if (inode.links == 0 || inode.type != EntryType::kFile) continue;
    ++out.files;
    out.total_size += inode.size;
  }
  return out;
}

std::string inspect(const Order& order) {
  child::Teller teller;
  return child::answer([&] {
    auto seen = survey({.fd = child::kInput, .size = order.size, .tick = teller.tick()}, order.policy);
    return seen ? frame(summary(std::move(*seen))) : frame(seen.error());
  });
}

}  // namespace

int inspector_main() {
  ::signal(SIGPIPE, SIG_IGN);
  auto body = child::receive_order();
  auto order = body ? parse_order(*body) : Result<Order>(fail(body.error()));
  if (!order) {
    child::send(frame(order.error()));
    return 1;
  }
  child::use_what_opens_files();
  const sys::SandboxOptions options{.address_space = child::kAddressSpace,
                                    .cpu_seconds = order->cpu_seconds,
                                    .output = child::kAnswers,
                                    .parent = static_cast<pid_t>(order->parent)};
  if (auto locked = sys::enter_sandbox(options); !locked) {
    child::send(frame(locked.error()));
    ::_exit(1);
  }
  ::_exit(child::send(inspect(*order)) ? 0 : 1);
}

}  // namespace slipway::archive

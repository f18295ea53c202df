#include <csignal>
#include <span>
#include <string>
#include <utility>

#include <unistd.h>

#include "archive/inspection_frames.h"
#include "archive/reader_child.h"
#include "scan/inventory/inventory_taker.h"
#include "scan/inventory_json.h"
#include "sys/sandbox.h"

namespace slipway::scan {
namespace {

using namespace archive;

constexpr std::size_t kPackagesInAFrame = 1'000;  // of at most some kilobytes each: far less than a frame holds

std::string part(const char* name, const Inventory& inventory, std::span<const Package> packages) {
  return json_frame({{name, to_json(inventory, packages)}});
}

// All but the last part are sent from here.
std::string answer(const Inventory& inventory) {
  std::span<const Package> left(inventory.packages);
  bool first = true;
  while (left.size() > kPackagesInAFrame) {
    const bool told =
        child::send(part("part", std::exchange(first, false) ? inventory : Inventory{}, left.first(kPackagesInAFrame)));
    if (!told) return {};
    left = left.subspan(kPackagesInAFrame);
  }
  return part("last", first ? inventory : Inventory{}, left);
}

std::string list_packages(const Order& order) {
  child::Teller teller;
  return child::answer([&] {
    const Input input{.fd = child::kInput, .size = order.size, .tick = teller.tick()};
    auto seen = survey(input, order.policy);
    if (!seen) return frame(seen.error());
    auto inventory = take_inventory(input, *seen);
    return inventory ? answer(*inventory) : frame(inventory.error());
  });
}

}  // namespace

int inventory_main() {
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
  ::_exit(child::send(list_packages(*order)) ? 0 : 1);
}

}  // namespace slipway::scan

#include <span>
#include <string>
#include <utility>

#include "archive/inspection_frames.h"
#include "archive/reader_child.h"
#include "scan/inventory/inventory_taker.h"
#include "scan/inventory/take_inventory.h"
#include "scan/inventory_json.h"

namespace slipway::scan {
namespace {

using namespace archive;

constexpr std::size_t kPackagesInAFrame = 1'000;  // of at most some kilobytes each: far less than a frame holds

std::string part(const char* name, const Inventory& inventory, std::span<const Package> packages) {
  return json_frame({{name, to_json(inventory, packages)}});
}

// All but the last part are sent from here.
std::string answer(const Surveyed& seen) {
  if (!child::send(frame(inspection_of(seen.survey)))) return {};
  const Inventory nothing;
  const Inventory* facts = &seen.inventory;  // with the first part
  std::span<const Package> left(seen.inventory.packages);
  while (left.size() > kPackagesInAFrame) {
    if (!child::send(part("part", *std::exchange(facts, &nothing), left.first(kPackagesInAFrame)))) return {};
    left = left.subspan(kPackagesInAFrame);
  }
  return part("last", *facts, left);
}

std::string list_packages(const Order& order) {
  child::Teller teller;
  const auto seen = take_inventory({.fd = child::kInput, .size = order.size, .tick = teller.tick()}, order.policy);
  return seen ? answer(*seen) : frame(seen.error());
}

}  // namespace

int inventory_main() { return child::serve<Order>(parse_order, child::sandbox, list_packages); }

}  // namespace slipway::scan

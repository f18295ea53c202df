#include <span>
#include <string>
#include <utility>

#include "archive/inspection_frames.h"
#include "archive/reader_child.h"
#include "scan/inventory/inventory_taker.h"
#include "scan/inventory/package_text.h"
#include "scan/inventory/take_inventory.h"
#include "scan/inventory_json.h"

namespace slipway::scan {
namespace {

using namespace archive;

// Bytes of text in a frame, before escaping twice makes up to four times as much of them.
constexpr std::size_t kTextInAFrame = kMaxFrame / 8;

// How many of the first of these fit into one.
std::size_t fit_into_a_frame(std::span<const Package> packages) {
  constexpr std::size_t kAround = 64;  // quotes, commas, the type
  std::size_t text = 0;
  std::size_t count = 0;
  while (count < packages.size() && text < kTextInAFrame) {
    text += kAround + text_of(packages[count++]);
  }
  return count;
}

std::string part(const char* name, const Inventory& inventory, std::span<const Package> packages) {
  return json_frame({{name, to_json(inventory, packages)}});
}

// All but the last part are sent from here.
std::string answer(const Surveyed& seen) {
  if (!child::send(frame(inspection_of(seen.survey)))) return {};
  const Inventory nothing;
  const Inventory* facts = &seen.inventory;  // with the first part
  std::span<const Package> left(seen.inventory.packages);
  for (;;) {
    const auto some = left.first(fit_into_a_frame(left));
    left = left.subspan(some.size());
    if (left.empty()) return part("last", *facts, some);
    if (!child::send(part("part", *std::exchange(facts, &nothing), some))) return {};
  }
}

std::string list_packages(const Order& order) {
  child::Teller teller;
  const auto seen = take_inventory({.fd = child::kInput, .size = order.size, .tick = teller.tick()}, order.policy);
  return seen ? answer(*seen) : frame(seen.error());
}

}  // namespace

int inventory_main() { return child::serve<Order>(parse_order, child::sandbox, list_packages); }

}  // namespace slipway::scan

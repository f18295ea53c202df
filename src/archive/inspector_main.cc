#include <string>
#include <utility>

#include "archive/image.h"
#include "archive/inspection_frames.h"
#include "archive/inspector.h"
#include "archive/reader_child.h"

namespace slipway::archive {
namespace {

std::string inspect(const Order& order) {
  child::Teller teller;
  const auto seen = survey({.fd = child::kInput, .size = order.size, .tick = teller.tick()}, order.policy);
  return seen ? frame(inspection_of(*seen)) : frame(seen.error());
}

}  // namespace

Inspection inspection_of(const Survey& seen) {
  Inspection out{.kind = seen.kind,
                 .layers = seen.layers.size(),
                 .entries = seen.entries,
                 .findings = seen.findings,
                 .findings_total = seen.findings_total};
  for (std::size_t i = 0; i < seen.tree.inode_count(); ++i) {
    const Inode& inode = seen.tree.inode(InodeId{static_cast<std::uint32_t>(i)});
    if (inode.links == 0 || inode.type != EntryType::kFile) continue;
    ++out.files;
    out.total_size += inode.size;
  }
  return out;
}

int inspector_main() { return child::serve<Order>(parse_order, child::sandbox, inspect); }

}  // namespace slipway::archive

// Inspects an image's archive and lists its packages in the same pass, in a process of its own, which can do nothing
// but read that one file and answer (archive/reader_child.h): packages' databases are made by strangers, too.
//
//   scan::InventoryTaker taker({.executable = "/proc/self/exe", .arguments = {"__inventory"}});
//   auto listed = taker.take(*archive::open_image_file(path), archive::standard_policy(), {}, stop);
#pragma once

#include <stop_token>

#include "archive/inspector.h"
#include "archive/policy.h"
#include "base/error.h"
#include "scan/package.h"

namespace slipway::scan {

struct Listed {
  archive::Inspection inspection{};
  Inventory inventory{};
};

// Thread-safe: any number at once, each with a child of its own.
class InventoryTaker {
 public:
  explicit InventoryTaker(archive::InspectorProgram program) : program_(std::move(program)) {}

  // As archive::Inspector::inspect(), with its errors. A file in it that cannot be read is no error, but one of the
  // inventory's `unread`.
  [[nodiscard]] Result<Listed> take(const archive::ImageFile& file, const archive::Policy& policy,
                                    const archive::InspectOptions& options, std::stop_token stop) const;

 private:
  archive::InspectorProgram program_;
};

// The child's side: as child::serve() in archive/reader_child.h says.
[[nodiscard]] int inventory_main();

}  // namespace slipway::scan

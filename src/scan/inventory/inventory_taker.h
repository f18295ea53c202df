// Lists the packages of an image's archive in a process of its own, which can do nothing but read that one file and
// answer (archive/reader_child.h): packages' databases are made by strangers, too.
//
//   scan::InventoryTaker taker({.executable = "/proc/self/exe", .arguments = {"__inventory"}});
//   auto inventory = taker.take(*archive::open_image_file(path), archive::standard_policy(), {}, stop);
#pragma once

#include <stop_token>

#include "archive/image.h"
#include "archive/inspector.h"
#include "archive/policy.h"
#include "base/error.h"
#include "scan/package.h"

namespace slipway::scan {

// Thread-safe: any number at once, each with a child of its own.
class InventoryTaker {
 public:
  explicit InventoryTaker(archive::InspectorProgram program) : program_(std::move(program)) {}

  // The errors of archive::Inspector::inspect(): the archive is judged by the policy once more, in the same passes. A
  // file in it that cannot be read is no error, but one of the inventory's `unread`.
  [[nodiscard]] Result<Inventory> take(const archive::ImageFile& file, const archive::Policy& policy,
                                       const archive::InspectOptions& options, std::stop_token stop) const;

 private:
  archive::InspectorProgram program_;
};

// The child's side; as archive::inspector_main().
[[nodiscard]] int inventory_main();

// The work itself, wherever it is called.
[[nodiscard]] Result<Inventory> take_inventory(const archive::Input& input, const archive::Survey& survey);

}  // namespace slipway::scan

// Lists the packages of an image's archive. They are read as the archive is surveyed, before it is known which files
// survive the merge of layers; what turns out to stand under another name than its entry has (behind a symbolic link,
// say) is read in a second pass, as is what could not be kept. So most images are read once.
#pragma once

#include "archive/image.h"
#include "archive/policy.h"
#include "base/error.h"
#include "scan/package.h"

namespace slipway::scan {

struct Surveyed {
  archive::Survey survey{};
  Inventory inventory{};
};

// The errors of archive::survey(). A file in it that cannot be read is no error, but one of the inventory's `unread`.
// Runs wherever it is called: untrusted archives belong into the InventoryTaker's process.
[[nodiscard]] Result<Surveyed> take_inventory(const archive::Input& input, const archive::Policy& policy);

}  // namespace slipway::scan

// Inside src/archive only: POSIX access lists, which an archive has as text (SCHILY.acl.access, .default) and Linux as
// attributes.
#pragma once

#include "archive/entry.h"

struct archive_entry;

namespace slipway::archive {

// Puts the lists of `raw` into the attributes of `entry` as system.posix_acl_access and .posix_acl_default. One that
// names somebody without a number means nobody in particular: it stays under the name that it has in the archive, which
// no file system takes. Where there is a mask, the group's bits of the mode are the mask's, as chmod has them.
void copy_access_lists(struct archive_entry* raw, Entry& entry);

}  // namespace slipway::archive

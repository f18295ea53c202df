// SQLite gives the files that it makes beside a database the mode of the database itself.
#pragma once

#include <string>

#include "base/error.h"

namespace slipway::store {

// Makes an empty file for this user only (mode 0600), to be opened as a database. One that is there stays as it is, and
// is not even opened: to close it again would drop the locks that other connections of this process have on it.
[[nodiscard]] Result<> make_private_file(const std::string& path);

}  // namespace slipway::store

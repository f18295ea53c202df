// Reads NIST's CCE lists, whichever form they have, into a collection.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "archive/byte_source.h"
#include "base/error.h"
#include "feeds/providers/cce_collection.h"

namespace slipway::feeds {

// Whether a file of that name may be a list, or a part of one.
[[nodiscard]] bool is_cce_file(std::string_view name);

// One list that is CSV, JSON (columns of rows, as pandas writes them) or XML: its first byte says which. The platform
// is that of the XML, else the file's name. What is bad in it goes to the collection; kCorrupt: the list as a whole is
// broken, or none.
[[nodiscard]] Result<> collect_cce_list(std::string_view file, archive::ByteSource& bytes, CceCollection& into,
                                        const std::stop_token& stop);

// A file or a folder, with archives and workbooks in it. `place` is where it is from: the name of what was downloaded.
[[nodiscard]] Result<> collect_cce(const std::filesystem::path& path, std::string_view place, CceCollection& into,
                                   const std::stop_token& stop);

}  // namespace slipway::feeds

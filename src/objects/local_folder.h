// The folder behind a LocalSource: opening what a key names, and walking the keys in their order.
#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include <sys/stat.h>

#include "objects/object_source.h"
#include "sys/descriptor.h"

namespace slipway::objects {

struct OpenedFile {
  sys::Descriptor descriptor{};
  ObjectInfo info{};
};

[[nodiscard]] ObjectInfo info_of(std::string key, const struct stat& status);

// A regular file below `root`, without following a link or leaving it. kNotFound when there is none.
[[nodiscard]] Result<OpenedFile> open_below(int root, const std::string& key);

struct FolderVisitor {
  std::function<bool(ObjectInfo)> object;  // false: enough
  // A folder ("a/b/") or file that this user may not read.
  std::function<void(const std::string& key, const Error& why)> unreadable;
};

// Tells the visitor of each key that begins with `prefix` and stands after `after`, in the order of bytes. A folder
// that cannot be read and that all those keys are in is an error.
[[nodiscard]] Result<> walk_below(int root, const std::string& prefix, const std::string& after,
                                  const FolderVisitor& visitor, const std::stop_token& stop);

}  // namespace slipway::objects

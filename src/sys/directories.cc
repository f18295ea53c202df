#include "sys/directories.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::sys {

namespace fs = std::filesystem;

Result<> sync_directory(const fs::path& directory) {
  const Descriptor opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) return fail(system_error("open", directory.native(), errno));
  if (::fsync(opened.get()) != 0) return fail(system_error("sync", directory.native(), errno));
  return {};
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the path
Result<> make_directories(const fs::path& directory) {
  std::error_code unknown;
  if (directory.empty() || fs::is_directory(directory, unknown)) return {};
  const fs::path parent = directory.parent_path();
  if (parent != directory) {
    if (auto made = make_directories(parent); !made) return made;
  }
  if (::mkdir(directory.c_str(), 0700) != 0) {
    if (errno == EEXIST && fs::is_directory(directory, unknown)) return {};
    return fail(system_error("make directory", directory.native(), errno == EEXIST ? ENOTDIR : errno));
  }
  return sync_directory(parent.empty() ? fs::path(".") : parent);
}

}  // namespace slipway::sys

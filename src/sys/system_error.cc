#include "sys/system_error.h"

#include <cerrno>
#include <system_error>

namespace slipway::sys {
namespace {

ErrorKind kind_of(int error) {
  switch (error) {
    case ENOENT: return ErrorKind::kNotFound;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorKind::kPermission;
    case ENOSPC:
    case EDQUOT: return ErrorKind::kNoSpace;
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG: return ErrorKind::kInvalid;
    default: return ErrorKind::kIo;
  }
}

}  // namespace

Error system_error(std::string_view doing, std::string_view path, int error) {
  return {kind_of(error), fmt::format("{} {}: {}", doing, path, std::generic_category().message(error))};
}

}  // namespace slipway::sys

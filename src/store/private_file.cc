#include "store/private_file.h"

#include <cerrno>

#include <fcntl.h>

#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::store {

Result<> make_private_file(const std::string& path) {
  const sys::Descriptor made(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (made || errno == EEXIST) return {};
  return fail(sys::system_error("make file", path, errno));
}

}  // namespace slipway::store

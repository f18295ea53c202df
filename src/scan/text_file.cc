#include "scan/text_file.h"

#include <array>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::scan {

Result<std::string> read_text_file(const std::filesystem::path& file, std::uint64_t most) {
  const sys::Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (!in) return fail(sys::system_error("open", file.string(), errno));
  std::string text;
  std::array<char, 65536> piece{};
  for (;;) {
    const ssize_t got = ::read(in.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(sys::system_error("read", file.string(), errno));
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > most) return fail(ErrorKind::kInvalid, "{} is larger than {} bytes", file.string(), most);
  }
}

}  // namespace slipway::scan

#include "archive/inspector.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/inspection_frames.h"
#include "archive/reader_child.h"
#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::archive {

Inspector::Inspector(InspectorProgram program) : program_(std::move(program)) {}

Result<ImageFile> open_image_file(const std::filesystem::path& path) {
  sys::Descriptor fd(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));  // a FIFO must not make us wait
  if (!fd && errno == ELOOP) return fail(ErrorKind::kInvalid, "{} is a symbolic link", path.native());
  if (!fd) return fail(sys::system_error("open", path.native(), errno));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail(sys::system_error("look at", path.native(), errno));
  if (!S_ISREG(info.st_mode)) return fail(ErrorKind::kInvalid, "{} is not a regular file", path.native());
  if (info.st_size == 0) return fail(ErrorKind::kCorrupt, "{} is empty", path.native());
  return ImageFile{path, std::move(fd), static_cast<std::uint64_t>(info.st_size)};
}

Result<Inspection> Inspector::inspect(const std::filesystem::path& file, const Policy& policy,
                                      const InspectOptions& options, std::stop_token stop) const {
  auto opened = open_image_file(file);
  if (!opened) return opened.error().during("inspect {}", file.native());
  return inspect(*opened, policy, options, std::move(stop));
}

Result<Inspection> Inspector::inspect(const ImageFile& file, const Policy& policy, const InspectOptions& options,
                                      std::stop_token stop) const {
  const Order order{.policy = policy,
                    .parent = ::getpid(),
                    .size = file.size,
                    .cpu_seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(options.cpu_limit.count(), 1))};
  Inspection seen;
  const Listen listen = [&](std::string_view body) -> Result<std::optional<std::uint64_t>> {
    auto word = parse_word(body);
    if (!word) return fail(std::move(word.error()));
    if (auto* error = std::get_if<Error>(&*word)) return fail(std::move(*error));
    if (const auto* progress = std::get_if<Progress>(&*word)) return progress->read;
    seen = std::get<Inspection>(std::move(*word));
    return std::nullopt;
  };
  const ReaderTask task{.input = file.fd.get(), .size = file.size, .order = order_frame(order)};
  if (auto run = run_reader(program_, task, options, std::move(stop), listen); !run) {
    return run.error().during("inspect {}", file.path.native());
  }
  return seen;
}

}  // namespace slipway::archive

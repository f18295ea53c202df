#include "feeds/sources/local_tag.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/byte_source.h"
#include "base/digest.h"
#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::feeds {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostFiles = 5'000'000;

Result<std::string> tag_of_file(const fs::path& path, const std::stop_token& stop) {
  const sys::Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0) return fail(sys::system_error("open", path.string(), errno));
  struct stat about{};
  if (::fstat(fd.get(), &about) != 0) return fail(sys::system_error("stat", path.string(), errno));
  archive::FileSource bytes(fd.get(), static_cast<std::uint64_t>(about.st_size), [&stop](std::uint64_t) -> Result<> {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "it is to stop");
    return {};
  });
  Hasher hasher(HashAlgorithm::kSha256);
  for (;;) {
    const auto piece = bytes.next();
    if (!piece) return piece.error().during("read {}", path.string());
    if (piece->empty()) return "sha256:" + to_hex(hasher.finish());
    hasher.update(*piece);
  }
}

Result<std::string> tag_of_folder(const fs::path& folder, const std::stop_token& stop) {
  const auto files = files_below(folder);
  if (!files) return fail(files.error());
  Hasher hasher(HashAlgorithm::kSha256);
  for (const auto& file : *files) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "it is to stop");
    struct stat about{};
    if (::stat((folder / file).c_str(), &about) != 0) return fail(sys::system_error("stat", file.string(), errno));
    hasher.update(fmt::format("{}\n{} {} {}.{:09}\n", file.string().size(), file.string(), about.st_size,
                              about.st_mtim.tv_sec, about.st_mtim.tv_nsec));
  }
  return "folder:" + to_hex(hasher.finish());
}

}  // namespace

Result<std::vector<fs::path>> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  auto at = fs::recursive_directory_iterator(folder, error);
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (at->is_regular_file(error) && !error) files.push_back(at->path().lexically_relative(folder));
    if (files.size() > kMostFiles) return fail(ErrorKind::kRejected, "{} has too many files", folder.string());
  }
  if (error) return fail(sys::system_error("list", folder.string(), error.value()));
  std::ranges::sort(files);
  return files;
}

Result<std::string> local_tag(const fs::path& path, const std::stop_token& stop) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) return fail(sys::system_error("open", path.string(), errno));
  if (S_ISDIR(about.st_mode)) return tag_of_folder(path, stop);
  if (!S_ISREG(about.st_mode)) {
    return fail(ErrorKind::kInvalid, "{} is neither a file nor a folder", path.string());
  }
  return tag_of_file(path, stop);
}

}  // namespace slipway::feeds

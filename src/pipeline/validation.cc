#include "pipeline/validation.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "pipeline/checked_file.h"
#include "sys/descriptor.h"
#include "sys/mutex.h"
#include "sys/system_error.h"

namespace slipway::pipeline {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::int64_t kNanosPerSecond = 1'000'000'000;

catalog::FileIdentity identity_of(const struct stat& status) {
  return {.size = static_cast<std::uint64_t>(status.st_size),
          .mtime_ns = status.st_mtim.tv_sec * kNanosPerSecond + status.st_mtim.tv_nsec,
          .ctime_ns = status.st_ctim.tv_sec * kNanosPerSecond + status.st_ctim.tv_nsec,
          .inode = status.st_ino};
}

Result<> check_regular(const struct stat& status, const std::filesystem::path& file) {
  if (S_ISREG(status.st_mode)) return {};
  return fail(ErrorKind::kInvalid, "{} is not a regular file", file.string());
}

Result<catalog::FileIdentity> identify(const sys::Descriptor& open, const std::filesystem::path& file) {
  struct stat status{};
  if (::fstat(open.get(), &status) != 0) return fail(sys::system_error("look at", file.string(), errno));
  if (auto regular = check_regular(status, file); !regular) return fail(std::move(regular.error()));
  return identity_of(status);
}

Result<std::string> hash_open_file(const sys::Descriptor& open, const std::filesystem::path& file,
                                   const std::function<void(std::uint64_t)>& progress, const std::stop_token& stop) {
  Hasher sha(HashAlgorithm::kSha256);
  std::vector<std::byte> piece(kPiece);
  std::uint64_t done = 0;  // with pread: the position is shared with the inspector's child
  for (;;) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "hash {}: told to stop", file.string());
    const ssize_t got = ::pread(open.get(), piece.data(), piece.size(), static_cast<off_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(sys::system_error("read", file.string(), errno));
    if (got == 0) return to_hex(sha.finish());
    sha.update(std::span(piece).first(static_cast<std::size_t>(got)));
    done += static_cast<std::uint64_t>(got);
    if (progress) progress(done);
  }
}

// Still the same file, unchanged, at its path: else what was found says nothing of what is there.
Result<> check_unchanged(const archive::ImageFile& image, const catalog::FileIdentity& before) {
  const auto opened = identify(image.fd, image.path);
  if (!opened) return fail(opened.error());
  const auto named = pipeline::identify(image.path);
  if (!named) return fail(named.error());
  if (*opened == before && *named == before) return {};
  return fail(ErrorKind::kConflict, "{} changed while it was read", image.path.string());
}

// Tells of the slower of two readers of one file.
class SlowerOfTwo {
 public:
  SlowerOfTwo(std::uint64_t size, std::function<void(std::uint64_t, std::uint64_t)> tell)
      : size_(size), tell_(std::move(tell)) {}

  void hashed(std::uint64_t bytes) SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    hashed_ = bytes;
    tell();
  }
  void inspected(std::uint64_t bytes) SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    inspected_ = bytes;
    tell();
  }

 private:
  void tell() SLIPWAY_REQUIRES(mutex_) {
    if (tell_) tell_(std::min(hashed_, inspected_), size_);
  }

  const std::uint64_t size_;
  const std::function<void(std::uint64_t, std::uint64_t)> tell_;
  sys::Mutex mutex_;
  std::uint64_t hashed_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  std::uint64_t inspected_ SLIPWAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace

Result<catalog::FileIdentity> identify(const std::filesystem::path& file) {
  struct stat status{};
  if (::lstat(file.c_str(), &status) != 0) return fail(sys::system_error("look at", file.string(), errno));
  if (auto regular = check_regular(status, file); !regular) return fail(std::move(regular.error()));
  return identity_of(status);
}

Result<HashedFile> hash_file(const std::filesystem::path& file, const std::function<void(std::uint64_t)>& progress,
                             std::stop_token stop) {
  const sys::Descriptor open(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!open) return fail(sys::system_error("open", file.string(), errno));
  auto before = identify(open, file);
  if (!before) return fail(std::move(before.error()));
  auto sha256 = hash_open_file(open, file, progress, stop);
  if (!sha256) return fail(std::move(sha256.error()));
  auto after = identify(open, file);
  if (!after) return fail(std::move(after.error()));
  if (*before != *after) return fail(ErrorKind::kConflict, "{} changed while it was read", file.string());
  return HashedFile{std::move(*sha256), *after};
}

Result<catalog::FileIdentity> work_while_hashing(
    const CheckedFile& file, const std::function<Result<>(const archive::ImageFile&, std::stop_token)>& work,
    const std::stop_token& stop) {
  const auto image = archive::open_image_file(file.path);
  if (!image) return fail(image.error());
  auto identity = identify(image->fd, image->path);
  if (!identity) return identity;

  std::stop_source give_up;  // for whichever of the two is still at work when the other has failed
  const std::stop_callback told(stop, [&] { give_up.request_stop(); });
  std::optional<Result<std::string>> hashed;
  std::jthread hashing([&] {
    hashed = hash_open_file(image->fd, image->path, file.hashed, give_up.get_token());
    if (!*hashed || **hashed != file.sha256) give_up.request_stop();
  });
  auto worked = work(*image, give_up.get_token());
  if (!worked) give_up.request_stop();
  hashing.join();

  if (auto same = check_unchanged(*image, *identity); !same && !stop.stop_requested()) {
    return fail(std::move(same.error()));
  }
  if (*hashed && **hashed != file.sha256) {
    return fail(ErrorKind::kCorrupt, "{} has the SHA-256 {}, not {}", file.path.string(), **hashed, file.sha256);
  }
  // The first to fail stops the other: that one's kCancelled says nothing.
  if (!*hashed && (hashed->error().kind() != ErrorKind::kCancelled || worked)) return fail(hashed->error());
  if (!worked) return fail(std::move(worked.error()));
  return identity;
}

Inspect by(const archive::Inspector& inspector) {
  return [&inspector](const archive::ImageFile& file, const archive::Policy& policy,
                      const archive::InspectOptions& options,
                      std::stop_token stop) { return inspector.inspect(file, policy, options, std::move(stop)); };
}

Result<Validated> validate(const Inspect& inspect, const ValidationRequest& request, std::stop_token stop) {
  const auto size = identify(request.file);
  if (!size) return fail(size.error());
  SlowerOfTwo progress(size->size, request.inspect.progress);
  archive::Inspection seen;
  const auto look = [&](const archive::ImageFile& image, std::stop_token give_up) -> Result<> {
    archive::InspectOptions options = request.inspect;
    options.progress = [&](std::uint64_t read, std::uint64_t) { progress.inspected(read); };
    auto inspection = inspect(image, request.policy, options, std::move(give_up));
    if (!inspection) return fail(std::move(inspection.error()));
    progress.inspected(size->size);  // it need not read all: it leaps over what files hold
    seen = std::move(*inspection);
    return {};
  };
  const CheckedFile file{
      .path = request.file, .sha256 = request.sha256, .hashed = [&](std::uint64_t done) { progress.hashed(done); }};
  auto identity = work_while_hashing(file, look, stop);
  if (!identity) return fail(std::move(identity.error()));
  return Validated{std::move(seen), *identity};
}

}  // namespace slipway::pipeline

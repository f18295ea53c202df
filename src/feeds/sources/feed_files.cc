#include "feeds/sources/feed_files.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

#include "archive/decompress.h"
#include "archive/reader.h"
#include "archive/unpack_meter.h"
#include "archive/zip_reader.h"
#include "feeds/sources/local_tag.h"
#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::feeds {
namespace {

namespace fs = std::filesystem;

std::string without_compression(std::string name) {
  for (const std::string_view extension : {".gz", ".xz", ".zst", ".bz2"}) {
    if (name.ends_with(extension)) return name.substr(0, name.size() - extension.size());
  }
  return name;
}

archive::Limits archive_limits(const UnpackLimits& limits) {
  return {.max_files = 50'000'000,
          .max_file_size = limits.max_bytes,
          .max_total_size = limits.max_bytes,
          .max_compression_ratio = limits.max_ratio};
}

// The limits are not those of images: what is said of them would mislead.
Error unpack_error(const Error& error) {
  if (error.kind() != ErrorKind::kRejected) return error;
  return Error(ErrorKind::kRejected, "it unpacks to far more than its size, and is not read on");
}

}  // namespace

// One stored file: opened, looked into, and read.
class FeedFiles::Container {
 public:
  static Result<std::unique_ptr<Container>> open(const Stored& stored, const UnpackLimits& limits) {
    sys::Descriptor fd(::open(stored.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (fd.get() < 0) return fail(sys::system_error("open", stored.path.string(), errno));
    struct stat about{};
    if (::fstat(fd.get(), &about) != 0) return fail(sys::system_error("stat", stored.path.string(), errno));
    std::unique_ptr<Container> made(
        new Container(std::move(fd), static_cast<std::uint64_t>(about.st_size), stored, limits));
    if (auto looked = made->look(); !looked) return fail(unpack_error(looked.error()));
    return made;
  }

  Result<std::optional<FeedFile>> next() {
    auto found = advance();
    if (!found) return fail(unpack_error(found.error()));
    return found;
  }

 private:
  // What is in an archive, or behind a compression, as a source whose errors are worded for feeds.
  class Content : public archive::ByteSource {
   public:
    explicit Content(Container& of) : of_(of) {}
    Result<std::span<const std::byte>> next() override {
      auto piece = of_.read();
      if (!piece) return fail(unpack_error(piece.error()));
      return piece;
    }

   private:
    Container& of_;
  };

  Container(sys::Descriptor fd, std::uint64_t size, Stored stored, const UnpackLimits& limits)
      : fd_(std::move(fd)),
        size_(size),
        stored_(std::move(stored)),
        meter_(archive_limits(limits), size),
        content_(*this) {
    rewind();
  }

  void rewind() {
    file_ = std::make_unique<archive::FileSource>(fd_.get(), size_, archive::Tick());
    peeked_ = std::make_unique<archive::PeekedSource>(*file_);
    unpacked_.reset();
  }

  // From the first bytes, unpacked where they are packed.
  Result<> look() {
    auto head = peeked_->head();
    if (!head) return fail(std::move(head.error()));
    if (archive::ZipReader::recognises(*head)) {
      auto zip = archive::ZipReader::open(fd_.get(), meter_);
      if (!zip) return fail(std::move(zip.error()));
      zip_.emplace(std::move(*zip));
      return {};
    }
    const auto compression = archive::detect_compression(*head);
    if (compression != archive::Compression::kNone) {
      unpacked_ = std::make_unique<archive::DecompressSource>(*peeked_, compression);
      inner_ = std::make_unique<archive::PeekedSource>(*unpacked_);
      head = inner_->head();
      if (!head) return fail(std::move(head.error()));
    }
    if (!archive::is_tar(*head)) return {};
    inner_.reset();
    rewind();
    auto tar = archive::Reader::open(*file_, meter_);
    if (!tar) return fail(std::move(tar.error()));
    tar_.emplace(std::move(*tar));
    return {};
  }

  Result<std::optional<FeedFile>> advance() {
    if (zip_) {
      auto name = zip_->next();
      if (!name) return fail(std::move(name.error()));
      if (!*name) return std::nullopt;
      return FeedFile{std::move(**name), /*one_of_many=*/true, &content_};
    }
    if (tar_) return advance_tar();
    if (given_) return std::nullopt;
    given_ = true;
    return FeedFile{without_compression(stored_.name), stored_.one_of_many, &content_};
  }

  Result<std::optional<FeedFile>> advance_tar() {
    for (;;) {
      const auto entry = tar_->next();
      if (!entry) return fail(entry.error());
      if (*entry == nullptr) return std::nullopt;
      if ((*entry)->type == archive::EntryType::kFile) return FeedFile{(*entry)->path, /*one_of_many=*/true, &content_};
    }
  }

  Result<std::span<const std::byte>> read() {
    if (zip_) return zip_->read();
    if (tar_) {
      auto piece = tar_->read();
      if (!piece) return fail(std::move(piece.error()));
      return piece->bytes;
    }
    if (!inner_) return peeked_->next();
    auto piece = inner_->next();
    if (!piece) return piece;
    if (auto taken = meter_.take(piece->size()); !taken) return fail(std::move(taken.error()));
    return piece;
  }

  sys::Descriptor fd_;
  std::uint64_t size_;
  Stored stored_;
  archive::UnpackMeter meter_;
  std::unique_ptr<archive::FileSource> file_;
  std::unique_ptr<archive::PeekedSource> peeked_;
  std::unique_ptr<archive::DecompressSource> unpacked_;
  std::unique_ptr<archive::PeekedSource> inner_;
  std::optional<archive::ZipReader> zip_;
  std::optional<archive::Reader> tar_;
  Content content_;
  bool given_ = false;
};

FeedFiles::FeedFiles(std::vector<Stored> stored, UnpackLimits limits) : stored_(std::move(stored)), limits_(limits) {}
FeedFiles::~FeedFiles() = default;
FeedFiles::FeedFiles(FeedFiles&&) noexcept = default;
FeedFiles& FeedFiles::operator=(FeedFiles&&) noexcept = default;

Result<FeedFiles> FeedFiles::open(const fs::path& path, const std::string& name, UnpackLimits limits) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    return FeedFiles({{.path = path, .name = name.empty() ? path.filename().string() : name}}, limits);
  }
  auto files = files_below(path);
  if (!files) return fail(std::move(files.error()));
  std::vector<Stored> stored;
  for (const auto& file : *files) stored.push_back({.path = path / file, .name = file.string(), .one_of_many = true});
  return FeedFiles(std::move(stored), limits);
}

Result<std::optional<FeedFile>> FeedFiles::next() {
  for (;;) {
    if (!open_) {
      if (next_ == stored_.size()) return std::nullopt;
      auto opened = Container::open(stored_[next_], limits_);
      if (!opened) return opened.error().during("{}", stored_[next_].name);
      open_ = std::move(*opened);
      ++next_;
    }
    auto file = open_->next();
    if (!file) return file.error().during("{}", stored_[next_ - 1].name);
    if (*file) return file;
    open_.reset();
  }
}

}  // namespace slipway::feeds

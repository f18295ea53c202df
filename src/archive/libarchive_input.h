// Inside src/archive only: feeds a libarchive reader from a ByteSource, and keeps the error that the source gave.
#pragma once

#include <cerrno>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>

#include <archive.h>

#include "archive/byte_source.h"

namespace slipway::archive {

struct ArchiveCloser {
  void operator()(struct archive* handle) const { archive_read_free(handle); }
};
using ArchiveHandle = std::unique_ptr<struct archive, ArchiveCloser>;

// Must stay where it is while the handle it was opened with lives.
class LibarchiveInput {
 public:
  explicit LibarchiveInput(ByteSource& from) : from_(from) {}
  LibarchiveInput(const LibarchiveInput&) = delete;
  LibarchiveInput& operator=(const LibarchiveInput&) = delete;

  [[nodiscard]] int open(struct archive* handle) {
    archive_read_set_callback_data(handle, this);
    archive_read_set_read_callback(handle, &LibarchiveInput::on_read);
    archive_read_set_skip_callback(handle, &LibarchiveInput::on_skip);
    return archive_read_open1(handle);
  }

  // The source's own error when it had one, else what libarchive says, as kCorrupt.
  [[nodiscard]] std::unexpected<Error> failure(struct archive* handle) {
    if (error_) return std::unexpected(*error_);
    const char* text = archive_error_string(handle);
    return fail(ErrorKind::kCorrupt, "{}", text != nullptr ? text : "the archive is damaged");
  }

  [[nodiscard]] std::uint64_t fed() const { return fed_; }
  [[nodiscard]] std::span<const std::byte> last() const { return last_; }

 private:
  static la_ssize_t on_read(struct archive* handle, void* self, const void** buffer) {
    return static_cast<LibarchiveInput*>(self)->read(handle, buffer);
  }
  static la_int64_t on_skip(struct archive* /*handle*/, void* self, la_int64_t request) {
    return static_cast<LibarchiveInput*>(self)->skip(request);
  }

  la_ssize_t read(struct archive* handle, const void** buffer) {
    if (!error_) {
      try {
        auto piece = from_.next();
        if (piece) {
          last_ = *piece;
          fed_ += piece->size();
          *buffer = piece->data();
          return static_cast<la_ssize_t>(piece->size());
        }
        error_ = std::move(piece.error());
      } catch (const std::exception& e) {  // must not pass through C
        error_ = Error(ErrorKind::kCorrupt, e.what());
      }
    }
    archive_set_error(handle, EIO, "%s", error_->message().c_str());
    return ARCHIVE_FATAL;
  }

  la_int64_t skip(la_int64_t request) {
    if (error_ || request <= 0) return 0;
    auto gone = from_.skip(static_cast<std::uint64_t>(request));
    if (!gone) {
      error_ = std::move(gone.error());
      return ARCHIVE_FATAL;
    }
    fed_ += *gone;
    return static_cast<la_int64_t>(*gone);
  }

  ByteSource& from_;
  std::optional<Error> error_;
  std::span<const std::byte> last_;
  std::uint64_t fed_ = 0;
};

}  // namespace slipway::archive

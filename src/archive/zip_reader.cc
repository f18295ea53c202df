#include "archive/zip_reader.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

#include <archive.h>
#include <archive_entry.h>
#include <unistd.h>

#include "archive/libarchive_input.h"
#include "sys/system_error.h"

namespace slipway::archive {

struct ZipReader::State {
  UnpackMeter& meter;
  ArchiveHandle handle;

  [[nodiscard]] std::unexpected<Error> failure() const {
    const char* text = archive_error_string(handle.get());
    return fail(ErrorKind::kCorrupt, "the zip is damaged: {}", text != nullptr ? text : "it cannot be read");
  }
};

ZipReader::ZipReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
ZipReader::~ZipReader() = default;
ZipReader::ZipReader(ZipReader&&) noexcept = default;
ZipReader& ZipReader::operator=(ZipReader&&) noexcept = default;

bool ZipReader::recognises(std::span<const std::byte> head) {
  constexpr std::array kMark = {std::byte{'P'}, std::byte{'K'}};
  if (head.size() < 4 || !std::ranges::equal(head.first(2), kMark)) return false;
  const bool file = head[2] == std::byte{3} && head[3] == std::byte{4};
  const bool empty = head[2] == std::byte{5} && head[3] == std::byte{6};
  return file || empty;
}

Result<ZipReader> ZipReader::open(int fd, UnpackMeter& meter) {
  constexpr std::size_t kBlock = std::size_t{256} << 10;
  if (::lseek(fd, 0, SEEK_SET) != 0) return fail(sys::system_error("seek in", "the zip", errno));
  auto state = std::make_unique<State>(State{meter, ArchiveHandle(archive_read_new())});
  archive_read_support_format_zip_seekable(state->handle.get());
  if (archive_read_open_fd(state->handle.get(), fd, kBlock) != ARCHIVE_OK) return state->failure();
  return ZipReader(std::move(state));
}

Result<std::optional<std::string>> ZipReader::next() {
  for (;;) {
    struct archive_entry* entry = nullptr;
    const int status = archive_read_next_header(state_->handle.get(), &entry);
    if (status == ARCHIVE_EOF) return std::nullopt;
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return state_->failure();  // a warning is of the name's charset
    if (archive_entry_filetype(entry) != AE_IFREG) continue;
    if (archive_entry_is_encrypted(entry) != 0) {
      return fail(ErrorKind::kCorrupt, "a file in the zip is encrypted");
    }
    const char* name = archive_entry_pathname(entry);
    if (name == nullptr) return fail(ErrorKind::kCorrupt, "a file in the zip has no name");
    return std::string(name);
  }
}

Result<std::span<const std::byte>> ZipReader::read() {
  const void* bytes = nullptr;
  std::size_t size = 0;
  la_int64_t offset = 0;
  while (size == 0) {
    const int status = archive_read_data_block(state_->handle.get(), &bytes, &size, &offset);
    if (status == ARCHIVE_EOF) return std::span<const std::byte>();
    if (status != ARCHIVE_OK) return state_->failure();
  }
  if (auto taken = state_->meter.take(size); !taken) return fail(std::move(taken.error()));
  return std::span(static_cast<const std::byte*>(bytes), size);
}

}  // namespace slipway::archive

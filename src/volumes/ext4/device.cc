#include "volumes/ext4/device.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <et/com_err.h>
#include <fcntl.h>
#include <unistd.h>

#include "sys/fault.h"
#include "sys/system_error.h"

namespace slipway::volumes::ext4 {

// What libext2fs calls. Each answers with 0 or an error number, and keeps the error itself for Device::error().
struct Channel {
  static Device& device(io_channel channel) { return *static_cast<Device*>(channel->private_data); }

  static errcode_t kept(Device& device, Result<> done, errcode_t code) {
    if (done) return 0;
    if (!device.failure_) device.failure_ = std::move(done.error());
    return code;
  }

  static errcode_t open(const char* name, int flags, io_channel* out);

  static errcode_t close(io_channel channel) {
    if (--channel->refcount > 0) return 0;
    std::free(channel->name);  // NOLINT(cppcoreguidelines-no-malloc): libext2fs may free it too
    delete channel;
    return 0;
  }

  static errcode_t set_blksize(io_channel channel, int size) {
    if (size <= 0) return EXT2_ET_INVALID_ARGUMENT;
    channel->block_size = size;
    return 0;
  }

  // A count below zero is of bytes.
  static std::size_t length(io_channel channel, int count) {
    return count < 0 ? static_cast<std::size_t>(-static_cast<std::int64_t>(count))
                     : static_cast<std::size_t>(count) * static_cast<std::size_t>(channel->block_size);
  }
  // A block so far out that its place is no number is beyond any end.
  static std::uint64_t place(io_channel channel, unsigned long long block) {
    const auto size = static_cast<std::uint64_t>(channel->block_size);
    return block > UINT64_MAX / size ? UINT64_MAX : block * size;
  }

  static errcode_t read64(io_channel channel, unsigned long long block, int count, void* data) {
    const std::span bytes(static_cast<std::byte*>(data), length(channel, count));
    return kept(device(channel), device(channel).read(place(channel, block), bytes), EXT2_ET_SHORT_READ);
  }
  static errcode_t read(io_channel channel, unsigned long block, int count, void* data) {
    return read64(channel, block, count, data);
  }
  static errcode_t write64(io_channel channel, unsigned long long block, int count, const void* data) {
    const std::span bytes(static_cast<const std::byte*>(data), length(channel, count));
    return kept(device(channel), device(channel).write(place(channel, block), bytes), EXT2_ET_SHORT_WRITE);
  }
  static errcode_t write(io_channel channel, unsigned long block, int count, const void* data) {
    return write64(channel, block, count, data);
  }
  static errcode_t write_byte(io_channel channel, unsigned long offset, int count, const void* data) {
    const std::span bytes(static_cast<const std::byte*>(data), static_cast<std::size_t>(std::max(count, 0)));
    return kept(device(channel), device(channel).write(offset, bytes), EXT2_ET_SHORT_WRITE);
  }
  static errcode_t zeroout(io_channel channel, unsigned long long block, unsigned long long count) {
    return kept(device(channel), device(channel).zero(place(channel, block), place(channel, count)),
                EXT2_ET_SHORT_WRITE);
  }
  static errcode_t flush(io_channel /*channel*/) { return 0; }
  static errcode_t set_option(io_channel /*channel*/, const char* /*option*/, const char* /*value*/) {
    return EXT2_ET_INVALID_ARGUMENT;
  }
  static errcode_t get_stats(io_channel /*channel*/, io_stats* stats) {
    if (stats != nullptr) *stats = nullptr;
    return 0;
  }
};

namespace {

thread_local Device* opening = nullptr;

struct_io_manager make_manager() {
  struct_io_manager made{};
  made.magic = EXT2_ET_MAGIC_IO_MANAGER;
  made.name = "descriptor";
  made.open = Channel::open;
  made.close = Channel::close;
  made.set_blksize = Channel::set_blksize;
  made.read_blk = Channel::read;
  made.write_blk = Channel::write;
  made.flush = Channel::flush;
  made.write_byte = Channel::write_byte;
  made.set_option = Channel::set_option;
  made.get_stats = Channel::get_stats;
  made.read_blk64 = Channel::read64;
  made.write_blk64 = Channel::write64;
  made.zeroout = Channel::zeroout;
  return made;
}

}  // namespace

errcode_t Channel::open(const char* name, int /*flags*/, io_channel* out) {
  if (opening == nullptr) return EXT2_ET_BAD_DEVICE_NAME;
  auto made = std::make_unique<struct_io_channel>();
  made->magic = EXT2_ET_MAGIC_IO_CHANNEL;
  made->manager = Opening::manager();
  made->name = ::strdup(name);
  made->block_size = 1024;
  made->refcount = 1;
  made->private_data = opening;
  if (made->name == nullptr) return EXT2_ET_NO_MEMORY;
  *out = made.release();
  return 0;
}

Opening::Opening(Device& device) { opening = &device; }
Opening::~Opening() { opening = nullptr; }

io_manager Opening::manager() {
  static struct_io_manager manager = make_manager();
  return &manager;
}

Error writing_error(Error error) {
  if (error.kind() != ErrorKind::kNoSpace) return error;
  return std::move(error).with_hint(
      "what the volume stands on is full: remove images (slipway rm), or give the pool more room");
}

Result<> Device::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  if (offset > size_ || bytes.size() > size_ - offset) {
    return fail(ErrorKind::kCorrupt, "the volume's file system reaches beyond its end, to byte {}", offset);
  }
  while (!bytes.empty()) {
    const ssize_t got = ::pread(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(sys::system_error("read", "the volume", errno));
    if (got == 0) return fail(ErrorKind::kCorrupt, "the volume ends at byte {}; it should have {}", offset, size_);
    bytes = bytes.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

Result<> Device::write(std::uint64_t offset, std::span<const std::byte> bytes) {
  if (auto fault = fault::check("volumes.ext4.write"))
    return writing_error(std::move(*fault)).during("write the volume");
  if (offset > size_ || bytes.size() > size_ - offset) {
    return fail(ErrorKind::kInternal, "a write of {} bytes at {} would leave the volume", bytes.size(), offset);
  }
  while (!bytes.empty()) {
    const ssize_t put = ::pwrite(fd_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(writing_error(sys::system_error("write", "the volume", errno)));
    if (put == 0) return fail(ErrorKind::kIo, "the volume takes no bytes at {}", offset);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
    offset += static_cast<std::uint64_t>(put);
    written_ += static_cast<std::uint64_t>(put);
  }
  return {};
}

Result<> Device::zero(std::uint64_t offset, std::uint64_t length) {
  if (offset > size_ || length > size_ - offset) {
    return fail(ErrorKind::kInternal, "zeros for {} bytes at {} would leave the volume", length, offset);
  }
  if (length == 0) return {};
  for (const int how : {FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE}) {
    if (fault::check("volumes.ext4.zero")) continue;
    if (::fallocate(fd_, how, static_cast<off_t>(offset), static_cast<off_t>(length)) == 0) return {};
  }
  const std::vector<std::byte> zeros(std::min<std::uint64_t>(length, 1U << 20U));
  while (length > 0) {
    const std::uint64_t piece = std::min<std::uint64_t>(length, zeros.size());
    if (auto put = write(offset, std::span(zeros).first(piece)); !put) return put;
    offset += piece;
    length -= piece;
  }
  return {};
}

void Device::begin_writing_out(std::uint64_t offset, std::uint64_t length) const {
  ::sync_file_range(fd_, static_cast<off_t>(offset), static_cast<off_t>(length), SYNC_FILE_RANGE_WRITE);
}

Result<> Device::sound() const {
  if (failure_) return fail(*failure_);
  return {};
}

Error Device::error(errcode_t code, ErrorKind kind) const {
  if (failure_) return *failure_;
  ::initialize_ext2_error_table();
  switch (code) {
    case EXT2_ET_NO_MEMORY: return {ErrorKind::kUnavailable, "there is no memory for the volume's file system"};
    case EXT2_ET_BLOCK_ALLOC_FAIL:
    case EXT2_ET_INODE_ALLOC_FAIL:
    case EXT2_ET_TOO_MANY_INODES:
    case EXT2_ET_TOOSMALL:
      return Error(ErrorKind::kNoSpace, "the volume is too small").with_hint("make it larger: device_size");
    default: return {kind, std::string("libext2fs: ") + ::error_message(code)};
  }
}

}  // namespace slipway::volumes::ext4

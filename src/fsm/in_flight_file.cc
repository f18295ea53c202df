#include "fsm/in_flight_file.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::fsm {
namespace {

constexpr std::size_t kHalfBytes = sizeof(std::uint64_t);
constexpr std::size_t kSlotBytes = 2 * kHalfBytes;
constexpr std::size_t kMostSlots = 1 << 16;  // also of a file that somebody else made longer

// What follows the last whole slot, or the most that a file may have, is ignored.
Result<std::vector<RunVersion>> read_marks(int fd, const std::string& path) {
  std::vector<std::uint64_t> halves(kMostSlots * 2);
  std::size_t bytes = 0;
  while (bytes < halves.size() * kHalfBytes) {
    char* const to = reinterpret_cast<char*>(halves.data()) + bytes;
    const ssize_t got = ::pread(fd, to, halves.size() * kHalfBytes - bytes, static_cast<off_t>(bytes));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(sys::system_error("read", path, errno));
    if (got == 0) break;
    bytes += static_cast<std::size_t>(got);
  }
  std::vector<RunVersion> found;
  for (std::size_t slot = 0; slot < bytes / kSlotBytes; ++slot) {
    const Ulid mark(halves[2 * slot], halves[2 * slot + 1]);
    if (!mark.empty()) found.emplace_back(mark);
  }
  std::ranges::sort(found);
  const auto repeated = std::ranges::unique(found);
  found.erase(repeated.begin(), repeated.end());
  return found;
}

}  // namespace

Result<std::unique_ptr<InFlightFile>> InFlightFile::open(const std::string& path, std::size_t slots) {
  if (slots == 0 || slots > kMostSlots) {
    return fail(ErrorKind::kInvalid, "in-flight file {}: {} slots, not 1 to {}", path, slots, kMostSlots);
  }
  const sys::Descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!file) return fail(sys::system_error("open", path, errno));
  auto found = read_marks(file.get(), path);
  if (!found) return fail(std::move(found.error()));
  const std::size_t bytes = slots * kSlotBytes;
  if (::ftruncate(file.get(), static_cast<off_t>(bytes)) != 0) return fail(sys::system_error("truncate", path, errno));
  if (const int error = ::posix_fallocate(file.get(), 0, static_cast<off_t>(bytes)); error != 0) {
    return fail(sys::system_error("allocate", path, error));
  }
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) return fail(sys::system_error("map", path, errno));
  const std::span halves(static_cast<std::uint64_t*>(mapped), slots * 2);
  return std::unique_ptr<InFlightFile>(new InFlightFile(halves, std::move(*found)));
}

InFlightFile::~InFlightFile() { ::munmap(halves_.data(), halves_.size_bytes()); }

void InFlightFile::enter(std::size_t slot, RunVersion version) {
  set(slot, version.ulid().high(), version.ulid().low());
}

void InFlightFile::leave(std::size_t slot) { set(slot, 0, 0); }

void InFlightFile::clear() {
  for (std::size_t slot = 0; slot < slots(); ++slot) leave(slot);
}

// Relaxed: the reader is another process, after this one's death, which orders everything.
void InFlightFile::set(std::size_t slot, std::uint64_t high, std::uint64_t low) {
  assert(slot < slots());
  std::atomic_ref(halves_[2 * slot]).store(high, std::memory_order_relaxed);
  std::atomic_ref(halves_[2 * slot + 1]).store(low, std::memory_order_relaxed);
}

}  // namespace slipway::fsm

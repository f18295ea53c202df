#include "volumes/thin/pool_setup.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/directories.h"
#include "sys/fault.h"
#include "sys/system_error.h"
#include "volumes/pool.h"
#include "volumes/thin/device_mapper.h"
#include "volumes/thin/kernel_text.h"
#include "volumes/thin/loop_device.h"
#include "volumes/thin/pool_gate.h"

namespace slipway::volumes {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::uint64_t kBlockUnit = 64ULL << 10;
constexpr std::uint64_t kGreatestBlock = 1ULL << 30;
constexpr std::uint64_t kLeastMetadata = 2ULL << 20;
constexpr std::uint64_t kGreatestMetadata = 16ULL << 30;  // the kernel uses no more
constexpr std::uint64_t kMetadataForBlock = 48;           // bytes, as the kernel's documentation advises
constexpr std::uint64_t kSuperblock = 4096;
constexpr std::uint64_t kLowWaterPart = 20;  // the kernel's event comes when this part of the data blocks is left
// For who looks at a pool to be done with it.
constexpr int kStopTries = 10;
constexpr auto kStopPause = std::chrono::milliseconds(20);

// Of the superblock: the magic number's place and value (little endian).
constexpr std::size_t kMagicAt = 32;
constexpr std::uint64_t kMagic = 27022010;

enum class Holds : std::uint8_t { kNothing, kZeros, kPool, kOther };

// What the first block says. A file that is missing holds nothing.
Result<Holds> look_at(const std::filesystem::path& path) {
  const sys::Descriptor fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd && errno == ENOENT) return Holds::kNothing;
  if (!fd) return fail(sys::system_error("open", path.native(), errno));
  std::array<char, kSuperblock> block{};
  const auto got = ::pread(fd.get(), block.data(), block.size(), 0);
  if (got < 0) return fail(sys::system_error("read", path.native(), errno));
  if (got == 0) return Holds::kNothing;
  std::uint64_t magic = 0;
  std::memcpy(&magic, block.data() + kMagicAt, sizeof(magic));
  if (static_cast<std::size_t>(got) == block.size() && magic == kMagic) return Holds::kPool;
  return std::ranges::all_of(block, [](char c) { return c == 0; }) ? Holds::kZeros : Holds::kOther;
}

bool is_block_device(const std::filesystem::path& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISBLK(info.st_mode);
}

// Makes the file, or makes it bigger; never smaller.
Result<> extend_file(const std::filesystem::path& path, std::uint64_t size) {
  const sys::Descriptor fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return fail(sys::system_error("make", path.native(), errno));
  struct stat info{};
  if (::fstat(fd.get(), &info) != 0) return fail(sys::system_error("look at", path.native(), errno));
  if (!S_ISREG(info.st_mode)) {
    return fail(ErrorKind::kInvalid, "{} is neither a file nor a block device", path.native());
  }
  if (static_cast<std::uint64_t>(info.st_size) >= size) return {};
  if (::ftruncate(fd.get(), static_cast<off_t>(size)) != 0 || ::fsync(fd.get()) != 0) {
    return fail(sys::system_error("make bigger", path.native(), errno));
  }
  return sys::sync_directory(path.parent_path().empty() ? "." : path.parent_path());
}

Result<std::string> block_device_of(const std::filesystem::path& path) {
  if (is_block_device(path)) return path.native();
  return attach_loop(path);
}

// Both as block devices.
struct Devices {
  std::string data{};
  std::string metadata{};
};

Result<Devices> attach(const ThinPoolPlace& place) {
  auto data = block_device_of(place.data);
  if (!data) return fail(std::move(data.error()));
  auto metadata = block_device_of(place.metadata);
  if (!metadata) return fail(std::move(metadata.error()));
  return Devices{*data, *metadata};
}

Result<> detach(const ThinPoolPlace& place) {
  for (const auto& path : {place.metadata, place.data}) {
    if (is_block_device(path)) continue;
    if (auto gone = detach_loop(path); !gone) return gone;
  }
  return {};
}

std::string uuid_of(const std::string& pool) { return "SLIPWAYPOOL-" + pool; }

Result<> load_and_resume(const std::string& name, const dm::Table& table) {
  if (auto loaded = dm::load(name, table); !loaded) {
    if (loaded.error() == EILSEQ || loaded.error() == EINVAL || loaded.error() == ENOTBLK) {
      return fail(Error(ErrorKind::kCorrupt, fmt::format("the kernel does not take the metadata of the pool {}", name))
                      .with_hint("its log (dmesg) says why; thin_check and thin_repair are the tools for it"));
    }
    return fail(dm::error("load the table of", name, loaded.error()));
  }
  if (auto resumed = dm::resume(name); !resumed) {
    if (resumed.error() == EINVAL) {
      return fail(Error(ErrorKind::kCorrupt, fmt::format("the data device of the pool {} is smaller than it was", name))
                      .with_hint("give it the device or the file that it had"));
    }
    return fail(dm::error("resume", name, resumed.error()));
  }
  return {};
}

// The device mapper's part; a half-made device of an earlier try is made anew.
Result<> run_pool(const std::string& name, const Devices& devices, std::uint64_t block_size) {
  auto size = device_size(devices.data);
  if (!size) return fail(std::move(size.error()));
  const auto blocks = *size / block_size;
  if (blocks == 0) return fail(ErrorKind::kInvalid, "{} is smaller than a block of the pool", devices.data);
  if (auto gone = dm::remove(name); !gone) return fail(dm::error("remove", name, gone.error()));
  if (auto made = dm::create(name, uuid_of(name)); !made) return fail(dm::error("make", name, made.error()));
  if (auto fault = fault::check("volumes.thin.pool.half-made")) return fail(std::move(*fault));
  const dm::Table table{blocks * (block_size / dm::kSector), "thin-pool",
                        fmt::format("{} {} {} {} 1 error_if_no_space", devices.metadata, devices.data,
                                    block_size / dm::kSector, blocks / kLowWaterPart)};
  auto done = load_and_resume(name, table);
  if (!done) (void)dm::remove(name);
  return done;
}

struct Standing {
  bool runs = false;
  bool suspended = false;
};

Result<Standing> standing_of(const std::string& name) {
  if (auto available = dm::check_available(); !available) return fail(std::move(available.error()));
  auto seen = dm::look(name);
  if (!seen) return fail(dm::error("look at", name, seen.error()));
  if (!*seen || !(*seen)->info.has_table) return Standing{};
  if (!(*seen)->table || (*seen)->table->target != "thin-pool") {
    return fail(ErrorKind::kConflict, "the device {} is no thin pool", name);
  }
  return Standing{.runs = true, .suspended = (*seen)->info.suspended};
}

// Running, or not; a suspended one (a crash while it was grown) is resumed.
Result<bool> runs(const std::string& name) {
  auto standing = standing_of(name);
  if (!standing) return fail(std::move(standing.error()));
  if (standing->suspended) {
    if (auto resumed = dm::resume(name); !resumed) return fail(dm::error("resume", name, resumed.error()));
  }
  return standing->runs;
}

// Where the pool's superblock keeps the size of a block, in sectors (little endian).
Result<std::uint64_t> stored_block_size(const std::filesystem::path& metadata) {
  constexpr off_t kAt = 336;
  const sys::Descriptor fd(::open(metadata.c_str(), O_RDONLY | O_CLOEXEC));
  std::uint32_t sectors = 0;
  if (!fd || ::pread(fd.get(), &sectors, sizeof(sectors), kAt) != sizeof(sectors)) {
    return fail(sys::system_error("read", metadata.native(), errno));
  }
  const auto size = sectors * dm::kSector;
  if (size == 0 || size % kBlockUnit != 0 || size > kGreatestBlock) {
    return fail(ErrorKind::kCorrupt, "the pool's metadata at {} names a block size of {} bytes", metadata.native(),
                size);
  }
  return size;
}

Result<> check(const ThinPoolSpec& spec) {
  if (auto good = check_pool_name(spec.place.name); !good) return good;
  if (spec.block_size == 0 || spec.block_size % kBlockUnit != 0 || spec.block_size > kGreatestBlock) {
    return fail(ErrorKind::kInvalid, "a pool's block size is a multiple of 64 KiB up to 1 GiB, not {} bytes",
                spec.block_size);
  }
  if (!is_block_device(spec.place.data) && spec.data_size < spec.block_size) {
    return fail(ErrorKind::kInvalid, "a pool's data needs at least a block of {} bytes, not {}", spec.block_size,
                spec.data_size);
  }
  if (spec.metadata_size != 0 && spec.metadata_size < kLeastMetadata) {
    return fail(ErrorKind::kInvalid, "a pool's metadata needs at least 2 MiB, not {} bytes", spec.metadata_size);
  }
  return {};
}

Result<> make_files(const ThinPoolSpec& spec) {
  if (!is_block_device(spec.place.data)) {
    if (auto made = extend_file(spec.place.data, spec.data_size); !made) return made;
  }
  if (is_block_device(spec.place.metadata)) return {};
  std::uint64_t size = spec.metadata_size;
  if (size == 0) {
    std::uint64_t data = spec.data_size;
    if (is_block_device(spec.place.data)) {
      auto whole = device_size(spec.place.data);
      if (!whole) return fail(std::move(whole.error()));
      data = *whole;
    }
    size = std::clamp(data / spec.block_size * kMetadataForBlock, kLeastMetadata, kGreatestMetadata);
    size = (size + kSuperblock - 1) / kSuperblock * kSuperblock;
  }
  return extend_file(spec.place.metadata, size);
}

// Refuses to go on where something is that a new pool would destroy.
Result<> check_is_new(const ThinPoolPlace& place) {
  for (const auto& path : {place.metadata, place.data}) {
    auto holds = look_at(path);
    if (!holds) return fail(std::move(holds.error()));
    if (*holds == Holds::kPool) {
      return fail(Error(ErrorKind::kAlreadyExists, fmt::format("{} holds a pool already", path.native()))
                      .with_hint("start it, or destroy it first"));
    }
    if (*holds == Holds::kOther) {
      return fail(Error(ErrorKind::kAlreadyExists, fmt::format("{} holds data that is not a pool's", path.native()))
                      .with_hint("if nobody needs it, overwrite its first 4 KiB with zeros"));
    }
  }
  return {};
}

// The files made and on loop devices, and the pool started. What was attached stays so when it fails, for the next try.
Result<> make_pool(const ThinPoolSpec& spec) {
  if (auto made = make_files(spec); !made) return made;
  if (auto fault = fault::check("volumes.thin.pool.files")) return fail(std::move(*fault));
  auto devices = attach(spec.place);
  if (!devices) return fail(std::move(devices.error()));
  if (auto fault = fault::check("volumes.thin.pool.attached")) return fail(std::move(*fault));
  return run_pool(spec.place.name, *devices, spec.block_size);
}

Result<> grow_one(const std::filesystem::path& path, std::uint64_t size) {
  if (is_block_device(path)) {
    if (size == 0) return {};
    auto now = device_size(path);
    if (!now) return fail(std::move(now.error()));
    if (*now >= size) return {};
    return fail(ErrorKind::kInvalid, "{} is a block device of {} bytes: grow it first, to {}", path.native(), *now,
                size);
  }
  auto loop = find_loop(path);
  if (!loop) return fail(std::move(loop.error()));
  if (!*loop) return fail(ErrorKind::kNotFound, "no loop device stands on {}", path.native());
  if (auto longer = extend_file(path, size); !longer) return longer;
  if (auto fault = fault::check("volumes.thin.pool.file-grown")) return fail(std::move(*fault));
  return refresh_loop(**loop);
}

// The table that the running pool has, over as many whole blocks as its data device has now.
Result<dm::Table> grown_table(const ThinPoolPlace& place) {
  auto now = dm::table(place.name);
  if (!now || !*now) return fail(dm::error("look at", place.name, now ? ENODATA : now.error()));
  const auto parsed = parse_pool_table((*now)->parameters);
  if (!parsed) return fail(ErrorKind::kUnsupported, "the pool {} has a table of an unknown form", place.name);
  auto device = block_device_of(place.data);
  if (!device) return fail(std::move(device.error()));
  auto size = device_size(*device);
  if (!size) return fail(std::move(size.error()));
  dm::Table table = **now;
  table.sectors = std::max(table.sectors, *size / parsed->block_bytes * (parsed->block_bytes / dm::kSector));
  return table;
}

Result<> swap_table(const std::string& name, const dm::Table& table) {
  if (auto loaded = dm::load(name, table); !loaded) return fail(dm::error("load the table of", name, loaded.error()));
  if (auto stopped = dm::suspend(name, dm::Flush::kNo); !stopped) {
    return fail(dm::error("suspend", name, stopped.error()));
  }
  auto fault = fault::check("volumes.thin.pool.suspended");
  if (auto resumed = dm::resume(name); !resumed) return fail(dm::error("resume", name, resumed.error()));
  if (fault) return fail(std::move(*fault));
  return {};
}

Result<> remove_file(const std::filesystem::path& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fail(sys::system_error("remove", path.native(), errno));
  return sys::sync_directory(path.parent_path().empty() ? "." : path.parent_path());
}

Result<> wipe(const std::filesystem::path& device) {
  const sys::Descriptor fd(::open(device.c_str(), O_WRONLY | O_CLOEXEC));
  const std::array<char, kSuperblock> zeros{};
  if (!fd || ::pwrite(fd.get(), zeros.data(), zeros.size(), 0) != static_cast<ssize_t>(zeros.size()) ||
      ::fsync(fd.get()) != 0) {
    return fail(sys::system_error("wipe", device.native(), errno));
  }
  return {};
}

}  // namespace

Result<> check_pool_name(const std::string& name) {
  if (auto good = check_device_name(name); !good) return good.error().during("a pool's name");
  if (name.size() <= kLongestName && !name.ends_with("-of")) return {};
  return fail(ErrorKind::kInvalid, "a pool's name has at most {} bytes, and does not end in \"-of\": \"{}\" is none",
              kLongestName, name);
}

Result<bool> thin_pool_runs(const std::string& name) {
  auto standing = standing_of(name);
  if (!standing) return fail(std::move(standing.error()));
  return standing->runs;
}

Result<> create_thin_pool(const ThinPoolSpec& spec) {
  const auto& name = spec.place.name;
  if (auto good = check(spec); !good) return good;
  auto running = runs(name);
  if (!running) return running.error().during("create the pool {}", name);
  if (*running) return fail(ErrorKind::kAlreadyExists, "there is a pool {} already", name);
  if (auto is_new = check_is_new(spec.place); !is_new) return is_new.error().during("create the pool {}", name);
  if (auto made = make_pool(spec); !made) return made.error().during("create the pool {}", name);
  return {};
}

Result<> start_thin_pool(const ThinPoolPlace& place) {
  if (auto good = check_pool_name(place.name); !good) return good;
  auto running = runs(place.name);
  if (!running) return running.error().during("start the pool {}", place.name);
  if (*running) return {};
  // Zeros are never given to the kernel here: it would make an empty pool of them.
  auto holds = look_at(place.metadata);
  if (!holds) return holds.error().during("start the pool {}", place.name);
  if (*holds != Holds::kPool) {
    return fail(Error(ErrorKind::kNotFound,
                      fmt::format("start the pool {}: {} holds no pool", place.name, place.metadata.native()))
                    .with_hint("slipway pool create makes one"));
  }
  auto block_size = stored_block_size(place.metadata);
  if (!block_size) return block_size.error().during("start the pool {}", place.name);
  auto devices = attach(place);
  if (!devices) return devices.error().during("start the pool {}", place.name);
  auto started = run_pool(place.name, *devices, *block_size);
  if (started) return {};
  (void)detach(place);
  return started.error().during("start the pool {}", place.name);
}

Result<> grow_thin_pool(const ThinPoolPlace& place, const ThinPoolGrowth& growth) {
  if (auto available = dm::check_available(); !available) return available;
  const auto gate = PoolGate::enter(place.name);
  if (!gate) return gate.error().during("grow the pool {}", place.name);
  auto running = runs(place.name);
  if (!running) return running.error().during("grow the pool {}", place.name);
  if (!*running) return fail(ErrorKind::kNotFound, "grow the pool {}: it does not run", place.name);
  const auto grow = [&]() -> Result<> {
    if (auto grown = grow_one(place.data, growth.data_size); !grown) return grown;
    if (auto grown = grow_one(place.metadata, growth.metadata_size); !grown) return grown;
    auto table = grown_table(place);
    if (!table) return fail(std::move(table.error()));
    return swap_table(place.name, *table);
  };
  if (auto grown = grow(); !grown) return grown.error().during("grow the pool {}", place.name);
  return {};
}

Result<> stop_thin_pool(const ThinPoolPlace& place) {
  auto running = runs(place.name);
  if (!running) return running.error().during("stop the pool {}", place.name);
  auto gone = dm::remove(place.name);
  for (int tries = 0; !gone && gone.error() == EBUSY && tries < kStopTries; ++tries) {
    std::this_thread::sleep_for(kStopPause);
    gone = dm::remove(place.name);
  }
  if (!gone) {
    if (gone.error() == EBUSY) {
      return fail(Error(ErrorKind::kUnavailable, fmt::format("stop the pool {}: devices of it are active", place.name))
                      .with_hint("deactivate them first"));
    }
    return fail(dm::error("remove", place.name, gone.error()));
  }
  if (auto free = detach(place); !free) return free.error().during("stop the pool {}", place.name);
  return {};
}

Result<> destroy_thin_pool(const ThinPoolPlace& place) {
  if (auto stopped = stop_thin_pool(place); !stopped) return stopped;
  if (auto fault = fault::check("volumes.thin.pool.stopped")) return fail(std::move(*fault));
  for (const auto& path : {place.metadata, place.data}) {
    if (is_block_device(path)) {
      if (auto wiped = wipe(path); !wiped) return wiped.error().during("destroy the pool {}", place.name);
    } else if (auto gone = remove_file(path); !gone) {
      return gone.error().during("destroy the pool {}", place.name);
    }
  }
  return {};
}

}  // namespace slipway::volumes

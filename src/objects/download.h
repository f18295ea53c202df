// One object made into one file: by parallel ranges, hashed in the same pass, synced, and put in place at once.
//
// While it is under way, the bytes stand in `<file>.part` and what is proven of them in `<file>.part.state`. A process
// killed at any instant leaves either both of these (the next download of the same ETag goes on from what is proven,
// any other starts afresh) or the finished file; never a `file` that is not whole. An error leaves them, too, when
// going on can help (kUnavailable, kTimeout, kCancelled), and removes them when not.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "base/time.h"
#include "objects/object_source.h"
#include "sys/clock.h"

namespace slipway::objects {

struct DownloadProgress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

// How a download goes about it. The defaults are for real disks and networks; tests make everything small.
struct DownloadTuning {
  std::uint64_t one_stream = std::uint64_t{8} << 20;  // up to this size: one request, no state file, nothing to resume
  std::uint64_t min_part = std::uint64_t{8} << 20;
  std::uint64_t max_part = std::uint64_t{64} << 20;
  int streams = 4;                                            // ranges at once to begin with
  int max_streams = 8;                                        // and while more of them still bring more
  std::uint64_t checkpoint_bytes = std::uint64_t{256} << 20;  // what is new is proven after so much of it,
  Duration checkpoint_interval = std::chrono::seconds(5);     // or so long
  int tries = 5;                                              // in a row without a byte of progress
  Duration retry_delay = std::chrono::milliseconds(200);      // before the second try; doubles, jittered
  int max_replaced = 3;                                       // how often an object may change under us
};

struct DownloadRequest {
  std::string key{};
  std::filesystem::path file{};  // its folder must be there
  // What a list said of it: spares a small object the question. A big one is asked about anyway unless checksums stand
  // here, because a list does not state them.
  std::optional<ObjectInfo> known{};
  std::uint64_t max_size = 0;  // a bigger object is kRejected before a byte of it is read; 0: any size
  std::function<void(const DownloadProgress&)> progress{};  // often, from any thread, one at a time; may be empty
  Logger log{};
  DownloadTuning tuning{};
  sys::Clock* clock = &sys::system_clock();
};

struct Downloaded {
  ObjectInfo object{};        // as it was when the bytes were read
  std::string sha256{};       // of the file, lower-case hex
  std::uint64_t resumed = 0;  // bytes that an earlier try had left, and that were proven to be of this object
};

// Only one download of a file at a time: a second is kConflict. Memory in use is about a MiB, whatever the size.
//
// An object replaced mid-way is noticed by its ETag and started again, a few times, then kConflict. Room on the disk is
// checked before and reserved: kNoSpace. Bytes that do not match a checksum the server states are kCorrupt, and gone.
[[nodiscard]] Result<Downloaded> download(ObjectSource& source, const DownloadRequest& request,
                                          const std::stop_token& stop);

// Removes what a download of `file` may have left beside it. No error when there is nothing.
[[nodiscard]] Result<> remove_partial(const std::filesystem::path& file);

}  // namespace slipway::objects

// One object made into one file: by parallel ranges, hashed in the same pass, synced, and put in place at once.
//
// While it is under way, the bytes stand in `<file>.part` and what is proven of them in `<file>.part.state`. A process
// killed at any instant leaves either both of these (the next download of the same ETag goes on from what is proven,
// any other starts afresh) or the finished file; never a `file` that is not whole. An error leaves them, too, when
// going on can help (kUnavailable, kTimeout, kCancelled), and removes them when not.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "objects/object_source.h"

namespace slipway::objects {

struct DownloadProgress {
  std::uint64_t done = 0;
  std::uint64_t total = 0;
};

struct DownloadRequest {
  std::string key{};
  std::filesystem::path file{};                             // its folder must be there
  std::uint64_t max_size = 0;                               // a bigger object is kRejected before a byte of it is read
  std::function<void(const DownloadProgress&)> progress{};  // often, from any thread, one at a time; may be empty
  Logger log{};
};

struct Downloaded {
  ObjectInfo object{};        // as it was when the bytes were read
  std::string sha256{};       // of the file, lower-case hex
  std::uint64_t resumed = 0;  // bytes that an earlier try had left, and that were proven to be of this object
};

// An object replaced mid-way is noticed by its ETag and started again, a few times, then kConflict. Room on the disk is
// checked before and reserved: kNoSpace. Bytes that do not match a checksum the server states are kCorrupt, and gone.
[[nodiscard]] Result<Downloaded> download(ObjectSource& source, const DownloadRequest& request, std::stop_token stop);

// Removes what a download of `file` may have left beside it. No error when there is nothing.
[[nodiscard]] Result<> remove_partial(const std::filesystem::path& file);

}  // namespace slipway::objects

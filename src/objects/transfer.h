// The bytes of one version of an object brought into a PartFile, and hashed on the way.
//
// Three threads at most, whatever the size: the caller's, which starts the ranges and tries them again; one that hashes
// the bytes that are there without a gap, reading them back from the kernel's cache; and one that has them written to
// the disk early and records what is proven. The bytes themselves are written by whoever brings them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/digest.h"
#include "objects/download.h"
#include "objects/part_file.h"
#include "objects/range_plan.h"
#include "objects/stream_tuner.h"
#include "sys/mutex.h"

namespace slipway::objects {

// For one run() and not more.
class Transfer {
 public:
  enum class Mode : std::uint8_t {
    kSmall,   // one stream, no other threads, nothing proven on the way
    kRanges,  // in parallel
    kWhole,   // one stream from the first byte, and no second try: for servers that know no ranges
  };

  Transfer(ObjectSource& source, const ObjectInfo& object, PartFile& part, const DownloadRequest& request, Mode mode);
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  // The digests of all the bytes: SHA-256, and what the server states. Returns when no thread and no read is left.
  // After an error, what is there has been proven where the mode does that.
  [[nodiscard]] Result<std::map<HashAlgorithm, DigestBytes>> run(const std::stop_token& stop) SLIPWAY_EXCLUDES(mutex_);

  // What the server stated of the object, with its information and with its bytes.
  [[nodiscard]] std::vector<Checksum> stated() SLIPWAY_EXCLUDES(mutex_);

 private:
  class Receiver;

  void bring() SLIPWAY_REQUIRES(mutex_);  // the caller's thread
  [[nodiscard]] bool start_next() SLIPWAY_REQUIRES(mutex_);
  void hash() SLIPWAY_EXCLUDES(mutex_);
  void keep() SLIPWAY_EXCLUDES(mutex_);
  [[nodiscard]] bool checkpoint_due() const SLIPWAY_REQUIRES(mutex_);
  void checkpoint() SLIPWAY_REQUIRES(mutex_);
  void add_algorithms() SLIPWAY_REQUIRES(mutex_);

  void arrived(int id, std::uint64_t count) SLIPWAY_EXCLUDES(mutex_);
  void over(int id, int round, bool progress, Result<> how) SLIPWAY_EXCLUDES(mutex_);
  void failed(Error error) SLIPWAY_REQUIRES(mutex_);
  void report() SLIPWAY_REQUIRES(mutex_);

  ObjectSource& source_;
  const ObjectInfo& object_;
  PartFile& part_;
  const DownloadRequest& request_;
  const DownloadTuning& tuning_;
  sys::Clock& clock_;
  const Mode mode_;
  std::stop_source abort_;  // of the reads under way

  sys::Mutex mutex_;
  std::condition_variable bring_changed_;  // a part is over, or something failed
  std::condition_variable hash_changed_;
  std::condition_variable keep_changed_;
  RangePlan plan_ SLIPWAY_GUARDED_BY(mutex_);
  StreamTuner tuner_ SLIPWAY_GUARDED_BY(mutex_);
  std::optional<Error> failure_ SLIPWAY_GUARDED_BY(mutex_);  // the first one
  bool ending_ SLIPWAY_GUARDED_BY(mutex_) = false;
  int failures_ SLIPWAY_GUARDED_BY(mutex_) = 0;  // rounds in a row without progress
  int round_ SLIPWAY_GUARDED_BY(mutex_) = 0;     // reads of an older one fail for a reason that is counted already
  TimePoint retry_at_ SLIPWAY_GUARDED_BY(mutex_) = TimePoint::min();
  std::uint64_t kicked_ SLIPWAY_GUARDED_BY(mutex_) = 0;  // bytes that were there when writing them out was last begun
  std::uint64_t proven_ SLIPWAY_GUARDED_BY(mutex_) = 0;  // and when they were last recorded
  TimePoint proven_at_ SLIPWAY_GUARDED_BY(mutex_);
  TimePoint reported_at_ SLIPWAY_GUARDED_BY(mutex_) = TimePoint::min();
  std::vector<Checksum> stated_ SLIPWAY_GUARDED_BY(mutex_);
  std::map<HashAlgorithm, Hasher>
      hashers_;  // the hashing thread's; in kSmall and kWhole filled in after the bytes came
};

}  // namespace slipway::objects

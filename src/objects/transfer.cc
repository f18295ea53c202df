#include "objects/transfer.h"

#include <algorithm>
#include <random>
#include <thread>

#include "objects/uri.h"

namespace slipway::objects {
namespace {

constexpr std::uint64_t kHashPiece = 1 << 20;
constexpr std::uint64_t kWriteBackAfter = std::uint64_t{16} << 20;
constexpr Duration kTick = std::chrono::milliseconds(100);

bool worth_another_try(ErrorKind kind) { return kind == ErrorKind::kUnavailable || kind == ErrorKind::kTimeout; }

Duration retry_delay(Duration first, int failures) {
  constexpr int kMostDoublings = 6;
  thread_local std::minstd_rand random{std::random_device{}()};
  const Duration longest = first * (1 << std::clamp(failures - 1, 0, kMostDoublings));
  return longest / 2 + Duration(std::uniform_int_distribution<Duration::rep>(0, longest.count() / 2)(random));
}

}  // namespace

// One range on its way into the file.
class Transfer::Receiver final : public RangeReceiver {
 public:
  Receiver(Transfer& owner, const RangePlan::Part& part, int round)
      : owner_(owner),
        id_(part.id),
        round_(round),
        begin_(part.range.offset),
        at_(begin_),
        end_(begin_ + part.range.length) {}

  void stated(const std::vector<Checksum>& checksums) override {
    const sys::Lock lock(owner_.mutex_);
    if (owner_.stated_.empty()) owner_.stated_ = checksums;
  }

  Result<> bytes(std::span<const std::byte> piece) override {
    if (piece.size() > end_ - at_) return fail(ErrorKind::kCorrupt, "more bytes came than were asked for");
    if (auto written = owner_.part_.write(at_, piece); !written) return written;
    at_ += piece.size();
    owner_.arrived(id_, piece.size());
    return {};
  }

  void done(Result<> how) override { owner_.over(id_, round_, /*progress=*/at_ > begin_, std::move(how)); }

 private:
  Transfer& owner_;
  int id_;
  int round_;
  std::uint64_t begin_;
  std::uint64_t at_;
  std::uint64_t end_;
};

Transfer::Transfer(ObjectSource& source, const ObjectInfo& object, PartFile& part, const DownloadRequest& request,
                   Mode mode)
    : source_(source),
      object_(object),
      part_(part),
      request_(request),
      tuning_(request.tuning),
      clock_(*request.clock),
      mode_(mode),
      plan_(object.size, part.kept()),
      tuner_(request.tuning),
      kicked_(plan_.done()),
      proven_(plan_.done()),
      proven_at_(clock_.now()),
      stated_(object.checksums) {}

Result<std::map<HashAlgorithm, DigestBytes>> Transfer::run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    const sys::Lock lock(mutex_);
    failed(Error(ErrorKind::kCancelled, "the download was stopped"));
  });
  const std::stop_callback on_stop_too(stop, [this] { abort_.request_stop(); });  // wakes one that waits in a read()
  {
    std::vector<std::jthread> helpers;
    if (mode_ == Mode::kRanges) {
      const sys::Lock lock(mutex_);
      add_algorithms();
      helpers.emplace_back([this] { hash(); });
      helpers.emplace_back([this] { keep(); });
    }
    const sys::Lock lock(mutex_);
    bring();
    ending_ = true;
    hash_changed_.notify_all();
    keep_changed_.notify_all();
    const sys::Unlock unlocked(mutex_);
    if (!helpers.empty()) part_.start_writeback();  // the disk is busy while the last bytes are hashed
    helpers.clear();
  }
  {
    const sys::Lock lock(mutex_);
    if (failure_) {
      const bool keep = mode_ == Mode::kRanges && plan_.done() > proven_;
      if (keep) checkpoint();
      return fail(*failure_);
    }
    if (mode_ != Mode::kRanges) add_algorithms();
  }
  if (mode_ != Mode::kRanges) hash();
  const sys::Lock lock(mutex_);
  if (failure_) return fail(*failure_);
  std::map<HashAlgorithm, DigestBytes> digests;
  for (auto& [algorithm, hasher] : hashers_) digests[algorithm] = hasher.finish();
  return digests;
}

std::vector<Checksum> Transfer::stated() {
  const sys::Lock lock(mutex_);
  return stated_;
}

void Transfer::add_algorithms() {
  hashers_.try_emplace(HashAlgorithm::kSha256, HashAlgorithm::kSha256);
  for (const auto& checksum : stated_) hashers_.try_emplace(checksum.algorithm, checksum.algorithm);
}

void Transfer::bring() {
  while (!failure_ && !plan_.complete()) {
    if (start_next()) continue;
    report();
    const TimePoint now = clock_.now();
    tuner_.observe(plan_.done(), now);
    const TimePoint due = later(now, kTick);
    sys::Borrowed borrowed(mutex_);
    clock_.wait_until(borrowed.lock(), bring_changed_, retry_at_ > now ? std::min(due, retry_at_) : due);
  }
  abort_.request_stop();
  while (plan_.on_their_way() > 0) {
    sys::Borrowed borrowed(mutex_);
    bring_changed_.wait(borrowed.lock());
  }
  report();
}

bool Transfer::start_next() {
  const bool parallel = mode_ == Mode::kRanges;
  const auto streams = static_cast<std::size_t>(parallel ? tuner_.streams() : 1);
  if (plan_.on_their_way() >= streams || clock_.now() < retry_at_) return false;
  const auto part = plan_.next(parallel ? tuner_.part_size() : object_.size);
  if (!part) return false;
  RangeRequest range{.key = object_.key,
                     .etag = object_.etag,
                     .modified = object_.modified,
                     .object_size = object_.size,
                     .offset = part->range.offset,
                     .length = part->range.length};
  auto receiver = std::make_shared<Receiver>(*this, *part, round_);
  const sys::Unlock unlocked(mutex_);
  source_.read(std::move(range), std::move(receiver), abort_.get_token());
  return true;
}

void Transfer::hash() {
  std::vector<std::byte> buffer(std::min<std::uint64_t>(kHashPiece, object_.size));
  for (std::uint64_t hashed = 0; hashed < object_.size;) {
    std::uint64_t ready = 0;
    {
      const sys::Lock lock(mutex_);
      while (!failure_ && plan_.prefix() < std::min(hashed + kHashPiece, object_.size)) {
        sys::Borrowed borrowed(mutex_);
        hash_changed_.wait(borrowed.lock());
      }
      if (failure_) return;
      ready = plan_.prefix();
    }
    while (hashed < ready) {
      const auto piece = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), ready - hashed));
      if (auto got = part_.read(hashed, piece); !got) {
        const sys::Lock lock(mutex_);
        return failed(got.error());
      }
      for (auto& [algorithm, hasher] : hashers_) hasher.update(piece);
      hashed += piece.size();
    }
  }
}

bool Transfer::checkpoint_due() const {
  const std::uint64_t fresh = plan_.done() - proven_;
  if (fresh == 0 || plan_.complete()) return false;
  return fresh >= tuning_.checkpoint_bytes || clock_.now() >= later(proven_at_, tuning_.checkpoint_interval);
}

void Transfer::keep() {
  const sys::Lock lock(mutex_);
  while (!ending_ && !failure_) {
    if (plan_.done() - kicked_ >= kWriteBackAfter) {
      kicked_ = plan_.done();
      const sys::Unlock unlocked(mutex_);
      part_.start_writeback();
    } else if (checkpoint_due()) {
      checkpoint();
    } else {
      const bool fresh = plan_.done() > proven_ && !plan_.complete();
      sys::Borrowed borrowed(mutex_);
      clock_.wait_until(
          borrowed.lock(), keep_changed_,
          fresh ? later(proven_at_, tuning_.checkpoint_interval) : later(clock_.now(), tuning_.checkpoint_interval));
    }
  }
}

void Transfer::checkpoint() {
  const std::uint64_t done = plan_.done();
  const auto have = plan_.have();  // taken before the sync: what comes during it is not proven
  Result<> recorded;
  {
    const sys::Unlock unlocked(mutex_);
    recorded = part_.checkpoint(have);
  }
  if (!recorded) return failed(recorded.error());
  proven_ = done;
  proven_at_ = clock_.now();
}

void Transfer::arrived(int id, std::uint64_t count) {
  const sys::Lock lock(mutex_);
  const std::uint64_t before = plan_.prefix();
  plan_.advance(id, count);
  failures_ = 0;
  const std::uint64_t prefix = plan_.prefix();
  if (prefix / kHashPiece != before / kHashPiece || prefix == object_.size) hash_changed_.notify_one();
  if (plan_.done() - kicked_ >= kWriteBackAfter || checkpoint_due()) keep_changed_.notify_one();
}

void Transfer::over(int id, int round, bool progress, Result<> how) {
  const sys::Lock lock(mutex_);
  plan_.finish(id);
  bring_changed_.notify_all();
  if (how || plan_.complete()) return;
  if (mode_ == Mode::kWhole || !worth_another_try(how.error().kind())) return failed(how.error());
  if (round < round_) return;
  ++round_;
  failures_ = progress ? 1 : failures_ + 1;
  if (failures_ >= tuning_.tries) return failed(how.error());
  retry_at_ = later(clock_.now(), retry_delay(tuning_.retry_delay, failures_));
  request_.log.debug("a range of {} failed, trying again: {}", shown(object_.key), how.error().message());
}

void Transfer::failed(Error error) {
  if (!failure_) failure_ = std::move(error);
  bring_changed_.notify_all();
  hash_changed_.notify_all();
  keep_changed_.notify_all();
}

void Transfer::report() {
  const TimePoint now = clock_.now();
  if (!request_.progress || (now < later(reported_at_, kTick) && !plan_.complete())) return;
  reported_at_ = now;
  const DownloadProgress progress{.done = plan_.done(), .total = plan_.size()};
  const sys::Unlock unlocked(mutex_);
  request_.progress(progress);
}

}  // namespace slipway::objects

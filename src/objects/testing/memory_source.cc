#include "objects/testing/memory_source.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <span>

namespace slipway::objects {
namespace {

constexpr std::size_t kPiece = 16 << 10;

void wait_for(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock lock(mutex);
  changed.wait(lock, stop, [] { return false; });
}

}  // namespace

MemorySource::MemorySource() : MemorySource(Quirks{}) {}

MemorySource::~MemorySource() {
  std::vector<std::jthread> threads;
  const sys::Lock lock(mutex_);
  threads.swap(threads_);
  const sys::Unlock unlocked(mutex_);
  threads.clear();
}

void MemorySource::put(const std::string& key, std::string bytes, std::vector<Checksum> checksums) {
  const sys::Lock lock(mutex_);
  const int version = ++versions_;
  const ObjectInfo info{.key = key,
                        .size = bytes.size(),
                        .etag = quirks_.etags ? fmt::format("v{}", version) : "",
                        .modified = from_micros(1'700'000'000'000'000) + std::chrono::seconds(version),
                        .checksums = std::move(checksums)};
  objects_[key] = {info, std::move(bytes)};
}

void MemorySource::remove(const std::string& key) {
  const sys::Lock lock(mutex_);
  objects_.erase(key);
}

void MemorySource::on_read(Hook hook) {
  const sys::Lock lock(mutex_);
  hook_ = std::move(hook);
}

void MemorySource::fail_heads(std::optional<Error> error) {
  const sys::Lock lock(mutex_);
  head_error_ = std::move(error);
}

std::vector<RangeRequest> MemorySource::requests() const {
  const sys::Lock lock(mutex_);
  return requests_;
}

Result<ObjectInfo> MemorySource::head(const std::string& key, std::stop_token /*stop*/) {
  ++heads_;
  if (auto checked = check_key(key); !checked) return fail(checked.error());
  const sys::Lock lock(mutex_);
  if (head_error_) return fail(*head_error_);
  const auto found = objects_.find(key);
  if (found == objects_.end()) return fail(ErrorKind::kNotFound, "there is no object {}", key);
  ObjectInfo info = found->second.info;
  if (quirks_.checksums_late) info.checksums.clear();
  return info;
}

Result<ObjectPage> MemorySource::list(const ListRequest& request, std::stop_token /*stop*/) {
  const sys::Lock lock(mutex_);
  ObjectPage page;
  for (auto at = objects_.upper_bound(request.after); at != objects_.end(); ++at) {
    if (!at->first.starts_with(request.prefix)) continue;
    if (page.objects.size() == std::max<std::uint32_t>(1, request.max_keys)) {
      page.next = page.objects.back().key;
      break;
    }
    page.objects.push_back(at->second.info);
    page.objects.back().checksums.clear();
  }
  return page;
}

void MemorySource::read(RangeRequest request, std::shared_ptr<RangeReceiver> receiver, std::stop_token stop) {
  if (auto checked = check_range(request); !checked) return receiver->done(std::move(checked));
  const int number = ++reads_;
  Hook hook;
  {
    const sys::Lock lock(mutex_);
    requests_.push_back(request);
    hook = hook_;
  }
  std::optional<ReadFault> fault = hook ? hook(request, number) : std::nullopt;
  const sys::Lock lock(mutex_);
  threads_.emplace_back([this, request = std::move(request), receiver = std::move(receiver), stop = std::move(stop),
                         fault = std::move(fault)] { receiver->done(serve(request, fault, *receiver, stop)); });
}

Result<MemorySource::Stored> MemorySource::find(const RangeRequest& request) const {
  const sys::Lock lock(mutex_);
  const auto found = objects_.find(request.key);
  if (found == objects_.end()) return fail(ErrorKind::kNotFound, "there is no object {}", request.key);
  const ObjectInfo& info = found->second.info;
  const bool other = quirks_.etags && !request.etag.empty() ? info.etag != request.etag
                                                            : request.modified && info.modified != request.modified;
  if (other || info.size != request.object_size) {
    return fail(ErrorKind::kConflict, "the object {} was replaced", request.key);
  }
  return found->second;
}

Result<> MemorySource::serve(const RangeRequest& request, const std::optional<ReadFault>& fault,
                             RangeReceiver& receiver, const std::stop_token& stop) {
  if (!quirks_.ranges && request.length != request.object_size) {
    return fail(ErrorKind::kUnsupported, "only whole objects are served here");
  }
  auto stored = find(request);
  if (!stored) return fail(stored.error());
  if (quirks_.checksums_late && request.length == request.object_size) receiver.stated(stored->info.checksums);
  std::string bytes = stored->bytes.substr(request.offset, request.length);
  std::size_t end = bytes.size();
  if (fault && fault->flip && fault->after < end) {
    bytes[fault->after] = static_cast<char>(static_cast<std::uint8_t>(bytes[fault->after]) ^ *fault->flip);
  }
  if (fault && (fault->error || fault->wait_for_stop)) end = std::min<std::size_t>(end, fault->after);
  for (std::size_t at = 0; at < end;) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped");
    const std::size_t size = std::min(kPiece, end - at);
    if (auto taken = receiver.bytes(std::as_bytes(std::span(bytes).subspan(at, size))); !taken) return taken;
    at += size;
  }
  if (fault && fault->wait_for_stop) wait_for(stop);
  if (stop.stop_requested() && end < bytes.size()) return fail(ErrorKind::kCancelled, "stopped");
  if (fault && fault->error) return fail(*fault->error);
  return {};
}

}  // namespace slipway::objects

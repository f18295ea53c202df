#include "fsm/testing/memory_run_store.h"

#include <algorithm>
#include <ranges>
#include <set>

namespace slipway::fsm {
namespace {

// Those of active runs, each once.
std::vector<RunVersion> find_marks(MemoryRunData& data) {
  const sys::Lock lock(data.mutex);
  std::set<RunVersion> found;
  for (const auto version : data.marks) {
    const auto run = data.runs.find(version);
    if (run != data.runs.end() && !is_finished(run->second.record.progress.state)) found.insert(version);
  }
  return {found.begin(), found.end()};
}

void append(MemoryRunData::Run& run, const std::vector<Event>& events) {
  run.events.insert(run.events.end(), events.begin(), events.end());
  run.record.seq += events.size();
}

template <class T>
bool fits(const std::optional<T>& wanted, const T& value) {
  return !wanted || *wanted == value;
}

std::optional<Ending> ending_of(const RunState& state) {
  if (const auto* finishing = std::get_if<Finishing>(&state)) return finishing->ending;
  if (const auto* finished = std::get_if<Finished>(&state)) return finished->ending;
  return std::nullopt;
}

bool matches(const RunRecord& run, const RunFilter& filter) {
  const bool finished = is_finished(run.progress.state);
  if (filter.phase == RunFilter::Phase::kActive && finished) return false;
  if (filter.phase == RunFilter::Phase::kFinished && !finished) return false;
  return fits(filter.machine, run.spec.machine) && fits(filter.id, run.spec.id) &&
         (!filter.state || *filter.state == name_of(run.progress.state)) &&
         (!filter.ending || filter.ending == ending_of(run.progress.state)) &&
         (!filter.parent || filter.parent == run.spec.parent) &&
         (!filter.started_from || run.spec.started_at >= *filter.started_from) &&
         (!filter.started_before || run.spec.started_at < *filter.started_before) &&
         (!filter.older_than || run.spec.version < *filter.older_than);
}

RunRecord without_payload(RunRecord run) {
  run.request.clear();
  run.response.clear();
  return run;
}

}  // namespace

MemoryRunStore::Marks::Marks(std::shared_ptr<MemoryRunData> data, std::size_t slots)
    : data_(std::move(data)), slots_(slots) {
  const sys::Lock lock(data_->mutex);
  data_->marks.resize(std::max(data_->marks.size(), slots));
}

void MemoryRunStore::Marks::enter(std::size_t slot, RunVersion version) {
  const sys::Lock lock(data_->mutex);
  data_->marks.at(slot) = version;
}

void MemoryRunStore::Marks::leave(std::size_t slot) {
  const sys::Lock lock(data_->mutex);
  data_->marks.at(slot) = RunVersion();
}

void MemoryRunStore::Marks::clear() {
  const sys::Lock lock(data_->mutex);
  std::ranges::fill(data_->marks, RunVersion());
}

MemoryRunStore::MemoryRunStore(std::shared_ptr<MemoryRunData> data, std::size_t slots)
    : data_(std::move(data)), marks_(data_, slots), found_in_flight_(find_marks(*data_)) {}

std::shared_ptr<MemoryRunData> MemoryRunStore::snapshot() const {
  auto copy = std::make_shared<MemoryRunData>();
  const sys::Lock lock(data_->mutex);
  const sys::Lock copy_lock(copy->mutex);
  copy->runs = data_->runs;
  copy->active = data_->active;
  copy->greatest = data_->greatest;
  copy->marks = data_->marks;
  return copy;
}

void MemoryRunStore::fail_next_commits(std::size_t count, Error error) {
  const sys::Lock lock(data_->mutex);
  failures_left_ = count;
  failure_ = std::move(error);
}

void MemoryRunStore::before_commits(std::function<void()> call) {
  const sys::Lock lock(data_->mutex);
  before_commit_ = std::move(call);
}

void MemoryRunStore::fail_next_finds(std::size_t count, Error error) {
  const sys::Lock lock(data_->mutex);
  finds_to_fail_ = count;
  find_failure_ = std::move(error);
}

std::size_t MemoryRunStore::finds_to_fail() const {
  const sys::Lock lock(data_->mutex);
  return finds_to_fail_;
}

std::size_t MemoryRunStore::commits() const {
  const sys::Lock lock(data_->mutex);
  return commits_;
}

Result<std::optional<RunRecord>> MemoryRunStore::find(RunVersion version) {
  const sys::Lock lock(data_->mutex);
  if (finds_to_fail_ > 0) {
    --finds_to_fail_;
    return fail(find_failure_);
  }
  const auto found = data_->runs.find(version);
  if (found == data_->runs.end()) return std::nullopt;
  return found->second.record;
}

Result<std::optional<RunVersion>> MemoryRunStore::latest(const std::string& machine, const std::string& id) {
  const sys::Lock lock(data_->mutex);
  for (const auto& [version, run] : data_->runs | std::views::reverse) {
    if (run.record.spec.machine == machine && run.record.spec.id == id) return version;
  }
  return std::nullopt;
}

Result<std::vector<RunRecord>> MemoryRunStore::list(const RunFilter& filter) {
  if (filter.state && !is_state_name(*filter.state)) {
    return fail(ErrorKind::kInvalid, "no state of a run is named \"{}\"", *filter.state);
  }
  const sys::Lock lock(data_->mutex);
  std::vector<RunRecord> listed;
  for (const auto& [version, run] : data_->runs | std::views::reverse) {
    if (listed.size() >= filter.limit) break;
    if (matches(run.record, filter)) listed.push_back(without_payload(run.record));
  }
  return listed;
}

Result<std::vector<RunEvent>> MemoryRunStore::history(RunVersion version) {
  const sys::Lock lock(data_->mutex);
  std::vector<RunEvent> history;
  const auto found = data_->runs.find(version);
  if (found == data_->runs.end()) return history;
  const auto& [record, events] = found->second;
  for (std::uint64_t seq = 1; seq <= events.size(); ++seq) {
    history.push_back({version, record.spec.machine, record.spec.id, seq, events[seq - 1]});
  }
  return history;
}

Result<std::vector<WriteResult>> MemoryRunStore::commit(std::span<const Write> writes) {
  std::vector<WriteResult> results;
  if (writes.empty()) return results;
  for (const auto& write : writes) {
    const auto& events = std::visit([](const auto& w) -> const std::vector<Event>& { return w.events; }, write);
    for (const auto& event : events) {
      if (!is_stored(event.kind)) return fail(ErrorKind::kInvalid, "event {} is never stored", to_string(event.kind));
    }
  }
  const sys::Lock lock(data_->mutex);
  if (const auto call = before_commit_) {
    const sys::Unlock unlocked(data_->mutex);
    call();
  }
  if (failures_left_ > 0) {
    --failures_left_;
    return fail(failure_);
  }
  for (const auto& write : writes) {
    if (const auto* start = std::get_if<StartWrite>(&write)) results.push_back(apply(*start));
    if (const auto* move = std::get_if<MoveWrite>(&write)) results.push_back(apply(*move));
    if (const auto* cancel = std::get_if<CancelWrite>(&write)) results.push_back(apply(*cancel));
  }
  ++commits_;
  return results;
}

WriteResult MemoryRunStore::apply(const StartWrite& write) {
  const RunSpec& spec = *write.spec;
  const std::pair key(spec.machine, spec.id);
  if (const auto found = data_->active.find(key); found != data_->active.end()) return AlreadyActive{found->second};
  if (data_->runs.contains(spec.version)) return Fenced{};
  MemoryRunData::Run run;
  run.record.spec = spec;
  run.record.progress.state = *write.state;
  run.record.request = *write.request;
  append(run, write.events);
  if (!is_finished(*write.state)) data_->active.emplace(key, spec.version);
  data_->greatest = std::max(data_->greatest, spec.version);
  data_->runs.emplace(spec.version, std::move(run));
  return Applied{};
}

WriteResult MemoryRunStore::apply(const MoveWrite& write) {
  auto* run = find_at(write.version, write.base_seq);
  if (run == nullptr) return Fenced{};
  run->record.progress = *write.progress;
  if (write.response != nullptr) run->record.response = *write.response;
  append(*run, write.events);
  if (is_finished(write.progress->state)) data_->active.erase({run->record.spec.machine, run->record.spec.id});
  return Applied{};
}

WriteResult MemoryRunStore::apply(const CancelWrite& write) {
  auto* run = find_at(write.version, write.base_seq);
  if (run == nullptr) return Fenced{};
  run->record.cancel_cause = write.cause;
  append(*run, write.events);
  return Applied{};
}

MemoryRunData::Run* MemoryRunStore::find_at(RunVersion version, std::uint64_t base_seq) {
  const auto found = data_->runs.find(version);
  if (found == data_->runs.end()) return nullptr;
  const RunRecord& record = found->second.record;
  return record.seq == base_seq && !is_finished(record.progress.state) ? &found->second : nullptr;
}

Result<> MemoryRunStore::load_active(std::size_t payload_limit, const std::function<void(ActiveRun&&)>& take) {
  std::vector<ActiveRun> loaded;
  {
    const sys::Lock lock(data_->mutex);
    for (const auto& [version, run] : data_->runs) {
      if (is_finished(run.record.progress.state)) continue;
      const bool fit = run.record.request.size() + run.record.response.size() <= payload_limit;
      loaded.push_back({fit ? run.record : without_payload(run.record), fit});
    }
  }
  for (auto& run : loaded) take(std::move(run));
  return {};
}

Result<RunVersion> MemoryRunStore::greatest_version() {
  const sys::Lock lock(data_->mutex);
  return data_->greatest;
}

Result<std::size_t> MemoryRunStore::remove_finished(const Retention& keep, TimePoint now, std::size_t most) {
  const sys::Lock lock(data_->mutex);
  std::set<RunVersion> followed;
  std::set<std::pair<TimePoint, RunVersion>> finished;  // the oldest ending first
  for (const auto& [version, run] : data_->runs) {
    const auto* end = std::get_if<Finished>(&run.record.progress.state);
    if (end != nullptr) finished.emplace(end->at, version);
    if (end == nullptr && run.record.spec.after) followed.insert(*run.record.spec.after);
  }
  std::size_t beyond_count = 0;  // so many of the oldest
  if (keep.max_count && finished.size() > *keep.max_count) beyond_count = finished.size() - *keep.max_count;
  std::size_t removed = 0;
  std::size_t rank = 0;
  for (const auto& [at, version] : finished) {
    const bool too_old = keep.max_age && now - at > *keep.max_age;
    if (removed == most || (rank++ >= beyond_count && !too_old)) break;
    const auto parent = data_->runs.at(version).record.spec.parent;
    const auto above = parent ? data_->runs.find(*parent) : data_->runs.end();
    const bool awaited = above != data_->runs.end() && !is_finished(above->second.record.progress.state);
    if (!awaited && !followed.contains(version)) removed += data_->runs.erase(version);
  }
  return removed;
}

}  // namespace slipway::fsm

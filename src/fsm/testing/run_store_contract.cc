#include "fsm/testing/run_store_contract.h"

#include <ostream>
#include <utility>

namespace slipway::fsm {

// Each is defined in the file of the suite that it is named after.
void link_run_store_contract_writing();
void link_run_store_contract_reading();
void link_run_store_contract_keeping();

void PrintTo(const RunStoreFactory& /*factory*/, std::ostream* out) { *out << "a run store"; }
void PrintTo(const RunVersion& version, std::ostream* out) { *out << version.to_string(); }

RunStoreFactory run_store_contract(std::function<std::unique_ptr<RunStoreHarness>()> make) {
  link_run_store_contract_writing();
  link_run_store_contract_reading();
  link_run_store_contract_keeping();
  return {std::move(make)};
}

void RunStoreContract::SetUp() {
  harness_ = GetParam().make();
  reopen();
}

void RunStoreContract::reopen() {
  store_.reset();
  auto opened = harness_->open();
  ASSERT_TRUE(opened) << opened.error().describe();
  store_ = std::move(*opened);
}

RunSpec RunStoreContract::spec(std::string machine, std::string id) {
  RunSpec spec;
  spec.version = RunVersion(versions_.next(kNow));
  spec.machine = std::move(machine);
  spec.id = std::move(id);
  spec.plan = plan_;
  spec.started_at = kNow;
  return spec;
}

Event RunStoreContract::event(EventKind kind, std::string transition) {
  Event event;
  event.kind = kind;
  event.at = kNow;
  event.transition = std::move(transition);
  return event;
}

WriteResult RunStoreContract::start(const RunSpec& spec, const RunState& state, const std::string& request,
                                    std::vector<Event> events) {
  return commit({StartWrite{&spec, &state, &request, std::move(events)}}).at(0);
}

WriteResult RunStoreContract::move(RunVersion version, std::uint64_t base_seq, const Progress& progress,
                                   const std::string* response, std::vector<Event> events) {
  return commit({MoveWrite{version, base_seq, &progress, response, std::move(events)}}).at(0);
}

WriteResult RunStoreContract::cancel(RunVersion version, std::uint64_t base_seq, std::string cause) {
  return commit({CancelWrite{version, base_seq, std::move(cause), {event(EventKind::kCancelRequested)}}}).at(0);
}

std::vector<WriteResult> RunStoreContract::commit(const std::vector<Write>& writes) {
  auto results = store().commit(writes);
  EXPECT_TRUE(results) << results.error().describe();
  if (!results) return std::vector<WriteResult>(writes.size(), Fenced{});
  EXPECT_EQ(results->size(), writes.size());
  return *results;
}

RunVersion RunStoreContract::started(const std::string& machine, const std::string& id, const RunState& state) {
  const RunSpec made = spec(machine, id);
  EXPECT_TRUE(applied(start(made, state)));
  return made.version;
}

RunVersion RunStoreContract::finished(const std::string& machine, const std::string& id, TimePoint at, Ending ending) {
  const RunVersion version = started(machine, id);
  const Progress end{.state = Finished{ending, {}, at}, .position = 3, .arrival = 3};
  EXPECT_TRUE(applied(move(version, 1, end, nullptr, {event(EventKind::kFinished)})));
  return version;
}

RunRecord RunStoreContract::get(RunVersion version) {
  auto found = store().find(version);
  EXPECT_TRUE(found) << found.error().describe();
  EXPECT_TRUE(found && *found) << "run " << version.to_string() << " is not there";
  return found && *found ? std::move(**found) : RunRecord();
}

bool RunStoreContract::exists(RunVersion version) {
  auto found = store().find(version);
  EXPECT_TRUE(found) << found.error().describe();
  return found && *found;
}

std::vector<RunVersion> RunStoreContract::list(const RunFilter& filter) {
  auto listed = store().list(filter);
  EXPECT_TRUE(listed) << listed.error().describe();
  std::vector<RunVersion> versions;
  if (!listed) return versions;
  for (const auto& run : *listed) versions.push_back(run.spec.version);
  return versions;
}

std::vector<RunEvent> RunStoreContract::history(RunVersion version) {
  auto events = store().history(version);
  EXPECT_TRUE(events) << events.error().describe();
  return events ? *events : std::vector<RunEvent>();
}

std::vector<RunStore::ActiveRun> RunStoreContract::load(std::size_t payload_limit) {
  std::vector<RunStore::ActiveRun> runs;
  auto loaded = store().load_active(payload_limit, [&](RunStore::ActiveRun&& run) { runs.push_back(std::move(run)); });
  EXPECT_TRUE(loaded) << loaded.error().describe();
  return runs;
}

std::size_t RunStoreContract::remove(const Retention& keep, TimePoint now, std::size_t most) {
  auto removed = store().remove_finished(keep, now, most);
  EXPECT_TRUE(removed) << removed.error().describe();
  return removed ? *removed : 0;
}

}  // namespace slipway::fsm

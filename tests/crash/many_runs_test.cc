// The order of a run's events is a stored sequence, not a clock: many runs are cut off at once, and go on under a clock
// that has been set back.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fsm/sqlite_run_store.h"
#include "layout.h"
#include "life.h"
#include "many.h"

namespace slipway::crash {
namespace {

std::string response_after(const std::string& id, std::size_t completions) {
  std::string response;
  for (std::size_t i = 0; i < completions; ++i) response = many_response(response, id, kManyTransitions[i]);
  return response;
}

// Empty: the run is as its completions say.
std::string fault_of(fsm::RunReader& reader, fsm::RunVersion version) {
  const auto record = reader.find(version);
  if (!record || !*record) return "cannot be found";
  const auto events = reader.history(version);
  if (!events) return events.error().describe();
  std::size_t completions = 0;
  for (std::size_t i = 0; i < events->size(); ++i) {
    const auto& [run, machine, id, seq, event] = (*events)[i];
    if (seq != i + 1) return "its events have a hole";
    if (event.kind != fsm::EventKind::kCompleted) continue;
    if (completions == kManyTransitions.size()) return "too many completions";
    if (event.transition != kManyTransitions[completions++]) return "completions out of order: " + event.transition;
  }
  if ((*record)->progress.arrival != completions) return "stands elsewhere than its completions say";
  if ((*record)->response != response_after((*record)->spec.id, completions)) return "response " + (*record)->response;
  return {};
}

struct Census {
  std::vector<std::size_t> by_arrival = std::vector<std::size_t>(kManyTransitions.size() + 1);
  std::size_t finished = 0;
  std::size_t runs = 0;
};

// Looks at the events and the response of every nth run.
Census check(const std::string& folder, std::size_t nth) {
  Census census;
  auto reader = fsm::open_run_reader(store_path(folder));
  if (!reader) throw std::runtime_error(reader.error().describe());
  const auto runs = (*reader)->list({.limit = 2 * kManyRuns});
  if (!runs) throw std::runtime_error(runs.error().describe());
  std::vector<std::string> wrong;
  for (const auto& run : *runs) {
    ++census.runs;
    census.by_arrival.at(run.progress.arrival) += 1;
    if (fsm::is_finished(run.progress.state)) ++census.finished;
    if (census.runs % nth != 0) continue;
    const auto fault = fault_of(**reader, run.spec.version);
    if (!fault.empty() && wrong.size() < 5) wrong.push_back(run.spec.id + ": " + fault);
  }
  EXPECT_THAT(wrong, testing::IsEmpty());
  return census;
}

TEST(ManyRunsTest, EachOf100000RunsCutOffAtOnceEndsWithTheResponseOfItsLastCompletion) {
  const CrashFolder folder;
  const LifeEnd first =
      live({.folder = folder.path(), .mode = "many-first", .kill_after = Duration{0}, .from_ready = true});
  ASSERT_EQ(first.death, Death::kByOrder);
  const Census cut_off = check(folder.path(), /*nth=*/10);
  EXPECT_EQ(cut_off.runs, kManyRuns);
  EXPECT_EQ(cut_off.finished, 0U);
  EXPECT_GT(cut_off.by_arrival[1], kManyRuns / 10);
  EXPECT_GT(cut_off.by_arrival[2], kManyRuns / 10);

  ASSERT_EQ(live({.folder = folder.path(), .mode = "many-again"}).death, Death::kExited);
  const Census ended = check(folder.path(), /*nth=*/1);
  EXPECT_EQ(ended.runs, kManyRuns);
  EXPECT_EQ(ended.finished, kManyRuns);
  EXPECT_EQ(ended.by_arrival.back(), kManyRuns);
}

}  // namespace
}  // namespace slipway::crash

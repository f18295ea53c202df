// The two tables of the specification, row by row, and every pair that is not in them.
#include <set>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/macro_state.h"
#include "feeds/provider_state.h"

namespace slipway::feeds {
namespace {

using testing::HasSubstr;

template <class State>
void expect_exactly(const states::TransitionTable<State>& table, const auto& all,
                    const std::set<std::pair<std::string, std::string>>& allowed) {
  std::size_t seen = 0;
  for (const State from : all) {
    for (const State to : all) {
      const std::string first(to_string(from));
      const std::string second(to_string(to));
      const auto result = table.check("it", from, to);
      if (allowed.contains({first, second})) {
        ++seen;
        EXPECT_TRUE(result) << first << " to " << second;
        continue;
      }
      ASSERT_FALSE(result) << first << " to " << second;
      EXPECT_EQ(result.error().kind(), ErrorKind::kConflict);
      EXPECT_THAT(result.error().message(), HasSubstr("from " + first + " to " + second));
    }
  }
  EXPECT_EQ(seen, allowed.size());
}

TEST(StatesTest, AProviderMovesAsItsTableSays) {
  expect_exactly(provider_transitions(), kProviderStates,
                 {{"IDLE", "ACQUIRING"},
                  {"ACQUIRING", "RUNNING"},
                  {"ACQUIRING", "PAUSED"},
                  {"ACQUIRING", "TERMINATED"},
                  {"RUNNING", "WAITING_QUOTA"},
                  {"RUNNING", "WAITING_BACKOFF"},
                  {"RUNNING", "PAUSED"},
                  {"RUNNING", "TERMINATED"},
                  {"WAITING_QUOTA", "ACQUIRING"},
                  {"WAITING_QUOTA", "TERMINATED"},
                  {"WAITING_BACKOFF", "ACQUIRING"},
                  {"WAITING_BACKOFF", "TERMINATED"},
                  {"PAUSED", "ACQUIRING"},
                  {"PAUSED", "TERMINATED"}});
}

TEST(StatesTest, TheMacroMachineMovesAsItsTableSays) {
  expect_exactly(macro_transitions(), kMacroStates,
                 {{"BOOTSTRAPPING", "ORCHESTRATING"},
                  {"BOOTSTRAPPING", "DRAINING"},
                  {"ORCHESTRATING", "STABILIZING"},
                  {"ORCHESTRATING", "DRAINING"},
                  {"STABILIZING", "ORCHESTRATING"},
                  {"STABILIZING", "DRAINING"}});
}

TEST(StatesTest, NamesAreReadBackAsWhatTheyWere) {
  for (const auto state : kProviderStates) EXPECT_EQ(parse_provider_state(to_string(state)), state);
  for (const auto state : kMacroStates) EXPECT_EQ(parse_macro_state(to_string(state)), state);
  for (const auto outcome : {Outcome::kCompleted, Outcome::kStopped, Outcome::kFailed}) {
    EXPECT_EQ(parse_outcome(to_string(outcome)), outcome);
  }
  EXPECT_EQ(parse_provider_state("running"), std::nullopt);
  EXPECT_EQ(parse_macro_state(""), std::nullopt);
  EXPECT_EQ(parse_outcome("?"), std::nullopt);
}

}  // namespace
}  // namespace slipway::feeds

#include "service/feeds_wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(FeedsWire, RequestsComeBackAsTheyWere) {
  const auto sync =
      std::get<FeedsSync>(*decode_feeds_request(*encode(FeedsRequest(FeedsSync{{"a", "b"}, {{"s", "v"}}}))));
  EXPECT_THAT(sync.ids, ElementsAre("a", "b"));
  EXPECT_EQ(sync.settings, (Settings{{"s", "v"}}));
  for (const auto verb : {FeedsVerb::kStart, FeedsVerb::kPause, FeedsVerb::kResume, FeedsVerb::kStop}) {
    const auto command =
        std::get<FeedsCommand>(*decode_feeds_request(*encode(FeedsRequest(FeedsCommand{verb, {"x"}}))));
    EXPECT_EQ(command.verb, verb);
    EXPECT_THAT(command.ids, ElementsAre("x"));
  }
  EXPECT_TRUE(std::holds_alternative<FeedsAsk>(*decode_feeds_request(*encode(FeedsRequest(FeedsAsk{})))));
}

TEST(FeedsWire, StatisticsComeBackAsTheyWere) {
  FeedsStats stats;
  stats.macro.row = {feeds::MacroState::kOrchestrating, from_micros(1), from_micros(2)};
  stats.macro.queued_events = 3;
  stats.macro.permits = {.slots = 10, .withheld = 2, .free = 7};
  feeds::ProviderStats provider;
  provider.row = {.id = "cve",
                  .type = "nvd",
                  .state = feeds::ProviderState::kTerminated,
                  .outcome = feeds::Outcome::kFailed,
                  .error = Error(ErrorKind::kIo, "broken \xff").with_hint("mend it"),
                  .instance = 4,
                  .generation = 5,
                  .processed = 6,
                  .errors = 7,
                  .completed_at = from_micros(8),
                  .created_at = from_micros(9),
                  .updated_at = from_micros(10),
                  .checkpoint = feeds::Checkpoint{.urn = "u", .processed_at = from_micros(11), .success = false}};
  provider.permits = 1;
  provider.wanted = true;
  provider.blocked = "it needs cwe";
  stats.providers = {provider};
  const auto back = std::get<FeedsStats>(*decode_feeds_answer(*encode(FeedsAnswer(stats))));
  EXPECT_EQ(back.macro.row.state, feeds::MacroState::kOrchestrating);
  EXPECT_EQ(back.macro.row.updated_at, from_micros(2));
  EXPECT_EQ(back.macro.queued_events, 3);
  EXPECT_EQ(back.macro.permits.withheld, 2);
  EXPECT_EQ(back.macro.by_state.at(feeds::ProviderState::kTerminated), 1);
  ASSERT_EQ(back.providers.size(), 1);
  const auto& row = back.providers[0].row;
  EXPECT_EQ(row.id, "cve");
  EXPECT_EQ(row.outcome, feeds::Outcome::kFailed);
  EXPECT_THAT(row.error->message(), HasSubstr("broken"));  // what is no UTF-8 in it is replaced
  EXPECT_EQ(row.error->hint(), "mend it");
  EXPECT_EQ(row.instance, 4);
  EXPECT_EQ(row.processed, 6);
  EXPECT_EQ(row.errors, 7);
  EXPECT_EQ(row.completed_at, from_micros(8));
  EXPECT_FALSE(row.resume_at);
  EXPECT_EQ(row.checkpoint->urn, "u");
  EXPECT_FALSE(row.checkpoint->success);
  EXPECT_EQ(back.providers[0].permits, 1);
  EXPECT_TRUE(back.providers[0].wanted);
  EXPECT_EQ(back.providers[0].blocked, "it needs cwe");
}

TEST(FeedsWire, AnythingElseIsCorrupt) {
  for (const char* line :
       {"", "{}", "[]", "null", R"({"protocol":1})", R"({"protocol":2,"do":"stats"})", R"({"protocol":1,"do":"start"})",
        R"({"protocol":1,"do":"start","ids":"a"})", R"({"protocol":1,"do":"sync","ids":["a"]})"}) {
    const auto request = decode_feeds_request(line);
    ASSERT_FALSE(request) << line;
    EXPECT_EQ(request.error().kind(), ErrorKind::kCorrupt) << line;
  }
  for (const char* line : {"", "{}", "[]", R"({"stats":{}})", R"({"error":null})",
                           R"({"stats":{"state":"FLYING","created_at":1,"updated_at":1,"queued_events":0,"slots":1,
                              "withheld":0,"free":1,"providers":[]}})",
                           R"({"stats":{"state":"DRAINING","created_at":1,"updated_at":1,"queued_events":0,"slots":1,
                              "withheld":0,"free":1,"providers":{"a":1}}})"}) {
    const auto answer = decode_feeds_answer(line);
    ASSERT_FALSE(answer) << line;
    EXPECT_EQ(answer.error().kind(), ErrorKind::kCorrupt) << line;
  }
}

}  // namespace
}  // namespace slipway::service

#include "service/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::service {
namespace {

using testing::HasSubstr;

fsm::RunVersion some_run() { return *fsm::RunVersion::parse("01HZXW3V0G6T9Q8R7S5K4M2N1P"); }

template <class T>
T there_and_back(const Answer& answer) {
  const auto line = encode(answer);
  EXPECT_TRUE(line);
  auto back = decode_answer(*line);
  EXPECT_TRUE(back) << back.error().message();
  return std::get<T>(*back);
}

TEST(Wire, AnEventComesBackAsItWas) {
  const fsm::RunEvent event{.run = some_run(),
                            .machine = "m",
                            .id = "an \"id\"\n",
                            .seq = 7,
                            .event = {.kind = fsm::EventKind::kFinished,
                                      .at = from_micros(1'700'000'000'000'001),
                                      .transition = "t",
                                      .retry = 3,
                                      .took = Duration(42),
                                      .error = Error(ErrorKind::kNoSpace, "full").with_hint("empty it"),
                                      .ending = fsm::Ending::kAborted,
                                      .note = "1/2 bytes"}};
  EXPECT_EQ(there_and_back<fsm::RunEvent>(event), event);
  fsm::RunEvent live = event;
  live.event.kind = fsm::EventKind::kProgress;
  live.event.error.reset();
  live.event.ending.reset();
  EXPECT_EQ(there_and_back<fsm::RunEvent>(live), live);
}

TEST(Wire, AResultComesBackAsItWas) {
  const fsm::RunResult result{some_run(), "m", fsm::Ending::kFailed, Error(ErrorKind::kIo, "no"), "{}"};
  const auto back = there_and_back<fsm::RunResult>(result);
  EXPECT_EQ(back.version, result.version);
  EXPECT_EQ(back.machine, result.machine);
  EXPECT_EQ(back.ending, result.ending);
  EXPECT_EQ(back.error, result.error);
  EXPECT_EQ(back.response, result.response);
}

TEST(Wire, RequestsComeBackAsTheyWere) {
  const auto work = std::get<Work>(*decode_request(*encode(Request(Work{"m", "id", R"({"a":1})", "q", {{"s", "v"}}}))));
  EXPECT_EQ(work.machine, "m");
  EXPECT_EQ(work.id, "id");
  EXPECT_EQ(work.request, R"({"a":1})");
  EXPECT_EQ(work.queue, "q");
  EXPECT_EQ(work.settings, (Settings{{"s", "v"}}));
  const auto cancel = std::get<Cancel>(*decode_request(*encode(Request(Cancel{some_run(), "why"}))));
  EXPECT_EQ(cancel.run, some_run());
  EXPECT_EQ(cancel.cause, "why");
  EXPECT_EQ(std::get<Follow>(*decode_request(*encode(Request(Follow{some_run()})))).run, some_run());
  EXPECT_EQ(std::get<Unpark>(*decode_request(*encode(Request(Unpark{some_run()})))).run, some_run());
}

TEST(Wire, AnythingElseIsCorrupt) {
  for (const char* line : {"", "{}", "[]", "null", "{", R"({"protocol":1})", R"({"protocol":1,"do":"fly"})",
                           R"({"protocol":1,"do":"follow","run":"x"})", R"({"protocol":"1","do":"follow"})",
                           R"({"protocol":1,"do":"start","machine":1,"id":"","request":"","queue":""})"}) {
    const auto request = decode_request(line);
    ASSERT_FALSE(request) << line;
    EXPECT_EQ(request.error().kind(), ErrorKind::kCorrupt) << line;
  }
  for (const char* line : {"", "{}", "[]", "7", R"({"started":{}})", R"({"error":null})", R"({"ended":{"run":1}})",
                           R"({"event":{"run":"01HZXW3V0G6T9Q8R7S5K4M2N1P"}})"}) {
    const auto answer = decode_answer(line);
    ASSERT_FALSE(answer) << line;
    EXPECT_EQ(answer.error().kind(), ErrorKind::kCorrupt) << line;
  }
}

TEST(Wire, AnotherProtocolIsRefusedByItsNumber) {
  const auto request = decode_request(R"({"protocol":2,"do":"follow","run":"01HZXW3V0G6T9Q8R7S5K4M2N1P"})");
  ASSERT_FALSE(request);
  EXPECT_THAT(request.error().message(), HasSubstr("protocol 1 is spoken here, not 2"));
}

}  // namespace
}  // namespace slipway::service

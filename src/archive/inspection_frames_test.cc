#include "archive/inspection_frames.h"

#include <gtest/gtest.h>

#include "base/json.h"

namespace slipway::archive {
namespace {

std::string body(const std::string& framed) {
  EXPECT_EQ(frame_length(framed), framed.size() - kFrameHead);
  return framed.substr(kFrameHead);
}

TEST(InspectionFramesTest, WordsSurvive) {
  const auto order = parse_order(body(order_frame({strict_policy(), 42, 1ULL << 40, 60})));
  ASSERT_TRUE(order);
  EXPECT_EQ(order->policy, strict_policy());
  EXPECT_EQ(order->parent, 42);
  EXPECT_EQ(order->size, 1ULL << 40);
  EXPECT_EQ(order->cpu_seconds, 60);

  const Inspection seen{ImageKind::kOciLayout, 3, 100, 50, 1ULL << 33, {{"setuid", "usr/bin/su", "mode 4755"}}, 7};
  auto word = parse_word(body(frame(seen)));
  ASSERT_TRUE(word);
  const auto& back = std::get<Inspection>(*word);
  EXPECT_EQ(back.kind, seen.kind);
  EXPECT_EQ(back.layers, 3);
  EXPECT_EQ(back.total_size, 1ULL << 33);
  EXPECT_EQ(back.findings, seen.findings);
  EXPECT_EQ(back.findings_total, 7);

  const Error error = Error(ErrorKind::kRejected, "no").with_hint("do");
  word = parse_word(body(frame(error)));
  ASSERT_TRUE(word);
  EXPECT_EQ(std::get<Error>(*word), error);
  EXPECT_EQ(std::get<Progress>(*parse_word(body(frame(Progress{5})))).read, 5);
}

TEST(InspectionFramesTest, TextOfErrorsIsMadeHarmlessOnTheWay) {
  const auto word = parse_word(body(frame(Error(ErrorKind::kCorrupt, "bad \x1b[31m \xff"))));
  ASSERT_TRUE(word);
  EXPECT_EQ(std::get<Error>(*word).message(), "bad ?[31m ?");
}

TEST(InspectionFramesTest, WhatAChildMaySayIsBounded) {
  const Json good = Json::parse(body(frame(Inspection{.findings = {{"r", "e", "d"}}, .findings_total = 1})));
  ASSERT_TRUE(parse_word(good.dump()));
  const auto with = [&](const char* key, const Json& value) {
    Json bad = good;
    bad["inspection"][key] = value;
    return bad.dump();
  };
  Json many = Json::array();
  for (int i = 0; i < 1001; ++i) many.push_back({{"rule", "r"}, {"entry", "e"}, {"detail", "d"}});
  const std::string control = "\x1b]0;owned\x07";
  for (const std::string& text : {
           std::string("nope"),
           std::string("[]"),
           std::string("{}"),
           std::string(R"({"read":-1})"),
           std::string(R"({"read":1,"error":{}})"),
           std::string(R"({"other":1})"),
           std::string(R"({"inspection":5})"),
           std::string(R"({"error":{"kind":"none","message":"","hint":""}})"),
           std::string(R"({"error":[]})"),
           with("kind", "other"),
           with("layers", -1),
           with("files", "x"),
           with("findings", 5),
           with("findings", many),
           with("findings", Json::array({5})),
           with("findings", Json::array({{{"rule", "r"}, {"entry", control}, {"detail", "d"}}})),
           with("findings", Json::array({{{"rule", "r"}, {"entry", std::string(5000, 'x')}, {"detail", "d"}}})),
       }) {
    const auto word = parse_word(text);
    ASSERT_FALSE(word) << text;
    EXPECT_EQ(word.error().kind(), ErrorKind::kCorrupt);
  }
}

}  // namespace
}  // namespace slipway::archive

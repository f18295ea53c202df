#include "base/ulid.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <unordered_set>
#include <vector>

#include <gtest/gtest.h>

namespace slipway {
namespace {

using namespace std::chrono_literals;

constexpr TimePoint kNow = from_micros(1'700'000'000'123'456);

TEST(UlidTest, TextAndBytesAreReadBack) {
  UlidSource source(1);
  for (int i = 0; i < 100; ++i) {
    const Ulid id = source.next(kNow + i * 1h);
    EXPECT_EQ(Ulid::parse(id.to_string()).value(), id);
    EXPECT_EQ(Ulid::from_bytes(id.to_bytes()), id);
    EXPECT_EQ(id.to_string().size(), Ulid::kTextLength);
  }
}

TEST(UlidTest, TheExampleOfTheSpecificationIsRead) {
  const auto id = Ulid::parse("01ARZ3NDEKTSV4RRFFQ69G5FAV");
  ASSERT_TRUE(id);
  EXPECT_EQ(to_micros(id->made_at()), 1'469'922'850'259'000);
  EXPECT_EQ(fmt::format("{}", *id), "01ARZ3NDEKTSV4RRFFQ69G5FAV");
}

TEST(UlidTest, EitherCaseIsRead) {
  EXPECT_EQ(Ulid::parse("01arz3ndektsv4rrffq69g5fav").value(), Ulid::parse("01ARZ3NDEKTSV4RRFFQ69G5FAV").value());
}

TEST(UlidTest, TheLimitsAreRead) {
  EXPECT_EQ(Ulid::parse("00000000000000000000000000").value(), Ulid());
  EXPECT_TRUE(Ulid().empty());
  EXPECT_EQ(Ulid::parse("7ZZZZZZZZZZZZZZZZZZZZZZZZZ").value(), Ulid(~0ULL, ~0ULL));
}

TEST(UlidTest, WhatIsNotAUlidIsRefused) {
  for (const std::string_view text : {
           "",
           "01ARZ3NDEKTSV4RRFFQ69G5FA",    // 25
           "01ARZ3NDEKTSV4RRFFQ69G5FAVX",  // 27
           "81ARZ3NDEKTSV4RRFFQ69G5FAV",   // over 128 bits
           "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
           "01ARZ3NDEKTSV4RRFFQ69G5FAI",  // not of the alphabet
           "01ARZ3NDEKTSV4RRFFQ69G5FAL",
           "01ARZ3NDEKTSV4RRFFQ69G5FAO",
           "01ARZ3NDEKTSV4RRFFQ69G5FAu",
           "01ARZ3NDEKTSV4RRFFQ69G5FA ",
           "01ARZ3NDEKTSV4RRFFQ69G5FA-",
       }) {
    const auto id = Ulid::parse(text);
    ASSERT_FALSE(id) << text;
    EXPECT_EQ(id.error().kind(), ErrorKind::kInvalid);
  }
  EXPECT_FALSE(Ulid::parse(std::string_view("01ARZ3NDEKTSV4RRFFQ69G5FA\0", 26)));
}

TEST(UlidTest, BytesTextsAndTimesSortAlike) {
  UlidSource source(2);
  std::vector<Ulid> ids;
  ids.reserve(50);
  for (int i = 0; i < 50; ++i) ids.push_back(source.next(kNow + i * 1ms));
  const auto by_text = [](const Ulid& a, const Ulid& b) { return a.to_string() < b.to_string(); };
  const auto by_bytes = [](const Ulid& a, const Ulid& b) { return a.to_bytes() < b.to_bytes(); };
  EXPECT_TRUE(std::ranges::is_sorted(ids));
  EXPECT_TRUE(std::ranges::is_sorted(ids, by_text));
  EXPECT_TRUE(std::ranges::is_sorted(ids, by_bytes));
  EXPECT_TRUE(std::ranges::is_sorted(ids, {}, &Ulid::made_at));
}

TEST(UlidSourceTest, CarriesTheTimeToTheMillisecond) {
  EXPECT_EQ(UlidSource(3).next(kNow).made_at(), std::chrono::floor<std::chrono::milliseconds>(kNow));
}

TEST(UlidSourceTest, GrowsWithinOneMillisecond) {
  UlidSource source(4);
  Ulid last = source.next(kNow);
  for (int i = 0; i < 10'000; ++i) {
    const Ulid next = source.next(kNow);
    ASSERT_GT(next, last);
    last = next;
  }
}

TEST(UlidSourceTest, GrowsWhenTheClockGoesBack) {
  UlidSource source(5);
  const Ulid before = source.next(kNow);
  const Ulid after = source.next(kNow - 24h);
  EXPECT_GT(after, before);
  EXPECT_GT(source.next(kNow - 48h), after);
  EXPECT_EQ(source.next(kNow + 1ms).made_at(), std::chrono::floor<std::chrono::milliseconds>(kNow + 1ms));
}

TEST(UlidSourceTest, ATimeBefore1970IsTakenAsTheBeginning) {
  EXPECT_EQ(UlidSource(6).next(from_micros(-5'000'000)).made_at(), from_micros(0));
}

TEST(UlidSourceTest, StaysAboveWhatItWasShown) {
  UlidSource source(7);
  const Ulid future = UlidSource(8).next(kNow + 24h);
  source.stay_above(future);
  const Ulid next = source.next(kNow);
  EXPECT_GT(next, future);
  source.stay_above(Ulid(0, 1));  // lower: no effect
  EXPECT_GT(source.next(kNow), next);
}

TEST(UlidSourceTest, CarriesOverWhenTheLowHalfIsUsedUp) {
  UlidSource source(9);
  const Ulid edge((std::uint64_t{1'700'000'000'123} << 16) | 5, ~0ULL);
  source.stay_above(edge);
  EXPECT_GT(source.next(kNow), edge);
}

TEST(UlidSourceTest, TwoSourcesDoNotMakeTheSame) {
  UlidSource first;
  UlidSource second;
  EXPECT_NE(first.next(kNow), second.next(kNow));
}

TEST(UlidSourceTest, NoIdIsMadeTwiceByManyThreads) {
  UlidSource source(10);
  constexpr std::size_t kThreads = 4;
  constexpr std::size_t kEach = 2'000;
  std::vector<std::vector<Ulid>> made(kThreads);
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (auto& mine : made) {
      threads.emplace_back([&mine, &source] {
        for (std::size_t i = 0; i < kEach; ++i) mine.push_back(source.next(kNow));
      });
    }
  }
  std::unordered_set<Ulid> all;
  for (const auto& mine : made) {
    EXPECT_TRUE(std::ranges::is_sorted(mine));
    all.insert(mine.begin(), mine.end());
  }
  EXPECT_EQ(all.size(), kThreads * kEach);
}

}  // namespace
}  // namespace slipway

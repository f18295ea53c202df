#include "objects/testing/object_source_contract.h"

#include <condition_variable>
#include <mutex>
#include <random>
#include <set>
#include <stop_token>

#include <gmock/gmock.h>

namespace slipway::objects {
namespace {

using ::testing::ElementsAre;

class Collector final : public RangeReceiver {
 public:
  Result<> bytes(std::span<const std::byte> piece) override {
    const std::lock_guard lock(mutex_);
    outcome_.bytes.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return refuse_ ? Result<>(fail(ErrorKind::kNoSpace, "refused by the receiver")) : Result<>();
  }
  void done(Result<> how) override {
    const std::lock_guard lock(mutex_);
    outcome_.how = std::move(how);
    ++outcome_.done_calls;
    changed_.notify_all();
  }
  void refuse() { refuse_ = true; }
  ReadOutcome wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return outcome_.done_calls > 0; });
    return outcome_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  ReadOutcome outcome_;
  bool refuse_ = false;
};

std::vector<std::string> keys_of(const ObjectPage& page) {
  std::vector<std::string> keys;
  for (const auto& object : page.objects) keys.push_back(object.key);
  return keys;
}

}  // namespace

ReadOutcome read_range(ObjectSource& source, RangeRequest request, std::stop_token stop) {
  const auto collector = std::make_shared<Collector>();
  source.read(std::move(request), collector, std::move(stop));
  return collector->wait();
}

RangeRequest range_of(const ObjectInfo& object, std::uint64_t offset, std::uint64_t length) {
  return {.key = object.key,
          .etag = object.etag,
          .modified = object.modified,
          .object_size = object.size,
          .offset = offset,
          .length = length};
}

std::string random_bytes(std::size_t size, unsigned seed) {
  std::mt19937_64 random(seed);
  std::string out(size, '\0');
  for (char& c : out) c = static_cast<char>(random() >> 32);
  return out;
}

TEST_P(ObjectSourceContract, HeadTellsSizeAndETag) {
  bucket_->put("a/b", "12345");
  const auto info = source().head("a/b", {});
  ASSERT_TRUE(info) << info.error().describe();
  EXPECT_EQ(info->key, "a/b");
  EXPECT_EQ(info->size, 5U);
  EXPECT_FALSE(info->etag.empty());
  EXPECT_TRUE(info->modified);
}

TEST_P(ObjectSourceContract, WhatIsNotThereIsNotFound) {
  bucket_->put("a/b", "x");
  for (const char* key : {"c", "a", "a/b/c", "a/c"}) {
    const auto info = source().head(key, {});
    ASSERT_FALSE(info) << key;
    EXPECT_EQ(info.error().kind(), ErrorKind::kNotFound) << key << ": " << info.error().describe();
  }
  const auto read = read_range(source(), {.key = "c", .etag = "e", .object_size = 1, .length = 1});
  ASSERT_FALSE(read.how);
  EXPECT_EQ(read.how.error().kind(), ErrorKind::kNotFound);
}

TEST_P(ObjectSourceContract, BadKeysAndRangesNeverLeaveTheHouse) {
  bucket_->put("a", "x");
  for (const char* key : {"", "../a", "/a", "a//b", "a\nb"}) {
    EXPECT_EQ(source().head(key, {}).error().kind(), ErrorKind::kInvalid) << key;
    const auto read = read_range(source(), {.key = key, .etag = "e", .object_size = 1, .length = 1});
    EXPECT_EQ(read.how.error().kind(), ErrorKind::kInvalid) << key;
  }
  const auto info = source().head("a", {});
  ASSERT_TRUE(info);
  for (const auto& [offset, length] : {std::pair{1U, 1U}, {0U, 2U}, {0U, 0U}, {2U, 0U}}) {
    const auto read = read_range(source(), range_of(*info, offset, length));
    ASSERT_FALSE(read.how);
    EXPECT_EQ(read.how.error().kind(), ErrorKind::kInvalid);
  }
}

TEST_P(ObjectSourceContract, ReadsAllAndAnyPart) {
  const std::string bytes = random_bytes(300'000);
  bucket_->put("big", bytes);
  const auto info = source().head("big", {});
  ASSERT_TRUE(info);
  for (const auto& [offset, length] :
       {std::pair<std::size_t, std::size_t>{0, 300'000}, {0, 1}, {299'999, 1}, {1, 299'999}, {100'000, 100'000}}) {
    const auto read = read_range(source(), range_of(*info, offset, length));
    ASSERT_TRUE(read.how) << read.how.error().describe();
    EXPECT_EQ(read.bytes, bytes.substr(offset, length));
    EXPECT_EQ(read.done_calls, 1);
  }
}

TEST_P(ObjectSourceContract, AnEmptyObjectIsRead) {
  bucket_->put("empty", "");
  const auto info = source().head("empty", {});
  ASSERT_TRUE(info);
  EXPECT_EQ(info->size, 0U);
  const auto read = read_range(source(), range_of(*info, 0, 0));
  ASSERT_TRUE(read.how) << read.how.error().describe();
  EXPECT_EQ(read.bytes, "");
}

TEST_P(ObjectSourceContract, AReplacedObjectIsNoticed) {
  bucket_->put("a", "first one");
  const auto old = source().head("a", {});
  ASSERT_TRUE(old);
  bucket_->put("a", "other one");
  const auto now = source().head("a", {});
  ASSERT_TRUE(now);
  EXPECT_NE(old->etag, now->etag);
  const auto read = read_range(source(), range_of(*old, 0, 4));
  ASSERT_FALSE(read.how);
  EXPECT_EQ(read.how.error().kind(), ErrorKind::kConflict) << read.how.error().describe();
  EXPECT_EQ(read.bytes, "");
  bucket_->put("a", "short");
  EXPECT_EQ(read_range(source(), range_of(*old, 5, 4)).how.error().kind(), ErrorKind::kConflict);
}

TEST_P(ObjectSourceContract, OddKeysGoThereAndBack) {
  const std::vector<std::string> keys = {"+plus+",    "100%25",     "a b/c  d",         "caf\xc3\xa9/\xe4\xb8\x96",
                                         "q?a=b&c#d", "quote'\"<>", "semi;colon,~tilde"};
  for (const auto& key : keys) bucket_->put(key, "bytes of " + key);
  for (const auto& key : keys) {
    const auto info = source().head(key, {});
    ASSERT_TRUE(info) << key << ": " << info.error().describe();
    EXPECT_EQ(read_range(source(), range_of(*info, 0, info->size)).bytes, "bytes of " + key);
  }
  const auto page = source().list({}, {});
  ASSERT_TRUE(page) << page.error().describe();
  EXPECT_EQ(keys_of(*page), keys);
}

TEST_P(ObjectSourceContract, ListsInTheOrderOfBytesWithWhatHeadTells) {
  for (const char* key : {"b", "a/c", "a.b", "a/b", "a-b", "ab", "B"}) bucket_->put(key, key);
  const auto page = source().list({}, {});
  ASSERT_TRUE(page) << page.error().describe();
  EXPECT_THAT(keys_of(*page), ElementsAre("B", "a-b", "a.b", "a/b", "a/c", "ab", "b"));
  EXPECT_EQ(page->next, "");
  for (const auto& object : page->objects) {
    const auto info = source().head(object.key, {});
    ASSERT_TRUE(info);
    EXPECT_EQ(info->etag, object.etag);
    EXPECT_EQ(info->size, object.size);
  }
}

TEST_P(ObjectSourceContract, ListsByPrefix) {
  for (const char* key : {"images/a", "images/b/c", "images2", "im", "other"}) bucket_->put(key, "x");
  EXPECT_THAT(keys_of(*source().list({.prefix = "images/"}, {})), ElementsAre("images/a", "images/b/c"));
  EXPECT_THAT(keys_of(*source().list({.prefix = "images"}, {})), ElementsAre("images/a", "images/b/c", "images2"));
  EXPECT_THAT(keys_of(*source().list({.prefix = "images/b/"}, {})), ElementsAre("images/b/c"));
  EXPECT_THAT(keys_of(*source().list({.prefix = "nothing/"}, {})), ElementsAre());
}

TEST_P(ObjectSourceContract, PagesHoldEachKeyOnce) {
  std::vector<std::string> expected;
  for (int i = 0; i < 23; ++i) {
    expected.push_back(fmt::format("p/{:02}/x y", i));
    bucket_->put(expected.back(), "x");
  }
  bucket_->put("q", "x");
  std::vector<std::string> seen;
  ListRequest request{.prefix = "p/", .max_keys = 5};
  int pages = 0;
  do {
    const auto page = source().list(request, {});
    ASSERT_TRUE(page) << page.error().describe();
    EXPECT_LE(page->objects.size(), 5U);
    for (const auto& key : keys_of(*page)) seen.push_back(key);
    request.after = page->next;
  } while (!request.after.empty() && ++pages < 50);
  EXPECT_EQ(seen, expected);
  EXPECT_GE(pages, 4);
}

TEST_P(ObjectSourceContract, AStoppedReadSaysSo) {
  bucket_->put("a", std::string(1 << 20, 'x'));
  const auto info = source().head("a", {});
  ASSERT_TRUE(info);
  std::stop_source stop;
  stop.request_stop();
  const auto read = read_range(source(), range_of(*info, 0, info->size), stop.get_token());
  ASSERT_FALSE(read.how);
  EXPECT_EQ(read.how.error().kind(), ErrorKind::kCancelled);
}

TEST_P(ObjectSourceContract, WhatTheReceiverRefusesEndsTheRead) {
  bucket_->put("a", std::string(1 << 20, 'x'));
  const auto info = source().head("a", {});
  ASSERT_TRUE(info);
  const auto collector = std::make_shared<Collector>();
  collector->refuse();
  source().read(range_of(*info, 0, info->size), collector, {});
  const auto outcome = collector->wait();
  ASSERT_FALSE(outcome.how);
  EXPECT_EQ(outcome.how.error().kind(), ErrorKind::kNoSpace);
  EXPECT_LT(outcome.bytes.size(), info->size);
}

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ObjectSourceContract);

}  // namespace slipway::objects

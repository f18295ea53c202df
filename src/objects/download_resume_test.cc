// What is left after a try that did not make it, and what the next one makes of it.
#include <atomic>
#include <filesystem>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/part_state.h"
#include "objects/testing/download_fixture.h"
#include "objects/testing/object_source_contract.h"
#include "sys/fault.h"

namespace slipway::objects {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Error kCut(ErrorKind::kUnavailable, "the connection was cut");

class DownloadResumeTest : public DownloadFixture {
 protected:
  DownloadResumeTest() { source_.put("k", bytes_); }

  // Every read that begins at or after `offset` fails without a byte.
  void fail_from(std::uint64_t offset, Error error = kCut) {
    source_.on_read([=](const RangeRequest& range, int) -> std::optional<ReadFault> {
      if (range.offset + range.length <= offset) return std::nullopt;
      return ReadFault{.after = range.offset < offset ? offset - range.offset : 0, .error = error};
    });
  }
  void work_again() { source_.on_read({}); }

  std::string bytes_ = random_bytes(2'000'000);
};

TEST_F(DownloadResumeTest, AFailedRangeGoesOnWhereItStopped) {
  std::atomic<int> cuts = 6;
  source_.on_read([&](const RangeRequest&, int) -> std::optional<ReadFault> {
    if (cuts-- <= 0) return std::nullopt;
    return ReadFault{.after = 30'000, .error = kCut};
  });
  const auto done = get();
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_TRUE(read_file() == bytes_);
  EXPECT_EQ(done->sha256, sha256_hex(bytes_));
  std::uint64_t asked = 0;
  for (const auto& range : source_.requests()) asked += range.length;
  EXPECT_LE(asked, bytes_.size() + 6 * 200'000);
}

TEST_F(DownloadResumeTest, WithoutProgressItGivesUpAndTheNextDownloadGoesOn) {
  fail_from(1'000'000);
  expect_error(ErrorKind::kUnavailable, "the connection was cut");
  EXPECT_THAT(folder(), ElementsAre("file.part", "file.part.state"));
  work_again();
  const auto before = static_cast<std::size_t>(source_.reads());
  const auto done = get();
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_GE(done->resumed, 100'000U);
  EXPECT_LE(done->resumed, 1'000'000U);
  EXPECT_TRUE(read_file() == bytes_);
  EXPECT_EQ(done->sha256, sha256_hex(bytes_));
  EXPECT_THAT(folder(), ElementsAre("file"));
  const auto requests = source_.requests();
  ASSERT_GT(requests.size(), before);
  std::uint64_t asked = 0;
  for (std::size_t i = before; i < requests.size(); ++i) asked += requests[i].length;
  EXPECT_EQ(asked, bytes_.size() - done->resumed);
}

TEST_F(DownloadResumeTest, TimeoutsAreTriedAgainToo) {
  fail_from(500'000, Error(ErrorKind::kTimeout, "nothing came for a while"));
  expect_error(ErrorKind::kTimeout, "nothing came");
  work_again();
  EXPECT_GE(get()->resumed, 100'000U);
}

TEST_F(DownloadResumeTest, ErrorsThatStayAreToldAtOnceAndLeaveNothing) {
  for (const auto kind : {ErrorKind::kPermission, ErrorKind::kNotFound, ErrorKind::kCorrupt, ErrorKind::kInvalid}) {
    fail_from(1'000'000, Error(kind, "no"));
    expect_error(kind, "no");
    EXPECT_THAT(folder(), IsEmpty());
  }
}

TEST_F(DownloadResumeTest, ASmallObjectLeavesNothing) {
  source_.put("k", std::string(50'000, 'x'));
  fail_from(20'000);
  expect_error(ErrorKind::kUnavailable, "cut");
  EXPECT_THAT(folder(), IsEmpty());
}

TEST_F(DownloadResumeTest, AReplacedObjectIsNotGoneOnWith) {
  fail_from(1'000'000);
  ASSERT_FALSE(get());
  work_again();
  const std::string other = random_bytes(2'000'000, 99);
  source_.put("k", other);
  const auto done = get();
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(done->resumed, 0U);
  EXPECT_TRUE(read_file() == other);
}

TEST_F(DownloadResumeTest, WithoutAnETagItIsOneStreamAndNothingIsKept) {
  MemorySource plain({.etags = false});
  plain.put("k", bytes_);
  plain.on_read([](const RangeRequest& range, int) -> std::optional<ReadFault> {
    EXPECT_EQ(range.offset, 0U);  // a second range could be of another version
    return ReadFault{.after = 1'000'000, .error = kCut};
  });
  EXPECT_EQ(download(plain, request_, {}).error().kind(), ErrorKind::kUnavailable);
  EXPECT_THAT(folder(), IsEmpty());
  plain.on_read({});
  EXPECT_TRUE(download(plain, request_, {}));
  EXPECT_TRUE(read_file() == bytes_);
}

TEST_F(DownloadResumeTest, AnObjectReplacedMidWayIsStartedAgain) {
  const std::string other = random_bytes(1'900'000, 5);
  std::atomic<bool> replaced = false;
  source_.on_read([&](const RangeRequest& range, int) -> std::optional<ReadFault> {
    if (range.offset >= 1'000'000 && !replaced.exchange(true)) source_.put("k", other);
    return std::nullopt;
  });
  const auto done = get();
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_TRUE(read_file() == other);
  EXPECT_EQ(done->object.size, other.size());
  EXPECT_EQ(done->sha256, sha256_hex(other));
}

TEST_F(DownloadResumeTest, AnObjectReplacedAgainAndAgainIsAConflict) {
  std::atomic<int> times = 0;
  source_.on_read([&](const RangeRequest& range, int) -> std::optional<ReadFault> {
    if (range.offset >= 1'000'000) source_.put("k", random_bytes(2'000'000, static_cast<unsigned>(++times)));
    return std::nullopt;
  });
  expect_error(ErrorKind::kConflict, "replaced");
  EXPECT_THAT(folder(), IsEmpty());
  EXPECT_EQ(source_.heads(), 4);
}

TEST_F(DownloadResumeTest, AStopKeepsWhatIsThere) {
  request_.tuning.max_streams = 4;
  std::stop_source stop;
  std::atomic<int> waiting = 0;
  source_.on_read([&](const RangeRequest& range, int) -> std::optional<ReadFault> {
    if (range.offset < 1'000'000) return std::nullopt;
    if (++waiting == 4) stop.request_stop();
    return ReadFault{.after = 10'000, .wait_for_stop = true};
  });
  const auto done = get(stop.get_token());
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind(), ErrorKind::kCancelled);
  EXPECT_THAT(folder(), ElementsAre("file.part", "file.part.state"));
  work_again();
  const auto again = get();
  ASSERT_TRUE(again) << again.error().describe();
  EXPECT_GE(again->resumed, 1'000'000U);
  EXPECT_TRUE(read_file() == bytes_);
}

TEST_F(DownloadResumeTest, AStopWhileTheWholeIsSyncedKeepsItAll) {
  std::stop_source stop;
  request_.tuning.checkpoint_bytes = std::uint64_t{1} << 30;  // so the first sync is that of the whole
  {
    const fault::Scope slow("objects.part.sync",
                            {.action = fault::Action::kCall, .call = [&] { stop.request_stop(); }});
    const auto stopped = get(stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().kind(), ErrorKind::kCancelled);
  }
  EXPECT_THAT(folder(), ElementsAre("file.part", "file.part.state"));
  const int reads = source_.reads();
  const auto done = get();
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(done->resumed, bytes_.size());
  EXPECT_EQ(source_.reads(), reads);
  EXPECT_TRUE(read_file() == bytes_);
}

TEST_F(DownloadResumeTest, APartThatIsTakenAwayIsNotAMissingObject) {
  source_.on_read([&](const RangeRequest&, int) -> std::optional<ReadFault> {
    std::filesystem::remove(part_path(file_));
    return std::nullopt;
  });
  expect_error(ErrorKind::kIo, "file.part");
  work_again();
  EXPECT_TRUE(get());
  EXPECT_TRUE(read_file() == bytes_);
}

TEST_F(DownloadResumeTest, AStopBeforeTheStart) {
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(get(stop.get_token()).error().kind(), ErrorKind::kCancelled);
}

TEST_F(DownloadResumeTest, DamagedStateIsNoState) {
  fail_from(1'000'000);
  ASSERT_FALSE(get());
  work_again();
  const std::string good = bytes_of(state_path(file_));
  for (const std::string& bad : {std::string(), std::string("{}"), good.substr(0, good.size() / 2),
                                 std::string(good.size(), '\0'), std::string(2 << 20, 'x')}) {
    std::ofstream(part_path(file_), std::ios::binary) << std::string(2'000'000, 'z');
    std::ofstream(state_path(file_), std::ios::binary) << bad;
    const auto done = get();
    ASSERT_TRUE(done) << done.error().describe();
    EXPECT_EQ(done->resumed, 0U);
    EXPECT_TRUE(read_file() == bytes_);
    EXPECT_THAT(folder(), ElementsAre("file"));
  }
}

TEST_F(DownloadResumeTest, AStateWithoutItsBytesIsNoState) {
  fail_from(1'000'000);
  ASSERT_FALSE(get());
  work_again();
  std::filesystem::remove(part_path(file_));
  const auto done = get();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->resumed, 0U);
  EXPECT_TRUE(read_file() == bytes_);
}

TEST_F(DownloadResumeTest, APartialIsRemovedOnDemand) {
  fail_from(1'000'000);
  ASSERT_FALSE(get());
  EXPECT_TRUE(remove_partial(file_));
  EXPECT_THAT(folder(), IsEmpty());
  EXPECT_TRUE(remove_partial(file_));
}

TEST(PartStateTest, TellsObjectsApart) {
  const PartIdentity identity{.source = "s", .key = "k\xff", .etag = "e", .size = 100};
  const auto text = encode_part_state(identity, {{0, 10}, {50, 50}});
  ASSERT_TRUE(text);
  EXPECT_EQ(decode_part_state(*text, identity), (std::vector<ByteRange>{{0, 10}, {50, 50}}));
  for (auto change : std::vector<std::function<void(PartIdentity&)>>{
           [](auto& other) { other.source = "t"; }, [](auto& other) { other.key = "l"; },
           [](auto& other) { other.etag = "f"; }, [](auto& other) { other.size = 101; }}) {
    PartIdentity other = identity;
    change(other);
    EXPECT_EQ(decode_part_state(*text, other), std::nullopt);
  }
  const auto outside = encode_part_state(identity, {{90, 11}});
  EXPECT_EQ(decode_part_state(*outside, identity), std::nullopt);
  for (std::size_t i = 0; i < text->size(); ++i) {
    std::string damaged = *text;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    EXPECT_EQ(decode_part_state(damaged, identity), std::nullopt) << i;
  }
}

}  // namespace
}  // namespace slipway::objects

#include "objects/download.h"

#include <atomic>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/testing/download_fixture.h"
#include "objects/testing/memory_source.h"
#include "objects/testing/object_source_contract.h"

namespace slipway::objects {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using DownloadTest = DownloadFixture;

TEST_F(DownloadTest, ASmallObjectIsOneReadAndOneFile) {
  source_.put("k", "hello");
  const auto done = get();
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(read_file(), "hello");
  EXPECT_EQ(done->sha256, sha256_hex("hello"));
  EXPECT_EQ(done->object.size, 5U);
  EXPECT_EQ(done->resumed, 0U);
  EXPECT_EQ(source_.reads(), 1);
  EXPECT_THAT(folder(), ElementsAre("file"));
}

TEST_F(DownloadTest, ABigObjectComesInParallelRanges) {
  const std::string bytes = random_bytes(10'000'019);
  source_.put("k", bytes);
  const auto done = get();
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(read_file(), bytes);
  EXPECT_EQ(done->sha256, sha256_hex(bytes));
  EXPECT_GT(source_.reads(), 20);
  for (const auto& range : source_.requests()) EXPECT_EQ(range.etag, done->object.etag);
  EXPECT_THAT(folder(), ElementsAre("file"));
}

TEST_F(DownloadTest, AnEmptyObjectIsAnEmptyFile) {
  source_.put("k", "");
  const auto done = get();
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(done->sha256, sha256_hex(""));
  EXPECT_EQ(std::filesystem::file_size(file_), 0U);
  EXPECT_THAT(folder(), ElementsAre("file"));
}

TEST_F(DownloadTest, SizesAroundEveryBoundary) {
  for (const std::size_t size :
       {1U, 99'999U, 100'000U, 100'001U, 299'999U, 300'000U, 300'001U, 1U << 20, (1U << 20) + 1, 3'000'000U}) {
    const std::string bytes = random_bytes(size, static_cast<unsigned>(size));
    source_.put("k", bytes);
    const auto done = get();
    ASSERT_TRUE(done) << size << ": " << done.error().describe();
    EXPECT_EQ(done->sha256, sha256_hex(bytes)) << size;
    EXPECT_TRUE(read_file() == bytes) << size;
  }
}

TEST_F(DownloadTest, AnOlderFileIsReplacedInOneStep) {
  std::ofstream(file_) << "old";
  source_.put("k", "new");
  ASSERT_TRUE(get());
  EXPECT_EQ(read_file(), "new");
}

TEST_F(DownloadTest, WhatIsKnownIsNotAskedFor) {
  source_.put("k", "hello");
  request_.known = *source_.head("k", {});
  ASSERT_TRUE(get());
  EXPECT_EQ(source_.heads(), 1);  // ours
  source_.put("k", random_bytes(3'000'000));
  request_.known = *source_.head("k", {});
  ASSERT_TRUE(get());
  EXPECT_EQ(source_.heads(), 3);  // a big one without checksums is looked at
}

TEST_F(DownloadTest, KnowledgeThatIsOldIsNoticed) {
  source_.put("k", "hello");
  request_.known = *source_.head("k", {});
  source_.put("k", "other bytes");
  const auto done = get();
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(read_file(), "other bytes");
}

TEST_F(DownloadTest, TooBigIsRejectedBeforeAByteIsRead) {
  source_.put("k", std::string(1001, 'x'));
  request_.max_size = 1000;
  expect_error(ErrorKind::kRejected, "1001");
  EXPECT_EQ(source_.reads(), 0);
  EXPECT_THAT(folder(), IsEmpty());
  request_.max_size = 1001;
  EXPECT_TRUE(get());
}

TEST_F(DownloadTest, BadRequestsNameTheRule) {
  request_.key = "../k";
  expect_error(ErrorKind::kInvalid, "..");
  request_.key = "k";
  expect_error(ErrorKind::kNotFound, "k");
  source_.put("k", "x");
  request_.file = dir_.file("no/such/folder/file");
  expect_error(ErrorKind::kIo, "no/such/folder");
}

TEST_F(DownloadTest, ProgressNeverGoesBackAndEndsAtAll) {
  source_.put("k", random_bytes(3'000'000));
  std::uint64_t last = 0;
  request_.progress = [&](const DownloadProgress& progress) {
    EXPECT_GE(progress.done, last);
    EXPECT_EQ(progress.total, 3'000'000U);
    last = progress.done;
  };
  ASSERT_TRUE(get());
  EXPECT_EQ(last, 3'000'000U);
}

TEST_F(DownloadTest, ChecksumsThatAreStatedAreVerified) {
  for (const std::size_t size : {1000U, 3'000'000U}) {
    const std::string bytes = random_bytes(size);
    std::vector<Checksum> right;
    for (const auto algorithm : {HashAlgorithm::kMd5, HashAlgorithm::kSha1, HashAlgorithm::kSha256,
                                 HashAlgorithm::kCrc32, HashAlgorithm::kCrc32c, HashAlgorithm::kCrc64Nvme}) {
      right.push_back({algorithm, digest(algorithm, bytes)});
    }
    source_.put("k", bytes, right);
    ASSERT_TRUE(get());
    std::filesystem::remove(file_);
    for (const auto& checksum : right) {
      Checksum wrong = checksum;
      wrong.value.back() ^= 1;
      source_.put("k", bytes, {wrong});
      expect_error(ErrorKind::kCorrupt, to_string(checksum.algorithm));
      EXPECT_THAT(folder(), IsEmpty());
    }
  }
}

TEST_F(DownloadTest, AFlippedByteIsFoundByAChecksumThatComesWithTheBytes) {
  MemorySource late({.checksums_late = true});
  const std::string bytes = random_bytes(1000);
  late.put("k", bytes, {{HashAlgorithm::kCrc32c, digest(HashAlgorithm::kCrc32c, bytes)}});
  EXPECT_TRUE(download(late, request_, {}));
  late.on_read([](const RangeRequest&, int) { return ReadFault{.after = 500, .flip = 1}; });
  EXPECT_EQ(download(late, request_, {}).error().kind(), ErrorKind::kCorrupt);
}

TEST_F(DownloadTest, WithoutAChecksumTheDigestIsOfTheBytesAsTheyCame) {
  const std::string bytes = random_bytes(1000);
  source_.put("k", bytes);
  source_.on_read([](const RangeRequest&, int) { return ReadFault{.after = 500, .flip = 1}; });
  const auto done = get();
  ASSERT_TRUE(done);
  EXPECT_NE(done->sha256, sha256_hex(bytes));
  EXPECT_EQ(done->sha256, sha256_hex(read_file()));
}

TEST_F(DownloadTest, AServerWithoutRangesIsReadInOneStream) {
  MemorySource whole({.ranges = false});
  const std::string bytes = random_bytes(3'000'000);
  whole.put("k", bytes);
  std::atomic<int> cuts = 2;
  whole.on_read([&](const RangeRequest& range, int) -> std::optional<ReadFault> {
    if (range.length != range.object_size || cuts-- <= 0) return std::nullopt;
    return ReadFault{.after = 1'000'000, .error = Error(ErrorKind::kUnavailable, "cut")};
  });
  const auto done = download(whole, request_, {});
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_TRUE(read_file() == bytes);
  EXPECT_EQ(done->sha256, sha256_hex(bytes));
  EXPECT_THAT(folder(), ElementsAre("file"));
}

TEST_F(DownloadTest, ManyAtOnceIntoOneFolder) {
  for (int i = 0; i < 40; ++i) source_.put(fmt::format("k{}", i), random_bytes(50'000, static_cast<unsigned>(i)));
  std::atomic<int> good = 0;
  std::vector<std::jthread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = caller; i < 40; i += 4) {
        DownloadRequest request = request_;
        request.key = fmt::format("k{}", i);
        request.file = dir_.file(fmt::format("f{}", i));
        const auto done = download(source_, request, {});
        good += done && done->sha256 == sha256_hex(random_bytes(50'000, static_cast<unsigned>(i))) ? 1 : 0;
      }
    });
  }
  callers.clear();
  EXPECT_EQ(good, 40);
  EXPECT_EQ(folder().size(), 40U);
}

TEST_F(DownloadTest, TwoDownloadsOfOneFileDoNotMix) {
  source_.put("k", random_bytes(1'000'000));
  std::promise<void> inside;
  std::promise<void> go_on;
  source_.on_read([&](const RangeRequest&, int number) -> std::optional<ReadFault> {
    if (number == 1) {
      inside.set_value();
      go_on.get_future().wait();
    }
    return std::nullopt;
  });
  std::jthread first([&] { EXPECT_TRUE(get()); });
  inside.get_future().wait();
  const auto second = download(source_, request_, {});
  go_on.set_value();
  first.join();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind(), ErrorKind::kConflict);
  EXPECT_THAT(second.error().message(), HasSubstr("another download"));
  EXPECT_TRUE(read_file() == random_bytes(1'000'000));
}

}  // namespace
}  // namespace slipway::objects

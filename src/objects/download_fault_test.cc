// Every durable step of a download refused once, and a process killed at each of them.
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/part_state.h"
#include "objects/testing/download_fixture.h"
#include "objects/testing/object_source_contract.h"
#include "sys/fault.h"
#include "sys/testing/child_process.h"

namespace slipway::objects {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kPoints[] = {"objects.part.write",    "objects.part.sync",    "objects.state.write",
                                   "objects.rename.before", "objects.rename.after", "objects.folder.sync"};

// The later half of the object comes only when something of the first was recorded as proven, or `enough`.
void hold_for_state(MemorySource& source, const std::filesystem::path& file, std::function<bool()> enough = {}) {
  source.on_read([=](const RangeRequest& range, int) -> std::optional<ReadFault> {
    while (range.offset >= 1'000'000 && !std::filesystem::exists(state_path(file)) && !(enough && enough())) {
      std::this_thread::yield();
    }
    return std::nullopt;
  });
}

using DownloadFaultTest = DownloadFixture;

TEST_F(DownloadFaultTest, ThesePointsAreAllThereAre) {
  source_.put("k", random_bytes(2'000'000));
  hold_for_state(source_, file_);
  fault::record(true);
  ASSERT_TRUE(get());
  fault::record(false);
  std::vector<std::string> reached;
  for (const auto& point : fault::reached()) {
    if (point.starts_with("objects.")) reached.push_back(point);
  }
  EXPECT_THAT(reached, ::testing::UnorderedElementsAreArray(kPoints));
}

TEST_F(DownloadFaultTest, ARefusalAtAnyPointIsToldAndTheNextTryIsRight) {
  const std::string bytes = random_bytes(2'000'000);
  source_.put("k", bytes);
  for (const char* point : kPoints) {
    {
      const fault::Scope broken(point, {.error = Error(ErrorKind::kIo, "broken disk")});
      hold_for_state(source_, file_, [&] { return broken.acted() > 0; });
      expect_error(ErrorKind::kIo, "broken disk");
      source_.on_read({});
      EXPECT_EQ(broken.acted(), 1) << point;
    }
    const bool in_place =
        std::string_view(point) == "objects.rename.after" || std::string_view(point) == "objects.folder.sync";
    EXPECT_EQ(folder(), in_place ? std::vector<std::string>{"file"} : std::vector<std::string>{}) << point;
    if (in_place) {
      EXPECT_TRUE(read_file() == bytes);
    }
    ASSERT_TRUE(get()) << point;
    EXPECT_TRUE(read_file() == bytes) << point;
    std::filesystem::remove(file_);
  }
}

TEST_F(DownloadFaultTest, AFullDiskLeavesNothing) {
  source_.put("k", random_bytes(2'000'000));
  const fault::Scope full("objects.part.write", {.skip = 20, .error = Error(ErrorKind::kNoSpace, "disk full")});
  expect_error(ErrorKind::kNoSpace, "disk full");
  EXPECT_THAT(folder(), IsEmpty());
}

// Downloads in a child that dies at the nth time of a point; then here.
class DownloadKillTest : public ::testing::TestWithParam<std::tuple<const char*, int>> {};

TEST_P(DownloadKillTest, TheNextDownloadEndsWithOneRightFile) {
  const auto [point, nth] = GetParam();
  const sys::TempDir target;
  const std::string bytes = random_bytes(2'000'000);
  const DownloadRequest request{.key = "k", .file = target.file("file"), .tuning = tiny_tuning()};

  sys::ChildProcess child([&](const auto&) {
    ::setenv("SLIPWAY_FAULT", fmt::format("{}=kill@{}", point, nth).c_str(), 1);
    if (!fault::arm_from_environment()) return 2;
    MemorySource source;
    source.put("k", bytes);
    hold_for_state(source, request.file);
    return download(source, request, {}) ? 0 : 1;
  });
  const int status = child.wait();
  // A later time of a point may not come: then the child has done its work.
  ASSERT_TRUE(status == 128 + SIGKILL || (status == 0 && nth > 1)) << status;

  MemorySource source;
  source.put("k", bytes);
  const auto done = download(source, request, {});
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_EQ(done->sha256, sha256_hex(bytes));
  EXPECT_TRUE(bytes_of(request.file) == bytes);
  EXPECT_THAT(names_in(target.path()), ElementsAre("file"));
}

INSTANTIATE_TEST_SUITE_P(Points, DownloadKillTest,
                         ::testing::Combine(::testing::ValuesIn(kPoints), ::testing::Values(1, 2, 5)),
                         [](const auto& tested) {
                           std::string name = std::get<0>(tested.param);
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name + "_" + std::to_string(std::get<1>(tested.param));
                         });

TEST(DownloadKilledTest, WhatWasProvenBeforeTheKillIsNotReadAgain) {
  const sys::TempDir target;
  const std::string bytes = random_bytes(2'000'000);
  const DownloadRequest request{.key = "k", .file = target.file("file"), .tuning = tiny_tuning()};
  sys::ChildProcess child([&](const auto&) {
    MemorySource source;
    source.put("k", bytes);
    source.on_read([&](const RangeRequest& range, int) -> std::optional<ReadFault> {
      if (range.offset < 1'000'000) return std::nullopt;
      while (!std::filesystem::exists(state_path(request.file))) std::this_thread::yield();
      ::raise(SIGKILL);
      return std::nullopt;
    });
    return download(source, request, {}) ? 0 : 1;
  });
  ASSERT_EQ(child.wait(), 128 + SIGKILL);
  MemorySource source;
  source.put("k", bytes);
  const auto done = download(source, request, {});
  ASSERT_TRUE(done) << done.error().describe();
  EXPECT_GE(done->resumed, 300'000U);
  EXPECT_EQ(done->sha256, sha256_hex(bytes));
}

}  // namespace
}  // namespace slipway::objects

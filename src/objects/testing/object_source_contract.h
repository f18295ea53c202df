// What every ObjectSource promises, as tests. An implementation runs them by
//
//   INSTANTIATE_TEST_SUITE_P(Memory, ObjectSourceContract, ::testing::Values(&make_memory_bucket));
//
// in a test file of its own, and this header's suite does the rest.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "objects/object_source.h"

namespace slipway::objects {

// A bucket that a test can fill. Its source lives as long as it.
class TestBucket {
 public:
  TestBucket() = default;
  TestBucket(const TestBucket&) = delete;
  TestBucket& operator=(const TestBucket&) = delete;
  virtual ~TestBucket() = default;

  [[nodiscard]] virtual ObjectSource& source() = 0;
  virtual void put(const std::string& key, const std::string& bytes) = 0;
};

using MakeTestBucket = std::unique_ptr<TestBucket> (*)();

class ObjectSourceContract : public ::testing::TestWithParam<MakeTestBucket> {
 protected:
  void SetUp() override { bucket_ = GetParam()(); }
  [[nodiscard]] ObjectSource& source() { return bucket_->source(); }

  std::unique_ptr<TestBucket> bucket_;
};

// Reads a range and waits for the end of it. `bytes` holds what came before an error, too.
struct ReadOutcome {
  std::string bytes{};
  Result<> how{};
  int done_calls = 0;
};
[[nodiscard]] ReadOutcome read_range(ObjectSource& source, RangeRequest request, std::stop_token stop = {});

// The request for a part of an object as head() showed it.
[[nodiscard]] RangeRequest range_of(const ObjectInfo& object, std::uint64_t offset, std::uint64_t length);

// `size` bytes that compress badly and differ by `seed`.
[[nodiscard]] std::string random_bytes(std::size_t size, unsigned seed = 1);

}  // namespace slipway::objects

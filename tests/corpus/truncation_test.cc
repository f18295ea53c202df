// One good archive, cut at every block and at odd places: a download that ended early must never pass for an image.
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "archive/policy.h"
#include "base/error.h"
#include "outcome.h"
#include "sys/testing/temp_dir.h"

namespace slipway::corpus {
namespace {

constexpr std::size_t kBlock = 512;
constexpr std::size_t kEnd = 2 * kBlock;

std::string read_base() {
  std::ifstream file(std::string(CORPUS_FILES) + "/base.tar", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class TruncationTest : public ::testing::Test {
 protected:
  Outcome inspect_first(std::size_t bytes) {
    const std::string path = dir_.file("cut.tar");
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(base_.data(), static_cast<std::streamsize>(bytes));
    return inspect(path, archive::standard_policy());
  }

  sys::TempDir dir_;
  std::string base_ = read_base();
};

TEST_F(TruncationTest, TheWholePasses) {
  ASSERT_GT(base_.size(), 10 * kBlock);
  const Outcome outcome = inspect_first(base_.size());
  EXPECT_FALSE(outcome.error) << outcome.error->describe();
  EXPECT_EQ(outcome.files, 4U);
}

TEST_F(TruncationTest, EveryCutBeforeTheEndIsCorrupt) {
  std::vector<std::size_t> cuts;
  for (std::size_t at = 0; at <= base_.size() - kEnd; at += kBlock) {
    cuts.push_back(at);
    if (at > 0) cuts.push_back(at - 1);
    cuts.push_back(at + 1);
    cuts.push_back(at + 300);
  }
  ASSERT_GT(cuts.size(), 40U);
  for (const std::size_t cut : cuts) {
    SCOPED_TRACE(cut);
    const Outcome outcome = inspect_first(cut);
    ASSERT_TRUE(outcome.error) << "passed";
    EXPECT_EQ(outcome.error->kind(), ErrorKind::kCorrupt) << outcome.error->describe();
    EXPECT_FALSE(outcome.children_left);
  }
}

}  // namespace
}  // namespace slipway::corpus

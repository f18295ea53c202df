// Good archives, cut at every block and at odd places: a download that ended early must never pass for an image.
#include <algorithm>
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

std::string read_base(const std::string& name) {
  std::ifstream file(std::string(CORPUS_FILES) + "/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The parameter is the file that is cut.
class TruncationTest : public ::testing::TestWithParam<std::string> {
 protected:
  Outcome inspect_first(std::size_t bytes) {
    const std::string path = dir_.file("cut.tar");
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(base_.data(), static_cast<std::streamsize>(bytes));
    return inspect(path, archive::standard_policy());
  }
  void expect_corrupt(const std::vector<std::size_t>& cuts) {
    ASSERT_GT(cuts.size(), 40U);
    for (const std::size_t cut : cuts) {
      SCOPED_TRACE(cut);
      const Outcome outcome = inspect_first(cut);
      ASSERT_TRUE(outcome.error) << "passed";
      EXPECT_EQ(outcome.error->kind(), ErrorKind::kCorrupt) << outcome.error->describe();
      EXPECT_FALSE(outcome.children_left);
    }
  }
  // A tar archive ends in two blocks of zeros, of which one is enough; of what is compressed every byte counts.
  [[nodiscard]] std::size_t last_needed() const { return base_.size() - (GetParam().ends_with(".tar") ? kEnd : 1); }

  sys::TempDir dir_;
  std::string base_ = read_base(GetParam());
};

INSTANTIATE_TEST_SUITE_P(Forms, TruncationTest,
                         ::testing::Values("base.tar", "base.tar.gz", "base.tar.zst", "base.tar.xz", "base.tar.bz2",
                                           "base-docker.tar"),
                         [](const auto& form) {
                           std::string name = form.param;
                           std::ranges::replace_if(name, [](char c) { return c == '.' || c == '-'; }, '_');
                           return name;
                         });

TEST_P(TruncationTest, TheWholePasses) {
  const Outcome outcome = inspect_first(base_.size());
  EXPECT_FALSE(outcome.error) << outcome.error->describe();
  EXPECT_EQ(outcome.files, 4U);
}

TEST_P(TruncationTest, ACutAnywhereIsCorrupt) {
  constexpr std::size_t kCuts = 50;
  ASSERT_GT(base_.size(), 2 * kCuts);
  std::vector<std::size_t> cuts{1, last_needed()};
  for (std::size_t i = 0; i < kCuts; ++i) cuts.push_back(last_needed() * i / kCuts);
  for (std::size_t at = 0; at <= last_needed() && GetParam() == "base.tar"; at += kBlock) {
    cuts.insert(cuts.end(), {at, std::max<std::size_t>(at, 1) - 1, at + 1, at + 300});
  }
  expect_corrupt(cuts);
}

}  // namespace
}  // namespace slipway::corpus

// The whole command, killed with SIGKILL at instants spread over its run and at each of its fault points, and then run
// again: one right file, one right row, one right snapshot, nothing else. Whoever has device-mapper instantiates it for
// thin pools.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "e2e/workshop.h"

namespace slipway {

struct CrashSetting {
  Place place = Place::kFolder;
  Backend backend = Backend::kFile;
};

class CommandCrashTest : public testing::TestWithParam<CrashSetting> {
 protected:
  void SetUp() override {
    if (const auto why = Workshop::why_not(GetParam().backend); !why.empty()) GTEST_SKIP() << why;
    workshop_ = std::make_unique<Workshop>(GetParam().place, GetParam().backend);
    workshop_->put("x.tar", bytes_);
  }

  static bool on_thin() { return GetParam().backend != Backend::kFile; }
  // Thin pools are in a virtual machine, which is slow.
  static std::size_t image_size() { return on_thin() ? 1U << 20U : 24U << 20U; }
  static int few() { return on_thin() ? 1 : 4; }
  static int step() { return on_thin() ? 60 : 9; }
  // Within which part of a whole run's time one that goes on is killed: it has less to do.
  static double later_reach() { return on_thin() ? 0.7 : 1; }

  static const std::vector<std::string>& fetch() {
    static const std::vector<std::string> words{"fetch-and-create", "x.tar", "--quiet"};
    return words;
  }

  void expect_right_end() {
    const auto ended = workshop_->run(fetch());
    ASSERT_EQ(ended.code, 0) << ended.err;
    ASSERT_EQ(workshop_->faults_of("x.tar", bytes_), "");
  }

  const std::string bytes_ = sample_image(image_size());
  std::unique_ptr<Workshop> workshop_;
};

}  // namespace slipway

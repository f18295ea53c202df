#include "cli/progress_display.h"

#include <mutex>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sys/testing/manual_clock.h"

namespace slipway::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Screen {
 public:
  ProgressDisplay::Write writer() {
    return [this](std::string_view text) {
      const std::scoped_lock lock(mutex_);
      writes_.emplace_back(text);
    };
  }
  std::vector<std::string> take() {
    const std::scoped_lock lock(mutex_);
    return std::exchange(writes_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> writes_;
};

class ProgressDisplayTest : public testing::Test {
 protected:
  std::unique_ptr<ProgressDisplay> make(ProgressForm form) {
    return std::make_unique<ProgressDisplay>(form, FrameLook{.unicode = false}, clock_, screen_.writer(),
                                             [this] { return size_; });
  }
  sys::ManualClock clock_;
  Screen screen_;
  TerminalSize size_{40, 10};
};

TEST_F(ProgressDisplayTest, DrawsInPlace) {
  auto display = make(ProgressForm::kBars);
  display->state("a", "queued");
  EXPECT_THAT(screen_.take(), ElementsAre("a  queued\n"));
  clock_.advance(std::chrono::seconds(1));
  display->state("a", "download");
  EXPECT_THAT(screen_.take(), ElementsAre("\x1b[1A\ra  download\x1b[K\n\x1b[J"));
}

TEST_F(ProgressDisplayTest, DrawsAtMostTenTimesASecondAndNothingIsLost) {
  auto display = make(ProgressForm::kBars);
  display->state("a", "one");
  (void)screen_.take();
  display->state("a", "two");
  display->state("a", "three");
  EXPECT_THAT(screen_.take(), IsEmpty());
  clock_.await_sleepers(1);
  clock_.advance(std::chrono::milliseconds(100));
  std::vector<std::string> seen;
  while (seen.empty()) {
    std::this_thread::yield();
    seen = screen_.take();
  }
  EXPECT_THAT(seen, ElementsAre("\x1b[1A\ra  three\x1b[K\n\x1b[J"));
}

TEST_F(ProgressDisplayTest, LogLinesStandAboveTheBars) {
  auto display = make(ProgressForm::kBars);
  display->state("a", "download");
  (void)screen_.take();
  display->log("WARN slow");
  EXPECT_THAT(screen_.take(), ElementsAre("\x1b[1A\rWARN slow\x1b[K\n\x1b[J", "a  download\n"));
  const Logger logger(display->log_sink(LogLevel::kInfo));
  logger.debug("not shown");
  logger.info("shown");
  EXPECT_THAT(screen_.take(), ElementsAre("\x1b[1A\rINFO shown\x1b[K\n\x1b[J", "a  download\n"));
}

TEST_F(ProgressDisplayTest, TheLastFrameStaysWhenItIsClosed) {
  auto display = make(ProgressForm::kBars);
  display->end("a", ProgressEnd::kGood, "completed");
  display->close();
  EXPECT_THAT(screen_.take().back(), HasSubstr("a  completed (0:00)"));
  display->state("a", "after");
  EXPECT_THAT(screen_.take(), IsEmpty());
  display->log("after");
  EXPECT_THAT(screen_.take(), ElementsAre("after\n"));
}

TEST_F(ProgressDisplayTest, APipeGetsPlainLines) {
  auto display = make(ProgressForm::kLines);
  display->state("a", "download");
  display->log("WARN slow");
  display->end("a", ProgressEnd::kGood, "completed");
  EXPECT_THAT(screen_.take(), ElementsAre("a: download\n", "WARN slow\n", "a: completed (0:00)\n"));
}

TEST_F(ProgressDisplayTest, NothingShowsLogLinesOnly) {
  auto display = make(ProgressForm::kNothing);
  display->state("a", "download");
  display->end("a", ProgressEnd::kBad, "failed");
  display->log("ERROR bad");
  EXPECT_THAT(screen_.take(), ElementsAre("ERROR bad\n"));
}

TEST(FramePainter, ANarrowerTerminalHasMoreRowsToErase) {
  FramePainter painter;
  EXPECT_EQ(painter.paint({std::string(30, 'x'), "y"}, 40), std::string(30, 'x') + "\ny\n");
  EXPECT_EQ(painter.paint({"z"}, 20), "\x1b[3A\rz\x1b[K\n\x1b[J");  // 30 columns take two rows of 20
  EXPECT_EQ(painter.paint({}, 20), "\x1b[1A\r\x1b[J");
  EXPECT_EQ(painter.paint({"\x1b[31mred\x1b[0m"}, 3), "\x1b[31mred\x1b[0m\n");
  EXPECT_EQ(painter.paint({}, 3), "\x1b[1A\r\x1b[J");  // colours take no columns
}

}  // namespace
}  // namespace slipway::cli

#include "base/log.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace slipway {
namespace {

// A sink that keeps what it is given.
struct Kept {
  std::vector<std::string> lines;

  [[nodiscard]] Logger logger() {
    return Logger([this](LogLevel level, std::string_view message, std::span<const LogField> fields) {
      lines.push_back(render_log_line(level, message, fields));
    });
  }
};

TEST(LogLineTest, HasLevelMessageAndFields) {
  const LogField fields[] = {{"run", "01ARZ"}, {"state", "two words"}};
  EXPECT_EQ(render_log_line(LogLevel::kWarn, "disk slow", fields), "WARN disk slow run=01ARZ state=\"two words\"\n");
  EXPECT_EQ(render_log_line(LogLevel::kInfo, "", {}), "INFO \n");
}

TEST(LogLineTest, QuotesWhatWouldBeMisread) {
  const auto value_of = [](std::string value) {
    const LogField field[] = {{"k", std::move(value)}};
    return render_log_line(LogLevel::kInfo, "m", field);
  };
  EXPECT_EQ(value_of(""), "INFO m k=\"\"\n");
  EXPECT_EQ(value_of("a=b"), "INFO m k=\"a=b\"\n");
  EXPECT_EQ(value_of("say \"x\""), "INFO m k=\"say \\\"x\\\"\"\n");
  EXPECT_EQ(value_of("back\\slash"), "INFO m k=\"back\\\\slash\"\n");
  EXPECT_EQ(value_of("ж"), "INFO m k=ж\n");
}

TEST(LogLineTest, IsAlwaysOneLineWithoutControlBytes) {
  const LogField fields[] = {{"k", std::string("a\nINFO forged\x1b[31m\0", 19)}};
  const std::string line = render_log_line(LogLevel::kError, "first\nsecond\r\x7f", fields);
  EXPECT_EQ(line, "ERROR first\\nsecond\\x0d\\x7f k=\"a\\nINFO forged\\x1b[31m\\x00\"\n");
}

TEST(LoggerTest, FormatsAndGivesTheBoundFields) {
  Kept kept;
  const Logger logger = kept.logger().with("run", "7");
  logger.debug("d {}", 1);
  logger.info("i");
  logger.warn("w {}", "x");
  logger.error("e");
  EXPECT_EQ(kept.lines,
            (std::vector<std::string>{"DEBUG d 1 run=7\n", "INFO i run=7\n", "WARN w x run=7\n", "ERROR e run=7\n"}));
}

TEST(LoggerTest, WithLeavesTheOriginalAlone) {
  Kept kept;
  const Logger plain = kept.logger();
  const Logger bound = plain.with("a", "1").with("b", "2");
  plain.info("x");
  bound.info("x");
  EXPECT_EQ(kept.lines, (std::vector<std::string>{"INFO x\n", "INFO x a=1 b=2\n"}));
}

TEST(LoggerTest, ADefaultOneDropsEverything) {
  const Logger nowhere;
  nowhere.with("a", "1").error("x");
  Logger(LogSink()).error("x");
}

TEST(LoggerTest, TheStderrSinkKeepsToItsLevel) {
  ::testing::internal::CaptureStderr();
  const Logger logger(stderr_sink(LogLevel::kWarn));
  logger.info("quiet");
  logger.warn("loud");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "WARN loud\n");
}

}  // namespace
}  // namespace slipway

#include "scan/inventory/lines.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/memory_source.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> lines_of(const std::string& text, std::size_t piece) {
  archive::MemorySource source(text, piece);
  Lines lines(source);
  std::vector<std::string> all;
  for (;;) {
    const auto line = lines.next();
    if (!line) all.push_back("error: " + line.error().message());
    if (!line || !*line) return all;
    all.emplace_back(**line);
  }
}

TEST(LinesTest, LinesAreTheSameInPiecesOfAnySize) {
  for (std::size_t piece = 1; piece < 12; ++piece) {
    EXPECT_THAT(lines_of("one\r\n\ntwo\n\r\nth\rree", piece), ElementsAre("one", "", "two", "", "th\rree")) << piece;
    EXPECT_THAT(lines_of("one\n", piece), ElementsAre("one"));
    EXPECT_THAT(lines_of("", piece), IsEmpty());
  }
}

// Gives the same bytes without end, so that whoever keeps them is found out.
class Endless : public archive::ByteSource {
 public:
  explicit Endless(char c) : bytes_(1U << 16, c) {}
  Result<std::span<const std::byte>> next() override {
    given += bytes_.size();
    return std::as_bytes(std::span(bytes_));
  }
  std::uint64_t given = 0;

 private:
  std::string bytes_;
};

TEST(LinesTest, ALineWithoutEndIsRejectedBeforeItIsKept) {
  Endless source('x');
  Lines lines(source, {.file = 1U << 30, .line = 1U << 20});
  const auto line = lines.next();
  ASSERT_FALSE(line);
  EXPECT_EQ(line.error().kind(), ErrorKind::kRejected);
  EXPECT_LE(source.given, (1U << 20) + (1U << 16));
}

TEST(LinesTest, AFileWithoutEndIsRejected) {
  Endless source('\n');
  Lines lines(source, {.file = 1U << 20, .line = 100});
  for (;;) {
    const auto line = lines.next();
    if (line) continue;
    EXPECT_EQ(line.error().kind(), ErrorKind::kRejected);
    break;
  }
  EXPECT_LE(source.given, (1U << 20) + (1U << 16));
}

TEST(LinesTest, AnErrorOfTheSourceIsPassedOn) {
  archive::MemorySource source("one\ntw", 3);
  source.then_fail(Error(ErrorKind::kIo, "broken"));
  Lines lines(source);
  EXPECT_EQ(**lines.next(), "one");
  EXPECT_EQ(lines.next().error().kind(), ErrorKind::kIo);
}

TEST(LinesTest, WordsArePrintableAndNotLong) {
  EXPECT_TRUE(is_word("libstdc++6"));
  EXPECT_TRUE(is_word("1:2.3~rc1-4"));
  for (const std::string& text : {std::string(), std::string("a b"), std::string("a\0b", 3), std::string("a\x7f"),
                                  std::string("\xc3\xa4"), std::string(513, 'x')}) {
    EXPECT_FALSE(is_word(text)) << text;
  }
}

TEST(LinesTest, PlainTextLosesWhatCannotBeShown) {
  EXPECT_EQ(plain_text("MIT and \x1b[31m"), "MIT and ?[31m");
  EXPECT_EQ(plain_text(std::string(10'000, 'x')).size(), 4096U);
}

TEST(LinesTest, TrimmedIsWithoutBlanksAround) {
  EXPECT_EQ(trimmed(" \ta b\t "), "a b");
  EXPECT_EQ(trimmed(" \t "), "");
}

}  // namespace
}  // namespace slipway::scan

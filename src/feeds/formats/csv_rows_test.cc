#include "feeds/formats/csv_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/memory_source.h"

namespace slipway::feeds {
namespace {

using archive::MemorySource;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Cells = std::vector<std::string>;
using Row = CsvRows::Row;

// Each test is with the source in single bytes, two at a time, and as a whole.
class CsvRowsTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  static std::vector<Row> read(const std::string& text, CsvRows::Limits limits = {}) {
    MemorySource source(text, GetParam());
    CsvRows rows(source, limits);
    std::vector<Row> all;
    for (;;) {
      auto row = rows.next();
      EXPECT_TRUE(row) << row.error().message();
      if (!row || !*row) break;
      all.push_back(std::move(**row));
    }
    const auto again = rows.next();
    EXPECT_TRUE(again && !*again) << "the end stays";
    return all;
  }

  // What the reading ends with; it must be kCorrupt, and stay.
  static std::string refusal_of(const std::string& text, CsvRows::Limits limits = {}) {
    MemorySource source(text, GetParam());
    CsvRows rows(source, limits);
    for (;;) {
      const auto row = rows.next();
      if (row && *row) continue;
      if (row) return "it was accepted";
      const auto again = rows.next();
      EXPECT_TRUE(!again && again.error() == row.error()) << "an error stays";
      EXPECT_EQ(row.error().kind(), ErrorKind::kCorrupt);
      return row.error().message();
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Pieces, CsvRowsTest, ::testing::Values(1, 2, MemorySource::kWhole));

TEST_P(CsvRowsTest, LinesEndWithOrWithoutCarriageReturnAndTheLastNeedNotEnd) {
  EXPECT_THAT(read("a,b\nc,d\r\ne"), ElementsAre(Row{1, {"a", "b"}}, Row{2, {"c", "d"}}, Row{3, {"e"}}));
}

TEST_P(CsvRowsTest, EmptyCellsAreCells) {
  EXPECT_THAT(read(",\na,,b,\n,"), ElementsAre(Row{1, {"", ""}}, Row{2, {"a", "", "b", ""}}, Row{3, {"", ""}}));
  EXPECT_THAT(read("\"\"\n\"\",\"\""), ElementsAre(Row{1, {""}}, Row{2, {"", ""}}));
}

TEST_P(CsvRowsTest, QuotedCellsMayHoldAnything) {
  EXPECT_THAT(read("\"a,b\",\"say \"\"x\"\"\"\n\"\"\"\"\n"), ElementsAre(Row{1, {"a,b", "say \"x\""}}, Row{2, {"\""}}));
}

TEST_P(CsvRowsTest, LineBreaksInCellsStayAndAreCounted) {
  EXPECT_THAT(read("\"a\nb\r\n\",c\r\nd\n"), ElementsAre(Row{1, {"a\nb\r\n", "c"}}, Row{4, {"d"}}));
}

TEST_P(CsvRowsTest, LinesWithoutABytePassAndAreCounted) {
  EXPECT_THAT(read("\n\r\na\n\n\r\nb\n\n"), ElementsAre(Row{3, {"a"}}, Row{6, {"b"}}));
  EXPECT_THAT(read(""), IsEmpty());
  EXPECT_THAT(read("\n"), IsEmpty());
  EXPECT_THAT(read(" \n"), ElementsAre(Row{1, {" "}})) << "a space is a byte";
}

TEST_P(CsvRowsTest, AByteOrderMarkIsDroppedAtTheBeginningOnly) {
  EXPECT_THAT(read("\xEF\xBB\xBF\"a\",b"), ElementsAre(Row{1, {"a", "b"}}));
  EXPECT_THAT(read("\xEF\xBB\xBF"), IsEmpty());
  EXPECT_THAT(read("a\n\xEF\xBB\xBF"), ElementsAre(Row{1, {"a"}}, Row{2, {"\xEF\xBB\xBF"}}));
  EXPECT_THAT(read("\xEF\xBC\x8C"), ElementsAre(Row{1, {"\uFF0C"}})) << "it begins like one";
}

TEST_P(CsvRowsTest, AnUnclosedQuoteIsSaidWithTheLineInWhichItBegan) {
  EXPECT_THAT(refusal_of("a\nb,\"c\nd\n\ne"), HasSubstr("line 2: the quote that begins a cell here is not closed"));
  EXPECT_THAT(refusal_of("\"a\nb\",\"c"), HasSubstr("line 2: the quote"));
  EXPECT_THAT(refusal_of("\""), HasSubstr("line 1: the quote"));
}

TEST_P(CsvRowsTest, TextAfterAClosingQuoteIsRefused) {
  EXPECT_THAT(refusal_of("a\n\"b\nc\"d,e"), HasSubstr("line 3: text after the quote that closes a cell"));
  EXPECT_THAT(refusal_of("\"b\" ,c"), HasSubstr("line 1: text after the quote"));
}

TEST_P(CsvRowsTest, AQuoteWithinAPlainCellIsRefused) {
  EXPECT_THAT(refusal_of("x\na\"b"), HasSubstr("line 2: a quote within a cell"));
}

TEST_P(CsvRowsTest, ACarriageReturnAloneIsRefused) {
  EXPECT_THAT(refusal_of("x\na\rb"), HasSubstr("line 2: a carriage return without a line feed"));
  EXPECT_THAT(refusal_of("a\r\r\n"), HasSubstr("line 1: a carriage return"));
  EXPECT_THAT(refusal_of("\"a\"\r\""), HasSubstr("line 1: a carriage return"));
  EXPECT_THAT(refusal_of("a\r"), HasSubstr("line 1: a carriage return"));
}

TEST_P(CsvRowsTest, BytesThatAreNotUtf8AreRefusedWithTheirLine) {
  EXPECT_THAT(refusal_of("a\nb,\xE9\n"), HasSubstr("line 2: bytes that are not UTF-8"));
  EXPECT_THAT(refusal_of("a\n\"b\n\u00e9\n\xE9\n\"\n"), HasSubstr("line 4: bytes that are not UTF-8"));
  EXPECT_THAT(refusal_of("\xED\xA0\x80"), HasSubstr("line 1: bytes")) << "a surrogate";
  EXPECT_THAT(refusal_of("\xC0\xAF"), HasSubstr("line 1: bytes")) << "an overlong form";
  EXPECT_THAT(refusal_of("\xEF\xBB"), HasSubstr("line 1: bytes")) << "the beginning of a byte order mark";
  EXPECT_THAT(refusal_of("\xC3,\xA9"), HasSubstr("line 1: bytes")) << "a character in two cells";
}

TEST_P(CsvRowsTest, ARowBeyondTheLimitIsRefused) {
  const CsvRows::Limits ten{.row = 10};
  EXPECT_THAT(read("123456789\n123,5,789\n\"1234567\"\n", ten).size(), 3U);
  EXPECT_THAT(refusal_of("a\n1234567890\n", ten),
              HasSubstr("line 2: the row that begins here is longer than 10 bytes"));
  EXPECT_THAT(refusal_of("a\n\"1\n2\n3\n45678", ten), HasSubstr("line 2: the row"));
  EXPECT_THAT(refusal_of("\"\"\"\"\"\"\"\"\"\"\"\"", ten), HasSubstr("line 1: the row"));
}

TEST_P(CsvRowsTest, TooManyCellsAreRefused) {
  const CsvRows::Limits three{.columns = 3};
  EXPECT_THAT(read("a,b,c\nd,e,f", three).size(), 2U);
  EXPECT_THAT(refusal_of("a\na,b,c,\n", three), HasSubstr("line 2: the row that begins here has more than 3 cells"));
}

TEST(CsvRowsStream, AnErrorOfTheSourceIsGivenOnAfterTheRowsBeforeIt) {
  MemorySource source("a\nb\nc", 1);
  source.then_fail({ErrorKind::kUnavailable, "the line is cut"});
  CsvRows rows(source);
  EXPECT_EQ(rows.next().value()->cells, Cells{"a"});
  EXPECT_EQ(rows.next().value()->cells, Cells{"b"});
  const auto failed = rows.next();
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error(), Error(ErrorKind::kUnavailable, "the line is cut"));
}

}  // namespace
}  // namespace slipway::feeds

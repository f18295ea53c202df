#include "cli/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/format.h"

namespace slipway::cli {
namespace {

Table sample() {
  Table table({{.title = "NAME", .importance = 50, .least = 6, .cut = Cut::kMiddle},
               {.title = "SIZE", .importance = 90, .right = true},
               {.title = "NOTE", .importance = 10, .least = 4}});
  table.add({"alpine-3.19-0123456789", "3.1 MiB", "a long note about it"});
  table.add({"日本", "12 B", "-"});
  return table;
}

TEST(Table, IsAlignedAndWholeInAPipe) {
  EXPECT_EQ(sample().render({}),
            "NAME                       SIZE  NOTE\n"
            "alpine-3.19-0123456789  3.1 MiB  a long note about it\n"
            "日本                       12 B  -\n");
}

TEST(Table, ShortensTheLeastImportantColumnFirst) {
  EXPECT_EQ(sample().render({.width = 43}),
            "NAME                       SIZE  NOTE\n"
            "alpine-3.19-0123456789  3.1 MiB  a long no…\n"
            "日本                       12 B  -\n");
}

TEST(Table, ThenTheNextOneAndNeverBelowTheLeast) {
  EXPECT_EQ(sample().render({.width = 30, .ellipsis = "..."}),
            "NAME                SIZE  NOTE\n"
            "alpine...456789  3.1 MiB  a...\n"
            "日本                12 B  -\n");
}

TEST(Table, ThenLeavesOutTheLeastImportantButNeverTheFirst) {
  EXPECT_EQ(sample().render({.width = 14}),
            "NAME      SIZE\n"
            "alp…89  3.1 M…\n"
            "日本      12 B\n");
  EXPECT_EQ(sample().render({.width = 1}),
            "NAME\n"
            "alp…89\n"
            "日本\n");
}

TEST(Table, WhatMustBeShownWholeIsLeftToTheTerminal) {
  Table table({{.title = "", .least = kWhole}, {.title = "", .least = kWhole}});
  table.add({"checksum", std::string(64, 'a')});
  EXPECT_EQ(table.render({.width = 40}), "checksum  " + std::string(64, 'a') + "\n");
}

TEST(Table, EveryLineFitsTheTerminal) {
  for (std::size_t width = 6; width < 60; ++width) {
    const auto text = sample().render({.width = width});
    std::size_t begin = 0;
    while (begin < text.size()) {
      const auto end = text.find('\n', begin);
      EXPECT_LE(display_width(text.substr(begin, end - begin)), width);
      begin = end + 1;
    }
  }
}

TEST(Table, LeavesOutWhatIsOptionalWhereTheNarrowestDoesNotFit) {
  Table table({{.title = "NAME", .importance = 50, .least = 4},
               {.title = "TIME", .importance = 30, .least = 10, .optional = true},
               {.title = "NOTE", .importance = 10, .least = 4}});
  table.add({"abcdef", "2025-11-12", "remarks"});
  EXPECT_EQ(table.render({.width = 22}), "NAME  TIME        NOTE\nabc…  2025-11-12  rem…\n");
  EXPECT_EQ(table.render({.width = 21}), "NAME    NOTE\nabcdef  remarks\n");
  EXPECT_EQ(table.render({}), "NAME    TIME        NOTE\nabcdef  2025-11-12  remarks\n");
}

TEST(Table, EscapesWhatComesFromOutside) {
  Table table({{.title = "N"}, {.title = "M"}});
  table.add({std::string("x\x1b[2J\ny\tz"), "m"});
  EXPECT_EQ(table.render({}), "N                   M\nx\\x1b[2J\\x0ay\\x09z  m\n");
}

TEST(Table, ColoursDoNotCountForTheWidth) {
  Table table({{.title = "A"}, {.title = "B"}});
  table.add({Cell("x", Style::kRed), "y"});
  EXPECT_EQ(table.render({.color = true}), "\x1b[1mA\x1b[0m  \x1b[1mB\x1b[0m\n\x1b[31mx\x1b[0m  y\n");
}

TEST(Format, BytesAreIec) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(1024 * 1024 - 1), "1.0 MiB");  // never 1024.0 KiB
  EXPECT_EQ(format_bytes(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(format_rate(45.0 * 1024 * 1024), "45.0 MiB/s");
  EXPECT_EQ(format_rate(-1), "0 B/s");
}

TEST(Format, ClocksAreStable) {
  EXPECT_EQ(format_clock(std::chrono::seconds(0)), "0:00");
  EXPECT_EQ(format_clock(std::chrono::seconds(725)), "12:05");
  EXPECT_EQ(format_clock(std::chrono::seconds(3723)), "1:02:03");
  EXPECT_EQ(format_clock(std::chrono::hours(76)), "3d 04:00");
  EXPECT_EQ(format_clock(std::chrono::seconds(-5)), "0:00");
}

TEST(Format, ChecksumsAreShortened) {
  EXPECT_EQ(short_checksum("0123456789abcdef"), "0123456789ab");
  EXPECT_EQ(short_checksum(""), "");
}

}  // namespace
}  // namespace slipway::cli

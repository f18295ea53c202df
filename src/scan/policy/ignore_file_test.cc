#include "scan/policy/ignore_file.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/formats/feed_time.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TimePoint at(std::string_view text) { return feeds::parse_feed_time(text).value(); }

IgnoreFile parse(std::string_view text) {
  auto file = parse_ignore_file(text, ".slipwayignore");
  EXPECT_TRUE(file) << file.error().describe();
  return file ? *file : IgnoreFile{};
}

Error refused(std::string_view text) {
  const auto file = parse_ignore_file(text, ".slipwayignore");
  EXPECT_FALSE(file) << text;
  return file ? Error(ErrorKind::kInternal, "it was read") : file.error();
}

Finding finding(const std::string& id, const std::string& package, std::vector<std::string> aliases = {}) {
  Finding made{.id = id, .aliases = std::move(aliases)};
  made.package.name = package;
  return made;
}

TEST(IgnoreFileTest, RulesAreReadWithTheirOptionsInAnyOrder) {
  const auto file = parse(
      "\xef\xbb\xbf# why these do not count\n"
      "\n"
      "  CVE-2023-4911 until=2025-06-30 package=libc6  no setuid programs, see #12  \r\n"
      "\tGHSA-jfh8-c2jp-5v3q\tpackage=log4j-core until=2025-01-01\tremoved by our build\n"
      "RHSA-2019:2304 d\xc3\xa9j\xc3\xa0 vu: https://example.org/?a=b");
  EXPECT_EQ(file.name, ".slipwayignore");
  ASSERT_EQ(file.rules.size(), 3U);
  EXPECT_EQ(file.rules[0], (IgnoreRule{.id = "CVE-2023-4911",
                                       .package = "libc6",
                                       .until = std::chrono::sys_days(std::chrono::year(2025) / 6 / 30),
                                       .reason = "no setuid programs, see #12",
                                       .line = 3}));
  EXPECT_EQ(file.rules[1].package, "log4j-core");
  EXPECT_EQ(file.rules[1].reason, "removed by our build");
  EXPECT_EQ(file.rules[2].reason, "d\xc3\xa9j\xc3\xa0 vu: https://example.org/?a=b");
  EXPECT_EQ(file.rules[2].until, std::nullopt);
  EXPECT_EQ(file.rules[2].line, 5U);
}

TEST(IgnoreFileTest, AnErrorNamesFileLineRuleAndWayOut) {
  const auto error = refused("# one\nCVE-2023-4911\n");
  EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
  EXPECT_EQ(error.message(), ".slipwayignore:2: the rule for CVE-2023-4911 gives no reason");
  EXPECT_THAT(error.hint(), HasSubstr("REASON"));
}

TEST(IgnoreFileTest, WhatBreaksARuleIsRefused) {
  EXPECT_THAT(refused("CVE-1-2 package=x until=2025-01-01").message(), HasSubstr("no reason"));
  EXPECT_THAT(refused("package=x CVE-1-2 why").message(), HasSubstr("begins with the ID"));
  EXPECT_THAT(refused("we do not care").message(), HasSubstr("we is not the ID"));
  EXPECT_THAT(refused("-CVE-1 why").message(), HasSubstr("not the ID"));
  EXPECT_THAT(refused("CVE-1/2 why").message(), HasSubstr("not the ID"));
  EXPECT_THAT(refused("CVE-1-2 packge=x why").message(), HasSubstr("no option packge="));
  EXPECT_THAT(refused("CVE-1-2 PACKAGE=x why").message(), HasSubstr("no option PACKAGE="));
  EXPECT_THAT(refused("CVE-1-2 package= why").message(), HasSubstr("has no value"));
  EXPECT_THAT(refused("CVE-1-2 package=a package=b why").message(), HasSubstr("twice"));
  EXPECT_THAT(refused("CVE-1-2 until=2025-01-01 until=2026-01-01 why").message(), HasSubstr("twice"));
  EXPECT_THAT(refused("CVE-1-2 bell\x07").message(), HasSubstr("printable"));
  EXPECT_THAT(refused("CVE-1-2 latin \xe9").message(), HasSubstr("printable"));
  EXPECT_THAT(refused("CVE-1-2 " + std::string(5000, 'x')).message(), HasSubstr("longer than"));
}

TEST(IgnoreFileTest, AnOptionThatWouldLimitNothingIsRefusedWithItsLineWordAndRule) {
  const auto message = [](const std::string& line) { return refused("# one\n" + line + "\n").message(); };
  EXPECT_EQ(message("CVE-2020-26235 not used here until=2020-01-01"),
            ".slipwayignore:2: the rule for CVE-2020-26235: until=2020-01-01 stands within the reason, where it limits "
            "nothing");
  EXPECT_THAT(message("T-VERS-1 because package=other"),
              HasSubstr(":2: the rule for T-VERS-1: package=other stands within the reason"));
  EXPECT_THAT(message("T-VERS-1 because Package=other"), HasSubstr("Package=other stands within the reason"));
  EXPECT_THAT(message("T-VERS-1 package=a because until =2020-01-01"), HasSubstr("until stands within the reason"));
  EXPECT_THAT(message("T-VERS-1 until-date=2020-01-01 because"),
              HasSubstr(":2: the rule for T-VERS-1: there is no option until-date="));
  EXPECT_THAT(message("T-VERS-1 package-name=other because"), HasSubstr("there is no option package-name="));
  EXPECT_THAT(message("T-VERS-1 package_2=other because"), HasSubstr("there is no option package_2="));
  EXPECT_THAT(message("T-VERS-1 package = other because"),
              HasSubstr(":2: the rule for T-VERS-1: package is followed by a blank"));
  EXPECT_THAT(message("T-VERS-1 package=a until\t=2020-01-01 because"), HasSubstr("until is followed by a blank"));
  EXPECT_THAT(message("T-VERS-1 expiry = 2020-01-01 because"), HasSubstr("expiry is followed by a blank"));
}

TEST(IgnoreFileTest, AReasonMayHoldEqualsSigns) {
  for (const std::string reason :
       {"https://example.org/?package=x&until=y says so", "only where a=b or a = b", "the until-date=x of another",
        "see package:x, until 2025", "(a=b)", "built with --package=x"}) {
    EXPECT_EQ(parse("CVE-1-2 package=c " + reason).rules.at(0).reason, reason);
  }
}

TEST(IgnoreFileTest, ADayIsADayOfTheCalendar) {
  for (const char* day : {"2025-02-30", "2025-13-01", "25-01-01", "2025-1-1", "tomorrow", "2025-01-01T10:00Z"}) {
    EXPECT_THAT(refused(std::string("CVE-1-2 until=") + day + " why").message(), HasSubstr("is not a day")) << day;
  }
}

TEST(IgnoreFileTest, BytesThatAreNoTextAreRefusedInEveryForm) {
  for (const char* bytes : {"\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf0\x80\x80\x80", "\xf4\x90\x80\x80",
                            "\xf8\x88", "\xc3", "\xe2\x82", "\xc2\x85", "\x7f"}) {
    EXPECT_THAT(refused(std::string("CVE-1-2 ") + bytes).message(), HasSubstr("printable"));
  }
  EXPECT_EQ(parse("CVE-1-2 \xe2\x82\xac \xf0\x9f\x9a\xa2").rules.size(), 1U);
}

TEST(IgnoreFileTest, SizeAndLinesAreLimited) {
  EXPECT_THAT(refused(std::string(kMostIgnoreBytes + 1, '#')).message(), HasSubstr("larger than"));
  EXPECT_THAT(refused(std::string(kMostIgnoreLines + 1, '\n')).message(), HasSubstr("more than"));
  EXPECT_THAT(parse(std::string(kMostIgnoreLines, '\n')).rules, IsEmpty());
}

TEST(IgnoreFileTest, ARuleMatchesTheIdOrAnotherNameInAnyLetters) {
  const auto rule = parse("ghsa-JFH8-c2jp-5v3q why").rules.at(0);
  EXPECT_TRUE(rule.matches(finding("GHSA-jfh8-c2jp-5v3q", "x")));
  EXPECT_TRUE(rule.matches(finding("CVE-2021-44228", "x", {"GHSA-JFH8-C2JP-5V3Q"})));
  EXPECT_FALSE(rule.matches(finding("CVE-2021-44228", "x", {"GHSA-jfh8-c2jp-5v3qq"})));
}

TEST(IgnoreFileTest, APackageIsMeantByItsNameOrItsSource) {
  const auto rule = parse("CVE-1-2 package=glibc why").rules.at(0);
  auto one = finding("CVE-1-2", "libc6");
  EXPECT_FALSE(rule.matches(one));
  one.package.source = "glibc";
  EXPECT_TRUE(rule.matches(one));
  EXPECT_TRUE(rule.matches(finding("CVE-1-2", "glibc")));
}

TEST(IgnoreFileTest, ARuleCountsToTheEndOfItsLastDay) {
  const auto file = parse("CVE-1-2 until=2025-06-30 first\nCVE-1-2 second\n");
  const auto one = finding("CVE-1-2", "x");
  EXPECT_EQ(file.rule_for(one, at("2025-06-30T23:59:59Z"))->reason, "first");
  EXPECT_THAT(file.warnings(at("2025-06-30T23:59:59Z")), IsEmpty());
  EXPECT_EQ(file.rule_for(one, at("2025-07-01T00:00:00Z"))->reason, "second");
  EXPECT_THAT(file.warnings(at("2025-07-01T00:00:00Z")),
              ElementsAre(".slipwayignore:1: the rule for CVE-1-2 counted until 2025-06-30 and no longer does"));
  EXPECT_EQ(file.rule_for(finding("CVE-1-3", "x"), at("2025-01-01")), nullptr);
}

TEST(IgnoreFileTest, IsLoadedFromAFile) {
  const sys::TempDir folder;
  std::ofstream(folder.file("rules")) << "CVE-1-2 why\n";
  const auto file = load_ignore_file(folder.file("rules"));
  ASSERT_TRUE(file) << file.error().describe();
  EXPECT_EQ(file->name, folder.file("rules"));
  EXPECT_EQ(file->rules.size(), 1U);

  EXPECT_EQ(load_ignore_file(folder.file("none")).error().kind(), ErrorKind::kNotFound);
  std::ofstream(folder.file("large")) << std::string(kMostIgnoreBytes + 1, '\n');
  EXPECT_EQ(load_ignore_file(folder.file("large")).error().kind(), ErrorKind::kInvalid);
}

}  // namespace
}  // namespace slipway::scan

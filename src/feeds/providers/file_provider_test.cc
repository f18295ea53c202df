// What all providers of files have in common, shown with CVEs: bad input, interruptions, sources that do not change.
#include "feeds/providers/file_provider.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/providers/cve_provider.h"
#include "feeds/testing/ground.h"
#include "sys/testing/command.h"

namespace slipway::feeds {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string cve(int number, std::string_view more = {}) {
  return fmt::format(R"({{"cve": {{"id": "CVE-2024-{}", "descriptions": [{{"lang": "en", "value": "flaw {}"}}]{}}}}})",
                     10'000 + number, number, more);
}

std::string page(std::initializer_list<std::string> cves) {
  return fmt::format(R"({{"totalResults": 1, "vulnerabilities": [{}]}})", fmt::join(cves, ","));
}

class FileProviderTest : public ::testing::Test {
 protected:
  Result<ProviderRow> sync(const std::string& parts, const Ground::Options& options = {}) {
    return ground_.sync(
        "cve", [](Fetcher& fetcher, net::HttpClient& client) { return std::make_unique<CveProvider>(fetcher, client); },
        parts, options);
  }
  std::string failure(const std::string& parts, const Ground::Options& options = {}) {
    const auto row = sync(parts, options);
    return row ? "it did not fail" : row.error().describe();
  }
  std::int64_t live() { return ground_.number("SELECT count(*) FROM record WHERE gone_since IS NULL"); }

  Ground ground_;
};

TEST_F(FileProviderTest, ASourceThatIsAsItWasIsNotReadAgain) {
  const auto file = ground_.write("a.json", page({cve(1), cve(2)}));
  ASSERT_TRUE(sync(file));
  const auto generation = ground_.number("SELECT generation FROM provider");
  ASSERT_TRUE(sync(file));
  EXPECT_EQ(ground_.number("SELECT generation FROM provider"), generation);
  ground_.write("a.json", page({cve(1)}));
  ASSERT_TRUE(sync(file));
  EXPECT_EQ(ground_.number("SELECT generation FROM provider"), generation + 1);
  EXPECT_EQ(live(), 1) << "the other one is gone";
}

TEST_F(FileProviderTest, ItGoesOnBehindTheLastItemWhereverThatWas) {
  const auto folder = ground_.path() + "/data";
  ground_.write("data/a.json", page({cve(1), cve(2)}));
  ground_.write("data/b.json", page({cve(3), cve(4), cve(5)}));
  ground_.write("data/c.json", R"({"id": "CVE-2024-10006", "descriptions": []})");
  for (int after = 1; after <= 6; ++after) {
    ground_.write("data/d.json", page({cve(10 + after)}));  // another source each time
    EXPECT_THAT(failure(folder, {.interrupt_after = after}), HasSubstr("interrupted"));
    EXPECT_EQ(ground_.number("SELECT processed FROM provider"), after);
    const auto row = sync(folder);
    ASSERT_TRUE(row) << row.error().describe();
    EXPECT_EQ(row->processed, 7) << "interrupted after " << after;
  }
  EXPECT_EQ(live(), 7);
}

TEST_F(FileProviderTest, BadRecordsAreCountedAndNamed) {
  const auto file = ground_.write(
      "a.json",
      page({cve(1), R"({"cve": {"id": "CVE-1'; DROP TABLE record; --"}})", R"({"cve": {"id": 7}})",
            R"({"cve": {"id": "CVE-2024-10009", "descriptions": "text"}})", "17", "{\"cve\": \"\xff\"}",
            R"({"cve": {"id": "CVE-2024-10010", "metrics": {"cvssMetricV31": [{"cvssData": {"baseScore": "x"}}]}}})",
            cve(2)}));
  const auto row = sync(file);
  ASSERT_TRUE(row) << row.error().describe();
  EXPECT_EQ(row->processed, 2);
  EXPECT_EQ(row->errors, 6);
  EXPECT_THAT(
      ground_.text("SELECT group_concat(error, '; ') FROM bad_record"),
      AllOf(HasSubstr("is no CVE id"), HasSubstr("\"id\" must be a text"), HasSubstr("\"descriptions\" must be a list"),
            HasSubstr("UTF-8"), HasSubstr("\"baseScore\" must be a number")));
}

TEST_F(FileProviderTest, TooManyBadRecordsFailItAndNothingIsLost) {
  ASSERT_TRUE(sync(ground_.write("a.json", page({cve(1), cve(2)}))));
  EXPECT_THAT(failure(ground_.write("b.json", page({cve(3), "1", "2", "3"})), {.max_bad_records = 2}),
              HasSubstr("3 records of cve are bad"));
  EXPECT_EQ(live(), 3) << "what was there, and what was good";
}

TEST_F(FileProviderTest, TooManyBadRecordsFailItEachTimeThatItIsTried) {
  ASSERT_TRUE(sync(ground_.write("a.json", page({cve(1), cve(2)}))));
  const auto bad = ground_.write("b.json", page({"1", "2", "3", cve(2)}));
  for (int i = 0; i < 3; ++i) {
    EXPECT_THAT(failure(bad, {.max_bad_records = 2}), HasSubstr("3 records of cve are bad"));
  }
  EXPECT_EQ(live(), 2);
}

TEST_F(FileProviderTest, WhatIsThereAndCannotBeReadIsNotGone) {
  ASSERT_TRUE(sync(ground_.write("a.json", page({cve(1), cve(2), cve(3)}))));
  const std::string unreadable = R"({"cve": {"id": "CVE-2024-10002", "descriptions": "text"}})";
  ASSERT_TRUE(sync(ground_.write("b.json", page({cve(1), unreadable}))));
  EXPECT_EQ(live(), 3) << "it may have been any of them";
  ASSERT_TRUE(sync(ground_.write("c.json", page({cve(1), cve(2)}))));
  EXPECT_EQ(live(), 2);
}

TEST_F(FileProviderTest, AFileOfChangesMakesAFolderOneOfChanges) {
  ASSERT_TRUE(sync(ground_.write("a.json", page({cve(1), cve(2)}))));
  ground_.write("data/nvdcve-2.0-modified.json", page({cve(1)}));
  ASSERT_TRUE(sync(ground_.path() + "/data"));
  EXPECT_EQ(live(), 2);
}

TEST_F(FileProviderTest, WhatIsBrokenAtOnePlaceIsReadFromTheNext) {
  const auto broken = ground_.write("broken.json", R"({"vulnerabilities": [)" + cve(1) + ", {");
  const auto good = ground_.write("good.json", page({cve(1), cve(2)}));
  const auto row = sync(broken + "|" + good);
  ASSERT_TRUE(row) << row.error().describe();
  EXPECT_EQ(row->processed, 2);
  EXPECT_EQ(live(), 2);
}

TEST_F(FileProviderTest, AScoreThatCannotBeIsNone) {
  const std::string odd =
      R"(, "metrics": {"cvssMetricV31": [{"cvssData": {"vectorString": "?", "baseScore": 1e308}}]})";
  ASSERT_TRUE(sync(ground_.write("a.json", page({cve(1, odd)}))));
  EXPECT_EQ(ground_.number("SELECT count(*) FROM cve WHERE score IS NULL"), 1);
}

TEST_F(FileProviderTest, ABrokenFileFailsItAndNothingIsLost) {
  ASSERT_TRUE(sync(ground_.write("a.json", page({cve(1), cve(2)}))));
  EXPECT_THAT(failure(ground_.write("b.json", R"({"vulnerabilities": [)" + cve(3) + ", {")),
              AllOf(HasSubstr("b.json"), HasSubstr("ends early")));
  EXPECT_THAT(failure(ground_.write("c.json", "<html>moved</html>")), HasSubstr("begins with '<'"));
  EXPECT_THAT(failure(ground_.write("d.json", "")), HasSubstr("empty"));
  EXPECT_THAT(failure(ground_.write("e.json", page({}))), HasSubstr("not one record"));
  EXPECT_THAT(failure(ground_.path() + "/missing.json"), HasSubstr("missing.json"));
  EXPECT_EQ(ground_.number("SELECT count(*) FROM record WHERE name IN ('CVE-2024-10001', 'CVE-2024-10002') AND "
                           "gone_since IS NULL"),
            2);
}

TEST_F(FileProviderTest, OneBrokenFileOfManyIsABadRecord) {
  ground_.write("data/a.json", R"({"id": "CVE-2024-10001", "descriptions": []})");
  ground_.write("data/b.json", "{bad}");
  ground_.write("data/README", "not JSON at all, and none of ours");
  const auto row = sync(ground_.path() + "/data");
  ASSERT_TRUE(row) << row.error().describe();
  EXPECT_EQ(row->processed, 1);
  EXPECT_EQ(row->errors, 1);
  EXPECT_EQ(ground_.text("SELECT name FROM bad_record"), "b.json");
}

TEST_F(FileProviderTest, ThePackedFormsAreTheSameAsThePlainOne) {
  const auto file = ground_.write("a.json", page({cve(1), cve(2)}));
  const auto& dir = ground_.path();
  sys::run_command({"gzip", "-k", file});
  sys::run_command({"xz", "-k", file});
  sys::run_command({"zstd", "-q", "-k", "--long=27", file});
  sys::run_command({"tar", "-C", dir, "-cJf", dir + "/a.tar.xz", "a.json"});
  sys::run_command({"python3", "-c",
                    "import zipfile,sys; z=zipfile.ZipFile(sys.argv[1],'w',zipfile.ZIP_DEFLATED); "
                    "z.write(sys.argv[2],'a.json'); z.close()",
                    dir + "/a.zip", file});
  for (const auto* name : {"a.json.gz", "a.json.xz", "a.json.zst", "a.tar.xz", "a.zip"}) {
    const auto row = sync(dir + "/" + name);
    ASSERT_TRUE(row) << name << ": " << row.error().describe();
    EXPECT_EQ(row->processed, 2) << name;
  }
}

TEST_F(FileProviderTest, BombsAreRefused) {
  const auto& dir = ground_.path();
  sys::run_command(
      {"sh", "-c",
       "(printf '{\"a\": \"'; head -c 100000000 /dev/zero | tr '\\0' x; printf '\"}') > " + dir + "/bomb.json"});
  sys::run_command({"gzip", "-9", "-k", dir + "/bomb.json"});
  sys::run_command({"python3", "-c",
                    "import zipfile,sys; z=zipfile.ZipFile(sys.argv[1],'w',zipfile.ZIP_DEFLATED); "
                    "z.write(sys.argv[2],'bomb.json'); z.close()",
                    dir + "/bomb.zip", dir + "/bomb.json"});
  for (const auto* name : {"bomb.json.gz", "bomb.zip"}) {
    EXPECT_THAT(failure(dir + "/" + name), HasSubstr("unpacks to far more")) << name;
  }
  EXPECT_THAT(failure(dir + "/bomb.json"), HasSubstr("larger than"));
}

TEST_F(FileProviderTest, DamagedArchivesAreRefused) {
  const auto file = ground_.write("a.json", page({cve(1), cve(2)}));
  const auto& dir = ground_.path();
  sys::run_command({"gzip", "-k", file});
  sys::run_command({"sh", "-c", "head -c 60 " + dir + "/a.json.gz > " + dir + "/cut.json.gz"});
  EXPECT_THAT(failure(dir + "/cut.json.gz"), HasSubstr("cut.json.gz"));
  ground_.write("broken.zip", "PK\x03\x04 and nothing else");
  EXPECT_THAT(failure(dir + "/broken.zip"), HasSubstr("zip"));
}

TEST(PositionTest, TextsLeadBack) {
  const Position at{.part = 1, .file = 2, .item = 3, .record = 4};
  EXPECT_EQ(at.text(), "1/2/3/4");
  EXPECT_EQ(Position::parse("1/2/3/4"), at);
  for (const auto* bad : {"", "1/2/3", "1/2/3/4/5", "a/b/c/d", "1//3/4"}) EXPECT_FALSE(Position::parse(bad)) << bad;
}

}  // namespace
}  // namespace slipway::feeds

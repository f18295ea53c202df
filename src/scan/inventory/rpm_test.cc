#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan/inventory/distributions.h"
#include "scan/testing/rpm_files.h"
#include "store/database.h"

namespace slipway::scan {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kSqlite = "var/lib/rpm/rpmdb.sqlite";
constexpr std::string_view kNdb = "usr/lib/sysimage/rpm/Packages.db";
constexpr std::string_view kBerkeley = "var/lib/rpm/Packages";

Error error_of(std::string_view path, const std::string& bytes) {
  ReadFiles files;
  files.add(path, bytes, 1000);
  if (files.last) return {ErrorKind::kInternal, "nothing is wrong"};
  EXPECT_EQ(names_of(files.finds.take()), "");
  return files.last.error();
}

std::string changed(std::string bytes, std::size_t at, std::uint32_t number) {
  put_number(bytes, at, number, ByteOrder::kLittle);
  return bytes;
}

TEST(RpmTest, OnlyTheDatabasesAreWanted) {
  for (const std::string folder : {"var/lib/rpm/", "usr/lib/sysimage/rpm/", "usr/share/rpm/"}) {
    for (const std::string name : {"rpmdb.sqlite", "Packages.db", "Packages"}) {
      EXPECT_TRUE(wants_rpm({.path = folder + name})) << folder + name;
      EXPECT_FALSE(wants_rpm({.path = fmt::format("srv/{}{}", folder, name)})) << folder + name;
    }
    EXPECT_FALSE(wants_rpm({.path = folder + "Name"}));
  }
  EXPECT_FALSE(wants_rpm({.path = "Packages"}));
  EXPECT_FALSE(wants_rpm({.path = "var/lib/rpm/rpmdb.sqlite-wal", .size = 0}));
}

TEST(RpmTest, AWriteAheadLogWithSomethingInItIsNotReadAndSaysSo) {
  EXPECT_EQ(error_of("var/lib/rpm/rpmdb.sqlite-wal", "x").kind(), ErrorKind::kUnsupported);
}

// ---- each form ----

struct Form {
  std::string_view name;
  std::string_view path;
  std::function<std::string(const std::vector<std::string>&)> file;
};

void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

class RpmFormTest : public ::testing::TestWithParam<Form> {
 protected:
  static Inventory read(const std::string& bytes, std::size_t piece = archive::MemorySource::kWhole) {
    ReadFiles files;
    EXPECT_TRUE(files.add(GetParam().path, bytes, piece).last) << files.last.error().describe();
    return files.finds.take();
  }
};

TEST_P(RpmFormTest, HeadersArePackages) {
  const std::string file = GetParam().file({rpm_header("b", "2", 10'000), rpm_header("a", "1"),
                                            rpm_header("gpg-pubkey", "1"), rpm_header("c", "3", 100'000)});
  for (const std::size_t piece : {archive::MemorySource::kWhole, std::size_t{1000}}) {
    const auto found = read(file, piece);
    EXPECT_EQ(names_of(found), "a 1-1.el9, b 2-1.el9, c 3-1.el9");
    EXPECT_TRUE(found.complete()) << reasons_of(found);
  }
}

TEST_P(RpmFormTest, AnEmptyDatabaseHasNoPackages) {
  const auto found = read(GetParam().file({}));
  EXPECT_TRUE(found.packages.empty());
  EXPECT_TRUE(found.complete());
}

TEST_P(RpmFormTest, ABadHeaderIsNotedAndTheRestGoesOn) {
  const auto found = read(GetParam().file({rpm_header("a", "1"), std::string(5000, 'x'), rpm_header("b", "2")}));
  EXPECT_EQ(names_of(found), "a 1-1.el9, b 2-1.el9");
  EXPECT_EQ(reasons_of(found), "a package: the header is not as long as it says");
}

TEST_P(RpmFormTest, AFileCutOffIsAnError) {
  const std::string whole = GetParam().file({rpm_header("a", "1", 9'000), rpm_header("b", "2", 9'000)});
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{10}, std::size_t{600}, std::size_t{4200}, whole.size() - 5000}) {
    ReadFiles files;
    files.add(GetParam().path, whole.substr(0, size));
    ASSERT_FALSE(files.last) << size;
    EXPECT_EQ(files.last.error().kind(), ErrorKind::kCorrupt) << size;
  }
}

TEST_P(RpmFormTest, SomethingElseIsCorrupt) {
  EXPECT_EQ(error_of(GetParam().path, std::string(20'000, '\0')).kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(GetParam().path, std::string(20'000, 'x')).kind(), ErrorKind::kCorrupt);
}

// Whatever is damaged: it is read, noted or an error, and there is an end to it.
TEST_P(RpmFormTest, AFileDamagedAnywhereIsReadToAnEnd) {
  const std::string good = GetParam().file({rpm_header("a", "1", 9'000), rpm_header("b", "2")});
  int wrong = 0;
  for (std::size_t at = 0; at < good.size(); at += at % 4096 < 150 ? 1 : 97) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x55);
    ReadFiles files;
    files.add(GetParam().path, bad);
    const auto found = files.finds.take();
    EXPECT_LE(found.packages.size(), 2U) << at;
    EXPECT_TRUE(found.packages.size() == 2 || !files.last || !found.complete()) << at;
    if (!files.last || !found.complete()) ++wrong;
  }
  EXPECT_GT(wrong, 30);
}

INSTANTIATE_TEST_SUITE_P(
    Forms, RpmFormTest,
    ::testing::Values(Form{"Sqlite", kSqlite, rpm_sqlite_file}, Form{"Ndb", kNdb, rpm_ndb_file},
                      Form{"Berkeley", kBerkeley, [](const auto& headers) { return rpm_berkeley_file(headers); }},
                      Form{"BerkeleyOfBigEndians", kBerkeley,
                           [](const auto& headers) { return rpm_berkeley_file(headers, ByteOrder::kBig); }}),
    [](const auto& form) { return std::string(form.param.name); });

// Gives the same bytes without end.
class Endless : public archive::ByteSource {
 public:
  Result<std::span<const std::byte>> next() override { return std::as_bytes(std::span(bytes_)); }

 private:
  std::string bytes_ = std::string(1U << 20, 'x');
};

TEST(RpmTest, AFileWithoutEndIsRejected) {
  for (const std::string_view path : {kSqlite, kBerkeley}) {
    Endless source;
    ReadFiles files;
    files.add({.path = path, .size = 1}, source);
    EXPECT_EQ(files.last.error().kind(), ErrorKind::kRejected);
  }
}

// ---- SQLite ----

std::string sqlite_file(std::string_view sql) {
  const sys::TempDir dir;
  {
    auto database = store::Database::open({.path = dir.file("x")}).value();
    database.execute(sql).value();
  }
  return file_bytes(dir.file("x"));
}

TEST(RpmSqliteTest, ADatabaseWithoutTheTableIsCorrupt) {
  const auto error = error_of(kSqlite, sqlite_file("CREATE TABLE Name(key, hnum)"));
  EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(error.message(), HasSubstr("no table of packages"));
}

TEST(RpmSqliteTest, WhatOnlyLooksLikeTheTableIsCorrupt) {
  for (const std::string_view sql : {"CREATE TABLE t(x); CREATE VIEW Packages AS SELECT 1 AS hnum, zeroblob(9) AS blob",
                                     "CREATE VIRTUAL TABLE Packages USING fts5(hnum, blob)",
                                     "CREATE TABLE Packages(hnum INTEGER PRIMARY KEY, blob AS (zeroblob(60000000))); "
                                     "INSERT INTO Packages VALUES (1)",
                                     "CREATE TABLE Packages(hnum INTEGER PRIMARY KEY, other)"}) {
    EXPECT_EQ(error_of(kSqlite, sqlite_file(sql)).kind(), ErrorKind::kCorrupt) << sql;
  }
}

TEST(RpmSqliteTest, ValuesThatAreNoHeadersAreNoted) {
  ReadFiles files;
  files.add(kSqlite,
            sqlite_file("CREATE TABLE Packages(hnum, blob); INSERT INTO Packages VALUES (1, NULL), (2, 5), (3, 'x')"));
  ASSERT_TRUE(files.last);
  EXPECT_EQ(files.finds.take().unread.size(), 3U);
}

// ---- rpm's own ----

TEST(RpmNdbTest, MoreSlotsThanAPageHolds) {
  std::vector<std::string> headers;
  for (int n = 0; n < 600; ++n) headers.push_back(rpm_header(fmt::format("p{}", n), "1"));
  ReadFiles files;
  ASSERT_TRUE(files.add(kNdb, rpm_ndb_file(headers)).last);
  EXPECT_EQ(files.finds.take().packages.size(), 600U);
}

TEST(RpmNdbTest, SlotsThatLieUponEachOtherAreCorrupt) {
  const std::string good = rpm_ndb_file({rpm_header("a", "1"), rpm_header("b", "2")});
  for (const std::uint32_t place : {1U, 256U}) {  // upon the slots, upon the first package
    const auto error = error_of(kNdb, changed(good, 48 + 8, place));
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_THAT(error.message(), HasSubstr("upon each other"));
  }
}

TEST(RpmNdbTest, ADamagedPackageIsNotedAndTheRestGoesOn) {
  std::string file = rpm_ndb_file({rpm_header("a", "1"), rpm_header("b", "2")});
  file[4096 + 40] ^= 1;
  ReadFiles files;
  ASSERT_TRUE(files.add(kNdb, file).last);
  const auto found = files.finds.take();
  EXPECT_EQ(names_of(found), "b 2-1.el9");
  EXPECT_EQ(reasons_of(found), "package number 1 of the database is damaged");
}

TEST(RpmNdbTest, ImpossibleNumbersAreRefused) {
  const std::string good = rpm_ndb_file({rpm_header("a", "1")});
  EXPECT_EQ(error_of(kNdb, changed(good, 4, 1)).kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(error_of(kNdb, changed(good, 12, 0)).kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(kNdb, changed(good, 12, 0xffffffff)).kind(), ErrorKind::kRejected);
  EXPECT_EQ(error_of(kNdb, changed(good, 32 + 12, 0xffffffff)).kind(), ErrorKind::kRejected);
  EXPECT_EQ(error_of(kNdb, changed(good, 32 + 12, 1)).kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(error_of(kNdb, changed(good, 32 + 8, 0xffffffff)).kind(), ErrorKind::kCorrupt);
}

// ---- Berkeley DB ----

constexpr std::size_t kPage = 4096;

TEST(RpmBerkeleyTest, OtherKindsAreNotReadable) {
  const std::string good = rpm_berkeley_file({rpm_header("a", "1")});
  std::string encrypted = good;
  encrypted[24] = 1;
  std::string summed = good;
  summed[26] = 1;
  for (const std::string& file : {changed(good, 12, 0x053162), changed(good, 12, 0x62310500), changed(good, 16, 7),
                                  changed(good, 16, 11), encrypted, summed}) {
    const auto error = error_of(kBerkeley, file);
    EXPECT_EQ(error.kind(), ErrorKind::kUnsupported);
    EXPECT_THAT(error.message(), HasSubstr("not readable"));
  }
}

TEST(RpmBerkeleyTest, LoopsOfPagesEnd) {
  const std::string good = rpm_berkeley_file({rpm_header("a", "1", 9'000)});
  for (const std::string& file : {
           changed(good, 2 * kPage + 16, 2),          // an overflow page that goes on with itself
           changed(good, 3 * kPage + 16, 2),          // with one before
           changed(good, kPage + 16, 1),              // a bucket that goes on with itself
           changed(changed(good, 72, 1), 96 + 4, 0),  // two buckets in one page
       }) {
    ReadFiles files;
    files.add(kBerkeley, file);
    ASSERT_FALSE(files.last);
    EXPECT_EQ(files.last.error().kind(), ErrorKind::kCorrupt);
    EXPECT_THAT(files.last.error().message(), HasSubstr("used twice"));
  }
}

TEST(RpmBerkeleyTest, PagesThatAreNotThereAreCorrupt) {
  const std::string good = rpm_berkeley_file({rpm_header("a", "1", 9'000)});
  for (const std::string& file : {changed(good, 2 * kPage + 16, 100), changed(good, 2 * kPage + 16, 0),
                                  changed(good, 72, 0xffffffff), changed(good, 96, 0xffffffff), changed(good, 20, 100),
                                  changed(good, 20, 0), changed(good, kPage + 8, 5), changed(good, kPage + 24, 0)}) {
    EXPECT_EQ(error_of(kBerkeley, file).kind(), ErrorKind::kCorrupt);
  }
}

TEST(RpmBerkeleyTest, ItemsThatLieUponEachOtherAreCorrupt) {
  const std::string good = rpm_berkeley_file({rpm_header("a", "1")});
  const std::size_t item = kPage + 26;
  for (const std::string& file :
       {changed(good, item, 0), changed(good, item, 0xffffffff), changed(good, item, 0x0ff00ff0),
        changed(good, kPage + 20, 0xffff), changed(good, kPage + 20, 1)}) {
    EXPECT_EQ(error_of(kBerkeley, file).kind(), ErrorKind::kCorrupt);
  }
}

}  // namespace
}  // namespace slipway::scan

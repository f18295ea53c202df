#include <filesystem>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan/inventory/distributions.h"
#include "scan/testing/distribution_files.h"
#include "sys/testing/command.h"

namespace slipway::scan {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kStatus = "var/lib/dpkg/status";

constexpr std::string_view kGood =
    "Package: zlib1g\nStatus: install ok installed\nArchitecture: amd64\nSource: zlib\nVersion: 1:1.2.13-1\n";

Inventory read_status(const std::string& text, std::size_t piece = archive::MemorySource::kWhole) {
  ReadFiles files;
  EXPECT_TRUE(files.add(kStatus, text, piece).last);
  return files.finds.take();
}

std::string with_state(std::string_view state) {
  return fmt::format("Package: a\nStatus: install ok {}\nVersion: 1\n", state);
}

TEST(DpkgTest, OnlyTheDatabasesFilesAreWanted) {
  EXPECT_TRUE(wants_dpkg_status({.path = kStatus}));
  EXPECT_TRUE(wants_dpkg_status({.path = "var/lib/dpkg/status.d/base-files"}));
  EXPECT_FALSE(wants_dpkg_status({.path = "var/lib/dpkg/status.d/base-files.md5sums"}));
  EXPECT_FALSE(wants_dpkg_status({.path = "var/lib/dpkg/status-old"}));
  EXPECT_FALSE(wants_dpkg_status({.path = "srv/var/lib/dpkg/status"}));
  EXPECT_TRUE(wants_dpkg_files({.path = "var/lib/dpkg/info/dpkg.list"}));
  EXPECT_TRUE(wants_dpkg_files({.path = "var/lib/dpkg/status.d/base-files.md5sums"}));
  EXPECT_FALSE(wants_dpkg_files({.path = "var/lib/dpkg/info/dpkg.postinst"}));
}

TEST(DpkgTest, AParagraphIsAPackage) {
  for (const std::size_t piece : {1U, 7U, 1000U}) {
    const auto found = read_status(std::string(kGood), piece);
    ASSERT_EQ(found.packages.size(), 1U);
    EXPECT_EQ(found.packages[0], (Package{.type = PackageType::kDeb,
                                          .name = "zlib1g",
                                          .version = "1:1.2.13-1",
                                          .source = "zlib",
                                          .architecture = "amd64",
                                          .path = std::string(kStatus)}));
    EXPECT_TRUE(found.complete());
  }
}

TEST(DpkgTest, TheSourcesVersionIsInParentheses) {
  const auto found = read_status(
      "Package: a\nStatus: install ok installed\nSource: src (1:2-3)\nVersion: 4\n\n"
      "Package: b\nStatus: install ok installed\nSource: b (5)\nVersion: 5\n");
  ASSERT_EQ(found.packages.size(), 2U);
  EXPECT_EQ(found.packages[0].source, "src");
  EXPECT_EQ(found.packages[0].source_version, "1:2-3");
  EXPECT_EQ(found.packages[1].source, "");
  EXPECT_EQ(found.packages[1].source_version, "");
}

TEST(DpkgTest, WhatIsNotInstalledIsNoPackage) {
  for (const std::string_view state : {"config-files", "not-installed"}) {
    const auto found = read_status(with_state(state));
    EXPECT_TRUE(found.packages.empty()) << state;
    EXPECT_TRUE(found.complete()) << state;
  }
}

TEST(DpkgTest, WhatIsUnpackedIsAPackageWhateverIsLeftToDo) {
  for (const std::string_view state : {"unpacked", "half-configured", "triggers-awaited", "triggers-pending"}) {
    const auto found = read_status(with_state(state));
    EXPECT_EQ(names_of(found), "a 1") << state;
    EXPECT_TRUE(found.complete()) << state;
  }
}

TEST(DpkgTest, WhatIsHalfInstalledIsNoPackageButNoted) {
  for (const std::string_view state : {"half-installed", "x\x1b"}) {
    const auto found = read_status(with_state(state));
    EXPECT_TRUE(found.packages.empty()) << state;
    EXPECT_THAT(reasons_of(found), HasSubstr("package a is ")) << state;
  }
}

TEST(DpkgTest, CrLfEndsLinesAndParagraphs) {
  const auto found = read_status(
      "Package: a\r\nStatus: install ok installed\r\nVersion: 1\r\n\r\nPackage: b\r\nStatus: install ok "
      "installed\r\nVersion: 2\r\n");
  EXPECT_EQ(names_of(found), "a 1, b 2");
  EXPECT_TRUE(found.complete());
}

TEST(DpkgTest, FieldsMayGoOnAndTheirNamesHaveAnyCase) {
  const auto found = read_status(
      "\n\npackage: a\nSTATUS: install ok installed\nDescription: x\n Version: 9\n .\n\tPackage: y\nVersion:1\n \n"
      "Package: b\nStatus: install ok installed\nVersion: 2");
  EXPECT_EQ(names_of(found), "a 1, b 2");
  EXPECT_TRUE(found.complete());
}

TEST(DpkgTest, AParagraphThatLacksAFieldIsNotedAndTheRestGoesOn) {
  const auto found = read_status(
      "Package: a\nStatus: install ok installed\n\n"
      "Status: install ok installed\nVersion: 1\n\n"
      "Package: c\nVersion: 1\n\n" +
      std::string(kGood));
  EXPECT_EQ(names_of(found), "zlib1g 1:1.2.13-1");
  EXPECT_EQ(reasons_of(found), "package a has no version, a package without a name, package c has no status");
}

TEST(DpkgTest, BytesThatAreNoTextAreNotedAndTheRestGoesOn) {
  const std::string nul(40, '\0');
  const auto found = read_status("Package: a\nStatus: install ok installed\nVersion: 1\xff\n\n" + nul +
                                 "\n\nPackage: b" + nul + "\n\nno field\n\n" + std::string(kGood) + "\n" + nul);
  EXPECT_EQ(names_of(found), "zlib1g 1:1.2.13-1");
  EXPECT_EQ(found.unread.size(), 5U) << reasons_of(found);
  EXPECT_THAT(reasons_of(found), HasSubstr("package a: a field of it is not one word"));
}

TEST(DpkgTest, AHugeLineIsRejectedAndWhatCameBeforeStays) {
  ReadFiles files;
  files.add(kStatus, std::string(kGood) + "\nPackage: " + std::string(2U << 20, 'x'), 1U << 16);
  ASSERT_FALSE(files.last);
  EXPECT_EQ(files.last.error().kind(), ErrorKind::kRejected);
  EXPECT_EQ(names_of(files.finds.take()), "zlib1g 1:1.2.13-1");
}

TEST(DpkgTest, PartsOfStatusNeedNotSayThatTheyAreInstalled) {
  ReadFiles files;
  files.add("var/lib/dpkg/status.d/base", "Package: base-files\nVersion: 12\nArchitecture: amd64\n");
  ASSERT_TRUE(files.last);
  files.add("var/lib/dpkg/status.d/tz", "Package: tzdata\nVersion: 2024a\n");
  EXPECT_EQ(names_of(files.finds.take()), "base-files 12, tzdata 2024a");
}

TEST(DpkgTest, ListsTellWhoseFilesAreWhose) {
  ReadFiles files;
  files.add("var/lib/dpkg/info/python3-six:amd64.list", "/.\n/usr\n/usr/lib/python3/six.egg-info\n");
  ASSERT_TRUE(files.last);
  files.add("var/lib/dpkg/status.d/node.md5sums", "0123456789abcdef0123456789abcdef  usr/share/node/x y.json\n");
  ASSERT_TRUE(files.last);
  for (const auto* name : {"node", "python3-six"}) {
    files.finds.add({.type = PackageType::kDeb, .name = name, .version = "1"});
  }
  files.finds.enter("usr/lib/python3/six.egg-info", 0);
  files.finds.add({.type = PackageType::kPypi, .name = "six", .version = "1"});
  files.finds.enter("usr/share/node/x y.json", 0);
  files.finds.add({.type = PackageType::kNpm, .name = "x", .version = "1"});
  const auto found = files.finds.take();
  ASSERT_EQ(found.packages.size(), 4U);
  EXPECT_EQ(found.packages[2].owner, "node");
  EXPECT_EQ(found.packages[3].owner, "python3-six");
}

// ---- real files ----

// Of the first file in a txtar container ("-- path --" before each), or of a file that is none.
std::string first_part(const std::string& bytes) {
  const auto begin = bytes.find("\n-- ");
  if (begin == std::string::npos) return bytes;
  const auto text = bytes.find('\n', begin + 1) + 1;
  const auto end = bytes.find("\n-- ", text);
  return bytes.substr(text, end == std::string::npos ? end : end + 1 - text);
}

struct RealFile {
  std::string name;
  std::size_t packages;
  std::size_t unread;
};

TEST(DpkgTest, RealFilesHaveAsManyPackagesAsWereCounted) {
  const auto folder = test_data() / "rootfs/dpkg";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "there is no real data: set SLIPWAY_DATA";
  const RealFile files[] = {
      {"corrupsed.txtar", 4, 2},     {"debian-only.status", 1, 0}, {"digest.txtar", 2, 0},
      {"md5sums.txtar", 1, 0},       {"only-apt.txtar", 1, 0},     {"postgresql.status", 3, 0},
      {"texlive.status.xz", 357, 0}, {"third-party.txtar", 2, 0},  {"valid.txtar.xz", 90, 0},
      {"vcpkg.status", 15, 9},  // not dpkg's: parts of its packages have a paragraph without a version
  };
  for (const RealFile& file : files) {
    const std::string path = folder / file.name;
    const std::string bytes = path.ends_with(".xz") ? sys::run_command({"xz", "-dc", path}) : file_bytes(path);
    const auto found = read_status(first_part(bytes), 1000);
    EXPECT_EQ(found.packages.size(), file.packages) << file.name;
    EXPECT_EQ(found.unread.size(), file.unread) << file.name << ": " << reasons_of(found);
  }
}

// A line for each package, as dpkg-query is asked for it below.
std::string line_of(const Package& package) {
  return fmt::format("{} {} {} {} {}\n", package.name, package.version, package.architecture,
                     package.source.empty() ? package.name : package.source,
                     package.source_version.empty() ? package.version : package.source_version);
}

TEST(DpkgTest, ThisMachinesPackagesAreThoseThatDpkgLists) {
  const std::string status = "/var/lib/dpkg/status";
  if (sys::find_program("dpkg-query").empty() || !std::filesystem::exists(status)) GTEST_SKIP() << "there is no dpkg";
  std::istringstream listed(sys::run_command(
      {"dpkg-query", "-W", "-f",
       "${Package} ${Version} ${Architecture} ${source:Package} ${source:Version}\t${db:Status-Status}\n"}));
  std::multiset<std::string> expected;
  for (std::string line; std::getline(listed, line);) {
    const auto tab = line.find('\t');
    const std::string state = line.substr(tab + 1);
    if (state != "not-installed" && state != "config-files" && state != "half-installed") {
      expected.insert(line.substr(0, tab) + "\n");
    }
  }
  ASSERT_GT(expected.size(), 50U);
  std::multiset<std::string> found;
  for (const Package& package : read_status(file_bytes(status)).packages) found.insert(line_of(package));
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace slipway::scan

// The readers of rpm's databases beside programs that are not ours: rpm makes and lists one of SQLite; Berkeley's own
// loader makes hash tables of the same headers.
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan/testing/rpm_files.h"
#include "store/database.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

constexpr int kPackages = 40;

void write_file(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

// One source, with packages that have an epoch, a version, an architecture or many files of their own.
std::string spec() {
  std::string text =
      "%global __os_install_post %{nil}\nName: many\nVersion: 1.2~rc1\nRelease: 3%{?dist}.el9\nEpoch: 4\nSummary: "
      "s\nLicense: MIT and (GPLv2 or "
      "BSD)\n%description\nd\n%install\nmkdir -p %{buildroot}/opt/many\n";
  for (int n = 0; n < kPackages; ++n) {
    text += fmt::format("for f in $(seq {}); do echo $f > %{{buildroot}}/opt/many/{}-$f.json; done\n",
                        n == 7 ? 500 : n * 2 + 1, n);
  }
  for (int n = 0; n < kPackages; ++n) {
    text += fmt::format(
        "%package -n sub{0}\nSummary: s\nAutoReqProv: no\n{1}{2}%description -n sub{0}\nd\n%files -n "
        "sub{0}\n/opt/many/{0}-*\n",
        n, n % 3 == 0 ? "Version: 9^git\n" : "", n % 5 == 0 ? "Epoch: 0\n" : "");
  }
  return text + "%files\n";
}

class RpmPeerTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (sys::find_program("rpm").empty() || sys::find_program("rpmbuild").empty()) return;
    made = new sys::TempDir;
    write_file(made->file("many.spec"), spec());
    sys::run_command({"rpmbuild", "-bb", "--quiet", "--target", "noarch", "--define", "_topdir " + made->file("top"),
                      made->file("many.spec")});
    std::vector<std::string> install =
        rpm({"-i", "--force-debian", "--justdb", "--nodeps", "--noscripts", "--nosignature", "--ignorearch"});
    for (const auto& file : std::filesystem::recursive_directory_iterator(made->file("top/RPMS"))) {
      if (file.path().extension() == ".rpm") install.push_back(file.path());
    }
    sys::run_command(rpm({"--initdb"}));
    sys::run_command(install);
  }
  static void TearDownTestSuite() { delete made; }

  void SetUp() override {
    if (made == nullptr) GTEST_SKIP() << "there is no rpm";
  }

  static std::vector<std::string> rpm(std::vector<std::string> words) {
    words.insert(words.begin(), {"rpm", "--define", "_db_backend sqlite", "--dbpath", made->file("db")});
    return words;
  }

  static std::multiset<std::string> listed() {
    std::istringstream lines(sys::run_command(
        rpm({"-qa", "--qf", "%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE} %{ARCH} %{SOURCERPM} %{LICENSE}\n"})));
    std::multiset<std::string> all;
    for (std::string line; std::getline(lines, line);) all.insert(line);
    return all;
  }

  // In the words of listed(), as far as a Package has them: of the source file's name, all but its suffix.
  static std::string line_of(const Package& package) {
    const auto colon = package.version.find(':');
    const std::string version = colon == std::string::npos ? "0:" + package.version : package.version;
    const std::string source_version =
        package.source_version.empty() ? version.substr(version.find(':') + 1) : package.source_version;
    return fmt::format("{} {} {} {}-{}.src.rpm {}", package.name, version, package.architecture,
                       package.source.empty() ? package.name : package.source, source_version, package.licence);
  }

  static std::multiset<std::string> found_in(std::string_view path, const std::string& bytes) {
    ReadFiles files;
    EXPECT_TRUE(files.add(path, bytes, 10'000).last) << files.last.error().describe();
    const auto found = files.finds.take();
    EXPECT_TRUE(found.complete()) << reasons_of(found);
    std::multiset<std::string> all;
    for (const Package& package : found.packages) all.insert(line_of(package));
    return all;
  }

  static std::vector<std::string> headers() {
    auto database = store::Database::open({.path = made->file("db/rpmdb.sqlite")}).value();
    auto select = database.prepare("SELECT blob FROM Packages").value();
    std::vector<std::string> all;
    while (select.step().value()) all.emplace_back(select.blob(0).begin(), select.blob(0).end());
    return all;
  }

  static inline sys::TempDir* made = nullptr;
};

TEST_F(RpmPeerTest, PackagesAreThoseThatRpmLists) {
  const auto expected = listed();
  ASSERT_EQ(expected.size(), kPackages + 1U);
  EXPECT_EQ(found_in("var/lib/rpm/rpmdb.sqlite", file_bytes(made->file("db/rpmdb.sqlite"))), expected);
}

TEST_F(RpmPeerTest, FilesAreOwnedAsRpmSays) {
  ReadFiles files;
  files.add("var/lib/rpm/rpmdb.sqlite", file_bytes(made->file("db/rpmdb.sqlite")));
  std::map<std::string, std::string> owners;
  std::istringstream lines(sys::run_command(rpm({"-qa", "--qf", "[%{=NAME} %{FILENAMES}\n]"})));
  for (std::string name, path; lines >> name >> path;) owners[path.substr(1)] = name;
  ASSERT_GT(owners.size(), 1000U);
  for (const auto& [path, owner] : owners) {
    files.finds.enter(path, 0);
    files.finds.add({.type = PackageType::kNpm, .name = "x", .version = "1"});
  }
  std::map<std::string, std::string> found;
  for (const Package& package : files.finds.take().packages) {
    if (package.type == PackageType::kNpm) found[package.path] = package.owner;
  }
  EXPECT_EQ(found, owners);
}

TEST_F(RpmPeerTest, RpmsOwnFormHoldsTheSameHeaders) {
  EXPECT_EQ(found_in("usr/lib/sysimage/rpm/Packages.db", rpm_ndb_file(headers())), listed());
}

// ---- Berkeley DB ----

// As db5.3_load makes it; empty where there is none.
std::string loaded(const std::vector<std::string>& headers, int order, int page_size) {
  const std::string loader = sys::find_program("db5.3_load");
  if (loader.empty()) return {};
  const auto hex = [](const std::string& bytes) {
    std::string text = " ";
    for (const char c : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(c));
    return text + "\n";
  };
  std::string dump = fmt::format("VERSION=3\nformat=bytevalue\ntype=hash\ndb_pagesize={}\ndb_lorder={}\nHEADER=END\n",
                                 page_size, order);
  std::uint32_t number = 0;
  dump += hex(number_bytes(0)) + hex(number_bytes(1));  // the highest number so far, whatever it is
  for (const auto& header : headers) dump += hex(number_bytes(++number, ByteOrder::kLittle)) + hex(header);
  const sys::TempDir dir;
  write_file(dir.file("dump"), dump + "DATA=END\n");
  sys::run_command({loader, "-f", dir.file("dump"), dir.file("Packages")});
  return file_bytes(dir.file("Packages"));
}

constexpr std::pair<int, int> kMakes[] = {{1234, 4096}, {4321, 4096}, {1234, 512}, {4321, 65536}};

TEST_F(RpmPeerTest, HashTablesOfBerkeleysOwnMakeHoldTheSameHeaders) {
  const auto expected = listed();
  for (const auto& [order, size] : kMakes) {
    const std::string file = loaded(headers(), order, size);
    if (file.empty()) GTEST_SKIP() << "there is no db5.3_load";
    EXPECT_EQ(found_in("var/lib/rpm/Packages", file), expected) << order << ' ' << size;
  }
}

TEST(RpmBerkeleyPeerTest, EveryBucketOfALargeTableIsRead) {
  std::vector<std::string> headers;
  for (std::size_t n = 0; n < 3000; ++n) headers.push_back(rpm_header(fmt::format("p{}", n), "1", n));
  for (const auto& [order, size] : kMakes) {
    const std::string file = loaded(headers, order, size);
    if (file.empty()) GTEST_SKIP() << "there is no db5.3_load";
    ReadFiles files;
    ASSERT_TRUE(files.add("var/lib/rpm/Packages", file).last) << files.last.error().describe();
    const auto found = files.finds.take();
    EXPECT_EQ(found.packages.size(), headers.size()) << order << ' ' << size;
    EXPECT_TRUE(found.complete()) << reasons_of(found);
  }
}

}  // namespace
}  // namespace slipway::scan

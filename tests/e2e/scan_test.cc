// Scanning by the whole program: the pipeline that stops at what is vulnerable, the command, and its forms.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/tar_builder.h"
#include "e2e/workshop.h"

namespace slipway {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class ScanTest : public testing::Test {
 protected:
  ScanTest() : workshop_(Place::kFolder) {
    auto tar = archive::small_rootfs();
    tar.file("etc/os-release", "ID=debian\nVERSION_ID=12\nPRETTY_NAME=\"Debian 12\"\n");
    tar.file("var/lib/dpkg/status",
             "Package: bash\nStatus: install ok installed\nVersion: 5.2-1\nArchitecture: all\n\n");
    bytes_ = tar.finish();
    workshop_.put("x.tar", bytes_);
  }

  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return workshop_.folder() / name; }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }

  // The tracker's data, in which bash is fixed in this version.
  void load(const std::string& fixed) {
    write("tracker.json", R"({"bash":{"CVE-2024-1":{"description":"A hole.","releases":{"bookworm":{"status":"resolved",
      "fixed_version":")" + fixed +
                              R"(","urgency":"high"}}}}})");
    const auto synced = run({"feeds", "sync", "debian"});
    ASSERT_EQ(synced.code, 0) << synced.err;
  }
  sys::Ended run(std::vector<std::string> words) const {
    words.insert(words.begin(), {"--feed-debian-source", file("tracker.json").string()});
    return workshop_.run(words);
  }

  Workshop workshop_;
  std::string bytes_;
};

TEST_F(ScanTest, AVulnerableImageIsNotUnpackedUnlessSomebodyAllowsIt) {
  load("5.2-2");
  const auto blocked = run({"fetch-and-create", "x.tar", "--json"});
  EXPECT_EQ(blocked.code, 3);
  EXPECT_EQ(blocked.json().at("error").at("kind"), "vulnerable");
  EXPECT_THAT(blocked.err, AllOf(HasSubstr("CVE-2024-1 in bash"), HasSubstr("--allow-vulnerable")));
  EXPECT_EQ(run({"list", "--json"}).json().at("images").at(0).at("status"), "vulnerable");
  EXPECT_FALSE(std::filesystem::exists(workshop_.state() / "volumes" / "active"));

  const auto allowed = run({"fetch-and-create", "x.tar", "--allow-vulnerable", "--json"});
  ASSERT_EQ(allowed.code, 0) << allowed.err;
  EXPECT_EQ(allowed.json().at("image").at("status"), "ready");
  EXPECT_NE(allowed.json().at("image").at("scan").at("allowed_by"), nullptr);
  EXPECT_EQ(workshop_.faults_of("x.tar", bytes_), "");
}

TEST_F(ScanTest, WithoutAdvisoriesAnImageIsReadyAndNotScanned) {
  const auto made = run({"fetch-and-create", "x.tar"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_THAT(made.out, AllOf(HasSubstr("ready"), HasSubstr("not scanned")));
  const auto refused = run({"--scan-stale", "refuse", "fetch-and-create", "x.tar"});
  EXPECT_EQ(refused.code, 1);
  EXPECT_THAT(refused.err, HasSubstr("feeds sync"));
  EXPECT_EQ(run({"scan", "x.tar"}).code, 1) << "what could not be scanned is no success";
}

TEST_F(ScanTest, NewDataChangeTheVerdictOverAReadyImageWithoutItsFile) {
  load("5.2-1");
  const auto made = run({"fetch-and-create", "x.tar", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_EQ(made.json().at("image").at("scan").at("findings"), 0);
  load("5.2-7");
  for (const auto& entry : std::filesystem::directory_iterator(workshop_.images())) std::filesystem::remove(entry);
  const auto scanned = run({"scan", "x.tar"});
  EXPECT_EQ(scanned.code, 3) << scanned.err;
  EXPECT_THAT(scanned.out, AllOf(HasSubstr("CVE-2024-1"), HasSubstr("5.2-7"), HasSubstr("1 high")));
  EXPECT_EQ(run({"list", "--json"}).json().at("images").at(0).at("status"), "vulnerable");
  const auto activated = run({"activate", "x.tar", "--name", "another"});
  EXPECT_EQ(activated.code, 3) << activated.err;
}

TEST_F(ScanTest, TheWorkerScansWhatNeverWasAndTellsWhatIsNoLongerBlocked) {
  ASSERT_EQ(run({"--scan-engine", "off", "fetch-and-create", "x.tar"}).code, 0);
  load("5.2-2");
  const auto worker = start_program(Workshop::program(), {"worker", "--poll-interval", "1s"}, workshop_.variables());
  const auto await_status = [&](const std::string& status) {
    while (run({"list", "--json"}).json().at("images").at(0).at("status") != status) {
      ASSERT_TRUE(worker->running()) << worker->finish().err;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  };
  await_status("vulnerable");
  load("5.2-1");
  await_status("ready");
  load("5.2-3");
  await_status("vulnerable");
  worker->signal(SIGTERM);
  const auto ended = worker->finish();
  EXPECT_EQ(ended.code, 0);
  EXPECT_THAT(ended.err, AllOf(HasSubstr("is no longer blocked"), HasSubstr("is vulnerable now: 1 high")));
}

TEST_F(ScanTest, AFileIsScannedWithoutTheCatalogAndItsSbomTellsTheSame) {
  load("5.2-2");
  std::ofstream(file("image.tar"), std::ios::binary) << bytes_;
  const auto table = run({"scan", file("image.tar")});
  EXPECT_EQ(table.code, 3);
  EXPECT_THAT(table.out, AllOf(HasSubstr("bash"), HasSubstr("HIGH"), HasSubstr("1 vulnerability in 1 package")));

  const auto json = run({"scan", file("image.tar"), "--json"});
  EXPECT_EQ(json.json().at("Results").at(0).at("Vulnerabilities").at(0).at("VulnerabilityID"), "CVE-2024-1");
  EXPECT_EQ(run({"scan", file("image.tar"), "--format", "cyclonedx", "-o", file("sbom.json")}).code, 3);
  const auto from_sbom = run({"scan", file("sbom.json"), "--json"});
  EXPECT_EQ(from_sbom.code, 3) << from_sbom.err;
  EXPECT_EQ(from_sbom.json().at("Results").at(0).at("Vulnerabilities").at(0).at("VulnerabilityID"), "CVE-2024-1");
  for (const auto* format : {"sarif", "spdx", "cyclonedx-vulnerabilities"}) {
    EXPECT_TRUE(run({"scan", file("image.tar"), "--format", format}).json().is_object()) << format;
  }
}

TEST_F(ScanTest, AFileIsFoundThroughALink) {
  load("5.2-2");
  std::ofstream(file("image.tar"), std::ios::binary) << bytes_;
  std::filesystem::create_symlink("image.tar", file("link.tar"));
  const auto scanned = run({"scan", file("link.tar")});
  EXPECT_EQ(scanned.code, 3) << scanned.err;
  EXPECT_THAT(scanned.out, HasSubstr("link.tar: 1 vulnerability in 1 package"));
}

TEST_F(ScanTest, RulesSayWhatDoesNotCount) {
  load("5.2-2");
  std::ofstream(file("image.tar"), std::ios::binary) << bytes_;
  write("ours.ignore", "CVE-2024-1 package=bash nobody has a shell\n");
  const auto ignored = run({"scan", file("image.tar"), "--ignore-file", file("ours.ignore")});
  EXPECT_EQ(ignored.code, 0) << ignored.err;
  EXPECT_THAT(ignored.out, HasSubstr("1 more do not count"));
  const auto critical = run({"scan", file("image.tar"), "--severity", "CRITICAL"});
  EXPECT_EQ(critical.code, 0);
  EXPECT_THAT(critical.out, HasSubstr("1 left out"));
  write("bad.ignore", "CVE-2024-1\n");
  const auto bad = run({"scan", file("image.tar"), "--ignore-file", file("bad.ignore")});
  EXPECT_EQ(bad.code, 2);
  EXPECT_THAT(bad.err, HasSubstr("bad.ignore"));
  EXPECT_EQ(run({"scan", "nothing-of-that-name"}).code, 1);
}

}  // namespace
}  // namespace slipway

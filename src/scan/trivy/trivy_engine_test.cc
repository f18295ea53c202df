#include "scan/trivy/trivy_engine.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/stat.h>

#include "feeds/formats/feed_time.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kReport =
    R"({"SchemaVersion": 2, "Results": [{"Class": "lang-pkgs", "Type": "npm", "Packages": [
  {"Name": "a", "Version": "1.0"}, {"Name": "b", "Version": "1.0"}], "Vulnerabilities": [
  {"VulnerabilityID": "CVE-1-2", "PkgName": "a", "InstalledVersion": "1.0", "Severity": "HIGH"}]}]})";
constexpr const char* kVersion = R"({"Version": "0.58.0", "VulnerabilityDB": {"UpdatedAt": "2024-12-16T18:16:32Z"}})";

std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

// A folder that is all of PATH beside the system's programs, for a stand-in of Trivy.
class TrivyEngineTest : public ::testing::Test {
 protected:
  TrivyEngineTest() {
    engine_.environment = {"PATH=" + folder_.path() + ":/usr/bin:/bin", "HOME=/home/x", "TRIVY_OUTPUT=/tmp/stolen",
                           "SECRET=x"};
    write("report", kReport);
    write("version", kVersion);
  }
  void write(const std::string& name, const std::string& text) { std::ofstream(folder_.file(name)) << text; }
  // Runs `script` where a scan is asked for; the version is always told.
  void stand_in(const std::string& script) {
    write("trivy",
          "#!/bin/sh\ncd " + folder_.path() + "\ncase \"$*\" in *--version*) cat version; exit;; esac\n" + script);
    std::filesystem::permissions(folder_.file("trivy"), std::filesystem::perms::owner_all);
  }
  Result<TrivyAnswer> scan(const std::stop_token& stop = {}) {
    return engine_.scan_sbom("the SBOM", severities_, stop);
  }
  Error refused() {
    const auto answer = scan();
    EXPECT_FALSE(answer);
    return answer ? Error(ErrorKind::kInternal, "it answered") : answer.error();
  }

  sys::TempDir folder_;
  TrivyEngine engine_;
  std::vector<Severity> severities_;
};

TEST_F(TrivyEngineTest, AnswersWithFindingsVersionAndTheDateOfItsData) {
  stand_in("cat report");
  const auto answer = scan();
  ASSERT_TRUE(answer) << answer.error().describe();
  ASSERT_EQ(answer->findings.size(), 1U);
  EXPECT_EQ(answer->findings[0].id, "CVE-1-2");
  EXPECT_EQ(answer->findings[0].source, "trivy");
  EXPECT_TRUE(answer->judged.has({.type = PackageType::kNpm, .name = "b"}));
  EXPECT_FALSE(answer->judged.has({.type = PackageType::kNpm, .name = "c"}));
  EXPECT_EQ(answer->engine, "trivy 0.58.0");
  EXPECT_EQ(answer->database, feeds::parse_feed_time("2024-12-16T18:16:32Z"));
}

TEST_F(TrivyEngineTest, IsAskedForNoMoreThanWeWantToKnow) {
  stand_in("for a in \"$@\"; do echo \"$a\"; done >asked; cat report");
  ASSERT_TRUE(scan());
  EXPECT_EQ(text_of(folder_.file("asked")), "sbom\n--format\njson\n--list-all-pkgs\n--quiet\n/proc/self/fd/3\n");
  severities_ = {Severity::kCritical, Severity::kHigh, Severity::kNegligible};
  engine_.skip_db_update = true;
  engine_.cache_dir = folder_.file("cache");
  ASSERT_TRUE(scan());
  EXPECT_EQ(text_of(folder_.file("asked")),
            "sbom\n--format\njson\n--list-all-pkgs\n--severity\nLOW,HIGH,CRITICAL\n--quiet\n--cache-dir\n" +
                folder_.file("cache") + "\n--skip-db-update\n/proc/self/fd/3\n");
}

// Its last word is where the SBOM is, for itself and for what it starts.
TEST_F(TrivyEngineTest, IsGivenTheSbomInMemoryAndNoDiskHasIt) {
  const sys::TempDir temporary;
  engine_.environment.push_back("TMPDIR=" + temporary.path());
  ASSERT_EQ(::setenv("TMPDIR", temporary.path().c_str(), 1), 0);
  stand_in(
      "for a in \"$@\"; do :; done; cat \"$a\" >given; sh -c \"cat $a\" >again; ls -A \"$TMPDIR\" >left; cat report");
  const std::string large(300'000, 'x');
  const auto answer = engine_.scan_sbom(large, {}, {});
  ::unsetenv("TMPDIR");
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(text_of(folder_.file("given")), large);
  EXPECT_EQ(text_of(folder_.file("again")), large);
  EXPECT_EQ(text_of(folder_.file("left")), "");
  EXPECT_TRUE(std::filesystem::is_empty(temporary.path()));
}

TEST_F(TrivyEngineTest, GetsOnlyTheVariablesThatDoNotChangeAReport) {
  stand_in("env >seen; cat report");
  ASSERT_TRUE(scan());
  const auto seen = text_of(folder_.file("seen"));
  EXPECT_THAT(seen, HasSubstr("HOME=/home/x"));
  EXPECT_THAT(seen, Not(HasSubstr("TRIVY_OUTPUT")));
  EXPECT_THAT(seen, Not(HasSubstr("SECRET")));
}

TEST_F(TrivyEngineTest, IsStartedWhereNoSettingsLieAround) {
  write("trivy", "#!/bin/sh\ncase \"$*\" in *--version*) exit 1;; esac\npwd >" + folder_.file("where") + "; cat " +
                     folder_.file("report"));
  std::filesystem::permissions(folder_.file("trivy"), std::filesystem::perms::owner_all);
  const auto answer = scan();
  ASSERT_TRUE(answer) << answer.error().describe();
  EXPECT_EQ(text_of(folder_.file("where")), "/\n");
  EXPECT_EQ(answer->engine, "trivy");  // a report is good without its version
  EXPECT_EQ(answer->database, std::nullopt);
}

TEST_F(TrivyEngineTest, NotInstalledIsSaidWithAWayOut) {
  engine_.program = "no-such-trivy";
  const auto error = refused();
  EXPECT_EQ(error.kind(), ErrorKind::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("no-such-trivy is not installed"));
  EXPECT_THAT(error.hint(), HasSubstr("scan_engine: builtin"));
  EXPECT_EQ(engine_.version({}).error().kind(), ErrorKind::kNotFound);
}

TEST_F(TrivyEngineTest, AFailureSaysWhatItSaid) {
  stand_in("echo first >&2; printf '\\033[31mFATAL\\033[0m\\tinit error: no space left\\n' >&2; exit 2");
  const auto error = refused();
  EXPECT_EQ(error.kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(error.message(), "trivy failed with 2: first; FATAL init error: no space left");
}

TEST_F(TrivyEngineTest, ADeathBySignalIsAFailure) {
  stand_in("kill -TERM $$");
  EXPECT_THAT(refused().message(), HasSubstr("ended by signal 15: it does not say why"));
}

TEST_F(TrivyEngineTest, WhatIsNoReportIsCorrupt) {
  stand_in("echo '<html><body>Sign in</body></html>'");
  EXPECT_EQ(refused().kind(), ErrorKind::kCorrupt);
  stand_in(":");
  EXPECT_EQ(refused().kind(), ErrorKind::kCorrupt);
  stand_in("head -c 100 report");
  EXPECT_EQ(refused().kind(), ErrorKind::kCorrupt);
  stand_in("echo '{\"bomFormat\": \"CycloneDX\"}'");
  EXPECT_EQ(refused().kind(), ErrorKind::kCorrupt);
}

TEST_F(TrivyEngineTest, AFloodIsRejected) {
  stand_in("while :; do cat report; done");
  engine_.most_output = 20'000;
  EXPECT_EQ(refused().kind(), ErrorKind::kRejected);
}

TEST_F(TrivyEngineTest, OneThatHangsIsATimeout) {
  stand_in("exec sleep 1000");
  engine_.timeout = std::chrono::milliseconds(20);
  EXPECT_EQ(refused().kind(), ErrorKind::kTimeout);
}

TEST_F(TrivyEngineTest, AStopEndsItWithAllThatItStarted) {
  ASSERT_EQ(::mkfifo(folder_.file("watch").c_str(), 0600), 0);
  const sys::Descriptor watch(::open(folder_.file("watch").c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  ASSERT_TRUE(watch);
  stand_in("exec 3>watch; sh -c 'echo begun >&3; exec sleep 1000' & wait");
  std::stop_source stop;
  pollfd watched{watch.get(), POLLIN, 0};
  std::jthread asks([&] {
    EXPECT_EQ(::poll(&watched, 1, -1), 1);
    stop.request_stop();
  });
  const auto answer = scan(stop.get_token());
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().kind(), ErrorKind::kCancelled);
  asks.join();
  std::array<char, 16> word{};
  EXPECT_EQ(::read(watch.get(), word.data(), word.size()), 6);
  EXPECT_EQ(::poll(&watched, 1, -1), 1);  // ends when nobody has it open any more
  EXPECT_NE(watched.revents & POLLHUP, 0);
}

TEST_F(TrivyEngineTest, WhatItLeavesRunningHoldsNothingUp) {
  stand_in("cat report; sleep 1000 &");
  EXPECT_TRUE(scan());
}

TEST_F(TrivyEngineTest, ARecordedReportIsReadThroughTheProgram) {
  const char* given = std::getenv("SLIPWAY_DATA");
  const auto file = std::filesystem::path(given != nullptr ? given : SLIPWAY_TEST_DATA) /
                    "trivy/golden/fluentd-multiple-lockfiles.json";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << "there is no real data: set SLIPWAY_DATA";
  std::filesystem::copy_file(file, folder_.file("report"), std::filesystem::copy_options::overwrite_existing);
  stand_in("cat report");
  const auto answer = scan();
  ASSERT_TRUE(answer) << answer.error().describe();
  std::vector<std::string> ids;
  for (const auto& one : answer->findings) ids.push_back(one.id);
  EXPECT_THAT(ids, ElementsAre("CVE-2019-18276", "CVE-2019-18224", "CVE-2020-8165"));
}

}  // namespace
}  // namespace slipway::scan

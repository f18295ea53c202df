// Each form of each sample report, judged by its schema, in one run of the validator: it takes a second to start.
#include <cstdlib>
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan/reports/formats.h"
#include "scan/testing/sample_report.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

using sys::run_to_end;

const sys::CommandOptions kKept{.streams = sys::CommandOptions::Streams::kKept};

class SchemaTest : public testing::Test {
 protected:
  // Elsewhere a machine without npm or a network is no fault of ours; in CI it would hide one.
  void SetUp() override {
    const auto installed = run_to_end({SLIPWAY_REPORTS "/install-modules", SLIPWAY_REPORTS_MODULES}, kKept);
    if (installed.code == 0) return;
    const char* const ci = std::getenv("CI");
    if (ci != nullptr && std::string_view(ci) == "true") FAIL() << installed.out << installed.err;
    GTEST_SKIP() << "all tests are skipped: the validator of schemas could not be installed: " << installed.out
                 << installed.err;
  }

  void write(const std::string& kind, const std::string& name, const std::string& text) {
    const auto file = dir_.path() + "/" + name + "." + kind + ".json";
    std::ofstream(file) << text;
    words_.push_back(kind + "=" + file);
  }
  sys::Ended validate() { return run_to_end(words_, kKept); }

  sys::TempDir dir_;
  std::vector<std::string> words_{"node", SLIPWAY_REPORTS "/validate.mjs", SLIPWAY_REPORTS_MODULES};
};

TEST_F(SchemaTest, EveryReportIsWhatItsSchemaAsksFor) {
  for (const auto& [name, report] : sample_reports()) {
    write("cyclonedx", name, cyclonedx_json(report, Vulnerabilities::kListed));
    write("cyclonedx", name + "-bare", cyclonedx_json(report, Vulnerabilities::kLeftOut));
    write("sarif", name, sarif_json(report));
    write("sarif", name + "-explained", sarif_json(report, {{"CVE-2019-18224", {{"name", "CVE-2019-18224"}}}}));
    write("spdx", name, spdx_json(report));
  }
  const auto judged = validate();
  EXPECT_EQ(judged.code, 0) << judged.out << judged.err;
}

TEST_F(SchemaTest, ReportsOfNamesThatAreNoTextAreStillValid) {
  Report report = debian_report();
  for (auto& package : report.inventory.packages) package.name += "\xff\xfe";
  report.artifact = "\x80";
  write("cyclonedx", "bytes", cyclonedx_json(report, Vulnerabilities::kListed));
  write("sarif", "bytes", sarif_json(report));
  write("spdx", "bytes", spdx_json(report));
  const auto judged = validate();
  EXPECT_EQ(judged.code, 0) << judged.out << judged.err;
}

// Else a validator that accepts everything would go unnoticed.
TEST_F(SchemaTest, WhatIsWrongIsFound) {
  using Spoil = std::function<void(Json&)>;
  const std::vector<std::pair<std::string, Spoil>> cases{
      {"cyclonedx", [](Json& json) { json["components"][0]["type"] = "nonsense"; }},
      {"cyclonedx", [](Json& json) { json["serialNumber"] = "5"; }},
      {"cyclonedx", [](Json& json) { json["components"][3]["licenses"] = {{{"license", {{"id", "GPLv3+"}}}}}; }},
      {"sarif", [](Json& json) { json["runs"][0]["results"][0]["level"] = "bad"; }},
      {"sarif", [](Json& json) { json["runs"][0]["tool"]["driver"].erase("name"); }},
      {"spdx", [](Json& json) { json["packages"][0].erase("SPDXID"); }},
      {"spdx", [](Json& json) { json["packages"][1]["primaryPackagePurpose"] = "OPERATING-SYSTEM"; }},
      {"spdx", [](Json& json) { json["creationInfo"]["created"] = "today"; }},
  };
  for (const auto& [kind, spoil] : cases) {
    const Report report = debian_report();
    Json json = Json::parse(kind == "sarif"  ? sarif_json(report)
                            : kind == "spdx" ? spdx_json(report)
                                             : cyclonedx_json(report, Vulnerabilities::kListed));
    spoil(json);
    words_.resize(3);
    write(kind, "spoilt", json.dump());
    const auto judged = validate();
    EXPECT_EQ(judged.code, 1) << kind << judged.err;
    EXPECT_THAT(judged.out, testing::HasSubstr("spoilt." + kind + ".json: /"));
  }
}

}  // namespace
}  // namespace slipway::scan

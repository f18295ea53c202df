// All vectors of the real CVE data against the scores that were published with them.
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <gtest/gtest.h>

#include "archive/byte_source.h"
#include "archive/decompress.h"
#include "base/json.h"
#include "feeds/cvss/cvss.h"
#include "sys/descriptor.h"

namespace slipway::feeds {
namespace {

namespace fs = std::filesystem;

struct Tally {
  int agree = 0;
  int differ = 0;
  int refused = 0;
};

// By the version that the publisher names.
using Tallies = std::map<std::string, Tally>;

// Some publishers write the number as a string, and a few no number at all.
std::optional<double> published(const Json& object) {
  const auto score = object.find("baseScore");
  if (score == object.end()) return std::nullopt;
  if (score->is_number()) return score->get<double>();
  if (!score->is_string()) return std::nullopt;
  const auto text = score->get<std::string>();
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') return std::nullopt;
  return value;
}

void count(const Json& object, Tallies& tallies) {
  const auto score = published(object);
  if (!score) return;
  auto& tally = tallies[object.value("version", "")];
  const auto cvss = score_cvss(object.value("vectorString", ""));
  if (!cvss) {
    ++tally.refused;
  } else if (*score == cvss->base || *score == cvss->score) {  // some give the temporal score
    ++tally.agree;
  } else {
    ++tally.differ;
  }
}

// What has a vector is a flat object in all the formats: the braces around are its own.
void count_all(std::string_view text, Tallies& tallies) {
  constexpr std::string_view kKey = "\"vectorString\"";
  for (auto at = text.find(kKey); at != std::string_view::npos; at = text.find(kKey, at + 1)) {
    const auto begin = text.rfind('{', at);
    const auto object = parse_json(text.substr(begin, text.find('}', at) + 1 - begin));
    ASSERT_TRUE(object) << object.error().describe();
    count(*object, tallies);
  }
}

Tallies count_file(const fs::path& path) {
  Tallies tallies;
  const sys::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  archive::FileSource packed(file.get(), fs::file_size(path), {});
  archive::PeekedSource peeked(packed);
  const auto head = peeked.head();
  if (!head) {
    ADD_FAILURE() << head.error().describe();
    return tallies;
  }
  archive::DecompressSource source(peeked, archive::detect_compression(*head));
  std::string text;
  for (;;) {
    const auto bytes = source.next();
    if (!bytes) ADD_FAILURE() << bytes.error().describe();
    if (!bytes || bytes->empty()) break;
    text.append(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    if (text.size() < (1U << 22U)) continue;
    const auto end = text.rfind('}') + 1;
    count_all(std::string_view(text).substr(0, end), tallies);
    text.erase(0, end);
  }
  count_all(text, tallies);
  return tallies;
}

fs::path data_folder() {
  const char* given = std::getenv("SLIPWAY_DATA");
  return fs::path(given != nullptr ? given : SLIPWAY_TEST_DATA) / "cve";
}

TEST(CvssDataTest, EveryScoreOfTheNvdIsFound) {
  int files = 0;
  for (const auto* name : {"nvd-api2.0-cves-1999-200.json.gz", "nvd-api2.0-cves-2023-200.json.gz",
                           "nvd-api2.0-page0-2000cves-20260307.json.xz", "nvdcve-1.1-2003.json.gz",
                           "nvdcve-1.1-2025-partial.json.xz", "nvdcve-1.1-modified.json.gz"}) {
    if (!fs::exists(data_folder() / name)) continue;
    ++files;
    int agree = 0;
    for (const auto& [version, tally] : count_file(data_folder() / name)) {
      EXPECT_EQ(tally.differ, 0) << name << " " << version;
      EXPECT_EQ(tally.refused, 0) << name << " " << version;
      agree += tally.agree;
    }
    EXPECT_GT(agree, 150) << name;
  }
  if (files == 0) GTEST_SKIP() << "there is no data of the NVD in " << data_folder();
}

// Those who publish records calculate by hand, some of them: see that it is few.
TEST(CvssDataTest, TheCveListAgreesButForSlips) {
  const auto file = data_folder() / "cve5-vulnrichment-44130.tar.zst";
  if (!fs::exists(file)) GTEST_SKIP() << "there is no " << file;
  auto tallies = count_file(file);
  for (const auto* version : {"2.0", "3.0", "3.1", "4.0"}) {
    const auto& tally = tallies[version];
    RecordProperty(std::string("agree ") + version, tally.agree);
    EXPECT_GT(tally.agree, 2000) << version;
    EXPECT_LE(tally.differ * 200, tally.agree) << version;
    EXPECT_LE(tally.refused, 1) << version;
  }
}

}  // namespace
}  // namespace slipway::feeds

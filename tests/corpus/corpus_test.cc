// Every file of the corpus under both policies, as expected.tsv says.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/policy.h"
#include "base/error.h"
#include "outcome.h"
#include "table.h"

namespace slipway::corpus {
namespace {

using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::StartsWith;

// What no file may cost, bombs of 64 GiB and demands for 4 GiB of memory included.
constexpr std::uint64_t kMostCpuMilliseconds = 5'000;
constexpr std::uint64_t kMostKibibytes = 64 * 1024;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kMeasured = false;  // a sanitizer's own memory and time would be measured
#else
constexpr bool kMeasured = true;
#endif

const std::vector<Row>& table() {
  static const std::vector<Row> rows = read_table(CORPUS_TABLE);
  return rows;
}

std::string path_of(const std::string& file) { return std::string(CORPUS_FILES) + "/" + file; }

// "setuid" is set by "policy_setuid"; a limit is its own setting.
std::string setting_of(const std::string& rule) { return rule.starts_with("max_") ? rule : "policy_" + rule; }

bool printable(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c <= 0x7e; });
}

std::string one_line(const Outcome& outcome) {
  if (outcome.error) return fmt::format("{}: {}", to_string(outcome.error->kind()), outcome.error->describe());
  std::string text = fmt::format("pass kind={} layers={} files={} size={} tree={}", outcome.kind, outcome.layers,
                                 outcome.files, outcome.total_size, outcome.tree);
  for (const std::string& rule : rules_of(outcome)) text += " finding:" + rule;
  return text;
}

// The message without "inspect FILE: ": the file's name would answer for the entry's.
std::string said_of(const Outcome& outcome, const Row& row) {
  const std::string before = path_of(row.file) + ": ";
  const std::string& message = outcome.error->message();
  const auto at = message.find(before);
  return at == std::string::npos ? message : message.substr(at + before.size());
}

// The name in "entry NAME: why", with or without "layer PATH: " before it.
std::string entry_of(const std::string& said) {
  constexpr std::string_view kEntry = "entry ";
  const auto at = said.find(kEntry);
  if (at == std::string::npos) return "";
  const auto begin = at + kEntry.size();
  return said.substr(begin, said.find(": ", begin) - begin);
}

void expect_refused(const Outcome& outcome, const Expected& expected, const Row& row) {
  ASSERT_TRUE(outcome.error);
  const std::string& rule = expected.rules.front();
  EXPECT_EQ(outcome.error->kind(), ErrorKind::kRejected);
  EXPECT_THAT(entry_of(said_of(outcome, row)), HasSubstr(row.entry));
  EXPECT_THAT(outcome.error->message(), HasSubstr(fmt::format("(rule {})", rule)));
  if (expected.has_way_out) {
    EXPECT_THAT(outcome.error->hint(), StartsWith(setting_of(rule) + "="));
  } else {
    EXPECT_EQ(outcome.error->hint(), "");
  }
}

void expect_error(const Outcome& outcome, ErrorKind kind, const Row& row) {
  ASSERT_TRUE(outcome.error);
  EXPECT_EQ(outcome.error->kind(), kind);
  EXPECT_THAT(said_of(outcome, row), HasSubstr(row.entry));
  EXPECT_THAT(outcome.error->message(), Not(HasSubstr("died"))) << "the child did not answer";
}

void expect_passed(const Outcome& outcome, const Expected& expected, const Row& row) {
  ASSERT_FALSE(outcome.error);
  auto rules = expected.rules;
  std::ranges::sort(rules);
  EXPECT_EQ(rules_of(outcome), rules);
  if (!rules.empty() && !row.entry.empty()) {
    EXPECT_TRUE(std::ranges::any_of(outcome.findings, [&](const auto& f) { return f.entry.contains(row.entry); }))
        << "no finding names " << row.entry;
  }
  const std::map<std::string, std::string> seen{{"kind", outcome.kind},
                                                {"layers", std::to_string(outcome.layers)},
                                                {"files", std::to_string(outcome.files)},
                                                {"size", std::to_string(outcome.total_size)},
                                                {"tree", outcome.tree}};
  EXPECT_THAT(seen, IsSupersetOf(row.seen));
}

void expect_cheap(const Outcome& outcome) {
  EXPECT_FALSE(outcome.children_left);
  if (!kMeasured) return;
  EXPECT_LE(outcome.cpu_milliseconds, kMostCpuMilliseconds);
  EXPECT_LE(outcome.peak_kibibytes, kMostKibibytes);
}

void expect_harmless_text(const Outcome& outcome) {
  if (outcome.error) {
    EXPECT_TRUE(printable(outcome.error->describe()));
    EXPECT_LE(outcome.error->describe().size(), 2'000U);
  }
  for (const auto& finding : outcome.findings) EXPECT_TRUE(printable(finding.entry + finding.detail));
}

class CorpusTest : public ::testing::TestWithParam<std::tuple<std::string, Row>> {};

TEST_P(CorpusTest, MeetsItsFate) {
  const auto& [level, row] = GetParam();
  const Expected& expected = level == "strict" ? row.strict : row.standard;
  const auto policy = archive::named_policy(level);
  ASSERT_TRUE(policy);
  const Outcome outcome = inspect(path_of(row.file), *policy);
  SCOPED_TRACE(fmt::format("{} under {} ({}): {}", row.file, level, row.reason, one_line(outcome)));
  switch (expected.verdict) {
    case Verdict::kPass: expect_passed(outcome, expected, row); break;
    case Verdict::kRefused: expect_refused(outcome, expected, row); break;
    case Verdict::kCorrupt: expect_error(outcome, ErrorKind::kCorrupt, row); break;
    case Verdict::kUnsupported: expect_error(outcome, ErrorKind::kUnsupported, row); break;
  }
  expect_harmless_text(outcome);
  expect_cheap(outcome);
}

std::string test_name(const ::testing::TestParamInfo<CorpusTest::ParamType>& info) {
  std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param).file;
  std::ranges::replace_if(name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Files, CorpusTest,
                         ::testing::Combine(::testing::Values("standard", "strict"), ::testing::ValuesIn(table())),
                         test_name);

TEST(CorpusTableTest, ListsEachFileOnceAndNoOther) {
  std::multiset<std::string> listed;
  for (const Row& row : table()) listed.insert(row.file);
  std::multiset<std::string> made;
  for (const auto& file : std::filesystem::directory_iterator(CORPUS_FILES)) made.insert(file.path().filename());
  for (const char* base :
       {"base.tar", "base.tar.gz", "base.tar.zst", "base.tar.xz", "base.tar.bz2", "base-docker.tar"}) {
    EXPECT_EQ(made.erase(base), 1U) << "what TruncationTest cuts";
  }
  EXPECT_GT(made.size(), 500U);
  EXPECT_EQ(listed, made);
}

TEST(CorpusTableTest, SaysOfEveryImageThatPassesWhichTreeItMakes) {
  for (const Row& row : table()) {
    const bool passes = row.standard.verdict == Verdict::kPass || row.strict.verdict == Verdict::kPass;
    EXPECT_EQ(row.seen.contains("tree"), passes) << row.file;
  }
}

TEST(CorpusTableTest, NamesOnlyRulesAndLimitsThatThereAre) {
  const auto settings = archive::setting_names();
  std::set<std::string> used;
  for (const Row& row : table()) {
    for (const auto& expected : {row.standard, row.strict}) {
      for (const std::string& rule : expected.rules) {
        EXPECT_THAT(settings, ::testing::Contains(setting_of(rule))) << row.file;
        used.insert(setting_of(rule));
      }
    }
  }
  EXPECT_EQ(used, std::set<std::string>(settings.begin(), settings.end())) << "a rule has no file that meets it";
}

}  // namespace
}  // namespace slipway::corpus

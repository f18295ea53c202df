// The providers of XML, CSV and workbooks against a real database: a sync that is interrupted at each item comes to the
// same as one that is not.
#include <fstream>
#include <functional>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/intake.h"
#include "feeds/providers/asvs_provider.h"
#include "feeds/providers/capec_provider.h"
#include "feeds/providers/cce_provider.h"
#include "feeds/providers/cwe_provider.h"
#include "feeds/providers/ssg_provider.h"
#include "feeds/testing/table_view.h"
#include "net/http_client.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Case {
  std::string id{};
  std::function<std::unique_ptr<Provider>(Fetcher&)> make{};
  std::vector<std::pair<std::string, std::string>> files{};  // of its source, a folder
  std::vector<std::string> names{};                          // of the records, sorted
  std::vector<std::string> bad{};                            // bits of what is recorded
};

template <class Made>
std::unique_ptr<Provider> make(Fetcher& fetcher) {
  return std::make_unique<Made>(fetcher);
}

std::vector<Case> cases() {
  const std::string row = "V1,Tea,V1.1,Lids,V1.1.";
  const std::string header = "chapter_id,chapter_name,section_id,section_name,req_id,req_description,L\n";
  return {
      {.id = "cwe",
       .make = make<CweProvider>,
       .files = {{"cwec.xml", R"(<Weakness_Catalog><Weakness ID="1" Name="a"/><Weakness/><Category ID="2" Name="b"/>
                    <View ID="3" Name="c"/></Weakness_Catalog>)"},
                 {"readme.txt", "hello"}},
       .names = {"CWE-1", "CWE-2", "CWE-3"},
       .bad = {"has no CWE number"}},
      {.id = "capec",
       .make = make<CapecProvider>,
       .files = {{"capec.xml", R"(<Attack_Pattern_Catalog><Attack_Pattern ID="1" Name="a"><Typical_Severity>Low
                    </Typical_Severity></Attack_Pattern><View ID="3" Name="c"/></Attack_Pattern_Catalog>)"}},
       .names = {"CAPEC-1", "CAPEC-3"}},
      {.id = "ssg",
       .make = make<SsgProvider>,
       .files = {{"ssg-pot-ds.xml", R"(<data-stream-collection><Benchmark id="POT"><Profile id="p"/><Group id="g">
                    <Rule id="r"/></Group></Benchmark></data-stream-collection>)"},
                 {"ssg-pot-oval.xml", "<oval/>"},
                 {"ssg-pot-xccdf.xml", R"(<Benchmark id="POT"><Profile id="p"/><Group id="g"><Rule id="r"/></Group>
                    </Benchmark>)"}},
       .names = {"guide-pot", "pot/group/g", "pot/profile/p", "pot/rule/r"}},
      {.id = "asvs",
       .make = make<AsvsProvider>,
       .files = {{"a.csv", header + row + "1,one,1\n" + row + "x,odd,1\n" + row + "2,two,3\n"},
                 {"b.cdx.json", "{}"},
                 {"b.csv", header + row + "2,two,3\n" + row + "3,three,2\n"}},
       .names = {"1", "1.1", "1.1.1", "1.1.2", "1.1.3"},
       .bad = {"V1.1.x"}},
      {.id = "cce",
       .make = make<CceProvider>,
       .files = {{"kettle.csv", "CCE ID,CCE Description\nCCE-80876-6,lid\nCCE-80876-5,odd\nCCE-4191-3,spout\n"},
                 {"notes.txt", "CCE-1"},
                 {"pot.json", R"({"CCE": {"0": "CCE-80876-6"}, "Title": {"0": "Lid"}})"}},
       .names = {"CCE-4191-3", "CCE-80876-6"},
       .bad = {"wrong check digit"}},
  };
}

class Syncing : public ::testing::TestWithParam<std::size_t> {
 protected:
  Syncing() {
    for (const auto& [name, text] : case_.files) write(name, text);
    store_ = FeedStore::open(path_, clock_).value();
    EXPECT_TRUE(store_->register_provider(case_.id, case_.id));
  }
  void write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories(folder_.file("source"));
    std::ofstream(folder_.file("source/" + name), std::ios::binary) << text;
  }
  Result<> run(bool interrupt) {
    const ProviderConfig config{.id = case_.id, .type = case_.id, .parts = {{.places = {folder_.file("source")}}}};
    Intake intake(config, *store_, store_->list_providers().value().at(0), clock_, Logger(),
                  {.on_row = [](const ProviderRow&) {},
                   .interrupted = [interrupt] { return interrupt; },
                   .on_checkpoint = [](const Checkpoint&, std::int64_t) {}},
                  {});
    auto ran = case_.make(fetcher_)->run(intake);
    auto kept = intake.flush();
    return ran ? kept : ran;
  }
  void expect_all() const {
    EXPECT_EQ(tables_.texts("SELECT name FROM record ORDER BY name"), case_.names);
    EXPECT_EQ(tables_.number(fmt::format("SELECT count(*) FROM {}", case_.id)),
              static_cast<std::int64_t>(case_.names.size()));
    const auto bad = tables_.texts("SELECT error FROM bad_record");
    ASSERT_EQ(bad.size(), case_.bad.size());
    for (std::size_t i = 0; i < bad.size(); ++i) EXPECT_THAT(bad[i], HasSubstr(case_.bad[i]));
  }

  const Case case_ = cases().at(GetParam());
  sys::TempDir folder_;
  const std::string path_ = folder_.file("feeds.db");
  sys::ManualClock clock_;
  net::HttpClient client_{net::HttpClientOptions{}};
  Fetcher fetcher_{client_, {.cache_dir = folder_.file("cache")}};
  std::unique_ptr<FeedStore> store_;
  TableView tables_{path_};
};

TEST_P(Syncing, StoresAllThatIsGood) {
  const auto ran = run(/*interrupt=*/false);
  ASSERT_TRUE(ran) << ran.error().message();
  expect_all();
}

TEST_P(Syncing, InterruptedAtEachItemComesToTheSame) {
  ASSERT_TRUE(run(/*interrupt=*/false));
  const auto counted = store_->list_providers().value().at(0).processed;
  const auto links = tables_.number("SELECT count(*) FROM link");
  ASSERT_TRUE(store_->begin_sync(case_.id));
  int runs = 0;
  for (;; ++runs) {
    ASSERT_LT(runs, 50) << "it does not get on";
    const auto ran = run(/*interrupt=*/true);
    if (ran) break;
    ASSERT_EQ(ran.error().kind(), ErrorKind::kCancelled) << ran.error().message();
  }
  EXPECT_GE(runs, static_cast<int>(case_.names.size() + case_.bad.size()));
  expect_all();
  EXPECT_EQ(store_->list_providers().value().at(0).processed, counted);
  EXPECT_EQ(tables_.number("SELECT count(*) FROM link"), links);
}

TEST_P(Syncing, ABrokenFileFailsAndLeavesWhatWasThere) {
  ASSERT_TRUE(run(/*interrupt=*/false));
  for (const auto& [name, text] : case_.files) write(name, "<html><p>Not now</p></html>");
  const auto ran = run(/*interrupt=*/false);
  ASSERT_FALSE(ran);
  EXPECT_EQ(ran.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(ran.error().message(), HasSubstr(folder_.file("source")));
  EXPECT_EQ(tables_.texts("SELECT name FROM record WHERE gone_since IS NULL ORDER BY name"), case_.names);
}

INSTANTIATE_TEST_SUITE_P(Providers, Syncing, ::testing::Range(std::size_t{0}, cases().size()),
                         [](const auto& number) { return cases().at(number.param).id; });

}  // namespace
}  // namespace slipway::feeds

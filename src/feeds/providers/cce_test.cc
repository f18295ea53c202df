#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "archive/testing/memory_source.h"
#include "feeds/providers/cce_files.h"
#include "feeds/providers/cce_record.h"
#include "feeds/providers/xml_items_testing.h"

namespace slipway::feeds {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// What a list comes to.
ReadItems read_list(const std::string& text, const std::string& name = "kettle2.1.csv", std::size_t piece = 7) {
  archive::MemorySource source(text, piece);
  auto collection = std::make_unique<CceCollection>();
  ReadItems read;
  if (const auto done = collect_cce_list(name, source, *collection, {}); !done) {
    read.broken = done.error().message();
    read.kinds.insert(done.error().kind());
    return read;
  }
  read_all(*cce_items(std::move(collection)), read);
  return read;
}

const Cce& cce_of(const Record& record) { return std::get<Cce>(record.details); }

TEST(CceId, HasACheckDigit) {
  EXPECT_TRUE(check_cce_id("CCE-80876-6"));
  EXPECT_TRUE(check_cce_id("CCE-4191-3"));
  for (const std::string_view bad : {"", "CCE-80876-5", "CCE-80876", "CCE-80876-", "CCE--80876-6", "CCE-8o876-6",
                                     "cce-80876-6", "CCE-80876-6 ", "CCE-123456789012-1", "80876-6", "CCE-"}) {
    const auto checked = check_cce_id(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().kind(), ErrorKind::kCorrupt);
  }
  EXPECT_THAT(check_cce_id("CCE-80876-5").error().message(), HasSubstr("CCE-80876-5 has a wrong check digit"));
}

TEST(CceTitle, IsTheFirstSentenceOrAsMuchAsFits) {
  EXPECT_EQ(cce_title("Short.  Then\nmore."), "Short.");
  EXPECT_EQ(cce_title("Version 2.1 of\n it"), "Version 2.1 of it");
  EXPECT_EQ(cce_title(""), "");
  const std::string word = "123456789 ";
  std::string text;
  for (int i = 0; i < 30; ++i) text += word;
  EXPECT_EQ(cce_title(text).size(), 119U);
  std::string wide;
  for (int i = 0; i < 100; ++i) wide += "\u20ac";
  EXPECT_EQ(cce_title(wide).size(), 120U);
  EXPECT_EQ(cce_title("x" + wide).size(), 118U);
  EXPECT_EQ(cce_title("a" + std::string(500, ' ') + "\u20ac"), "a \u20ac");
}

TEST(CceCsv, TheHeaderMayStandBelowATitle) {
  const auto read = read_list(
      "Unnamed: 0,Last modified: 2012,Unnamed: 2,Unnamed: 3,Unnamed: 4,Unnamed: 5\n"
      ",Version: 5,,,,\n"
      "CCE ID,CCE Description,CCE Parameters,CCE Technical Mechanisms,,\"Old v4\nCCE ID\"\n"
      "CCE-80876-6,\"The lid should be on.  Always,\nand \"\"tight\"\".\",on / off,by hand,,CCE-7\n");
  EXPECT_FALSE(read.broken) << *read.broken;
  EXPECT_THAT(read.bad, IsEmpty());
  const auto& record = read.at("CCE-80876-6");
  EXPECT_EQ(record.urn.text(), "v2e::nist::cce::CCE-80876-6");
  EXPECT_EQ(record.title, "The lid should be on.");
  EXPECT_EQ(record.description, "The lid should be on.  Always,\nand \"tight\".");
  EXPECT_EQ(cce_of(record).platform, "kettle2.1");
  EXPECT_EQ(nlohmann::json::parse(cce_of(record).body), nlohmann::json::parse(R"({"entries": [{
    "platform": "kettle2.1", "description": "The lid should be on.  Always,\nand \"tight\".",
    "parameters": "on / off", "mechanism": "by hand",
    "references": [{"source": "Old v4 CCE ID", "text": "CCE-7"}]}]})"));
}

TEST(CceCsv, ColumnsAreKnownByTheirNames) {
  const auto newer = read_list(
      "CCE ID v5,CCE Title,USGCB Setting,Technical Mechanism,Configuration Details,Rationale\n"
      "CCE-80876-6,Lid,enable,via hand,Put it on,Steam\n");
  const auto& red = newer.at("CCE-80876-6");
  EXPECT_EQ(red.title, "Lid");
  EXPECT_EQ(red.description, "Put it on");
  const auto entry = nlohmann::json::parse(cce_of(red).body)["entries"][0];
  EXPECT_EQ(entry["parameters"], "enable");
  EXPECT_EQ(entry["mechanism"], "via hand");
  EXPECT_EQ(entry["references"], nlohmann::json::parse(R"([{"source": "Rationale", "text": "Steam"}])"));
  const auto apple = read_list("CCE,Rule ID,Title,Discussion,Mechanism\nCCE-80876-6,lid,Lid,Talk of it,hand\n");
  EXPECT_EQ(apple.at("CCE-80876-6").description, "Talk of it");
  const auto suse = read_list("CCE,Name,Check_Fix,Rationale\nCCE-80876-6,Lid,Fix it,Steam\n");
  EXPECT_EQ(suse.at("CCE-80876-6").description, "Fix it");
  const auto bare = read_list("cce id\nCCE-80876-6\n");
  EXPECT_EQ(bare.at("CCE-80876-6").title, "");
}

TEST(CceCsv, WhatIsBadIsNamedAndTheNextIsRead) {
  const auto read = read_list(
      "CCE ID,CCE Description\n"
      "CCE-80876-5,mistyped\n"
      ",merged with the one above\n"
      "TBD,not yet\n"
      "CCE-80876-6,good,and one more than there are columns\n");
  EXPECT_THAT(read.kinds, ElementsAre(ErrorKind::kCorrupt));
  EXPECT_THAT(read.bad, ElementsAre(HasSubstr("kettle2.1.csv: line 2: CCE-80876-5 has a wrong check digit"),
                                    HasSubstr("kettle2.1.csv: line 4: \"TBD\" is no CCE id")));
  EXPECT_THAT(read.ids(), ElementsAre("CCE-80876-6"));
}

TEST(CceCsv, AListWithoutIdsIsNone) {
  EXPECT_THAT(*read_list("a,b\n1,2\n").broken, HasSubstr("kettle2.1.csv: there is no column \"CCE ID\""));
  EXPECT_TRUE(read_list("<html><body/></html>").broken);
  EXPECT_TRUE(read_list("CCE ID,\"never closed").broken);
}

TEST(CceJson, ColumnsBecomeRows) {
  const auto read = read_list(R"({"Unnamed: 0": {"0": null, "1": "CCE ID", "2": "CCE-80876-6", "3": "CCE-4191-3"},
    "Last \"modified\"": {"0": "Version: 5", "1": "CCE Description", "2": "Lid on", "3": 7},
    "Unnamed: 2": {"0": null, "1": null, "2": null, "3": null}})",
                              "json/kettle.json");
  EXPECT_FALSE(read.broken) << *read.broken;
  EXPECT_THAT(read.bad, IsEmpty());
  EXPECT_EQ(read.at("CCE-80876-6").description, "Lid on");
  EXPECT_EQ(read.at("CCE-4191-3").description, "7");
  EXPECT_EQ(cce_of(read.at("CCE-4191-3")).platform, "kettle");
  const auto named = read_list(R"({"CCE": {"0": "CCE-80876-6"}, "A \"b\"\nc": {"0": "d"}})");
  EXPECT_THAT(cce_of(named.at("CCE-80876-6")).body, HasSubstr(R"({"source":"A \"b\" c","text":"d"})"));
}

TEST(CceJson, WrongTypesBreakTheTable) {
  EXPECT_THAT(*read_list(R"({"CCE": ["CCE-80876-6"]})").broken, HasSubstr("column \"CCE\" has no rows"));
  EXPECT_THAT(*read_list(R"({"CCE": {"0": {"x": 1}}})").broken, HasSubstr("neither text nor number"));
  EXPECT_THAT(*read_list(R"([{"CCE": "CCE-80876-6"}])").broken, HasSubstr("it is no table"));
  EXPECT_TRUE(read_list(R"({"CCE": {"0": "CCE-80876-6")").broken);
}

TEST(CceXml, TheHistoricListIsRead) {
  const auto read = read_list(R"(<?xml version="1.0"?><cce_list xmlns="http://cce.mitre.org" cce_list_version="5">
    <cces><cce cce_id="CCE-4191-3" platform="kettle5" modified="2011-10-07"><description>The  lid is on.</description>
      <parameters><parameter>on</parameter><parameter>off</parameter></parameters>
      <technical_mechanisms><technical_mechanism>by hand</technical_mechanism></technical_mechanisms>
      <references><reference resource_id="GUIDE">2.1</reference><unheard_of/></references></cce>
      <cce cce_id="CCE-4191-4" platform="x"/><cce platform="x"/></cces></cce_list>)",
                              "list.xml");
  EXPECT_FALSE(read.broken) << *read.broken;
  EXPECT_EQ(nlohmann::json::parse(cce_of(read.at("CCE-4191-3")).body), nlohmann::json::parse(R"({"entries": [{
    "platform": "kettle5", "description": "The lid is on.", "parameters": "on\noff", "mechanism": "by hand",
    "references": [{"source": "GUIDE", "text": "2.1"}]}]})"));
  EXPECT_THAT(read.bad, ElementsAre(HasSubstr("wrong check digit"), HasSubstr("it has no CCE id")));
}

TEST(CceCollection, PutsTogetherWhatIsOfOneId) {
  auto collection = std::make_unique<CceCollection>();
  for (const std::string platform : {"a", "b", "a"}) {
    ASSERT_TRUE(collection->add({.id = "CCE-80876-6", .platform = platform, .description = "Lid."}));
  }
  ASSERT_TRUE(collection->add({.id = "CCE-4191-3", .platform = "a"}));
  ReadItems read;
  read_all(*cce_items(std::move(collection)), read);
  ASSERT_EQ(read.records.size(), 2U);
  EXPECT_EQ(cce_of(read.records[0]).platform, "a, b");
  EXPECT_EQ(nlohmann::json::parse(cce_of(read.records[0]).body)["entries"].size(), 2U);
}

TEST(CceCollection, KeepsWithinItsLimits) {
  CceCollection few({.ids = 1, .bytes = 100, .same_id = 2, .bad = 1});
  const CceEntry one{.id = "CCE-80876-6", .platform = "a"};
  EXPECT_TRUE(few.add(one));
  EXPECT_TRUE(few.add(one));
  EXPECT_THAT(few.add({.id = "CCE-4191-3"}).error().message(), HasSubstr("more than 1 CCE ids"));
  EXPECT_TRUE(few.add({.id = one.id, .platform = "b"}));
  EXPECT_THAT(few.add({.id = one.id, .platform = "c"}).error().message(), HasSubstr("more than 2 times"));
  EXPECT_TRUE(few.add_bad("x", Error(ErrorKind::kCorrupt, "odd")));
  EXPECT_THAT(few.add_bad("y", Error(ErrorKind::kCorrupt, "odd")).error().message(), HasSubstr("y: odd"));
  CceCollection small({.bytes = 100});
  EXPECT_THAT(small.add({.id = one.id, .description = std::string(101, 'x')}).error().message(),
              HasSubstr("more than 100 bytes"));
}

TEST(CceList, AStopEndsIt) {
  archive::MemorySource source("CCE ID\nCCE-80876-6\n");
  CceCollection collection;
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(collect_cce_list("x", source, collection, stop.get_token()).error().kind(), ErrorKind::kCancelled);
}

}  // namespace
}  // namespace slipway::feeds

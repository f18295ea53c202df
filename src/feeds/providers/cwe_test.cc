#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "archive/testing/memory_source.h"
#include "feeds/providers/cwe_provider.h"
#include "feeds/providers/xml_items_testing.h"

namespace slipway::feeds {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

ReadItems read_text(const std::string& text) {
  archive::MemorySource source(text, /*piece=*/7);
  return read_items(cwe_items, source);
}

std::string catalog(const std::string& inside) {
  return R"(<?xml version="1.0"?><Weakness_Catalog xmlns="http://cwe.mitre.org/cwe-7" xmlns:xhtml="http://x" )"
         R"(Name="CWE" Version="9">)" +
         inside + "</Weakness_Catalog>";
}

const std::string kOverrun = R"(<Weaknesses><Weakness ID="7001" Name="Cup &quot;runs&quot; over" Abstraction="Base"
    Structure="Simple" Status="Draft">
  <Description>More tea is poured than the cup can hold.</Description>
  <Extended_Description><xhtml:p>One.</xhtml:p><xhtml:ul><xhtml:li>two</xhtml:li></xhtml:ul></Extended_Description>
  <Related_Weaknesses>
    <Related_Weakness Nature="ChildOf" CWE_ID="7000" View_ID="1000" Ordinal="Primary"/>
    <Related_Weakness Nature="ChildOf" CWE_ID="7000" View_ID="1003"/>
    <Related_Weakness Nature="CanAlsoBe" CWE_ID="7002" View_ID="1000"/>
  </Related_Weaknesses>
  <Applicable_Platforms><Language Class="Not Language-Specific" Prevalence="Often"/></Applicable_Platforms>
  <Likelihood_Of_Exploit>High</Likelihood_Of_Exploit>
  <Common_Consequences><Consequence><Scope>Table</Scope><Scope>Lap</Scope><Impact>Wet</Impact></Consequence>
  </Common_Consequences>
  <Potential_Mitigations><Mitigation><Phase>Operation</Phase><Description>Look.</Description></Mitigation>
  </Potential_Mitigations>
  <Observed_Examples><Observed_Example><Reference>CVE-2001-0001</Reference><Description>Tea.</Description>
    <Link>x</Link></Observed_Example></Observed_Examples>
  <Related_Attack_Patterns><Related_Attack_Pattern CAPEC_ID="66"/></Related_Attack_Patterns>
  <Mapping_Notes><Usage>Allowed</Usage></Mapping_Notes>
  <Something_New><Deep ID="1"/></Something_New>
</Weakness></Weaknesses>)";

TEST(Cwe, AWeaknessIsReadWithItsRelationsOnceEach) {
  const auto read = read_text(catalog(kOverrun));
  EXPECT_FALSE(read.broken) << *read.broken;
  ASSERT_EQ(read.records.size(), 1U) << ::testing::PrintToString(read.bad);
  const auto& record = read.records[0];
  EXPECT_EQ(record.urn.text(), "v2e::mitre::cwe::CWE-7001");
  EXPECT_EQ(record.title, "Cup \"runs\" over");
  EXPECT_EQ(record.description, "More tea is poured than the cup can hold.");
  EXPECT_EQ(record.standing, Standing::kLive);
  EXPECT_THAT(links_of(record), ElementsAre("child-of CWE-7000", "can-also-be CWE-7002", "pattern CAPEC-66"));
  EXPECT_EQ(record.links[2].target.text(), "v2e::mitre::capec::CAPEC-66");
}

TEST(Cwe, TheBodyHasWhatIsShown) {
  const auto read = read_text(catalog(kOverrun));
  ASSERT_EQ(read.records.size(), 1U);
  const auto& cwe = std::get<Cwe>(read.records[0].details);
  EXPECT_EQ(cwe.category, "weakness");
  EXPECT_EQ(nlohmann::json::parse(cwe.body), nlohmann::json::parse(R"({
    "abstraction": "Base", "structure": "Simple", "status": "Draft", "extended": "One.\n- two", "likelihood": "High",
    "platforms": [{"type": "Language", "class": "Not Language-Specific", "prevalence": "Often"}],
    "consequences": [{"scope": ["Table", "Lap"], "impact": ["Wet"]}],
    "mitigations": [{"phases": ["Operation"], "text": "Look."}],
    "examples": [{"name": "CVE-2001-0001", "text": "Tea."}], "mapping": "Allowed"})"));
}

TEST(Cwe, CategoriesAndViewsHaveMembers) {
  const auto read = read_text(catalog(R"(
    <Categories><Category ID="10" Name="Tea" Status="Obsolete"><Summary>All of tea.</Summary>
      <Relationships><Has_Member CWE_ID="7001" View_ID="1"/><Has_Member CWE_ID="7001" View_ID="2"/></Relationships>
    </Category></Categories>
    <Views><View ID="11" Name="Kitchen" Type="Graph" Status="Incomplete"><Objective>To see.</Objective>
      <Members><Has_Member CWE_ID="10" View_ID="11"/></Members></View></Views>)"));
  ASSERT_EQ(read.records.size(), 2U) << ::testing::PrintToString(read.bad);
  EXPECT_THAT(links_of(read.records[0]), ElementsAre("member CWE-7001"));
  EXPECT_EQ(read.records[0].description, "All of tea.");
  EXPECT_EQ(read.records[0].standing, Standing::kDeprecated);
  EXPECT_THAT(links_of(read.records[1]), ElementsAre("member CWE-10"));
  EXPECT_EQ(read.records[1].standing, Standing::kLive);
  EXPECT_THAT(categories<Cwe>(read), UnorderedElementsAre(Pair("category", 1), Pair("view", 1)));
}

TEST(Cwe, WhatIsBadIsNamedAndTheNextIsRead) {
  const auto read = read_text(catalog(R"(<Weaknesses>
    <Weakness Name="no id" Status="Draft"/>
    <Weakness ID="12; DROP TABLE" Name="odd id"/>
    <Weakness ID="13"/>
    <Weakness ID="14" Name="bad target"><Related_Weaknesses><Related_Weakness Nature="ChildOf" CWE_ID="../etc"/>
      </Related_Weaknesses></Weakness>
    <Weakness ID="15" Name="bad nature"><Related_Weaknesses><Related_Weakness Nature="Is It?" CWE_ID="1"/>
      </Related_Weaknesses></Weakness>
    <Weakness ID="16" Name="good"/></Weaknesses>)"));
  EXPECT_FALSE(read.broken);
  EXPECT_THAT(read.kinds, ElementsAre(ErrorKind::kCorrupt));
  EXPECT_THAT(read.ids(), ElementsAre("CWE-16"));
  EXPECT_THAT(read.bad,
              ElementsAre("file: Weakness in line 2: Weakness has no CWE number",
                          "file: Weakness 12; DROP TABLE: Weakness: \"12; DROP TABLE\" is no CWE number",
                          "file: Weakness 13: CWE-13 has no name", HasSubstr("CWE-14: Related_Weakness: \"../etc\""),
                          HasSubstr("CWE-15: Related_Weakness to CWE-1 has the nature \"Is It?\"")));
}

TEST(Cwe, TheSameIdTwiceIsGivenTwiceForTheLaterOneToCount) {
  const auto read = read_text(catalog(R"(<Weaknesses><Weakness ID="1" Name="a"/><Weakness ID="1" Name="b"/>
    </Weaknesses>)"));
  ASSERT_EQ(read.records.size(), 2U);
  EXPECT_EQ(read.records[0].urn, read.records[1].urn);
}

TEST(Cwe, AnotherCatalogIsNotReadAsOne) {
  const auto read = read_text(R"(<Attack_Pattern_Catalog><Categories><Category ID="1" Name="x"/></Categories>
    </Attack_Pattern_Catalog>)");
  EXPECT_THAT(read.records, IsEmpty());
  ASSERT_TRUE(read.broken);
  EXPECT_THAT(*read.broken, HasSubstr("\"Attack_Pattern_Catalog\", not a Weakness_Catalog"));
}

TEST(Cwe, AWebPageOrHalfAFileIsBroken) {
  EXPECT_TRUE(read_text("<html><body><p>Sorry</p></body></html>").broken);
  EXPECT_TRUE(read_text("").broken);
  const auto half = read_text(catalog(kOverrun).substr(0, 900));
  EXPECT_TRUE(half.broken);
  EXPECT_THAT(half.records, IsEmpty());
}

TEST(CweRealData, HasTheCountsOfItsInventory) {
  SLIPWAY_SKIP_WITHOUT("cwe/cwec_v4.15.xml.xz");
  const auto read = read_real(cwe_items, "cwe/cwec_v4.15.xml.xz");
  EXPECT_FALSE(read.broken) << *read.broken;
  EXPECT_THAT(read.bad, IsEmpty());
  EXPECT_THAT(categories<Cwe>(read),
              UnorderedElementsAre(Pair("weakness", 964), Pair("category", 409), Pair("view", 54)));
  EXPECT_EQ(read.ids().size(), 964U + 409U + 54U);
  EXPECT_EQ(std::ranges::count_if(read.records,
                                  [](const Record& record) {
                                    return record.standing == Standing::kDeprecated &&
                                           std::get<Cwe>(record.details).category == "weakness";
                                  }),
            25);
  EXPECT_TRUE(std::ranges::all_of(read.records, [](const Record& record) {
    return !record.description.empty() && nlohmann::json::accept(std::get<Cwe>(record.details).body);
  }));
}

TEST(CweRealData, CrossSiteScriptingIsAsItIsPublished) {
  SLIPWAY_SKIP_WITHOUT("cwe/cwec_v4.15.xml.xz");
  const auto read = read_real(cwe_items, "cwe/cwec_v4.15.xml.xz");
  const auto& xss = read.at("CWE-79");
  EXPECT_THAT(links_of(xss), ElementsAre("child-of CWE-74", "can-precede CWE-494", "peer-of CWE-352",
                                         "pattern CAPEC-209", "pattern CAPEC-588", "pattern CAPEC-591",
                                         "pattern CAPEC-592", "pattern CAPEC-63", "pattern CAPEC-85"));
  const auto body = nlohmann::json::parse(std::get<Cwe>(xss.details).body);
  EXPECT_EQ(body["likelihood"], "High");
  EXPECT_EQ(body["mitigations"].size(), 12U);
  EXPECT_EQ(body["mapping"], "Allowed");
}

}  // namespace
}  // namespace slipway::feeds

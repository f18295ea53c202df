#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "archive/testing/memory_source.h"
#include "feeds/providers/capec_provider.h"
#include "feeds/providers/xml_items_testing.h"

namespace slipway::feeds {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

ReadItems read_text(const std::string& text) {
  archive::MemorySource source(text, /*piece=*/7);
  return read_items(capec_items, source);
}

std::string catalog(const std::string& inside) {
  return R"(<?xml version="1.0"?><Attack_Pattern_Catalog xmlns="http://capec.mitre.org/capec-3" )"
         R"(xmlns:xhtml="http://www.w3.org/1999/xhtml" Name="CAPEC" Version="9">)" +
         inside + "</Attack_Pattern_Catalog>";
}

const std::string kPouring = R"(<Attack_Patterns><Attack_Pattern ID="9001" Name="Pouring" Abstraction="Standard"
    Status="Stable">
  <Description><xhtml:p>Somebody pours.</xhtml:p></Description>
  <Likelihood_Of_Attack>High</Likelihood_Of_Attack><Typical_Severity>Very High</Typical_Severity>
  <Related_Attack_Patterns><Related_Attack_Pattern Nature="ChildOf" CAPEC_ID="9000"><Exclude_Related Exclude_ID="1"/>
    </Related_Attack_Pattern><Related_Attack_Pattern Nature="CanFollow" CAPEC_ID="9002"/></Related_Attack_Patterns>
  <Execution_Flow><Attack_Step><Step>1</Step><Phase>Explore</Phase><Description>[Look] At cups.</Description>
    <Technique>With eyes</Technique><Technique>By hand</Technique></Attack_Step></Execution_Flow>
  <Prerequisites><Prerequisite>A pot</Prerequisite></Prerequisites>
  <Skills_Required><Skill Level="Low">To lift.</Skill></Skills_Required>
  <Consequences><Consequence><Scope>Table</Scope><Impact>Wet</Impact></Consequence></Consequences>
  <Mitigations><Mitigation>Lids</Mitigation><Mitigation>Saucers</Mitigation></Mitigations>
  <Related_Weaknesses><Related_Weakness CWE_ID="7001"/></Related_Weaknesses>
  <Taxonomy_Mappings>
    <Taxonomy_Mapping Taxonomy_Name="ATTACK"><Entry_ID>1574.010</Entry_ID><Entry_Name>x</Entry_Name></Taxonomy_Mapping>
    <Taxonomy_Mapping Taxonomy_Name="WASC"><Entry_ID>19</Entry_ID></Taxonomy_Mapping>
  </Taxonomy_Mappings>
</Attack_Pattern></Attack_Patterns>)";

TEST(Capec, APatternIsReadWithWeaknessesTechniquesAndOtherPatterns) {
  const auto read = read_text(catalog(kPouring));
  EXPECT_FALSE(read.broken) << *read.broken;
  ASSERT_EQ(read.records.size(), 1U) << ::testing::PrintToString(read.bad);
  const auto& record = read.records[0];
  EXPECT_EQ(record.urn.text(), "v2e::mitre::capec::CAPEC-9001");
  EXPECT_EQ(record.title, "Pouring");
  EXPECT_EQ(record.description, "Somebody pours.");
  EXPECT_THAT(links_of(record),
              ElementsAre("weakness CWE-7001", "child-of CAPEC-9000", "can-follow CAPEC-9002", "technique T1574.010"));
  EXPECT_EQ(record.links[3].target.text(), "v2e::mitre::attack::T1574.010");
  const auto& capec = std::get<Capec>(record.details);
  EXPECT_EQ(capec.category, "pattern");
  EXPECT_EQ(capec.severity, "Very High");
  EXPECT_EQ(nlohmann::json::parse(capec.body), nlohmann::json::parse(R"({
    "abstraction": "Standard", "status": "Stable", "likelihood": "High", "prerequisites": ["A pot"],
    "skills": [{"level": "Low", "text": "To lift."}],
    "flow": [{"step": "1", "phase": "Explore", "text": "[Look] At cups.", "techniques": ["With eyes", "By hand"]}],
    "consequences": [{"scope": ["Table"], "impact": ["Wet"]}], "mitigations": ["Lids", "Saucers"]})"));
}

TEST(Capec, CategoriesAndViewsHaveMembersAndWhatIsTakenBackIsMarked) {
  const auto read = read_text(catalog(R"(
    <Attack_Patterns><Attack_Pattern ID="1" Name="a" Status="Deprecated"/><Attack_Pattern ID="2" Name="b"
      Status="Obsolete"/><Attack_Pattern ID="3" Name="c" Status="Usable"/></Attack_Patterns>
    <Categories><Category ID="10" Name="Tea" Status="Stable"><Summary>All.</Summary>
      <Relationships><Has_Member CAPEC_ID="9001"/></Relationships></Category></Categories>
    <Views><View ID="11" Name="Kitchen" Type="Graph" Status="Draft"><Objective>To see.</Objective>
      <Members><Has_Member CAPEC_ID="10"/></Members></View></Views>)"));
  ASSERT_EQ(read.records.size(), 5U) << ::testing::PrintToString(read.bad);
  EXPECT_EQ(read.at("CAPEC-1").standing, Standing::kDeprecated);
  EXPECT_EQ(read.at("CAPEC-2").standing, Standing::kDeprecated);
  EXPECT_EQ(read.at("CAPEC-3").standing, Standing::kLive);
  EXPECT_THAT(links_of(read.at("CAPEC-10")), ElementsAre("member CAPEC-9001"));
  EXPECT_THAT(links_of(read.at("CAPEC-11")), ElementsAre("member CAPEC-10"));
  EXPECT_EQ(read.at("CAPEC-11").description, "To see.");
}

TEST(Capec, WhatIsBadIsNamedAndTheNextIsRead) {
  const auto read = read_text(catalog(R"(<Attack_Patterns>
    <Attack_Pattern Name="no id"/>
    <Attack_Pattern ID="2" Name="odd"><Related_Weaknesses><Related_Weakness/></Related_Weaknesses></Attack_Pattern>
    <Attack_Pattern ID="3" Name="odd"><Taxonomy_Mappings><Taxonomy_Mapping Taxonomy_Name="ATTACK"><Entry_ID>x y</Entry_ID>
      </Taxonomy_Mapping></Taxonomy_Mappings></Attack_Pattern>
    <Attack_Pattern ID="4" Name="good"><Unknown/></Attack_Pattern></Attack_Patterns>)"));
  EXPECT_THAT(read.kinds, ElementsAre(ErrorKind::kCorrupt));
  EXPECT_THAT(read.ids(), ElementsAre("CAPEC-4"));
  EXPECT_THAT(read.bad, ElementsAre(HasSubstr("line 2: Attack_Pattern has no CAPEC number"),
                                    HasSubstr("CAPEC-2: Related_Weakness has no CWE number"),
                                    HasSubstr("CAPEC-3: \"x y\" is no technique")));
}

TEST(Capec, AnotherCatalogIsNotReadAsOne) {
  const auto read = read_text(R"(<Weakness_Catalog><View ID="1" Name="x"/></Weakness_Catalog>)");
  EXPECT_THAT(read.records, IsEmpty());
  EXPECT_TRUE(read.broken);
}

TEST(CapecRealData, HasTheCountsOfItsInventory) {
  SLIPWAY_SKIP_WITHOUT("capec/capec_contents_latest.xml.xz");
  const auto read = read_real(capec_items, "capec/capec_contents_latest.xml.xz");
  EXPECT_FALSE(read.broken) << *read.broken;
  EXPECT_THAT(read.bad, IsEmpty());
  EXPECT_THAT(categories<Capec>(read),
              UnorderedElementsAre(Pair("pattern", 615), Pair("category", 78), Pair("view", 13)));
  EXPECT_EQ(read.ids().size(), 615U + 78U + 13U);
  int deprecated = 0;
  int weaknesses = 0;
  int techniques = 0;
  for (const auto& record : read.records) {
    const auto& capec = std::get<Capec>(record.details);
    EXPECT_TRUE(nlohmann::json::accept(capec.body));
    if (capec.category == "pattern" && record.standing == Standing::kDeprecated) ++deprecated;
    weaknesses += static_cast<int>(std::ranges::count(record.links, "weakness", &Link::relation));
    techniques += static_cast<int>(std::ranges::count(record.links, "technique", &Link::relation));
  }
  EXPECT_EQ(deprecated, 56 + 1);    // one of them is "Obsolete"
  EXPECT_EQ(weaknesses, 1214 - 2);  // two are there twice
  EXPECT_EQ(techniques, 272 - 1);   // and so is one of these
  const auto& injection = read.at("CAPEC-66");
  EXPECT_EQ(std::get<Capec>(injection.details).severity, "High");
  EXPECT_THAT(links_of(injection), Contains("weakness CWE-89"));
}

}  // namespace
}  // namespace slipway::feeds

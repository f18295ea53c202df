#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "archive/testing/memory_source.h"
#include "feeds/providers/ssg_provider.h"
#include "feeds/providers/ssg_record.h"
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
  return read_items(ssg_items, source);
}

const std::string kContent = "xccdf_org.ssgproject.content_";

std::string benchmark(const std::string& inside, const std::string& id = kContent + "benchmark_TEAPOT-8") {
  return R"(<x:Benchmark xmlns:x="http://checklists.nist.gov/xccdf/1.2" xmlns:html="http://www.w3.org/1999/xhtml" )"
         R"(id=")" +
         id +
         R"("><x:status date="2026-01-02">draft</x:status><x:title>Guide to pots</x:title>)"
         R"(<x:description>All of <html:code>pots</html:code>.</x:description><x:version>0.9</x:version>)" +
         inside + "</x:Benchmark>";
}

std::string datastream(const std::string& inside) {
  return R"(<ds:data-stream-collection xmlns:ds="http://scap.nist.gov/schema/scap/source/1.2"><ds:data-stream id="d"/>)"
         R"(<ds:component id="c">)" +
         inside + "</ds:component></ds:data-stream-collection>";
}

const std::string kLid = R"(<x:Rule id="xccdf_org.ssgproject.content_rule_lid" severity="high" selected="false">
  <x:title>Put the lid on</x:title>
  <x:description>It is <html:b>hot</html:b>: wait
     <x:sub idref="xccdf_org.ssgproject.content_value_time" use="legacy"/> minutes.</x:description>
  <x:reference href="http://nvlpubs.nist.gov/nistpubs/SpecialPublications/NIST.SP.800-53r4.pdf">CM-6(a)</x:reference>
  <x:reference href="http://nvlpubs.nist.gov/nistpubs/SpecialPublications/NIST.SP.800-53r4.pdf">AC-17(2), CM-6 b
    </x:reference>
  <x:reference href="https://www.iso.org/">AC-99</x:reference>
  <x:rationale>Steam.</x:rationale>
  <x:ident system="https://ncp.nist.gov/CCE">CCE-80675-2</x:ident>
  <x:ident system="https://example/other">X-1</x:ident>
  <x:fix system="urn:xccdf:fix:script:sh">T=<x:sub idref="xccdf_org.ssgproject.content_value_time"/>
wait</x:fix>
</x:Rule>)";

std::string whole() {
  return benchmark(R"(<x:Profile id="xccdf_org.ssgproject.content_profile_strict"><x:title>Strict</x:title>
      <x:select idref="xccdf_org.ssgproject.content_rule_lid" selected="true"/>
      <x:select idref="xccdf_org.ssgproject.content_rule_off" selected="false"/>
      <x:select idref="xccdf_org.ssgproject.content_group_outer" selected="true"/></x:Profile>
    <x:Value id="xccdf_org.ssgproject.content_value_time"><x:title>Time</x:title></x:Value>
    <x:Group id="xccdf_org.ssgproject.content_group_outer"><x:title>Outer</x:title>
      <x:Group id="xccdf_org.ssgproject.content_group_inner"><x:title>Inner</x:title>)" +
                   kLid + R"(</x:Group></x:Group>
    <x:Rule id="xccdf_org.ssgproject.content_rule_bare"/>)");
}

TEST(Ssg, AllPartsOfABenchmarkAreReadFromADatastreamAndByItself) {
  for (const auto& text : {datastream(whole()), whole()}) {
    const auto read = read_text(text);
    EXPECT_FALSE(read.broken) << *read.broken;
    EXPECT_THAT(read.bad, IsEmpty());
    EXPECT_THAT(read.ids(), ElementsAre("guide-teapot8", "teapot8/group/inner", "teapot8/group/outer",
                                        "teapot8/profile/strict", "teapot8/rule/bare", "teapot8/rule/lid"));
    EXPECT_THAT(links_of(read.at("teapot8/profile/strict")),
                ElementsAre("part-of guide-teapot8", "selects teapot8/rule/lid"));
    EXPECT_THAT(links_of(read.at("teapot8/group/inner")), ElementsAre("part-of teapot8/group/outer"));
    EXPECT_THAT(links_of(read.at("teapot8/group/outer")), ElementsAre("part-of guide-teapot8"));
    EXPECT_THAT(links_of(read.at("teapot8/rule/bare")), ElementsAre("part-of guide-teapot8"));
    EXPECT_THAT(links_of(read.at("guide-teapot8")), IsEmpty());
  }
}

TEST(Ssg, ARuleHasSeverityIdentifierControlsAndWhatIsShown) {
  const auto read = read_text(whole());
  const auto& rule = read.at("teapot8/rule/lid");
  EXPECT_EQ(rule.urn.text(), "v2e::nist::ssg::teapot8/rule/lid");
  EXPECT_EQ(rule.title, "Put the lid on");
  EXPECT_EQ(rule.description, "It is hot: wait (time) minutes.");
  EXPECT_THAT(links_of(rule),
              ElementsAre("part-of teapot8/group/inner", "control CM-6", "control AC-17", "identifier CCE-80675-2"));
  EXPECT_EQ(rule.links[3].target.text(), "v2e::nist::cce::CCE-80675-2");
  const auto& ssg = std::get<Ssg>(rule.details);
  EXPECT_EQ(ssg.category, "rule");
  EXPECT_EQ(ssg.severity, "high");
  const auto body = nlohmann::json::parse(ssg.body);
  EXPECT_EQ(body["rationale"], "Steam.");
  EXPECT_EQ(body["references"].size(), 3U);
  EXPECT_EQ(body["identifiers"][1]["text"], "X-1");
  EXPECT_EQ(body["fixes"], nlohmann::json::parse(R"([{"system": "urn:xccdf:fix:script:sh",
                                                      "script": "T=(time)\nwait"}])"));
  const auto guide = nlohmann::json::parse(std::get<Ssg>(read.at("guide-teapot8").details).body);
  EXPECT_EQ(guide["status"], "draft");
  EXPECT_EQ(guide["date"], "2026-01-02");
  EXPECT_EQ(guide["version"], "0.9");
  EXPECT_EQ(read.at("guide-teapot8").description, "All of pots.");
}

TEST(Ssg, ALongScriptIsOnlyToldOf) {
  const auto read =
      read_text(benchmark("<x:Rule id=\"r\"><x:fix system=\"s\">" + std::string(4097, 'x') + "</x:fix></x:Rule>"));
  const auto body = nlohmann::json::parse(std::get<Ssg>(read.at("teapot8/rule/r").details).body);
  EXPECT_EQ(body["fixes"], nlohmann::json::parse(R"([{"system": "s", "long": true}])"));
}

TEST(Ssg, IdsOfXccdf11HaveNoPrefix) {
  const auto read = read_text(R"(<Benchmark xmlns="http://checklists.nist.gov/xccdf/1.1" id="RHEL-6">
    <Profile id="common"><select idref="lid" selected="true"/></Profile>
    <Group id="system"><Rule id="lid" severity="low"/></Group></Benchmark>)");
  EXPECT_THAT(read.ids(), ElementsAre("guide-rhel6", "rhel6/group/system", "rhel6/profile/common", "rhel6/rule/lid"));
  EXPECT_THAT(links_of(read.at("rhel6/rule/lid")), ElementsAre("part-of rhel6/group/system"));
  EXPECT_THAT(links_of(read.at("rhel6/profile/common")), ElementsAre("part-of guide-rhel6", "selects rhel6/rule/lid"));
}

TEST(Ssg, TheProductIsOfTheBenchmarksId) {
  EXPECT_EQ(ssg_product(kContent + "benchmark_RHEL-8"), "rhel8");
  EXPECT_EQ(ssg_product(kContent + "benchmark_DEBIAN-11"), "debian11");
  EXPECT_EQ(ssg_product(kContent + "benchmark_FIREFOX"), "firefox");
  EXPECT_EQ(ssg_product("UBUNTU_20-04"), "ubuntu2004");
  EXPECT_EQ(ssg_product("---"), "");
}

TEST(Ssg, ControlsAreFoundInWhateverIsAroundThem) {
  EXPECT_THAT(control_names("CM-6(a)"), ElementsAre("CM-6"));
  EXPECT_THAT(control_names("AC-17(2),IA-5 (1)(c);CM-7.1(iv)"), ElementsAre("AC-17", "IA-5", "CM-7"));
  EXPECT_THAT(control_names("PR.AC-4 CM6(a) XAC-1 AC- ac-1 AC-12345 NONE"), IsEmpty());
  EXPECT_THAT(control_names(""), IsEmpty());
}

TEST(Ssg, WhatIsBadIsNamedAndTheNextIsRead) {
  const auto read = read_text(benchmark(R"(<x:Rule severity="low"/><x:Rule id="two words"/>
    <x:Rule id="xccdf_org_rule_"/><x:Rule id="good"><x:unheard_of/></x:Rule>)"));
  EXPECT_THAT(read.kinds, ElementsAre(ErrorKind::kCorrupt));
  EXPECT_THAT(read.bad, ElementsAre(HasSubstr("a Rule in line 1 has no id"), HasSubstr("teapot8/rule/two words"),
                                    HasSubstr("\"xccdf_org_rule_\" names no rule")));
  EXPECT_THAT(read.ids(), ElementsAre("guide-teapot8", "teapot8/rule/good"));
  const auto outside = read_text(datastream(R"(<Profile id="p"/>)"));
  EXPECT_THAT(outside.bad, ElementsAre(HasSubstr("Profile p is in no benchmark")));
}

TEST(Ssg, FilesOfChecksAreNoneOfOurs) {
  EXPECT_TRUE(is_ssg_file("content/ssg-debian11-ds.xml"));
  EXPECT_TRUE(is_ssg_file("ssg-debian11-xccdf.xml"));
  EXPECT_FALSE(is_ssg_file("ssg-debian11-oval.xml"));
  EXPECT_FALSE(is_ssg_file("ssg-debian11-cpe-dictionary.xml"));
  EXPECT_FALSE(is_ssg_file("guides/ssg-debian11-guide-index.html"));
  EXPECT_TRUE(read_text("<oval_definitions><Rule id='x'/></oval_definitions>").broken);
}

TEST(SsgRealData, DebianIsTheSameAsDatastreamAndByItself) {
  for (const std::string name : {"ssg/0.1.65-ssg-debian11-ds.xml.xz", "ssg/0.1.65-ssg-debian11-xccdf.xml.xz"}) {
    SLIPWAY_SKIP_WITHOUT(name);
    const auto read = read_real(ssg_items, name);
    EXPECT_FALSE(read.broken) << *read.broken;
    EXPECT_THAT(read.bad, IsEmpty());
    EXPECT_THAT(categories<Ssg>(read),
                UnorderedElementsAre(Pair("rule", 355), Pair("group", 250), Pair("profile", 5), Pair("benchmark", 1)));
    EXPECT_EQ(read.ids().size(), 355U + 250U + 5U + 1U);
  }
}

TEST(SsgRealData, RedHatsRulesHaveIdentifiersAndProfilesSelectKnownRules) {
  SLIPWAY_SKIP_WITHOUT("ssg/0.1.65-ssg-rhel8-ds.xml.xz");
  const auto read = read_real(ssg_items, "ssg/0.1.65-ssg-rhel8-ds.xml.xz");
  EXPECT_FALSE(read.broken) << *read.broken;
  EXPECT_THAT(read.bad, IsEmpty());
  EXPECT_THAT(categories<Ssg>(read), ::testing::IsSupersetOf({std::pair<const std::string, int>{"rule", 1520},
                                                              std::pair<const std::string, int>{"profile", 19}}));
  const auto ids = read.ids();
  EXPECT_EQ(ids.size(), read.records.size());
  int identifiers = 0;
  int selected = 0;
  for (const auto& record : read.records) {
    for (const auto& link : record.links) {
      if (link.relation == "identifier") ++identifiers;
      if (link.relation == "selects") ++selected;
      if (link.target.kind() != "ssg") continue;
      EXPECT_TRUE(ids.contains(std::string(link.target.id()))) << link.target.text();
    }
  }
  EXPECT_EQ(identifiers, 1030);
  EXPECT_EQ(selected, 3593);
  EXPECT_THAT(links_of(read.at("rhel8/rule/aide_build_database")),
              ElementsAre("part-of rhel8/group/aide", "control CM-6", "identifier CCE-80675-2"));
}

TEST(SsgRealData, Firefox) {
  SLIPWAY_SKIP_WITHOUT("ssg/0.1.82-ssg-firefox-ds.xml.xz");
  const auto read = read_real(ssg_items, "ssg/0.1.82-ssg-firefox-ds.xml.xz");
  EXPECT_THAT(read.bad, IsEmpty());
  EXPECT_THAT(categories<Ssg>(read),
              UnorderedElementsAre(Pair("rule", 36), Pair("group", 2), Pair("profile", 2), Pair("benchmark", 1)));
}

}  // namespace
}  // namespace slipway::feeds

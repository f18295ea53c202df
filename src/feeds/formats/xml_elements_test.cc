#include "feeds/formats/xml_elements.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/memory_source.h"

namespace slipway::feeds {
namespace {

using archive::MemorySource;
using ::testing::ElementsAre;

const XmlElements::Options kBenchmark{.records = {"Rule", "Profile", "Value"}, .containers = {"Benchmark", "Group"}};

struct Seen {
  std::vector<XmlRecord> records;
  XmlRoot root;
};

Seen read_all(const std::string& xml, const XmlElements::Options& options, std::size_t piece) {
  MemorySource source(xml, piece);
  XmlElements elements(source, options);
  Seen seen;
  for (;;) {
    auto record = elements.next();
    EXPECT_TRUE(record) << record.error().message();
    if (!record || !*record) break;
    seen.records.push_back(std::move(**record));
  }
  const auto again = elements.next();
  EXPECT_TRUE(again && !*again) << "the end stays";
  seen.root = elements.root();
  return seen;
}

// "Benchmark:b/Group:g/Rule:r", by the ids.
std::string path_of(const XmlRecord& record) {
  std::string path;
  for (const auto& container : record.within)
    path += fmt::format("{}:{}/", container->name, container->attribute("id"));
  return path + fmt::format("{}:{}", record.node.name, record.node.attribute("id"));
}

std::vector<std::string> paths_of(const Seen& seen) {
  std::vector<std::string> paths;
  for (const auto& record : seen.records) paths.push_back(path_of(record));
  return paths;
}

// Each test is with the source in single bytes, some at a time, and as a whole.
class XmlElementsTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  static Seen read(const std::string& xml, const XmlElements::Options& options = kBenchmark) {
    return read_all(xml, options, GetParam());
  }
};

INSTANTIATE_TEST_SUITE_P(Pieces, XmlElementsTest, ::testing::Values(1, 7, MemorySource::kWhole));

constexpr auto kNested = R"(<?xml version="1.0" encoding="UTF-8"?>
<c:collection xmlns:c="urn:collection" xmlns="urn:xccdf" xmlns:h="urn:html" c:kind="x" version="2">
  <c:ignored><title>passed over</title></c:ignored>
  <c:component>
    <Benchmark id="b">
      <title>The <h:b>title</h:b></title>
      <Profile id="p"><select idref="r1"/></Profile>
      <Group id="g1">
        <title>First</title>
        <Rule id="r1"><title>One</title><Rule id="inner"/><Group id="inner"/></Rule>
        <Group id="g2"><Value id="v"/></Group>
        <description>Last</description>
      </Group>
      <front-matter>kept <Rule id="r2"/>here</front-matter>
    </Benchmark>
  </c:component>
  <Rule id="outside"/>
</c:collection>
)";

TEST_P(XmlElementsTest, HandsOutRecordsAndContainersWhenTheyEnd) {
  EXPECT_THAT(paths_of(read(kNested)),
              ElementsAre("Benchmark:b/Profile:p", "Benchmark:b/Group:g1/Rule:r1",
                          "Benchmark:b/Group:g1/Group:g2/Value:v", "Benchmark:b/Group:g1/Group:g2",
                          "Benchmark:b/Group:g1", "Benchmark:b/Rule:r2", "Benchmark:b", "Rule:outside"));
}

TEST_P(XmlElementsTest, ARecordIsWholeAndARecordInItIsAPart) {
  const Seen seen = read(kNested);
  ASSERT_EQ(seen.records.size(), 8U);
  const XmlNode& rule = seen.records[1].node;
  ASSERT_EQ(rule.children.size(), 3U);
  EXPECT_EQ(rule.children[0].text, "One");
  EXPECT_EQ(rule.children[1].attribute("id"), "inner");
  EXPECT_EQ(rule.children[2].name, "Group");
  EXPECT_EQ(seen.records[1].line, 10U);
}

TEST_P(XmlElementsTest, AContainerKeepsWhatIsNeitherRecordNorContainer) {
  const Seen seen = read(kNested);
  ASSERT_EQ(seen.records.size(), 8U);
  const XmlNode& group = seen.records[4].node;
  ASSERT_EQ(group.children.size(), 2U);
  EXPECT_EQ(group.children[0].text, "First");
  EXPECT_EQ(group.children[1].text, "Last");
  EXPECT_EQ(seen.records[4].line, 8U);
  const XmlNode& benchmark = seen.records[6].node;
  ASSERT_EQ(benchmark.children.size(), 2U);
  EXPECT_EQ(benchmark.children[0].all_text(), "The title");
  EXPECT_EQ(benchmark.children[1].text, "kept here") << "the record within it is cut out";
  EXPECT_EQ(benchmark.attribute("id"), "b");
}

TEST_P(XmlElementsTest, TellsOfTheRoot) {
  const Seen seen = read(kNested);
  EXPECT_EQ(seen.root.name, "collection");
  EXPECT_EQ(seen.root.name_space, "urn:collection");
  EXPECT_EQ(find_attribute(seen.root.attributes, "version"), "2");
  EXPECT_EQ(find_attribute(seen.root.attributes, "kind"), "x");
}

TEST_P(XmlElementsTest, TheRootItselfMayBeTheRecord) {
  const Seen seen = read("<Rule id='1'>a</Rule>");
  EXPECT_THAT(paths_of(seen), ElementsAre("Rule:1"));
  EXPECT_EQ(seen.root.name, "Rule");
  EXPECT_EQ(seen.root.name_space, "");
}

TEST_P(XmlElementsTest, ADocumentWithoutRecordsIsReadToItsEnd) {
  const Seen seen = read("<!DOCTYPE html><html><p>text</p></html><!-- end -->");
  EXPECT_TRUE(seen.records.empty());
  EXPECT_EQ(seen.root.name, "html");
}

TEST_P(XmlElementsTest, TextIsUtf8WhateverTheEncoding) {
  const std::string latin = "<?xml version='1.0' encoding='ISO-8859-1'?><Rule>\xE9</Rule>";
  EXPECT_EQ(read(latin).records.at(0).node.text, "\u00e9");
  std::string wide = "\xFF\xFE";
  for (const char each : std::string("<Rule>x</Rule>")) wide.append({each, '\0'});
  EXPECT_EQ(read(wide).records.at(0).node.text, "x");
  EXPECT_EQ(read("\xEF\xBB\xBF<Rule>\xF0\x9F\x90\x8B</Rule>").records.at(0).node.text, "\U0001F40B");
}

TEST_P(XmlElementsTest, WhiteSpaceBetweenRecordsIsNotKeptAndOtherTextIs) {
  const Seen seen = read("<Group>\n <Rule/>\n <Rule/> a <Rule/><title/> <b/> <Rule/>b</Group>");
  EXPECT_EQ(seen.records.back().node.text, " a  b");
}

// The parser is fed slices of 64 KiB; here the border between two of them is at every byte of a record in turn.
TEST(XmlElementsSlices, ABorderBetweenSlicesIsNotSeen) {
  const std::string record = "<Rule id='\u00e9 1'>a\u00e9&amp;\r\n<b/><![CDATA[]]]]></Rule>";
  const XmlRecord whole = read_all(record, kBenchmark, MemorySource::kWhole).records.at(0);
  EXPECT_EQ(whole.node.text, "a\u00e9&\n]]");
  for (std::size_t before = 1; before < record.size(); ++before) {
    const std::string padding = "<Group>" + std::string((64UL << 10) - 7 - before, ' ');
    const Seen seen = read_all(padding + record + "</Group>", kBenchmark, 1000);
    ASSERT_EQ(seen.records.size(), 2U);
    EXPECT_EQ(seen.records[0].node, whole.node) << before;
  }
}

TEST(XmlElementsStream, WhatCameBeforeAnErrorOfTheSourceIsHandedOutFirst) {
  MemorySource source("<Group><Rule id='1'/><Rule id='2'/><Ru", 5);
  source.then_fail({ErrorKind::kUnavailable, "the line is cut"});
  XmlElements elements(source, kBenchmark);
  EXPECT_EQ(elements.next().value()->node.attribute("id"), "1");
  EXPECT_EQ(elements.next().value()->node.attribute("id"), "2");
  for (int i = 0; i < 2; ++i) {
    const auto failed = elements.next();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error(), Error(ErrorKind::kUnavailable, "the line is cut"));
  }
}

// Gives `unit` again and again, a '#' in it as a number that grows.
class Endless : public archive::ByteSource {
 public:
  Endless(std::string head, std::string unit, std::size_t units)
      : head_(std::move(head)), unit_(std::move(unit)), left_(units) {}
  Result<std::span<const std::byte>> next() override {
    current_ = std::exchange(head_, {});
    for (; left_ > 0 && current_.size() < 100'000; --left_) add(unit_);
    return std::as_bytes(std::span(current_));
  }
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  void add(std::string_view unit) {
    const std::size_t number = std::min(unit.find('#'), unit.size());
    current_ += unit.substr(0, number);
    if (number < unit.size()) current_ += fmt::format("{}{}", left_, unit.substr(number + 1));
  }

  std::string head_;
  std::string unit_;
  std::string current_;
  std::size_t left_;
};

TEST(XmlElementsStream, ManyRecordsInAContainerAreNotHeldTogether) {
  Endless source("<Benchmark><page>", "<Rule>some text of it</Rule>\n", 100'000);
  XmlElements elements(source, {.records = {"Rule"}, .containers = {"Benchmark"}, .largest = 2000});
  for (int i = 0; i < 100'000; ++i) ASSERT_TRUE(elements.next().value()) << i;
  const auto cut_off = elements.next();
  ASSERT_FALSE(cut_off) << "the container is not closed";
  EXPECT_EQ(cut_off.error().kind(), ErrorKind::kCorrupt);
}

struct Flood {
  std::string name;
  std::string head;
  std::string unit;
};

class XmlFloodTest : public ::testing::TestWithParam<Flood> {};

// All of them are outside of records: it is the parser itself that would keep them.
INSTANTIATE_TEST_SUITE_P(Of, XmlFloodTest,
                         ::testing::Values(Flood{"OneComment", "<a><!-- ", "comment "},
                                           Flood{"OneTag", "<a><b c='", "value "}, Flood{"OneName", "<a><", "name"},
                                           Flood{"ManyNames", "<a>", "<n#/>"},
                                           Flood{"ManyAttributes", "<a>", "<b n#=''/>"},
                                           Flood{"ManyPrefixes", "<a ", "xmlns:n#='u' "}),
                         [](const auto& each) { return each.param.name; });

TEST_P(XmlFloodTest, IsRefusedLongBeforeItsEnd) {
  constexpr std::size_t kUnits = 64'000'000;
  Endless source(GetParam().head, GetParam().unit, kUnits);
  XmlElements elements(source, kBenchmark);
  const auto refused = elements.next();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(refused.error().message(), ::testing::HasSubstr("takes more than 33554432 bytes"));
  EXPECT_GT(source.left(), kUnits / 2);
}

}  // namespace
}  // namespace slipway::feeds

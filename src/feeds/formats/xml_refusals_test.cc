// What XmlElements refuses, and how it says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/memory_source.h"
#include "feeds/formats/xml_elements.h"

namespace slipway::feeds {
namespace {

using archive::MemorySource;
using ::testing::HasSubstr;

const XmlElements::Options kSmall{.records = {"r"}, .containers = {"c"}, .largest = 4096, .deepest = 10};

// The error that ends the reading, which must stay.
Error refusal_of(const std::string& xml, std::size_t piece, std::size_t* records = nullptr) {
  MemorySource source(xml, piece);
  XmlElements elements(source, kSmall);
  for (std::size_t count = 0;; ++count) {
    auto record = elements.next();
    if (record && *record) continue;
    if (records != nullptr) *records = count;
    if (record) return {ErrorKind::kInternal, "it was accepted"};
    const auto again = elements.next();
    EXPECT_TRUE(!again && again.error() == record.error()) << "an error stays";
    return record.error();
  }
}

struct Refusal {
  std::string name;
  std::string xml;
  std::string says;
};

class XmlRefusalTest : public ::testing::TestWithParam<Refusal> {};

std::string times(std::size_t count, const std::string& text) {
  std::string all;
  for (std::size_t i = 0; i < count; ++i) all += text;
  return all;
}

std::vector<Refusal> refusals() {
  const std::string declarations = "its document type has declarations";
  const std::string elsewhere = "its document type names another file";
  return {
      {"NoBytes", "", "line 1, column 1: it ends too early: no element found"},
      {"NoElement", "<?xml version='1.0'?>\n", "it ends too early: no element found"},
      {"NotXml", "PK\x03\x04", "line 1, column 3: "},
      {"CutOffInARecord", "<c>\n<r>text", "line 2, column 8: it ends too early"},
      {"CutOffInATag", "<c>\n <r a='1", "line 2, column 2: it ends too early"},
      {"CutOffInACharacter", "<c>\xC3", "it ends too early"},
      {"CutOffInCdata", "<c><![CDATA[x", "it ends too early"},
      {"CutOffInAComment", "<c/><!-- x", "it ends too early"},
      {"WrongEndTag", "<c>\n  <r></c>", "line 2, column 8: mismatched tag"},
      {"TwoRoots", "<c/><c/>", "junk after document element"},
      {"TextAfterTheRoot", "<c/>text", "line 1, column 5: "},
      {"AttributeTwice", "<c a='1' a='2'/>", "duplicate attribute"},
      {"PrefixOfNoNamespace", "<x:c/>", "unbound prefix"},
      {"UnknownEntity", "<c>&nbsp;</c>", "undefined entity"},
      {"BadUtf8", "<c>\xC3\x28</c>", "line 1, column 4: not well-formed"},
      {"Surrogate", "<c>\xED\xA0\x80</c>", "not well-formed"},
      {"NulByte", std::string("<c>\0</c>", 8), "not well-formed"},
      {"UnknownEncoding", "<?xml version='1.0' encoding='EBCDIC-37'?><c/>", "its encoding is not one of UTF-8"},
      {"Utf16ThatIsNot", "<?xml version='1.0' encoding='UTF-16'?><c/>",
       "encoding specified in XML declaration is incorrect"},
      {"AsciiThatIsNot", "<?xml version='1.0' encoding='US-ASCII'?><c>\xC3\xA9</c>", "not well-formed"},
      {"ExternalSubset", "<!DOCTYPE c SYSTEM 'http://h/x.dtd'><c/>", elsewhere},
      {"PublicSubset", "<!DOCTYPE c PUBLIC '-//X' 'x.dtd'><c/>", elsewhere},
      {"ExternalEntity", "<!DOCTYPE c [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><c>&x;</c>", declarations},
      {"ParameterEntity", "<!DOCTYPE c [<!ENTITY % x SYSTEM 'file:///x'> %x;]><c/>", declarations},
      {"InnerEntity", "<!DOCTYPE c [<!ENTITY a 'aa'><!ENTITY b '&a;&a;'>]><c>&b;</c>", declarations},
      {"DefaultAttribute", "<!DOCTYPE c [<!ATTLIST c a CDATA 'x'>]><c/>", declarations},
      {"TooDeepOutsideOfRecords", times(11, "<x>") + times(11, "</x>"),
       "column 31: elements are nested deeper than 10"},
      {"TooDeepInARecord", "<r>" + times(10, "<x>"), "elements are nested deeper than 10"},
      {"LongText", "<c>\n<r><x>" + std::string(4096, 'x') + "</x></r></c>",
       "the element r that begins in line 2 takes, with what is kept of those around it, more than 4096 bytes"},
      {"LongAttribute", "<c><r x='" + std::string(4096, 'x') + "'/></c>", "the element r that begins in line 1"},
      {"ManySmallElements", "<r>" + times(100, "<x/>") + "</r>", "the element r that begins in line 1"},
      {"ManyAttributes", "<r>" + times(20, "<x a='' b='' c='' d=''/>") + "</r>", "the element r that begins in line 1"},
      {"LongContainer", "<c>" + times(100, "<title/><r/>") + "</c>", "the element r that begins in line 1"},
      {"LongContainerWithoutRecords", "<c>" + times(100, "<title/>") + "</c>", "the element c that begins in line 1"},
      {"LongContainers", times(4, "<c a='" + std::string(600, 'x') + "'>"), "the element c that begins in line 1"},
  };
}

INSTANTIATE_TEST_SUITE_P(Of, XmlRefusalTest, ::testing::ValuesIn(refusals()),
                         [](const auto& each) { return each.param.name; });

TEST_P(XmlRefusalTest, IsSaid) {
  for (const std::size_t piece : {std::size_t{1}, MemorySource::kWhole}) {
    const Error error = refusal_of(GetParam().xml, piece);
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    EXPECT_THAT(error.message(), HasSubstr(GetParam().says));
    EXPECT_THAT(error.message(), HasSubstr("the XML is refused at line "));
  }
}

TEST(XmlRefusals, RecordsBeforeTheBadPlaceAreHandedOut) {
  std::size_t records = 0;
  const Error error = refusal_of("<c><r/><r/><r></c>", MemorySource::kWhole, &records);
  EXPECT_THAT(error.message(), HasSubstr("mismatched tag"));
  EXPECT_EQ(records, 2U);
}

TEST(XmlRefusals, WhatIsAtALimitIsAccepted) {
  EXPECT_EQ(refusal_of(times(10, "<x>") + times(10, "</x>"), 1).message(), "it was accepted");
  EXPECT_EQ(
      refusal_of("<c><r>" + std::string(3000, 'x') + "</r><r>" + std::string(3000, 'x') + "</r></c>", 1).message(),
      "it was accepted");
  EXPECT_EQ(refusal_of("<!DOCTYPE c><c/>", 1).message(), "it was accepted");
}

}  // namespace
}  // namespace slipway::feeds

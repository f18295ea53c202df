#include "feeds/formats/xml_node.h"

#include <gtest/gtest.h>

#include "archive/testing/memory_source.h"
#include "feeds/formats/xml_elements.h"

namespace slipway::feeds {
namespace {

// The one element <t> of a document.
XmlNode parse(const std::string& content) {
  archive::MemorySource source("<t xmlns:h='urn:h'>" + content + "</t>");
  XmlElements elements(source, {.records = {"t"}, .containers = {}});
  auto record = elements.next();
  if (!record || !*record) {
    ADD_FAILURE() << "no record of: " << content;
    return {};
  }
  return std::move((*record)->node);
}

std::string plain(const std::string& content) { return parse(content).all_text(); }

TEST(XmlNode, KnowsWhereChildrenStandInItsText) {
  const XmlNode node = parse("a<b>c</b>d<b/>");
  EXPECT_EQ(node.text, "ad");
  ASSERT_EQ(node.children.size(), 2U);
  EXPECT_EQ(node.children[0].place, 1U);
  EXPECT_EQ(node.children[0].text, "c");
  EXPECT_EQ(node.children[1].place, 2U);
}

TEST(XmlNode, FindsTheFirstChildAndAttributeOfAName) {
  const XmlNode node = parse("<b i='1'/><h:c/><b i='2' j=''/>");
  ASSERT_NE(node.child("b"), nullptr);
  EXPECT_EQ(node.child("b")->attribute("i"), "1");
  EXPECT_NE(node.child("c"), nullptr);
  EXPECT_EQ(node.child("d"), nullptr);
  EXPECT_EQ(node.attribute("i"), "");
}

TEST(XmlNode, AttributesWithoutNamespaceAreFoundBeforeOthers) {
  const XmlNode node = parse("<b h:type='other' type='own' xml:lang='en'/>").children.at(0);
  EXPECT_EQ(node.attribute("type"), "own");
  EXPECT_EQ(node.attribute("lang"), "en");
  EXPECT_EQ(node.attributes.size(), 3U);
}

TEST(XmlNode, TextComesInDocumentOrder) {
  EXPECT_EQ(plain("one <i>two</i> three<b> four <i>five</i></b>, six"), "one two three four five, six");
  EXPECT_EQ(plain("&lt;&#233;<![CDATA[<x> & ]]>y"), "<\u00e9<x> & y");
}

TEST(XmlNode, WhiteSpaceIsFoldedAndNoneIsAtTheEnds) {
  EXPECT_EQ(plain("\n\t a  \n b <i> </i> c\r\n "), "a b c");
  EXPECT_EQ(plain(" \n "), "");
  EXPECT_EQ(plain(""), "");
  EXPECT_EQ(plain("a<i>b</i>c"), "abc");
}

TEST(XmlNode, BlocksBeginAndEndLines) {
  EXPECT_EQ(plain("a<h:p>b</h:p>c"), "a\nb\nc");
  EXPECT_EQ(plain(" <p> a </p>\n\n<div><div>b</div></div> "), "a\nb");
  EXPECT_EQ(plain("a<br/><br/> b"), "a\nb");
  EXPECT_EQ(plain("<table><tr><th>a</th><th>b</th></tr><tr><td>c</td><td/></tr></table>"), "a b\nc");
}

TEST(XmlNode, ItemsOfListsAreMarked) {
  EXPECT_EQ(plain("see:<ul> <li>a b</li>\n<li><p>c</p><p>d</p></li></ul>end"), "see:\n- a b\n- c\nd\nend");
  EXPECT_EQ(plain("<ol><li>a<ul><li>b</li></ul></li></ol>"), "- a\n- b");
  EXPECT_EQ(plain("<ul><li> </li></ul>end"), "end") << "an empty item marks nothing";
}

TEST(XmlNode, PreformattedLinesStay) {
  EXPECT_EQ(plain("run<pre>if x:  \n    y  z\n\nend\n</pre>and  wait"), "run\nif x:\n    y  z\n\nend\nand wait");
}

}  // namespace
}  // namespace slipway::feeds

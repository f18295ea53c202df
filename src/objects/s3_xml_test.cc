#include "objects/s3_xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/time_text.h"

namespace slipway::objects {
namespace {

using ::testing::HasSubstr;

TEST(S3XmlTest, ReadsAPageOfAList) {
  const auto page = parse_list_answer(R"(<?xml version="1.0" encoding="UTF-8"?>
<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><KeyCount>2</KeyCount>
<IsTruncated>true</IsTruncated><NextContinuationToken>tok/en==</NextContinuationToken><EncodingType>url</EncodingType>
<Contents><Key>a+b%2Bc%25/%E4%B8%96</Key><LastModified>2026-11-15T20:41:24.000Z</LastModified>
<ETag>&quot;9e107d9d372bb6826bd81d3542a419d6&quot;</ETag><Size>43</Size><Owner><ID>x</ID></Owner></Contents>
<Contents><Key>z</Key><Size>0</Size></Contents></ListBucketResult>)");
  ASSERT_TRUE(page) << page.error().describe();
  ASSERT_EQ(page->objects.size(), 2U);
  EXPECT_EQ(page->objects[0].key, "a b+c%/\xe4\xb8\x96");
  EXPECT_EQ(page->objects[0].size, 43U);
  EXPECT_EQ(page->objects[0].etag, "9e107d9d372bb6826bd81d3542a419d6");
  EXPECT_EQ(page->objects[0].modified, parse_iso8601("2026-11-15T20:41:24Z"));
  EXPECT_EQ(page->objects[1].etag, "");
  EXPECT_TRUE(page->truncated);
  EXPECT_EQ(page->continuation_token, "tok/en==");
}

TEST(S3XmlTest, KeysStandAsTheyAreWhenTheServerDidNotEncodeThem) {
  const auto page = parse_list_answer(
      "<s:ListBucketResult xmlns:s='x'><s:Contents><s:Key>a+b%41 &amp;</s:Key><s:Size>1</s:Size></s:Contents>"
      "<s:NextMarker>a+b</s:NextMarker></s:ListBucketResult>");
  ASSERT_TRUE(page) << page.error().describe();
  EXPECT_EQ(page->objects.at(0).key, "a+b%41 &");
  EXPECT_EQ(page->next_marker, "a+b");
  EXPECT_FALSE(page->truncated);
}

TEST(S3XmlTest, TheEncodingMayBeSaidBeforeOrAfterTheKeys) {
  const auto page = parse_list_answer(
      "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%41</Key></Contents></ListBucketResult>");
  ASSERT_TRUE(page);
  EXPECT_EQ(page->objects.at(0).key, "A");
}

void expect_corrupt(const std::string& xml, const std::string& words) {
  const auto page = parse_list_answer(xml);
  ASSERT_FALSE(page) << xml.substr(0, 80);
  EXPECT_EQ(page.error().kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(page.error().message(), HasSubstr(words));
}

TEST(S3XmlTest, RefusesWhatIsNoList) {
  expect_corrupt("", "no element");
  expect_corrupt("<html><body>hello</body></html>", "not a ListBucketResult");
  expect_corrupt("<ListBucketResult><Contents>", "no element");
  expect_corrupt("<ListBucketResult></Other>", "mismatched");
  expect_corrupt("<ListBucketResult><Contents><Size>1</Size></Contents></ListBucketResult>", "no key");
  expect_corrupt("<ListBucketResult><Contents><Key>a</Key><Size>-1</Size></Contents></ListBucketResult>",
                 "not a number");
  expect_corrupt(
      "<ListBucketResult><Contents><Key>a</Key><Size>99999999999999999999</Size></Contents></ListBucketResult>",
      "not a number");
  expect_corrupt(
      "<ListBucketResult><EncodingType>url</EncodingType><Contents><Key>%4</Key></Contents></ListBucketResult>",
      "badly encoded");
}

TEST(S3XmlTest, RefusesDocumentTypesSoThatNoEntityIsEverDefined) {
  expect_corrupt("<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;&b;\">]><ListBucketResult>&c;</ListBucketResult>",
                 "document type");
  expect_corrupt("<!DOCTYPE a SYSTEM \"file:///etc/passwd\"><ListBucketResult/>", "document type");
  EXPECT_EQ(parse_error_answer("<!DOCTYPE a><Error><Code>X</Code></Error>"), std::nullopt);
}

TEST(S3XmlTest, RefusesDepthLengthAndNumberWithoutEnd) {
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "<a>";
  expect_corrupt(deep, "too deeply");
  expect_corrupt("<ListBucketResult><Contents><Key>" + std::string(20'000, 'a') + "</Key>", "too long");
  std::string many = "<ListBucketResult>";
  for (int i = 0; i < 10'001; ++i) many += "<Contents><Key>a</Key></Contents>";
  expect_corrupt(many, "too many keys");
}

TEST(S3XmlTest, ReadsErrors) {
  const auto error = parse_error_answer(
      "<?xml version='1.0'?><Error><Code>AuthorizationHeaderMalformed</Code><Message>wrong region</Message>"
      "<Region>eu-west-1</Region><Endpoint>b.s3.eu-west-1.amazonaws.com</Endpoint></Error>");
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code, "AuthorizationHeaderMalformed");
  EXPECT_EQ(error->message, "wrong region");
  EXPECT_EQ(error->region, "eu-west-1");
  EXPECT_EQ(error->endpoint, "b.s3.eu-west-1.amazonaws.com");
  EXPECT_EQ(parse_error_answer("<ErrorResponse><Error><Code>X</Code></Error></ErrorResponse>")->code, "X");
  EXPECT_EQ(parse_error_answer("<html>bad gateway</html>"), std::nullopt);
  EXPECT_EQ(parse_error_answer("not xml"), std::nullopt);
}

TEST(S3XmlTest, ETagsLoseTheirQuotes) {
  EXPECT_EQ(bare_etag("\"abc\""), "abc");
  EXPECT_EQ(bare_etag("abc"), "abc");
  EXPECT_EQ(bare_etag("W/\"abc\""), "W/\"abc\"");
  EXPECT_EQ(bare_etag("\""), "\"");
}

}  // namespace
}  // namespace slipway::objects

// Whom the server lets in, and what it says of things that are not there.
#include <string>
#include <vector>

#include "objects/testing/object_source_contract.h"
#include "rgw_fixture.h"

namespace slipway::rgw {
namespace {

using objects::range_of;
using objects::read_range;

class RgwAccessTest : public RgwTest {};

std::vector<std::string> keys_of_all_kinds() {
  return {
      "plain",
      "deep/er/still/deeper.tar.gz",
      "with space/and  two",
      "plus+sign",
      "percent%",
      "looks%20encoded%2F",
      "caf\u00e9/\u20ac/\u65e5\u672c\u8a9e",
      "\U0001f600",
      "unreserved-._~",
      "sub!$&'()*,;=:@",
      "question?mark&x=1#hash",
      "brackets[]{}|^`<>\"\\",
      "..two-dots/dots..",
      std::string(1024, 'k'),
  };
}

TEST_F(RgwAccessTest, SignaturesAreAcceptedForKeysOfAllKinds) {
  for (const auto& key : keys_of_all_kinds()) {
    SCOPED_TRACE(key);
    put(key, "bytes of " + key);
    const auto info = source_->head(key, {});
    ASSERT_TRUE(info) << info.error().describe();
    EXPECT_EQ(info->size, key.size() + 9);
    const auto whole = read_range(*source_, range_of(*info, 0, info->size));
    ASSERT_TRUE(whole.how) << whole.how.error().describe();
    EXPECT_EQ(whole.bytes, "bytes of " + key);
    const auto part = read_range(*source_, range_of(*info, 3, 4));
    ASSERT_TRUE(part.how) << part.how.error().describe();
    EXPECT_EQ(part.bytes, "es o");
    const auto page = source_->list({.prefix = key}, {});
    ASSERT_TRUE(page) << page.error().describe();
    ASSERT_EQ(page->objects.size(), 1U);
    EXPECT_EQ(page->objects[0].key, key);
  }
}

TEST_F(RgwAccessTest, AWrongSecretIsNotLetIn) {
  put("key", "x");
  auto wrong = owner();
  wrong.secret_access_key.back() = wrong.secret_access_key.back() == 'a' ? 'b' : 'a';
  const auto source = open(wrong);
  EXPECT_EQ(kind_of(source->head("key", {})), ErrorKind::kPermission);
  EXPECT_EQ(kind_of(source->list({}, {})), ErrorKind::kPermission);
  const auto read = read_range(*source, {.key = "key", .object_size = 1, .length = 1});
  EXPECT_EQ(kind_of(read.how), ErrorKind::kPermission);
}

TEST_F(RgwAccessTest, AnUnknownAccessKeyIsNotLetIn) {
  put("key", "x");
  auto unknown = owner();
  unknown.access_key_id = "NOBODYHASTHISKEY1234";
  EXPECT_EQ(kind_of(open(unknown)->head("key", {})), ErrorKind::kPermission);
  EXPECT_EQ(kind_of(open(unknown)->list({}, {})), ErrorKind::kPermission);
}

TEST_F(RgwAccessTest, WithoutCredentialsOnlyPublicObjectsAreRead) {
  uploader_->put(bucket_, "public+ key", "for all", Access::kPublicRead);
  put("private", "for some");
  const auto anonymous = open({});
  const auto info = anonymous->head("public+ key", {});
  ASSERT_TRUE(info) << info.error().describe();
  EXPECT_EQ(read_range(*anonymous, range_of(*info, 0, info->size)).bytes, "for all");
  EXPECT_EQ(kind_of(anonymous->head("private", {})), ErrorKind::kPermission);
  EXPECT_EQ(kind_of(anonymous->list({}, {})), ErrorKind::kPermission);
}

// This server knows no temporary credentials of its own making: it lets the token pass. But the token's header is
// signed, and a signature that left it out, or spelt it differently, would be refused.
TEST_F(RgwAccessTest, ASessionTokenIsPartOfWhatIsSigned) {
  put("a b", "x");
  auto with_token = owner();
  with_token.session_token = "FwoGZXIvYXdzEBYaDH+token/with=odd==signs";
  const auto source = open(with_token);
  const auto info = source->head("a b", {});
  ASSERT_TRUE(info) << info.error().describe();
  EXPECT_EQ(read_range(*source, range_of(*info, 0, 1)).bytes, "x");
  EXPECT_TRUE(source->list({}, {}));
}

TEST_F(RgwAccessTest, AMissingKeyIsNotFoundByName) {
  const auto missing = source_->head("no/such key", {});
  ASSERT_EQ(kind_of(missing), ErrorKind::kNotFound);
  EXPECT_THAT(missing.error().describe(), ::testing::HasSubstr("no/such key"));
}

TEST_F(RgwAccessTest, AMissingBucketIsNotFoundByName) {
  const auto source = open_bucket("no-such-bucket", owner(), server().endpoint);
  const auto list = source->list({}, {});
  ASSERT_EQ(kind_of(list), ErrorKind::kNotFound);
  EXPECT_THAT(list.error().describe(), ::testing::HasSubstr("no-such-bucket"));
  EXPECT_EQ(kind_of(source->head("key", {})), ErrorKind::kNotFound);
}

TEST_F(RgwAccessTest, AStaleETagIsAConflict) {
  put("key", "bytes");
  auto info = source_->head("key", {});
  ASSERT_TRUE(info);
  info->etag = "0123456789abcdef0123456789abcdef";
  const auto whole = read_range(*source_, range_of(*info, 0, 5));
  EXPECT_EQ(kind_of(whole.how), ErrorKind::kConflict);
  EXPECT_EQ(whole.bytes, "");
  EXPECT_EQ(kind_of(read_range(*source_, range_of(*info, 1, 2)).how), ErrorKind::kConflict);
}

}  // namespace
}  // namespace slipway::rgw

#include "net/http_url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::net {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(HttpUrlTest, OneSpellingOfAnOrigin) {
  EXPECT_EQ(check_url("http://Host/a/../b?x=1")->key, "http://host:80");
  EXPECT_EQ(check_url("HTTP://host:80?q")->key, "http://host:80");
  EXPECT_EQ(check_url("https://host")->key, "https://host:443");
  EXPECT_EQ(check_url("http://[::1]:8080/x")->key, "http://[::1]:8080");
  EXPECT_EQ(check_url("http://[::1]/x")->key, "http://[::1]:80");
  EXPECT_TRUE(check_url("https://host")->secure);
}

TEST(HttpUrlTest, WhatCannotBeSentIsInvalid) {
  for (const auto* url :
       {"", "host/path", "ftp://host/", "file:///etc/passwd", "http://", "http:///path", "http://:80/",
        "http://host:0/", "http://host:65536/", "http://host:8o/", "http://user:pw@host/", "http://host/a b",
        "http://host/a\r\nX: y", "http://host/\xC3\xA4", "http://host/#top", "http://host\t/"}) {
    const auto checked = check_url(url);
    ASSERT_FALSE(checked) << url;
    EXPECT_EQ(checked.error().kind(), ErrorKind::kInvalid) << url;
  }
}

TEST(HttpUrlTest, MessagesShowNoSecrets) {
  EXPECT_EQ(printable_url("https://h/b/k?list-type=2&prefix=a"), "https://h/b/k?list-type=2&prefix=a");
  EXPECT_EQ(printable_url("https://h/b/k?x=1&X-Amz-Signature=abc"), "https://h/b/k?...");
  EXPECT_EQ(printable_url("https://h/b/k?x-amz-security-token=abc#frag"), "https://h/b/k?...");
  EXPECT_EQ(printable_url("http://user:secret@h/b"), "http://h/b");
  EXPECT_EQ(printable_url("http://h/a\r\nb"), "http://h/a??b");
}

TEST(HttpUrlTest, ErrorsShowNoPassword) {
  const auto checked = check_url("http://user:hunter2@host/");
  ASSERT_FALSE(checked);
  EXPECT_THAT(checked.error().describe(), Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace slipway::net

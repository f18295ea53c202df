#include "net/http_parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace slipway::net {
namespace {

int refused_with(std::string_view text) {
  const auto head = parse_request_head(text);
  return head ? 0 : head.error().status;
}

TEST(HttpParseTest, ARequestIsTakenApart) {
  const auto head = parse_request_head("PUT /a/%2e%2e//b?x=%20&y HTTP/1.1\r\nHost: h\r\nContent-Length: 12\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->method, "PUT");
  EXPECT_EQ(head->target, "/a/%2e%2e//b?x=%20&y");
  EXPECT_EQ(head->path, "/a/%2e%2e//b");
  EXPECT_EQ(head->query, "x=%20&y");
  EXPECT_EQ(head->content_length, 12U);
  EXPECT_TRUE(head->keep_alive);
}

TEST(HttpParseTest, ATargetMayNameItsHost) {
  const auto head = parse_request_head("GET http://other:81/p?q HTTP/1.1\r\nHost: other:81\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->target, "http://other:81/p?q");
  EXPECT_EQ(head->path, "/p");
  EXPECT_EQ(head->query, "q");
}

TEST(HttpParseTest, WhoWantsTheConnectionKept) {
  EXPECT_FALSE(parse_request_head("GET / HTTP/1.1\r\nHost: h\r\nConnection: Close\r\n\r\n")->keep_alive);
  EXPECT_FALSE(parse_request_head("GET / HTTP/1.0\r\n\r\n")->keep_alive);
}

TEST(HttpParseTest, MalformedRequestsAreRefused) {
  using namespace std::string_view_literals;
  for (const auto text : {""sv,
                          "\r\n\r\n"sv,
                          "GET / HTTP/1.1\n\n"sv,
                          "GET /\r\n\r\n"sv,
                          "GET  HTTP/1.1\r\nHost: h\r\n\r\n"sv,
                          "G@T / HTTP/1.1\r\nHost: h\r\n\r\n"sv,
                          "GET a HTTP/1.1\r\nHost: h\r\n\r\n"sv,
                          "GET /a b HTTP/1.1\r\nHost: h\r\n\r\n"sv,
                          "GET /\0 HTTP/1.1\r\nHost: h\r\n\r\n"sv,
                          "GET /\xFF HTTP/1.1\r\nHost: h\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\n\r\n"sv,
                          "GET / JUNK/1.1\r\nHost: h\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nHost: h\r\n folded\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nHost : h\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nHost: h\rX: y\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: -1\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nHost: h\r\nContent-Length: 1, 1\r\n\r\n"sv,
                          "GET / HTTP/1.1\r\nHost: h\r\n\r\nmore"sv,
                          "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"sv}) {
    EXPECT_EQ(refused_with(text), 400) << text;
  }
}

TEST(HttpParseTest, OtherRefusalsSayWhatTheyAre) {
  EXPECT_EQ(refused_with("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), 505);
  EXPECT_EQ(refused_with("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"), 501);
  std::string many = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (std::size_t i = 0; i < kMaxFields; ++i) many += "X: y\r\n";
  EXPECT_EQ(refused_with(many + "\r\n"), 431);
}

TEST(HttpParseTest, AnAnswersHeadIsTakenApart) {
  const auto head = parse_response_head("HTTP/1.1 206 Partial\r\nETag: x\r\n\r\n");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 206);
  EXPECT_EQ(head->headers.get("etag"), "x");
  EXPECT_EQ(parse_response_head("HTTP/2 200\r\n\r\n").error().kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(parse_response_head("HTTP/1.1 abc\r\n\r\n").error().kind(), ErrorKind::kCorrupt);
}

}  // namespace
}  // namespace slipway::net

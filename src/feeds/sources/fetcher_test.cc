#include "feeds/sources/fetcher.h"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/sources/local_tag.h"
#include "net/testing/test_http.h"
#include "sys/fault.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class FetcherTest : public ::testing::Test {
 protected:
  // What a server of one file answers, and was asked.
  struct Web {
    int status = 200;
    std::string body = "data";
    net::Headers headers{};
    std::vector<net::Headers> asked{};
  };

  void serve(const net::ServerRequest& request, net::ResponseWriter& writer) {
    web_.asked.push_back(request.headers);
    if (request.path == "/moved") {
      (void)writer.send(302, {{"Location", "/file.json"}}, "");
    } else if (request.path == "/folder/moved") {
      (void)writer.send(302, {{"Location", "../file.json?x=1"}}, "");
    } else if (request.path == "/loop") {
      (void)writer.send(302, {{"Location", "/loop"}}, "");
    } else {
      (void)writer.send(web_.status, web_.headers, web_.status == 304 ? "" : web_.body);
    }
  }

  Result<Fetched> fetch(const std::string& parts) {
    patience_.reset();
    return fetcher_.fetch("cve", *parse_parts(parts), sys::system_clock(), {}, {}, patience_);
  }
  std::string failure(const std::string& parts) {
    const auto got = fetch(parts);
    return got ? "it did not fail" : got.error().describe();
  }
  [[nodiscard]] std::size_t files_in_cache() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(dir_.file("cache/cve")), fs::directory_iterator()));
  }

  Web web_;
  net::TestServer server_{[this](const auto& request, auto& writer) { serve(request, writer); }};
  sys::TempDir dir_;
  net::HttpClient client_{{.proxies = false}};
  Fetcher fetcher_{client_, {.cache_dir = dir_.file("cache"), .max_size = 1000}};
  std::optional<Patience> patience_;
};

TEST_F(FetcherTest, WhatIsDownloadedIsKeptUnderItsDigestAndAskedForByItsVersion) {
  web_.headers = {{"ETag", "\"one\""}, {"Last-Modified", "Sun, 06 Nov 1994 08:49:37 GMT"}};
  const auto first = fetch(server_.url("/file.json"));
  ASSERT_TRUE(first) << first.error().describe();
  EXPECT_EQ(content(first->parts[0].path), "data");
  EXPECT_EQ(first->parts[0].name, "file.json");
  web_.status = 304;
  const auto second = fetch(server_.url("/file.json"));
  ASSERT_TRUE(second) << second.error().describe();
  EXPECT_EQ(second->tag, first->tag);
  EXPECT_EQ(content(second->parts[0].path), "data");
  EXPECT_EQ(web_.asked.back().get("if-none-match"), "\"one\"");
  EXPECT_EQ(web_.asked.back().get("if-modified-since"), "Sun, 06 Nov 1994 08:49:37 GMT");
}

TEST_F(FetcherTest, AnotherContentIsAnotherTagAndTheOldOneIsRemoved) {
  const auto first = fetch(server_.url("/file.json"));
  web_.body = "other data";
  const auto second = fetch(server_.url("/file.json"));
  ASSERT_TRUE(first && second);
  EXPECT_NE(first->tag, second->tag);
  EXPECT_EQ(content(second->parts[0].path), "other data");
  EXPECT_EQ(files_in_cache(), 2U) << "the bytes and their note";
}

TEST_F(FetcherTest, WhatSomebodyElseHasPutIntoTheFolderStays) {
  fs::create_directories(dir_.file("cache/cve"));
  const auto mine = dir_.file("cache/cve/mirror.json");
  std::ofstream(mine) << "mine";
  std::ofstream(dir_.file("cache/cve/" + std::string(64, 'a'))) << "left by an earlier fetch";
  ASSERT_TRUE(fetch(server_.url("/file.json")));
  EXPECT_EQ(files_in_cache(), 3U) << "it, the bytes and their note";
  const auto local = fetch(mine);
  ASSERT_TRUE(local) << local.error().describe();
  EXPECT_EQ(content(local->parts[0].path), "mine");
}

TEST_F(FetcherTest, ARedirectionMayBeRelative) {
  const auto got = fetch(server_.url("/folder/moved"));
  ASSERT_TRUE(got) << got.error().describe();
  EXPECT_EQ(content(got->parts[0].path), "data");
}

TEST_F(FetcherTest, ACachedFileThatWasDamagedIsDownloadedAgain) {
  web_.headers = {{"ETag", "\"one\""}};
  const auto first = fetch(server_.url("/file.json"));
  ASSERT_TRUE(first);
  std::ofstream(first->parts[0].path) << "d";
  ASSERT_TRUE(fetch(server_.url("/file.json")));
  EXPECT_FALSE(web_.asked.back().get("if-none-match")) << "a 304 would leave us with nothing";
  EXPECT_EQ(content(first->parts[0].path), "data");
}

TEST_F(FetcherTest, MirrorsAreTriedInOrderAndAllAreNamedWhenNoneAnswers) {
  std::ofstream(dir_.file("mirror.json")) << "from the mirror";
  web_.status = 500;
  const auto got = fetch(server_.url("/file.json") + "|" + dir_.file("mirror.json"));
  ASSERT_TRUE(got) << got.error().describe();
  EXPECT_EQ(content(got->parts[0].path), "from the mirror");
  EXPECT_THAT(failure(server_.url("/file.json") + "|" + dir_.file("missing.json")),
              AllOf(HasSubstr("answered 500"), HasSubstr("missing.json")));
}

TEST_F(FetcherTest, AServerThatWantsToBeAskedLaterIsHeard) {
  web_.status = 429;
  web_.headers = {{"Retry-After", "33"}};
  EXPECT_THAT(failure(server_.url("/file.json")), HasSubstr("429"));
  ASSERT_TRUE(patience_);
  EXPECT_EQ(patience_->wait, std::chrono::seconds(33));
}

TEST_F(FetcherTest, RedirectionsAreFollowedButNotForEver) {
  const auto got = fetch(server_.url("/moved"));
  ASSERT_TRUE(got) << got.error().describe();
  EXPECT_EQ(content(got->parts[0].path), "data");
  EXPECT_THAT(failure(server_.url("/loop")), HasSubstr("302"));
}

TEST_F(FetcherTest, WebPagesAndTooMuchAreRefused) {
  web_.body = "\n <!DOCTYPE HTML><html>moved</html>";
  EXPECT_THAT(failure(server_.url("/file.json")), HasSubstr("web page"));
  web_.body = std::string(1001, 'x');
  EXPECT_THAT(failure(server_.url("/file.json")), HasSubstr("larger than 1000 bytes"));
}

TEST_F(FetcherTest, AFullDiskLeavesWhatWasThere) {
  const auto first = fetch(server_.url("/file.json"));
  ASSERT_TRUE(first);
  web_.body = "new";
  {
    const fault::Scope fail("feeds.cache.sync", {.times = 1});
    EXPECT_FALSE(fetch(server_.url("/file.json")));
  }
  EXPECT_EQ(content(first->parts[0].path), "data");
  const auto after = fetch(server_.url("/file.json"));
  ASSERT_TRUE(after) << after.error().describe();
  EXPECT_EQ(content(after->parts[0].path), "new");
  EXPECT_EQ(files_in_cache(), 2U);
}

TEST_F(FetcherTest, AFolderHasATagThatChangesWithItsFiles) {
  fs::create_directories(dir_.file("data/sub"));
  std::ofstream(dir_.file("data/sub/a.json")) << "1";
  const auto one = fetch(dir_.file("data"));
  const auto same = fetch(dir_.file("data"));
  std::ofstream(dir_.file("data/b.json")) << "2";
  const auto two = fetch(dir_.file("data"));
  ASSERT_TRUE(one && same && two);
  EXPECT_EQ(one->tag, same->tag);
  EXPECT_NE(one->tag, two->tag);
}

TEST(PlaceTest, PartsAndTheirMirrors) {
  const auto parts = parse_parts(" https://a.example/x|file:///srv/x%20y  /plain ");
  ASSERT_TRUE(parts) << parts.error().describe();
  ASSERT_EQ(parts->size(), 2U);
  EXPECT_EQ((*parts)[0].places, (std::vector<std::string>{"https://a.example/x", "file:///srv/x%20y"}));
  EXPECT_EQ(local_path("file:///srv/x%20y"), "/srv/x y");
  EXPECT_EQ(local_path("https://a.example/x"), std::nullopt);
  for (const auto* bad : {"relative/path", "ftp://x/y", "https://", "file://host/x", "a||b", "file:///%zz"}) {
    EXPECT_FALSE(parse_parts(bad)) << bad;
  }
}

}  // namespace
}  // namespace slipway::feeds

// Lists longer than a page.
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rgw_fixture.h"

namespace slipway::rgw {
namespace {

class RgwListTest : public RgwTest {
 protected:
  struct Listed {
    std::vector<std::string> keys{};
    int pages = 0;
  };

  Listed list_all(const std::string& prefix, std::uint32_t max_keys) {
    Listed all;
    objects::ListRequest request{.prefix = prefix, .max_keys = max_keys};
    do {
      const auto page = source_->list(request, {});
      EXPECT_TRUE(page) << page.error().describe();
      if (!page) break;
      EXPECT_LE(page->objects.size(), max_keys);
      for (const auto& object : page->objects) {
        EXPECT_EQ(object.size, 5U) << object.key;
        EXPECT_EQ(object.etag, "5d41402abc4b2a76b9719d911017c592") << object.key;  // the MD5 of "hello"
        EXPECT_TRUE(object.modified) << object.key;
        all.keys.push_back(object.key);
      }
      request.after = page->next;
    } while (++all.pages < 100 && !request.after.empty());
    return all;
  }
};

// Every page ends at a key of another kind: what names the next page must survive its own spelling.
std::vector<std::string> eleven_hundred_keys() {
  static constexpr std::string_view kSpellings[] = {"plain", "a b",          "a+b",    "a%b",
                                                    "%2F",   "\u00fc\u20ac", "&<>\"'", "a=b?c#d"};
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < 1100; ++i) {
    keys.push_back(fmt::format("{}/{}-{:04}", i % 2 == 0 ? "even" : "odd", kSpellings[i % std::size(kSpellings)], i));
  }
  return keys;
}

TEST_F(RgwListTest, ListsOverManyPagesHoldEveryKeyOnceInOrder) {
  auto keys = eleven_hundred_keys();
  uploader_->put_all(bucket_, keys, "hello");
  std::ranges::sort(keys);

  const auto by_hundred = list_all("", 100);
  EXPECT_EQ(by_hundred.keys, keys);
  EXPECT_EQ(by_hundred.pages, 11);
  const auto by_thousand = list_all("", 1000);
  EXPECT_EQ(by_thousand.keys, keys);
  EXPECT_EQ(by_thousand.pages, 2);

  std::erase_if(keys, [](const std::string& key) { return !key.starts_with("odd/"); });
  ASSERT_EQ(keys.size(), 550U);
  EXPECT_EQ(list_all("odd/", 99).keys, keys);
  std::erase_if(keys, [](const std::string& key) { return !key.starts_with("odd/a%b-"); });
  ASSERT_FALSE(keys.empty());
  EXPECT_EQ(list_all("odd/a%b-", 7).keys, keys);
}

TEST_F(RgwListTest, AnEmptyBucketIsAnEmptyList) {
  const auto none = list_all("", 1000);
  EXPECT_TRUE(none.keys.empty());
  EXPECT_EQ(none.pages, 1);
}

}  // namespace
}  // namespace slipway::rgw

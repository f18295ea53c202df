#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feeds/query/feed_reader.h"
#include "feeds/query/match_expression.h"
#include "feeds/testing/small_feeds.h"
#include "sys/testing/manual_clock.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class SearchTest : public testing::Test {
 protected:
  SearchTest() {
    make_small_feeds(path_, clock_);
    reader_ = FeedReader::open(path_, clock_).value();
  }
  std::vector<std::string> names(std::string_view text, const SearchOptions& options = {}) {
    const auto hits = reader_->search(text, options);
    if (!hits) return {hits.error().describe()};
    std::vector<std::string> all;
    for (const auto& hit : *hits) all.push_back(hit.what.name);
    return all;
  }

  sys::TempDir folder_;
  const std::string path_ = folder_.file("feeds.db");
  sys::ManualClock clock_;
  std::unique_ptr<FeedReader> reader_;
};

TEST_F(SearchTest, EveryWordMustOccurInWhateverForm) {
  EXPECT_THAT(names("untrusted data deserialize"), UnorderedElementsAre("CWE-502", "5.5.3"));
  EXPECT_THAT(names("untrusted guestbook"), IsEmpty());
  EXPECT_THAT(names("cwe-502"), ElementsAre("CWE-502"));
}

TEST_F(SearchTest, PhrasesAndBeginningsOfWords) {
  EXPECT_THAT(names("\"data untrusted\""), IsEmpty());
  EXPECT_THAT(names("\"untrusted data\""), UnorderedElementsAre("CWE-502", "5.5.3"));
  EXPECT_THAT(names("guestb*"), ElementsAre("CVE-2020-0001"));
  EXPECT_THAT(names("guestb"), IsEmpty());
  EXPECT_THAT(names("\"untrusted dat"), IsEmpty());  // never closed: a phrase to the end
}

TEST_F(SearchTest, ATitleCountsMoreThanADescriptionAndWhatIsTakenBackComesLast) {
  const auto all = names("deserialization");
  ASSERT_EQ(all.size(), 3);
  EXPECT_EQ(all[0], "CWE-502");
  EXPECT_EQ(all[2], "CVE-2020-0002");
  EXPECT_FALSE(reader_->search("deserialization").value()[2].what.is_live());
  const auto gone = reader_->search("\"that nobody knows\"").value();
  ASSERT_EQ(gone.size(), 1);
  EXPECT_TRUE(gone[0].what.gone_since);
}

TEST_F(SearchTest, KindLimitAndOffsetChooseAmongTheHits) {
  EXPECT_THAT(names("deserialization", {.kind = "asvs"}), ElementsAre("5.5.3"));
  EXPECT_THAT(names("deserialization", {.kind = "nothing"}), IsEmpty());
  const auto all = names("deserialization");
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_THAT(names("deserialization", {.limit = 1, .offset = i}), ElementsAre(all[i]));
  }
  EXPECT_THAT(names("deserialization", {.limit = 1, .offset = 3}), IsEmpty());
}

TEST_F(SearchTest, ASnippetMarksWhatWasFound) {
  EXPECT_THAT(reader_->search("guestbook").value().at(0).snippet, HasSubstr("a \x02guestbook\x03"));
  {
    const auto store = FeedStore::open(path_, clock_).value();
    sync_records(*store, "cce",
                 {{.urn = urn_of("nist::cce::CCE-1"),
                   .description = "\x03\x02 sly \x02 marks \x03\x03",
                   .details = Cce{.platform = "", .body = "{}"}}});
  }
  const auto sly = reader_->search("marks").value().at(0).snippet;
  int open = 0;
  for (const char c : sly) {
    if (c == SearchHit::kMarkBegin) ++open;
    if (c == SearchHit::kMarkEnd) --open;
    ASSERT_THAT(open, testing::AnyOf(0, 1)) << sly;
  }
  EXPECT_EQ(open, 0);
}

TEST_F(SearchTest, NothingThatIsTypedIsSyntax) {
  for (const std::string text : {"AND",
                                 "OR",
                                 "NOT",
                                 "NEAR(a b)",
                                 "name : x",
                                 "a AND OR",
                                 "-a",
                                 "^a",
                                 "a + b",
                                 "(",
                                 ")",
                                 "{name} : a",
                                 "a\"b",
                                 "\"\"\"\"",
                                 "a*b*",
                                 "**a",
                                 "a**",
                                 "'; DROP TABLE record; --",
                                 "\xff\xfe\xfd",
                                 "\xe2\x80\x94 x",
                                 "a:b"}) {
    const auto hits = reader_->search(text);
    EXPECT_TRUE(hits || hits.error().kind() == ErrorKind::kInvalid) << text << ": " << hits.error().describe();
  }
  EXPECT_TRUE(reader_->search(std::string("a\0b", 3)));
  std::mt19937 random(7);
  constexpr std::string_view kLetters("a b\"*()^:-+{}',.\\\0\n\xc3\xa9NOTAND", 28);
  for (int i = 0; i < 2'000; ++i) {
    std::string text;
    for (auto length = random() % 24; length > 0; --length) text += kLetters[random() % kLetters.size()];
    const auto hits = reader_->search(text);
    ASSERT_TRUE(hits || hits.error().kind() == ErrorKind::kInvalid) << text << ": " << hits.error().describe();
  }
}

TEST_F(SearchTest, WithoutWordsOrWithTooManyTheRuleIsNamed) {
  EXPECT_THAT(reader_->search(" -- \"\" ").error().message(), HasSubstr("letters or digits"));
  EXPECT_EQ(reader_->search("").error().kind(), ErrorKind::kInvalid);
  std::string many;
  for (int i = 0; i < 64; ++i) many += "word ";
  EXPECT_TRUE(reader_->search(many));
  EXPECT_THAT(reader_->search(many + "word").error().message(), HasSubstr("64 words"));
  EXPECT_TRUE(reader_->search(std::string(100'000, 'x')));
}

TEST(MatchExpression, IsQuotedTextOnly) {
  EXPECT_EQ(match_expression("path traversal*").value(), R"("path" "traversal*"*)");
  EXPECT_EQ(match_expression(R"("a phrase" b"c)").value(), R"("a phrase" "b" "c")");
  EXPECT_EQ(name_phrase("CWE-79").value(), R"(name : "CWE-79")");
  EXPECT_FALSE(name_phrase("--"));
}

}  // namespace
}  // namespace slipway::feeds

#include "archive/zip_stream.h"

#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/memory_source.h"
#include "archive/testing/zip_builder.h"

namespace slipway::archive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using Lengths = ZipForm::Lengths;

constexpr std::array kAllLengths{Lengths::kBefore, Lengths::kBehind, Lengths::kUnmarked,
                                 Lengths::kWide,   Lengths::kBoth,   Lengths::kWideBefore};

Result<std::string> text_of(ByteSource& content) {
  std::string text;
  for (;;) {
    const auto piece = content.next();
    if (!piece) return fail(piece.error());
    if (piece->empty()) return text;
    text.append(reinterpret_cast<const char*>(piece->data()), piece->size());
  }
}

// All files with their content, but those that are called "skipped", of which nothing is read.
Result<std::map<std::string, std::string>> read_all(const std::string& bytes, std::size_t piece = 1UL << 20,
                                                    ZipAllowance allowance = {1UL << 30, 1000}) {
  MemorySource source(bytes, piece);
  ZipStream zip(source, allowance);
  std::map<std::string, std::string> out;
  for (;;) {
    const auto entry = zip.next();
    if (!entry) return fail(entry.error());
    if (*entry == nullptr) return out;
    std::string& text = out[(*entry)->name];
    if ((*entry)->name == "skipped") continue;
    auto read = text_of(zip.content());
    if (!read) return fail(read.error());
    text = std::move(*read);
  }
}

Error failure(const std::string& bytes) {
  const auto all = read_all(bytes);
  return all ? Error(ErrorKind::kInternal, "no failure") : all.error();
}

TEST(ZipStreamTest, ReadsEveryFormInPiecesOfAnySize) {
  const std::string text(200'000, 'x');
  for (const Lengths lengths : kAllLengths) {
    ZipBuilder zip;
    zip.file("skipped", "nobody reads this", {.lengths = lengths});
    zip.file("a", "hello", {.lengths = lengths})
        .file("long", text, {.lengths = lengths})
        .file("d/", "", {.stored = true});
    zip.file("skipped", text, {.lengths = lengths}).file("empty", "", {.lengths = lengths});
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}, std::size_t{1} << 20}) {
      const auto all = read_all(zip.finish(), piece);
      ASSERT_TRUE(all) << static_cast<int>(lengths) << ": " << all.error().message();
      EXPECT_THAT(*all, ElementsAre(Pair("a", "hello"), Pair("d/", ""), Pair("empty", ""), Pair("long", text),
                                    Pair("skipped", "")));
    }
  }
}

TEST(ZipStreamTest, ReadsStoredFilesWhoseLengthIsKnown) {
  for (const Lengths lengths : {Lengths::kBefore, Lengths::kBoth, Lengths::kWideBefore}) {
    ZipBuilder zip;
    zip.file("a", "hello", {.stored = true, .lengths = lengths}).file("skipped", "x", {.stored = true});
    const auto all = read_all(zip.file("b", "end", {.stored = true}).finish(), 3);
    ASSERT_TRUE(all) << all.error().message();
    EXPECT_THAT(*all, ElementsAre(Pair("a", "hello"), Pair("b", "end"), Pair("skipped", "")));
  }
}

TEST(ZipStreamTest, AStoredFileWithoutALengthIsTakenOnlyWhenItIsEmpty) {
  const ZipForm form{.stored = true, .lengths = Lengths::kBehind};
  EXPECT_EQ(failure(ZipBuilder().file("a", "hello", form).finish()).kind(), ErrorKind::kUnsupported);
  const auto all = read_all(ZipBuilder().file("a", "", form).file("b", "1").finish());
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_THAT(*all, ElementsAre(Pair("a", ""), Pair("b", "1")));
}

TEST(ZipStreamTest, AScriptMayStandBefore) {
  const std::string zip = ZipBuilder().file("a", "hello").finish();
  const auto all = read_all("#!/bin/sh\nexec java -jar $0\n" + std::string(70'000, '#') + zip);
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_THAT(*all, ElementsAre(Pair("a", "hello")));
  EXPECT_THAT(failure("#!/bin/sh\n").message(), HasSubstr("no zip behind it"));
  EXPECT_THAT(failure("#!/bin/sh\n" + std::string(3UL << 20, '#') + zip).message(), HasSubstr("no zip behind it"));
}

TEST(ZipStreamTest, OffsetsCountFromTheFilesBeginningOrTheZips) {
  const std::string script = "#!/bin/sh\nexec java -jar $0\n";
  for (const std::uint64_t before : {std::uint64_t{0}, std::uint64_t{script.size()}}) {
    for (const bool wide : {false, true}) {
      ZipBuilder zip;
      zip.file("a", "hello").file("b", "more").list_backwards();
      EXPECT_TRUE(read_all(script + zip.finish({.wide = wide, .before = before})));
    }
  }
  EXPECT_FALSE(read_all(script + ZipBuilder().file("a", "hello").finish({.before = 1})));
}

TEST(ZipStreamTest, TheDirectoryMayHaveAnyOrderAndZip64sForm) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1} << 20}) {
    ZipBuilder zip;
    zip.file("a", "1", {.far = true}).file("a", "2").file("b", "3", {.lengths = Lengths::kWideBefore});
    for (const bool wide : {false, true}) {
      const auto all = read_all(zip.list_backwards().finish({.comment = "a comment", .wide = wide}), piece);
      ASSERT_TRUE(all) << all.error().message();
      EXPECT_THAT(*all, ElementsAre(Pair("a", "2"), Pair("b", "3")));
    }
  }
}

// Before zip64 nothing was known of more.
TEST(ZipStreamTest, TheNumberOfFilesMayBeTheRestOfWhatDoesNotFit) {
  ZipBuilder zip;
  for (int i = 0; i < 65'537; ++i) zip.file("skipped", "", {.stored = true});
  EXPECT_TRUE(read_all(zip.finish(), 1UL << 20, {1000, 100'000}));
  EXPECT_TRUE(read_all(zip.finish({.wide = true}), 1UL << 20, {1000, 100'000}));
}

TEST(ZipStreamTest, ADirectoryThatListsOtherFilesIsCorrupt) {
  const auto says = [](const std::string& bytes) {
    const Error error = failure(bytes);
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt);
    return error.message();
  };
  EXPECT_THAT(says(ZipBuilder().file("a", "x", {.listed_as = "b"}).finish()), HasSubstr("lists b where no such file"));
  EXPECT_THAT(says(ZipBuilder().file("a", "x").file("b", "y", {.unlisted = true}).finish()),
              HasSubstr("lists 1 of the 2 files"));
  EXPECT_THAT(says(ZipBuilder().file("a", "x", {.listed_as = "b"}).file("b", "x", {.listed_as = "a"}).finish()),
              HasSubstr("lists b where no such file"));
  // Only in the directory: there is none before it.
  const std::string whole = ZipBuilder().file("a", "x").finish();
  EXPECT_THAT(says(whole.substr(whole.find("PK\x01\x02"))), HasSubstr("lists a where no such file"));
  // A record twice.
  const std::string record = whole.substr(whole.find("PK\x01\x02"), 46 + 1);
  std::string twice = whole;
  EXPECT_THAT(says(twice.insert(whole.find("PK\x01\x02"), record)), HasSubstr("or twice"));
}

TEST(ZipStreamTest, AnEndThatIsNoneOrNotTheLastIsCorrupt) {
  const std::string zip = ZipBuilder().file("a", "hello").finish();
  const std::string empty = ZipBuilder().finish();
  EXPECT_THAT(failure(empty + zip).message(), HasSubstr("more follows behind the end"));
  EXPECT_THAT(failure(zip + zip).message(), HasSubstr("more follows behind the end"));
  EXPECT_THAT(failure(zip + '\n').message(), HasSubstr("more follows behind the end"));
  EXPECT_THAT(failure(ZipBuilder().finish({.comment = zip})).message(), HasSubstr("another end"));
  const std::size_t end = zip.size() - 22;
  for (const std::size_t at : {10, 12, 16}) {  // the number of files, the directory's size and its offset
    std::string spoilt = zip;
    spoilt[end + at] = static_cast<char>(spoilt[end + at] ^ 1);
    EXPECT_THAT(failure(spoilt).message(), HasSubstr("another directory"));
  }
  const std::string wide = ZipBuilder().file("a", "hello").finish({.wide = true});
  const std::size_t wide_end = wide.find("PK\x06\x06");
  for (const std::size_t at : {11, 32, 40, 48, 56, 64}) {  // its length, the same three, and where it is
    std::string spoilt = wide;
    spoilt[wide_end + at] = static_cast<char>(spoilt[wide_end + at] ^ 1);
    EXPECT_THAT(failure(spoilt).message(), HasSubstr("another directory")) << at;
  }
}

TEST(ZipStreamTest, AnEmptyZipHasNoEntries) {
  const auto all = read_all(ZipBuilder().finish());
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_TRUE(all->empty());
}

TEST(ZipStreamTest, WhatIsNoZipOrIsCutOffIsCorrupt) {
  const std::string zip = ZipBuilder().file("a", "hello").file("b", "more").file("skipped", "x").open_end();
  EXPECT_THAT(failure("").message(), HasSubstr("no zip"));
  EXPECT_THAT(failure("hello, world").message(), HasSubstr("no zip"));
  for (std::size_t length = 4; length <= zip.size(); ++length) {
    const Error error = failure(zip.substr(0, length));
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt) << length << ": " << error.message();
  }
  const std::string whole = ZipBuilder().file("a", "hello").finish({.comment = "of the end", .wide = true});
  for (std::size_t length = 4; length < whole.size(); ++length) {
    const Error error = failure(whole.substr(0, length));
    EXPECT_EQ(error.kind(), ErrorKind::kCorrupt) << length << ": " << error.message();
  }
}

TEST(ZipStreamTest, DamageIsNoticed) {
  const auto spoilt = [](const ZipForm& form) {
    std::string zip = ZipBuilder().file("a", "hello", form).finish();
    zip[31 + 2] = static_cast<char>(zip[31 + 2] ^ 1);
    return failure(zip).kind();
  };
  EXPECT_EQ(spoilt({.stored = true}), ErrorKind::kCorrupt);
  EXPECT_EQ(spoilt({}), ErrorKind::kCorrupt);
  EXPECT_EQ(spoilt({.lengths = Lengths::kBehind}), ErrorKind::kCorrupt);
  std::string between = ZipBuilder().file("a", "hello").open_end() + "garbage";
  EXPECT_EQ(failure(between).kind(), ErrorKind::kCorrupt);
}

TEST(ZipStreamTest, BytesAreGivenBeforeAnythingIsSaidAgainstThem) {
  std::string bytes = ZipBuilder().file("a", "hello").finish();
  bytes[14] = static_cast<char>(bytes[14] ^ 1);  // its digest
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1} << 20}) {
    MemorySource source(bytes, piece);
    ZipAllowance allowance(100, 100);
    ZipStream zip(source, allowance);
    ASSERT_TRUE(zip.next());
    std::string text;
    auto next = zip.content().next();
    for (; next && !next->empty(); next = zip.content().next()) {
      text.append(reinterpret_cast<const char*>(next->data()), next->size());
    }
    EXPECT_EQ(text, "hello");
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().kind(), ErrorKind::kCorrupt);
  }
}

TEST(ZipStreamTest, WhatIsNotTakenIsUnsupported) {
  EXPECT_THAT(failure(ZipBuilder().file("a", "x", {.encrypted = true}).finish()).message(),
              HasSubstr("a in it is encrypted"));
  EXPECT_EQ(failure(ZipBuilder().file("a", "x", {.encrypted = true}).finish()).kind(), ErrorKind::kUnsupported);
  EXPECT_EQ(failure(ZipBuilder().file("a", "x", {.method = 93}).finish()).kind(), ErrorKind::kUnsupported);
  EXPECT_TRUE(read_all(ZipBuilder().file("skipped", "x", {.method = 93}).finish()));
}

TEST(ZipStreamTest, ABombCostsItsAllowance) {
  const std::string bomb(8UL << 20, '\0');
  for (const auto* name : {"a", "skipped"}) {
    const auto all =
        read_all(ZipBuilder().file(name, bomb, {.lengths = Lengths::kBehind}).finish(), 4096, {1UL << 20, 10});
    ASSERT_FALSE(all);
    EXPECT_EQ(all.error().kind(), ErrorKind::kRejected);
  }
  // Nothing is unpacked of what can be passed over.
  EXPECT_TRUE(read_all(ZipBuilder().file("skipped", bomb).finish(), 4096, {1UL << 20, 10}));
  ZipBuilder many;
  for (int i = 0; i < 11; ++i) many.file(std::to_string(i), "");
  EXPECT_THAT(read_all(many.finish(), 4096, {1UL << 20, 10}).error().message(), HasSubstr("more entries"));
}

TEST(ZipStreamTest, AnErrorOfTheSourceComesOut) {
  MemorySource source(ZipBuilder().file("a", "hello").open_end().substr(0, 33));
  source.then_fail(Error(ErrorKind::kIo, "gone"));
  ZipAllowance allowance(100, 100);
  ZipStream zip(source, allowance);
  ASSERT_TRUE(zip.next());
  EXPECT_EQ(text_of(zip.content()).error(), Error(ErrorKind::kIo, "gone"));
}

}  // namespace
}  // namespace slipway::archive

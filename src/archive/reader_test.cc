#include "archive/reader.h"

#include <clocale>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"

namespace slipway::archive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// All entries with their content; the error when it does not come to its end.
Result<std::vector<std::pair<Entry, std::string>>> read_all(std::string_view bytes) {
  const MemoryFile file(bytes);
  FileSource source(file.input().fd, file.input().size, {});
  UnpackMeter meter(Limits{}, bytes.size());
  auto reader = Reader::open(source, meter);
  if (!reader) return fail(reader.error());
  std::vector<std::pair<Entry, std::string>> out;
  for (;;) {
    auto entry = reader->next();
    if (!entry) return fail(entry.error());
    if (*entry == nullptr) return out;
    std::string content((*entry)->size, '\0');
    for (auto piece = reader->read(); !piece || !piece->bytes.empty(); piece = reader->read()) {
      if (!piece) return fail(piece.error());
      content.replace(piece->offset, piece->bytes.size(), reinterpret_cast<const char*>(piece->bytes.data()),
                      piece->bytes.size());
    }
    out.emplace_back(**entry, std::move(content));
  }
}

ErrorKind kind_of(std::string_view bytes) {
  const auto all = read_all(bytes);
  EXPECT_FALSE(all);
  return all ? ErrorKind::kInternal : all.error().kind();
}

Entry only(const TarBuilder& tar) {
  const auto all = read_all(tar.finish());
  EXPECT_TRUE(all) << all.error().message();
  EXPECT_EQ(all->size(), 1);
  return all->front().first;
}

TEST(ReaderTest, GivesWhatHeadersSay) {
  const auto all = read_all(small_rootfs().special("dev", '4').finish());
  ASSERT_TRUE(all) << all.error().message();
  ASSERT_EQ(all->size(), 9);
  const auto& [file, content] = (*all)[2];
  EXPECT_EQ(file.path, "etc/hostname");
  EXPECT_EQ(file.type, EntryType::kFile);
  EXPECT_EQ(file.mode, 0644);
  EXPECT_EQ(file.size, 4);
  EXPECT_EQ(file.mtime, 1'000'000'000);
  EXPECT_EQ(content, "box\n");
  EXPECT_EQ((*all)[7].first.link, "usr/bin");
  EXPECT_EQ(all->back().first.type, EntryType::kBlockDevice);
  EXPECT_EQ(all->back().first.device_minor, 3);
}

TEST(ReaderTest, ReadsEveryCompressionAndNoOther) {
  const std::string tar = small_rootfs().finish();
  for (const auto compression :
       {Compression::kNone, Compression::kGzip, Compression::kZstd, Compression::kXz, Compression::kBzip2}) {
    const auto all = read_all(compress(compression, tar));
    ASSERT_TRUE(all) << to_string(compression) << ": " << all.error().message();
    EXPECT_EQ(all->size(), 8);
  }
  EXPECT_EQ(kind_of("\x1f\x9d" + tar), ErrorKind::kCorrupt);                      // compress
  EXPECT_EQ(kind_of("PK\x03\x04" + std::string(600, 'x')), ErrorKind::kCorrupt);  // zip
  EXPECT_EQ(kind_of("!<arch>\n" + std::string(600, 'x')), ErrorKind::kCorrupt);   // ar
}

TEST(ReaderTest, CompressedTwiceIsRefused) {
  const std::string once = compress(Compression::kGzip, small_rootfs().finish());
  EXPECT_EQ(kind_of(compress(Compression::kGzip, once)), ErrorKind::kUnsupported);
}

TEST(ReaderTest, CutOffAnywhereIsCorrupt) {
  const TarBuilder tar = small_rootfs();
  for (std::size_t end = 0; end < tar.open_end().size() + 512; end += 512) {
    EXPECT_EQ(kind_of(tar.finish().substr(0, end)), ErrorKind::kCorrupt) << end;
    if (end > 0) {
      EXPECT_EQ(kind_of(tar.finish().substr(0, end - 100)), ErrorKind::kCorrupt) << end - 100;
    }
  }
  EXPECT_TRUE(read_all(tar.finish().substr(0, tar.open_end().size() + 512)));  // one block of zeros is an end
}

TEST(ReaderTest, CutOffContentIsCorruptAlsoWhenItIsSkipped) {
  const std::string tar = small_rootfs().file("etc/big", std::string(1UL << 20, 'x')).finish();
  const auto seen = survey_bytes(tar.substr(0, tar.size() / 2));
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().kind(), ErrorKind::kCorrupt);
}

TEST(ReaderTest, CutOffCompressionIsCorrupt) {
  std::string content;
  for (int i = 0; i < 40'000; ++i) content += std::to_string(i * 7919);
  const std::string tar = small_rootfs().file("etc/big", content).finish();
  for (const auto compression : {Compression::kGzip, Compression::kZstd, Compression::kXz, Compression::kBzip2}) {
    const std::string whole = compress(compression, tar);
    for (const std::size_t missing : {1UL, 4UL, 9UL, 100UL, whole.size() / 2, whole.size() - 20}) {
      EXPECT_EQ(kind_of(whole.substr(0, whole.size() - missing)), ErrorKind::kCorrupt)
          << to_string(compression) << " without its last " << missing;
    }
  }
}

TEST(ReaderTest, WhatFollowsTheEndMustBeZeros) {
  const std::string tar = small_rootfs().finish();
  EXPECT_TRUE(read_all(tar + std::string(20'000, '\0')));
  EXPECT_EQ(kind_of(tar + std::string(9000, '\0') + "x"), ErrorKind::kCorrupt);
  EXPECT_EQ(kind_of(tar + tar), ErrorKind::kCorrupt);
  for (const auto compression : {Compression::kGzip, Compression::kZstd, Compression::kXz, Compression::kBzip2}) {
    const std::string packed = compress(compression, tar);
    EXPECT_EQ(kind_of(packed + "something else"), ErrorKind::kCorrupt) << to_string(compression);
  }
  EXPECT_TRUE(read_all(compress(Compression::kGzip, tar) + std::string(1000, '\0')));
}

TEST(ReaderTest, DamagedHeadersAreCorrupt) {
  std::string tar = small_rootfs().finish();
  tar[512 + 3] ^= 1;
  EXPECT_EQ(kind_of(tar), ErrorKind::kCorrupt);
}

TEST(ReaderTest, BadSizesAreCorrupt) {
  using namespace std::string_literals;
  for (const std::string& field : {"-0000000001"s, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"s,
                                   "\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff"s}) {
    TarBuilder tar;
    EXPECT_EQ(kind_of(tar.header({.name = "x", .size_field = field}).content("x").finish()), ErrorKind::kCorrupt);
  }
  for (const char* size : {"-1", "99999999999999999999999", "9223372036854775807"}) {
    EXPECT_EQ(kind_of(TarBuilder().pax({{"size", size}}).file("x", "y").finish()), ErrorKind::kCorrupt) << size;
  }
}

TEST(ReaderTest, NamesAreBytesWhateverTheLocale) {
  const std::string decomposed = "e\xcc\x81";  // e and an accent: must not become one character
  for (const char* locale : {"C", "C.UTF-8"}) {
    std::setlocale(LC_ALL, locale);
    for (const std::string& name : {decomposed, std::string("\xff\xfe"), std::string("\xc3\xa9")}) {
      EXPECT_EQ(only(TarBuilder().file(name, "")).path, name);
      EXPECT_EQ(only(TarBuilder().pax({{"path", name}, {"linkpath", name}}).symlink("x", "y")).path, name);
      EXPECT_EQ(only(TarBuilder().pax({{"linkpath", name}}).symlink("x", "y")).link, name);
      EXPECT_EQ(only(TarBuilder().long_name(name).file("x", "")).path, name);
    }
  }
  std::setlocale(LC_ALL, "C");
}

TEST(ReaderTest, LongNamesAndOverridesCount) {
  const std::string name = std::string(150, 'a') + "/" + std::string(200, 'b');
  EXPECT_EQ(only(TarBuilder().long_name(name).file("short", "")).path, name);
  EXPECT_EQ(only(TarBuilder().long_name(name, 'K').symlink("x", "short")).link, name);
  EXPECT_EQ(only(TarBuilder().pax({{"path", name}}).file("short", "")).path, name);
  EXPECT_EQ(only(TarBuilder().header({.name = "b", .prefix = "a"})).path, "a/b");
  EXPECT_EQ(only(TarBuilder().header({.name = "old", .v7 = true})).path, "old");
  TarBuilder sized;
  sized.pax({{"size", "3"}}).header({.name = "x", .size = 0}).content("abc");
  EXPECT_EQ(only(sized).size, 3);
}

TEST(ReaderTest, ExtendedAttributesAndTimesSurvive) {
  using namespace std::string_literals;
  const Entry entry = only(TarBuilder()
                               .pax({{"mtime", "1234567890.123456789"},
                                     {"uid", "3000000000"},
                                     {"SCHILY.xattr.security.capability", "\x01\0\0\x02"s}})
                               .file("x", ""));
  EXPECT_EQ(entry.mtime, 1234567890);
  EXPECT_EQ(entry.mtime_ns, 123456789);
  EXPECT_EQ(entry.uid, 3'000'000'000);
  EXPECT_THAT(entry.xattrs, ElementsAre(Pair("security.capability", "\x01\0\0\x02"s)));
}

TEST(ReaderTest, AccessListsBecomeTheAttributesThatLinuxHas) {
  using namespace std::string_literals;
  const std::string access =
      "\x02\0\0\0\x01\0\x06\0\xff\xff\xff\xff\x02\0\x04\0\x07\0\0\0\x02\0\x06\0\xe8\x03\0\0"s +
      "\x04\0\x01\0\xff\xff\xff\xff\x08\0\x02\0\x05\0\0\0\x10\0\x06\0\xff\xff\xff\xff\x20\0\0\0\xff\xff\xff\xff"s;
  const std::string standard =
      "\x02\0\0\0\x01\0\x07\0\xff\xff\xff\xff\x04\0\x05\0\xff\xff\xff\xff\x20\0\x04\0\xff\xff\xff\xff"s;
  TarBuilder tar;
  // As GNU tar and as star write them; the named ones in any order.
  tar.pax({{"SCHILY.acl.access",
            "user::rw-\nuser:1000:rw-\nuser:lisa:r--:7\ngroup::--x\ngroup:5:-w-\nmask::rw-\nother::---\n"},
           {"SCHILY.acl.default", "user::rwx,group::r-x,other::r--"}});
  const Entry entry = only(tar.folder("x", 0760));
  EXPECT_THAT(entry.xattrs,
              ElementsAre(Pair("system.posix_acl_access", access), Pair("system.posix_acl_default", standard)));
  EXPECT_EQ(entry.mode, 0660);  // the group's bits are the mask's
}

TEST(ReaderTest, AccessListsThatSayNoMoreThanTheModeAreNone) {
  const Entry entry = only(TarBuilder().pax({{"SCHILY.acl.access", "user::rw-,group::r--,other::r--"}}).file("x", ""));
  EXPECT_THAT(entry.xattrs, ::testing::IsEmpty());
  EXPECT_EQ(entry.mode, 0644);
}

TEST(ReaderTest, AnAccessListOfNamesWithoutNumbersIsNobodysOnLinux) {
  TarBuilder tar;
  tar.pax({{"SCHILY.acl.access", "user::rw-,user:lisa:rwx,group::r--,mask::rw-,other::r--"}});
  const Entry entry = only(tar.file("x", "", 0664));
  ASSERT_EQ(entry.xattrs.size(), 1);
  EXPECT_EQ(entry.xattrs.front().first, "SCHILY.acl.access");
  EXPECT_EQ(entry.mode, 0664);
}

TEST(ReaderTest, TheFractionOfATimeBefore1970CountsDownwards) {
  for (const auto& [text, seconds, nanoseconds] :
       {std::tuple{"-5.25", -6, 750'000'000}, std::tuple{"-0.25", -1, 750'000'000}, std::tuple{"-5", -5, 0},
        std::tuple{"-5.000000001", -6, 999'999'999}, std::tuple{"0.25", 0, 250'000'000}}) {
    const Entry entry = only(TarBuilder().pax({{"mtime", text}}).file("x", ""));
    EXPECT_EQ(entry.mtime, seconds) << text;
    EXPECT_EQ(entry.mtime_ns, nanoseconds) << text;
  }
}

TEST(ReaderTest, GlobalHeadersMayCommentButNotRename) {
  EXPECT_EQ(only(TarBuilder().pax({{"comment", "hello"}}, 'g').file("x", "")).path, "x");
  for (const char* key : {"path", "linkpath", "size", "GNU.sparse.name"}) {
    EXPECT_EQ(kind_of(TarBuilder().pax({{key, "1"}}, 'g').file("x", "").finish()), ErrorKind::kCorrupt) << key;
  }
}

TEST(ReaderTest, ExtendedHeadersThatHideTheirSizeAreCorrupt) {
  using namespace std::string_literals;
  const std::string body = "19 path=etc/x\0/../y\n"s;
  TarBuilder tar;
  tar.header({.name = "p", .type = 'x', .size_field = "\x80\0\0\0\0\0\0\0\0\0\0"s + static_cast<char>(body.size())});
  EXPECT_EQ(kind_of(tar.content(body).file("x", "").finish()), ErrorKind::kCorrupt);
}

TEST(ReaderTest, SparseFilesGiveTheirPieces) {
  TarBuilder tar;
  tar.pax({{"GNU.sparse.major", "1"},
           {"GNU.sparse.minor", "0"},
           {"GNU.sparse.name", "s"},
           {"GNU.sparse.realsize", "5000"}});
  tar.header({.name = "x", .size = 1024}).content("1\n4096\n5\n").content("hello");
  const auto all = read_all(tar.finish());
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_EQ(all->front().first.path, "s");
  EXPECT_EQ(all->front().first.size, 5000);
  EXPECT_EQ(all->front().second, std::string(4096, '\0') + "hello" + std::string(899, '\0'));
}

// libarchive frees its list of pieces then.
TEST(ReaderTest, ASparseFileOfOnePieceIsAPlainFile) {
  TarBuilder tar;
  tar.pax(
      {{"GNU.sparse.major", "1"}, {"GNU.sparse.minor", "0"}, {"GNU.sparse.name", "s"}, {"GNU.sparse.realsize", "5"}});
  tar.header({.name = "x", .size = 1024}).content("1\n0\n5\n").content("hello");
  const auto all = read_all(tar.finish());
  ASSERT_TRUE(all) << all.error().message();
  EXPECT_THAT(all->front().first.sparse, testing::IsEmpty());
  EXPECT_EQ(all->front().second, "hello");
}

}  // namespace
}  // namespace slipway::archive

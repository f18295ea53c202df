// visit(): what survived of an image, to one who reads as much of each file as he likes.
#include <algorithm>
#include <map>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/image.h"
#include "archive/testing/survey_helpers.h"
#include "archive/testing/tar_builder.h"

namespace slipway::archive {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr std::array kCompressions{Compression::kNone, Compression::kGzip, Compression::kZstd};

Result<> append_rest(std::string& to, ByteSource& content) {
  for (;;) {
    const auto piece = content.next();
    if (!piece) return fail(piece.error());
    if (piece->empty()) return {};
    if (piece->size() > 1U << 20) return fail(ErrorKind::kInternal, "a piece of {} bytes", piece->size());
    to.append(reinterpret_cast<const char*>(piece->data()), piece->size());
  }
}

Survey survey_of(const std::string& bytes) {
  auto seen = survey_bytes(bytes);
  if (!seen) throw std::runtime_error(seen.error().message());
  return std::move(*seen);
}

std::map<InodeId, std::string> names_of(const Tree& tree) {
  std::map<InodeId, std::string> names;
  tree.walk([&](NodeId node) { names.emplace(tree.inode_id(node), tree.path(node)); });
  return names;
}

// What `look` makes of each regular file, by its (first) name.
using Look = std::function<Result<>(ByteSource& content, std::string& seen)>;
Result<std::map<std::string, std::string>> visited(const std::string& bytes, const Look& look = {}) {
  const Survey seen = survey_of(bytes);
  const auto names = names_of(seen.tree);
  const MemoryFile file(bytes);
  std::map<std::string, std::string> out;
  auto done = visit(file.input(), seen, {}, [&](InodeId inode, const Entry& entry, ByteSource& content) -> Result<> {
    if (entry.type == EntryType::kFile) {
      std::string& text = out[names.at(inode)];
      return look ? look(content, text) : append_rest(text, content);
    }
    std::string nothing;
    if (auto read = append_rest(nothing, content); !read) return read;
    EXPECT_EQ(nothing, "");
    return {};
  });
  if (!done) return fail(done.error());
  return out;
}

TEST(VisitTest, GivesWhatSurvivedTheMerge) {
  for (const Compression compression : kCompressions) {
    const std::string lower = small_rootfs().file("etc/old", "old").file("etc/both", "lower").finish();
    TarBuilder upper;
    upper.file("etc/.wh.old", "").file("etc/both", "upper").file("bin/new", "new").hard_link("etc/link", "etc/both");
    const std::string image =
        compress(compression, oci_image({compress(compression, lower), compress(compression, upper.finish())}));
    const auto seen = visited(image);
    ASSERT_TRUE(seen) << seen.error().message();
    EXPECT_THAT(*seen, ElementsAre(Pair("etc/both", "upper"), Pair("etc/hostname", "box\n"), Pair("usr/bin/new", "new"),
                                   Pair("usr/bin/true", "#!")));
  }
}

TEST(VisitTest, OneArchiveThatServesAsSeveralLayersIsVisitedForEachFileThatSurvives) {
  const std::string twice = TarBuilder().file("a", "content").finish();
  const auto seen = visited(oci_image({twice, TarBuilder().hard_link("keep", "a").finish(), twice}));
  ASSERT_TRUE(seen) << seen.error().message();
  EXPECT_THAT(*seen, ElementsAre(Pair("a", "content"), Pair("keep", "content")));
}

TEST(VisitTest, OnlyTheWantedAreGiven) {
  const std::string bytes = small_rootfs().finish();
  const Survey seen = survey_of(bytes);
  const MemoryFile file(bytes);
  const auto names = names_of(seen.tree);
  std::vector<std::string> given;
  const auto done = visit(
      file.input(), seen, [&](InodeId inode) { return names.contains(inode) && names.at(inode).starts_with("etc"); },
      [&](InodeId inode, const Entry&, ByteSource&) -> Result<> {
        given.push_back(names.at(inode));
        return {};
      });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_THAT(given, ElementsAre("etc", "etc/hostname"));
}

TEST(VisitTest, ADamagedLayerIsNoticedEvenIfNobodyReadsIt) {
  std::string image = oci_image({small_rootfs().file("a", "content").finish()});
  const Survey seen = survey_of(image);
  image.replace(image.find("content"), 7, "CONTENT");
  const MemoryFile file(image);
  const auto done = visit(file.input(), seen, [](InodeId) { return false; }, {});
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message(), HasSubstr("has the SHA-256"));
}

TEST(VisitTest, AnErrorOfTheVisitorStopsItAndComesOut) {
  int calls = 0;
  const auto done = visited(small_rootfs().finish(), [&](ByteSource&, std::string&) -> Result<> {
    ++calls;
    return fail(ErrorKind::kCancelled, "enough");
  });
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error(), Error(ErrorKind::kCancelled, "enough"));
  EXPECT_EQ(calls, 1);
}

// 100,000 bytes, each of which tells where it stands.
std::string numbered() {
  std::string text;
  while (text.size() < 100'000) text += fmt::format("{:09}\n", text.size());
  return text;
}

TEST(VisitTest, SkippingGoesOnBehindWhatWasSkipped) {
  const std::string text = numbered();
  for (const Compression compression : kCompressions) {
    const std::string bytes = compress(compression, TarBuilder().file("etc/a", text).file("etc/b", "next").finish());
    const auto seen = visited(bytes, [&](ByteSource& content, std::string& to) -> Result<> {
      for (const std::uint64_t count : {10U, 0U, 50'000U, 7U}) {
        const auto gone = content.skip(count);
        if (!gone) return fail(gone.error());
        to += std::to_string(*gone) + " ";
      }
      return append_rest(to, content);
    });
    ASSERT_TRUE(seen) << seen.error().message();
    EXPECT_THAT(*seen, ElementsAre(Pair("etc/a", "10 0 50000 7 " + text.substr(50'017)), Pair("etc/b", "4 0 0 0 ")));
  }
}

TEST(VisitTest, SkippingStopsAtTheEnd) {
  for (const Compression compression : kCompressions) {
    const std::string bytes = compress(compression, TarBuilder().file("etc/a", numbered()).file("b", "1").finish());
    const auto seen = visited(bytes, [](ByteSource& content, std::string& to) -> Result<> {
      const auto first = content.next();
      if (!first) return fail(first.error());
      const auto gone = content.skip(std::numeric_limits<std::uint64_t>::max());
      if (!gone) return fail(gone.error());
      to = std::to_string(first->size() + *gone);
      return append_rest(to, content);
    });
    ASSERT_TRUE(seen) << seen.error().message();
    EXPECT_THAT(*seen, ElementsAre(Pair("b", "1"), Pair("etc/a", "100000")));
  }
}

// 200 KiB, with two pieces of data in it.
TarBuilder sparse_tar() {
  TarBuilder tar;
  tar.pax(
      {{"GNU.sparse.numblocks", "3"}, {"GNU.sparse.size", "204800"}, {"GNU.sparse.map", "4096,4,163840,5,204800,0"}});
  tar.header({.name = "etc/holes", .size = 9}).content("dataother");
  return tar;
}

TEST(VisitTest, HolesReadAsZeros) {
  const auto seen = visited(sparse_tar().finish());
  ASSERT_TRUE(seen) << seen.error().message();
  const std::string& text = seen->at("etc/holes");
  ASSERT_EQ(text.size(), 204'800);
  EXPECT_EQ(text.substr(4096, 4), "data");
  EXPECT_EQ(text.substr(163'840, 5), "other");
  EXPECT_EQ(std::ranges::count(text, '\0'), 204'800 - 9);
}

TEST(VisitTest, HolesAreSkippedLikeData) {
  const auto within = visited(sparse_tar().finish(), [](ByteSource& content, std::string& to) -> Result<> {
    const auto gone = content.skip(4098);
    if (!gone) return fail(gone.error());
    const auto piece = content.next();
    if (!piece) return fail(piece.error());
    to.append(reinterpret_cast<const char*>(piece->data()), piece->size());
    return {};
  });
  ASSERT_TRUE(within) << within.error().message();
  EXPECT_EQ(within->at("etc/holes"), "ta");

  const auto behind = visited(sparse_tar().finish(), [](ByteSource& content, std::string& to) -> Result<> {
    const auto gone = content.skip(163'838);
    if (!gone) return fail(gone.error());
    return append_rest(to, content);
  });
  ASSERT_TRUE(behind) << behind.error().message();
  EXPECT_EQ(behind->at("etc/holes"), std::string("\0\0other", 7) + std::string(40'955, '\0'));
}

// The least that is read of a file at once is some KiB; that is what a tick tells of.
TEST(VisitTest, WhatIsSkippedInAPlainArchiveIsNotRead) {
  TarBuilder tar;
  for (const std::string name : {"etc/a", "etc/b"}) {
    tar.file(name, "head" + std::string(16UL << 20, 'x') + "middle" + std::string(16UL << 20, 'x'));
  }
  const std::string bytes = tar.finish();
  const Survey seen = survey_of(bytes);
  const MemoryFile file(bytes);
  Input input = file.input();
  int reads = 0;
  input.tick = [&](std::uint64_t) -> Result<> {
    ++reads;
    return {};
  };
  int files = 0;
  const auto done = visit(input, seen, {}, [&](InodeId, const Entry& entry, ByteSource& content) -> Result<> {
    if (entry.type != EntryType::kFile) return {};
    const auto head = content.next();
    if (!head) return fail(head.error());
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(head->data()), 4), "head");
    const auto gone = content.skip((16UL << 20) + 4 - head->size());
    if (!gone) return fail(gone.error());
    const auto middle = content.next();
    if (!middle) return fail(middle.error());
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(middle->data()), 6), "middle");
    ++files;
    return {};
  });
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(files, 2);
  EXPECT_LT(reads, 20);
}

}  // namespace
}  // namespace slipway::archive

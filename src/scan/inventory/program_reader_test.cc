#include "scan/inventory/program_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "archive/testing/memory_source.h"
#include "scan/testing/elf_builder.h"
#include "scan/testing/packages.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint32_t kData = ElfBuilder::kReadable | ElfBuilder::kWritable;
constexpr std::uint32_t kCode = ElfBuilder::kReadable | ElfBuilder::kExecutable;

constexpr std::array<ElfForm, 4> kForms{{{true, false}, {true, true}, {false, false}, {false, true}}};

struct Seen {
  std::vector<std::string> packages{};
  std::string error{};
  ErrorKind kind = ErrorKind::kInternal;
};

Seen look(const std::string& bytes, std::size_t piece = 4096) {
  archive::MemorySource source(bytes, piece);
  Finds finds;
  finds.enter("usr/bin/tool", 0);
  const FileInfo file{.path = "usr/bin/tool", .size = bytes.size(), .executable = true};
  const auto read = read_program(file, source, finds);
  Seen seen{.packages = lines_of(finds.take())};
  if (!read) {
    seen.error = read.error().message();
    seen.kind = read.error().kind();
  }
  return seen;
}

const std::string kModules =
    "path\texample.com/tool\n"
    "mod\texample.com/tool\tv1.4.0\th1:x=\n"
    "dep\tgithub.com/a/b\tv0.1.2\th1:y=\n"
    "dep\tgithub.com/old/name\tv1.0.0\n"
    "=>\tgithub.com/new/name\tv1.0.1\th1:z=\n"
    "dep\tgithub.com/local/one\tv2.0.0+incompatible\n"
    "=>\t./vendored\t\n"
    "build\t-compiler=gc\n";

std::string framed(const std::string& modules) { return std::string(16, 'a') + modules + std::string(16, 'b'); }

std::string varint_text(const std::string& text) {
  std::string out;
  std::size_t length = text.size();
  for (; length >= 0x80; length >>= 7U) out += static_cast<char>(length | 0x80U);
  return out + static_cast<char>(length) + text;
}

std::string inline_info(const std::string& version, const std::string& modules) {
  std::string out = "\xff Go buildinf:";
  out += {8, 2};
  out.resize(32);
  return out + varint_text(version) + varint_text(framed(modules));
}

const auto kAllOfThem =
    ElementsAre("golang example.com/tool 1.4.0 usr/bin/tool", "golang github.com/a/b 0.1.2 usr/bin/tool",
                "golang github.com/local/one 2.0.0+incompatible usr/bin/tool",
                "golang github.com/new/name 1.0.1 usr/bin/tool", "golang stdlib 1.21.3 usr/bin/tool");

TEST(ProgramReaderTest, ReadsTheModulesOfGoPrograms) {
  for (const ElfForm form : kForms) {
    ElfBuilder elf(form);
    elf.segment(std::string(5000, '\x90'), kCode).section(".rodata", "constants");
    elf.section(".go.buildinfo", inline_info("go1.21.3", kModules), kData);
    for (const std::size_t piece : {std::size_t{1}, std::size_t{4096}}) {
      const Seen seen = look(elf.finish(), piece);
      EXPECT_EQ(seen.error, "");
      EXPECT_THAT(seen.packages, kAllOfThem);
    }
  }
}

TEST(ProgramReaderTest, FindsThemWithoutSections) {
  ElfBuilder elf;
  elf.segment(std::string(64, '\x90'), kCode);
  elf.segment(std::string(70'000, 'x') + std::string(70'016 - 70'000, 'y') + inline_info("go1.21.3", kModules), kData);
  const Seen seen = look(elf.finish());
  EXPECT_EQ(seen.error, "");
  EXPECT_THAT(seen.packages, kAllOfThem);
}

TEST(ProgramReaderTest, AMarkThatIsNotAlignedIsNone) {
  ElfBuilder elf;
  elf.segment("12345678" + inline_info("go1.21.3", kModules), kData);
  EXPECT_THAT(look(elf.finish()).packages, IsEmpty());
}

// As Go before 1.18 has it. `constants` is where the texts are.
std::string by_pointers(ElfForm form, std::uint32_t constants) {
  ElfBuilder elf(form);
  elf.segment(std::string(100, '\x90'), kCode);
  const std::uint64_t texts = elf.next_address();
  const std::string version = "go1.21.3";
  elf.segment(version + framed(kModules), constants);
  std::string info = "\xff Go buildinf:";
  info += {static_cast<char>(form.wide ? 8 : 4), static_cast<char>(form.big_endian ? 1 : 0)};
  const std::uint64_t variables = elf.next_address() + 32;
  info += elf.address(variables) + elf.address(variables + (form.wide ? 16 : 8));
  info.resize(32);
  info += elf.address(texts) + elf.address(version.size());
  info += elf.address(texts + version.size()) + elf.address(framed(kModules).size());
  return elf.segment(info, kData).finish();
}

TEST(ProgramReaderTest, FollowsThePointersOfOlderOnes) {
  for (const ElfForm form : kForms) {
    for (const std::uint32_t constants : {std::uint32_t{ElfBuilder::kReadable}, kCode}) {
      const Seen seen = look(by_pointers(form, constants));
      EXPECT_EQ(seen.error, "");
      EXPECT_THAT(seen.packages, kAllOfThem);
    }
  }
}

// The linker leaves the variable out of the file when it is empty.
TEST(ProgramReaderTest, OlderOnesThatWereMadeWithoutModulesTellTheVersionOfGo) {
  ElfBuilder elf;
  std::string info = "\xff Go buildinf:";
  info += {8, 0};
  const std::uint64_t at = elf.next_address();
  info += elf.address(at + 32) + elf.address(at + 1000) + elf.address(at + 48) + elf.address(6) + "go1.15";
  std::string bytes = elf.segment(info, kData).finish();
  bytes.replace(64 + 40, 8, elf.number(2000, 8));  // in memory it is larger than in the file
  const Seen seen = look(bytes);
  EXPECT_EQ(seen.error, "");
  EXPECT_THAT(seen.packages, ElementsAre("golang stdlib 1.15 usr/bin/tool"));
}

TEST(ProgramReaderTest, PointersThatLieAreErrors) {
  const auto with_pointer = [](std::uint64_t address) {
    ElfBuilder elf;
    std::string info = "\xff Go buildinf:";
    info += {8, 0};
    info += elf.address(address) + elf.address(address);
    return look(elf.segment(info + std::string(64, '\xff'), kData).finish());
  };
  EXPECT_EQ(with_pointer(0).kind, ErrorKind::kUnsupported);
  EXPECT_EQ(with_pointer(7).kind, ErrorKind::kRejected);
  EXPECT_EQ(with_pointer(UINT64_MAX).kind, ErrorKind::kRejected);
  EXPECT_EQ(with_pointer(ElfBuilder().next_address() + 40).kind, ErrorKind::kCorrupt);  // a length of 2^64 - 1
}

TEST(ProgramReaderTest, LengthsThatLieAreErrors) {
  std::string head = inline_info("", "").substr(0, 32);
  for (const std::string& lie : {std::string("\x7f"), std::string("\xff\xff\xff\xff\x0f"), std::string(12, '\xff'),
                                 varint_text("go1.2") + "\xff\xff\x7f", std::string()}) {
    const Seen seen = look(ElfBuilder().segment(head + lie, kData).finish());
    EXPECT_EQ(seen.kind, ErrorKind::kCorrupt);
    EXPECT_THAT(seen.error, HasSubstr("length"));
    EXPECT_THAT(seen.packages, IsEmpty());
  }
}

TEST(ProgramReaderTest, VersionsOfGo) {
  const auto version = [](const std::string& text) {
    return look(ElfBuilder().segment(inline_info(text, ""), kData).finish()).packages;
  };
  EXPECT_THAT(version("go1.22.1 X:boringcrypto"), ElementsAre("golang stdlib 1.22.1 usr/bin/tool"));
  EXPECT_THAT(version("devel go1.23-5e1e9fa Mon Jan 1"), ElementsAre("golang stdlib 1.23-5e1e9fa usr/bin/tool"));
  EXPECT_THAT(version("devel +abc"), ElementsAre(HasSubstr("unread usr/bin/tool: it was made by Go devel +abc")));
}

TEST(ProgramReaderTest, AMainModuleUnderDevelopmentIsLeftOut) {
  const std::string modules = "path\tx\nmod\tx\t(devel)\t\ndep\ty\tv1.0.0\th1:=\n";
  EXPECT_THAT(look(ElfBuilder().segment(inline_info("go1.20", modules), kData).finish()).packages,
              ElementsAre("golang stdlib 1.20 usr/bin/tool", "golang y 1.0.0 usr/bin/tool"));
}

std::string zlib_of(const std::string& text) {
  uLongf size = ::compressBound(text.size());
  std::string out(size, '\0');
  ::compress2(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(text.data()), text.size(), 9);
  out.resize(size);
  return out;
}

const std::string kCrates = R"({"packages":[
  {"name":"cc","version":"1.0.0","source":"crates.io","kind":"build"},
  {"name":"libc","version":"0.2.1","source":"crates.io"},
  {"name":"serde","version":"1.0.9","source":"crates.io","kind":"runtime","dependencies":[1]},
  {"name":"tool","version":"0.1.0","source":"local","root":true,"dependencies":[1,2]}]})";

TEST(ProgramReaderTest, ReadsTheCratesOfAuditablePrograms) {
  for (const ElfForm form : kForms) {
    ElfBuilder elf(form);
    elf.segment(std::string(5000, '\x90'), kCode).section(".dep-v0", zlib_of(kCrates)).segment("data", kData);
    const Seen seen = look(elf.finish());
    EXPECT_EQ(seen.error, "");
    EXPECT_THAT(seen.packages, ElementsAre("cargo libc 0.2.1 usr/bin/tool", "cargo serde 1.0.9 usr/bin/tool",
                                           "cargo tool 0.1.0 usr/bin/tool"));
  }
}

TEST(ProgramReaderTest, CratesAreFoundWhereConstantsStandWithTheCode) {
  ElfBuilder elf;
  const Seen seen = look(elf.section(".dep-v0", zlib_of(kCrates), kCode).segment("data", kData).finish());
  EXPECT_EQ(seen.error, "");
  EXPECT_EQ(seen.packages.size(), 3);
}

TEST(ProgramReaderTest, ListsOfCratesThatAreNoneAreErrors) {
  const auto with = [](const std::string& section) { return look(ElfBuilder().section(".dep-v0", section).finish()); };
  const std::string whole = zlib_of(kCrates);
  for (const std::string& bad :
       {std::string("no zlib"), whole.substr(0, whole.size() / 2), std::string(), zlib_of("no JSON"), zlib_of("[]"),
        zlib_of(R"({"packages":7})"), zlib_of(R"({"packages":[7]})")}) {
    const Seen seen = with(bad);
    EXPECT_EQ(seen.kind, ErrorKind::kCorrupt) << seen.error;
    EXPECT_THAT(seen.packages, IsEmpty());
  }
  const Seen bomb = with(zlib_of(std::string(100UL << 20, ' ')));
  EXPECT_EQ(bomb.kind, ErrorKind::kRejected) << bomb.error;
}

TEST(ProgramReaderTest, HostileSectionHeadersAreCorrupt) {
  ElfBuilder good;
  good.section(".dep-v0", zlib_of(kCrates)).section(".go.buildinfo", inline_info("go1.20", ""), kData);
  const auto spoilt = [&](auto spoil) {
    ElfBuilder elf = good;
    spoil(elf);
    return look(elf.finish());
  };
  const std::vector<Seen> all{
      spoilt([](ElfBuilder& elf) { elf.section_size = 1; }),
      spoilt([](ElfBuilder& elf) { elf.section_size = 0xffff; }),
      spoilt([](ElfBuilder& elf) { elf.section_count = 0xffff; }),
      spoilt([](ElfBuilder& elf) { elf.section_count = 2; }),  // the names are beyond it
      spoilt([](ElfBuilder& elf) { elf.sections_at = UINT64_MAX - 3; }),
      spoilt([](ElfBuilder& elf) { elf.sections_at = 1ULL << 40U; }),
      look(ElfBuilder().segment(inline_info("go1.20", ""), kData).section_at(".dep-v0", 1ULL << 40U, 5).finish()),
      look(ElfBuilder().segment(inline_info("go1.20", ""), kData).section_at(".dep-v0", 5, UINT64_MAX).finish()),
  };
  for (const Seen& seen : all) {
    EXPECT_EQ(seen.kind, ErrorKind::kCorrupt) << seen.error;
    EXPECT_THAT(seen.packages, ElementsAre("golang stdlib 1.20 usr/bin/tool"));  // what can be read is
  }
}

// Symbols may stand between the names of the sections and their headers.
TEST(ProgramReaderTest, NamesOfSectionsThatWereNotKeptAreSaid) {
  const auto with_symbols = [](std::size_t size) {
    ElfBuilder elf;
    elf.section(".dep-v0", zlib_of(kCrates)).segment("data", kData);
    const std::string plain = elf.finish();
    const std::size_t headers = plain.size() - 3UL * 64;
    elf.sections_at = headers + size;
    return look(elf.finish().substr(0, headers) + std::string(size, 's') + plain.substr(headers), 1UL << 20);
  };
  EXPECT_EQ(with_symbols(8UL << 20).packages.size(), 3);
  EXPECT_EQ(with_symbols(20UL << 20).kind, ErrorKind::kRejected);
}

// As Go's linker has it: the section headers at the front, their names behind the last segment. `behind` follows them.
std::string with_headers_first(ElfBuilder elf, std::size_t sections, const std::string& behind = {}) {
  constexpr std::size_t kAt = 400;
  elf.sections_at = kAt;
  std::string bytes = elf.finish();
  const std::size_t length = (sections + 2) * 64;
  const std::string headers = bytes.substr(bytes.size() - length);
  bytes.resize(bytes.size() - length);
  return bytes.replace(kAt, length, headers) + behind;
}

TEST(ProgramReaderTest, NamesOfSectionsMayStandBehindTheLastSegment) {
  ElfBuilder elf;
  elf.segment(std::string(5000, '\x90'), kCode).section(".dep-v0", zlib_of(kCrates)).segment("data", kData);
  for (const std::size_t behind : {std::size_t{0}, std::size_t{8} << 20}) {
    const Seen seen = look(with_headers_first(elf, 1, std::string(behind, 's')), 1UL << 20);
    EXPECT_EQ(seen.error, "");
    EXPECT_EQ(seen.packages.size(), 3);
  }
}

TEST(ProgramReaderTest, AProgramOfGosIsReadWithoutTheNamesOfItsSections) {
  ElfBuilder elf;
  elf.segment(std::string(5000, '\x90'), kCode);
  elf.section(".go.buildinfo", inline_info("go1.21.3", kModules), kData);
  const std::string symbols(20UL << 20, 's');
  const Seen seen = look(with_headers_first(elf, 1, symbols), 1UL << 20);
  EXPECT_EQ(seen.error, "");
  EXPECT_THAT(seen.packages, kAllOfThem);
  ElfBuilder other;
  other.section(".dep-v0", zlib_of(kCrates)).segment("data", kData);
  EXPECT_EQ(look(with_headers_first(other, 1, symbols), 1UL << 20).kind, ErrorKind::kRejected);
}

// Go's note is at the beginning of its programs; the build information is at the end of much data here.
TEST(ProgramReaderTest, MoreIsKeptOfWhatGoHasMarkedAsItsOwn) {
  using namespace std::string_literals;
  const std::string data = std::string(13UL << 20, 'd') + inline_info("go1.21.3", kModules);
  const std::string note = "\x04\0\0\0\x08\0\0\0\x04\0\0\0Go\0\0build-id"s;
  const auto with = [&](const std::string& first) {
    return look(ElfBuilder().segment(first, ElfBuilder::kReadable).segment(data, kData).finish(), 1UL << 20);
  };
  EXPECT_THAT(with(note).packages, kAllOfThem);
  const Seen other = with("no note");
  EXPECT_EQ(other.kind, ErrorKind::kRejected) << "there may be something in what was not kept";
  EXPECT_THAT(other.error, testing::HasSubstr("too much data"));
  ElfBuilder named;
  named.segment(std::string(13UL << 20, 'd'), kData).section(".other", "x");
  EXPECT_EQ(look(named.finish(), 1UL << 20).error, "") << "its sections tell that there is nothing";
}

TEST(ProgramReaderTest, SectionHeadersOfNoSizeAreCorrupt) {
  std::string elf = ElfBuilder().section(".dep-v0", zlib_of(kCrates)).finish();
  elf[58] = elf[59] = '\0';
  EXPECT_EQ(look(elf).kind, ErrorKind::kCorrupt);
}

TEST(ProgramReaderTest, OverlappingSegmentsAreReadOnce) {
  std::string elf = ElfBuilder().segment("first", 4).segment(inline_info("go1.20", ""), kData).segment("", 4).finish();
  // The first now reaches over all that follows, and the third begins within it.
  elf.replace(64 + 32, 8, ElfBuilder().number(elf.size() - 1024, 8));
  elf.replace(64 + 2 * 56 + 8, 8, ElfBuilder().number(1028, 8));
  elf.replace(64 + 2 * 56 + 32, 8, ElfBuilder().number(10, 8));
  const Seen seen = look(elf);
  EXPECT_EQ(seen.error, "");
  EXPECT_THAT(seen.packages, ElementsAre("golang stdlib 1.20 usr/bin/tool"));
}

TEST(ProgramReaderTest, AProgramThatIsCutOffIsCorrupt) {
  ElfBuilder elf;
  elf.segment(std::string(100, '\x90'), kCode).section(".go.buildinfo", inline_info("go1.21.3", kModules), kData);
  const std::string whole = elf.finish();
  for (std::size_t length = 64; length < whole.size(); length += 13) {
    EXPECT_EQ(look(whole.substr(0, length)).kind, ErrorKind::kCorrupt) << length;
  }
}

TEST(ProgramReaderTest, ProgramHeadersThatMakeNoSenseAreCorrupt) {
  const std::string whole = ElfBuilder().segment("x", kData).finish();
  for (const auto& [at, value] : {std::pair{54, '\0'}, {56, '\0'}, {57, '\x7f'}, {39, '\x7f'}}) {
    std::string elf = whole;
    elf[static_cast<std::size_t>(at)] = value;
    EXPECT_EQ(look(elf).kind, ErrorKind::kCorrupt) << at;
  }
}

TEST(ProgramReaderTest, WhatIsNoProgramIsPassedQuietly) {
  ElfBuilder object;
  object.type = 1;
  for (const std::string& bytes :
       {std::string(),
        std::string("\x7f"
                    "ELF"),
        std::string("#!/bin/sh\n"), std::string(5000, '\0'), object.section(".dep-v0", "x").finish()}) {
    const Seen seen = look(bytes);
    EXPECT_EQ(seen.error, "");
    EXPECT_THAT(seen.packages, IsEmpty());
  }
}

TEST(ProgramReaderTest, WantsProgramsAndLibraries) {
  const auto wants = [](std::string_view path, bool executable) {
    return wants_program({.path = path, .size = 100'000, .executable = executable});
  };
  EXPECT_TRUE(wants("usr/bin/tool", true));
  EXPECT_TRUE(wants("usr/lib/libx.so", false));
  EXPECT_TRUE(wants("usr/lib/libx.so.1.2", false));
  EXPECT_FALSE(wants("usr/bin/tool", false));
  EXPECT_FALSE(wants("etc/ld.so.conf", false));
  EXPECT_FALSE(wants_program({.path = "usr/bin/true", .size = 10, .executable = true}));
}

}  // namespace
}  // namespace slipway::scan

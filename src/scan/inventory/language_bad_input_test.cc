// What every reader of languages' files must bear.
#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "scan/inventory/file_reader.h"
#include "scan/inventory/language_text.h"
#include "scan/testing/read_file.h"
#include "sys/testing/sanitized.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

ReadFile read(std::string_view path, std::string text) { return read_file(language_readers(), path, std::move(text)); }

// A good file for each reader, with one package "a" of version 1.0.0 in it.
struct Sample {
  std::string path{};
  std::string text{};
  bool ends_early = true;  // when it is cut in the middle, that shows
};

void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.path; }

const std::vector<Sample>& samples() {
  static const std::vector<Sample> kAll{
      {"node_modules/a/package.json", "{\"name\": \"a\",\n\"version\": \"1.0.0\"}"},
      {"package-lock.json", "{\"lockfileVersion\": 3,\n\"packages\": {\"node_modules/a\": {\"version\": \"1.0.0\"}}}"},
      {"yarn.lock", "# yarn lockfile v1\n\na@^1:\n  version \"1.0.0\"\n"},
      {"pnpm-lock.yaml", "lockfileVersion: '6.0'\npackages:\n  /a@1.0.0:\n    resolution: {integrity: x}\n"},
      {"bun.lock", "{\"lockfileVersion\": 1,\n\"packages\": {\"a\": [\"a@1.0.0\", \"\", {}, \"x\"],},}"},
      {"a.dist-info/METADATA", "Name: a\nVersion: 1.0.0\n\nbody\n"},
      {"Pipfile.lock", "{\"default\": {\"a\":\n{\"version\": \"==1.0.0\"}}}"},
      {"requirements.txt", "a==1.0.0\n", /*ends_early=*/false},
      {"poetry.lock", "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n"},
      {"uv.lock", "version = 1\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n"},
      {"pylock.toml", "lock-version = \"1.0\"\n[[packages]]\nname = \"a\"\nversion = \"1.0.0\"\n"},
      {"go.mod", "module m\nrequire (\n\ta v1.0.0\n)\n"},
      {"pom.xml",
       "<project><dependencies><dependency>\n<groupId>a</groupId><artifactId>a</artifactId>"
       "<version>1.0.0</version></dependency></dependencies></project>"},
      {"gradle.lockfile", "a:a:1.0.0=runtimeClasspath\n", /*ends_early=*/false},
      {"specifications/a.gemspec", "# stub: a 1.0.0 ruby lib\nGem::Specification.new do |s|\nend\n",
       /*ends_early=*/false},
      {"Gemfile.lock", "GEM\n  specs:\n    a (1.0.0)\n"},
      {"Cargo.lock", "version = 3\n\n[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n"},
      {"composer.lock", "{\"packages\": [\n{\"name\": \"a\", \"version\": \"1.0.0\"}]}"},
      {"vendor/composer/installed.json", "[\n{\"name\": \"a\", \"version\": \"1.0.0\"}]"},
  };
  return kAll;
}

// All texts of packages are valid, or this would fail.
void expect_sendable(const Inventory& found) {
  for (const auto& one : found.packages) {
    EXPECT_TRUE(is_utf8(one.name) && is_utf8(one.version) && is_utf8(one.licence) && is_utf8(one.path));
  }
  for (const auto& one : found.unread) EXPECT_TRUE(is_utf8(one.reason));
}

class LanguageBadInput : public ::testing::TestWithParam<Sample> {
 protected:
  static std::vector<std::string> one_package() {
    return {GetParam().path == "pom.xml" || GetParam().path == "gradle.lockfile" ? "a:a 1.0.0" : "a 1.0.0"};
  }
};

INSTANTIATE_TEST_SUITE_P(AllReaders, LanguageBadInput, ::testing::ValuesIn(samples()), [](const auto& one) {
  std::string name = one.param.path;
  std::erase_if(name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return name;
});

TEST_P(LanguageBadInput, NotAtAllWhenItIsGood) {
  for (const std::size_t piece : {1UL, 3UL, 4096UL}) {
    const auto seen = read_file(language_readers(), GetParam().path, GetParam().text, piece);
    EXPECT_FALSE(seen.error) << seen.error->message();
    EXPECT_TRUE(seen.found.complete());
    EXPECT_EQ(seen.packages(), one_package());
  }
}

TEST_P(LanguageBadInput, CarriageReturnsMakeNoDifference) {
  std::string text;
  for (const char c : GetParam().text) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  const auto seen = read(GetParam().path, text);
  EXPECT_FALSE(seen.error) << seen.error->message();
  EXPECT_EQ(seen.packages(), one_package());
}

TEST_P(LanguageBadInput, AByteOrderMarkMakesNoDifference) {
  const auto seen = read(GetParam().path, "\xEF\xBB\xBF" + GetParam().text);
  EXPECT_FALSE(seen.error) << seen.error->message();
  EXPECT_EQ(seen.packages(), one_package());
}

TEST_P(LanguageBadInput, CutOffAnywhereItNeverCrashesAndNeverInvents) {
  const std::string& text = GetParam().text;
  for (std::size_t size = 0; size < text.size(); ++size) {
    const auto seen = read(GetParam().path, text.substr(0, size));
    EXPECT_LE(seen.packages().size(), 1U) << size;
    expect_sendable(seen.found);
  }
  if (!GetParam().ends_early) return;
  const auto half = read(GetParam().path, text.substr(0, text.find("1.0.0")));
  EXPECT_TRUE(half.error || !half.found.complete() || GetParam().path == "pnpm-lock.yaml");
  EXPECT_THAT(half.packages(), IsEmpty());
}

TEST_P(LanguageBadInput, AnyByteMayBeAnyOther) {
  const std::string& text = GetParam().text;
  for (std::size_t at = 0; at < text.size(); ++at) {
    for (const char c : {'\0', '\xFF', '"', '[', '{', '}', '\\', '\n', ':', '\x80'}) {
      std::string changed = text;
      changed[at] = c;
      const auto seen = read(GetParam().path, changed);
      expect_sendable(seen.found);
      EXPECT_TRUE(!seen.error || is_utf8(seen.error->message()));
    }
  }
}

TEST_P(LanguageBadInput, AnotherKindOfFileOfThatNameIsCorrupt) {
  for (const std::string& text : {std::string("\x7F"
                                              "ELF\0\0\1\2\3",
                                              9),
                                  std::string(1000, '\0')}) {
    const auto seen = read(GetParam().path, text);
    EXPECT_EQ(seen.kind(), ErrorKind::kCorrupt);
    EXPECT_THAT(seen.packages(), IsEmpty());
  }
  if (GetParam().path == "requirements.txt") return;  // any text is one
  EXPECT_EQ(read(GetParam().path, "<html><body>x</body></html>").kind(), ErrorKind::kCorrupt);
}

// Endless, and never given out whole.
class EndlessLine : public archive::ByteSource {
 public:
  explicit EndlessLine(std::string begin) : piece_(std::move(begin)) {}
  Result<std::span<const std::byte>> next() override {
    if (given_ > 0) piece_.assign(64UL << 10, 'x');
    given_ += piece_.size();
    if (given_ > 100'000'000) return std::span<const std::byte>();
    return std::as_bytes(std::span(piece_));
  }
  [[nodiscard]] std::size_t given() const { return given_; }

 private:
  std::string piece_;
  std::size_t given_ = 0;
};

TEST_P(LanguageBadInput, ALineOfAHundredMegabytesIsRejectedBeforeItIsRead) {
  const FileInfo file{.path = GetParam().path, .size = 100'000'000};
  for (const auto& reader : language_readers()) {
    if (!reader.wants(file)) continue;
    EndlessLine line(GetParam().text.substr(0, GetParam().text.find("1.0.0")));
    Finds finds;
    const auto read = reader.read(file, line, finds);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind(), ErrorKind::kRejected) << read.error().message();
    EXPECT_LT(line.given(), 20'000'000U);
    return;
  }
  FAIL() << "nobody wants it";
}

TEST_P(LanguageBadInput, AnErrorOfTheSourceIsGivenOn) {
  const FileInfo file{.path = GetParam().path};
  for (const auto& reader : language_readers()) {
    if (!reader.wants(file)) continue;
    archive::MemorySource source(GetParam().text.substr(0, 5));
    source.then_fail(Error(ErrorKind::kIo, "the disk is gone"));
    Finds finds;
    const auto read = reader.read(file, source, finds);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().kind(), ErrorKind::kIo);
    return;
  }
}

TEST(LanguageBadInputTest, EveryReaderHasASample) { EXPECT_THAT(samples(), SizeIs(language_readers().size())); }

TEST(LanguageBadInputTest, DeepNestingIsCorruptAndNoCrash) {
  constexpr std::size_t kDeep = 200'000;
  const std::string lists(kDeep, '[');
  EXPECT_EQ(read("node_modules/a/package.json", "{\"a\": " + lists).kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("package-lock.json", "{\"packages\": " + lists).kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("composer.lock", "{\"packages\": " + lists).kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("bun.lock", "{\"packages\": " + lists).kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("pnpm-lock.yaml", "packages: " + lists).kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("Cargo.lock", "a = " + lists).kind(), ErrorKind::kCorrupt);
  std::string keys = "a";
  for (std::size_t i = 0; i < kDeep; ++i) keys += ".a";
  EXPECT_EQ(read("Cargo.lock", keys + " = 1\n").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("Cargo.lock", "[[package]]\n[package." + keys + "]\n").kind(), ErrorKind::kCorrupt);
  std::string elements = "<project>";
  for (std::size_t i = 0; i < kDeep; ++i) elements += "<a>";
  EXPECT_EQ(read("pom.xml", elements).kind(), ErrorKind::kCorrupt);
}

TEST(LanguageBadInputTest, ATreeOfFormOneMayBeDeepAndIsReadWithoutTheStack) {
  std::string text = R"({"lockfileVersion": 1, "dependencies": )";
  constexpr int kDeep = 200;
  for (int i = 0; i < kDeep; ++i) text += R"({"a": {"version": "1.0.0", "dependencies": )";
  text += "{}";
  for (int i = 0; i < kDeep; ++i) text += "}}";
  const auto seen = read("package-lock.json", text + "}");
  EXPECT_FALSE(seen.error) << seen.error->message();
  EXPECT_THAT(seen.packages(), ElementsAre("a 1.0.0"));
}

TEST(LanguageBadInputTest, PathsInNamesAreDataAndControlBytesMakeNoName) {
  EXPECT_THAT(read("package-lock.json", R"({"packages": {"node_modules/../../etc/x": {"version": "1"}}})").packages(),
              ElementsAre("../../etc/x 1"));
  for (const auto& [file, text] : std::vector<std::pair<std::string, std::string>>{
           {"package-lock.json", R"({"packages": {"node_modules/\u001b[2J": {"version": "1"}}})"},
           {"package-lock.json", R"({"packages": {"node_modules/a": {"version": "1\n2"}}})"},
           {"Cargo.lock", "[[package]]\nname = \"../\\u0007\"\nversion = \"1\"\n"},
           {"requirements.txt", "../\x1b==1\n"}}) {
    const auto seen = read(file, text);
    EXPECT_THAT(seen.found.packages, IsEmpty()) << text;
    EXPECT_FALSE(seen.found.complete()) << text;
  }
}

TEST(LanguageBadInputTest, WhatIsNotUtf8IsCorruptOrUnread) {
  EXPECT_EQ(read("node_modules/a/package.json", "{\"name\": \"\xE9\", \"version\": \"1\"}").kind(),
            ErrorKind::kCorrupt);
  EXPECT_EQ(read("package-lock.json", "{\"packages\": {\"node_modules/\xE9\": {\"version\": \"1\"}}}").kind(),
            ErrorKind::kCorrupt);
  EXPECT_EQ(read("Cargo.lock", "[[package]]\nname = \"\xE9\"\nversion = \"1\"\n").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read("pnpm-lock.yaml", "lockfileVersion: '6.0'\npackages:\n  /\xE9@1.0.0: {}\n").kind(),
            ErrorKind::kCorrupt);
  const auto text = read("requirements.txt", "\xE9==1\na==1\n");
  EXPECT_THAT(text.packages(), ElementsAre("a 1"));
  EXPECT_THAT(text.unread(), ElementsAre(HasSubstr("not UTF-8")));
  EXPECT_EQ(read("requirements.txt", std::string("\xFF\xFE"
                                                 "a\0=\0",
                                                 6))
                .kind(),
            ErrorKind::kUnsupported);
}

TEST(LanguageBadInputTest, BytesOfTheFileInAnErrorAreShownAsHex) {
  const auto yaml = read("pnpm-lock.yaml", "a: \"\\\xF2\"\n");
  EXPECT_EQ(yaml.kind(), ErrorKind::kCorrupt);
  EXPECT_TRUE(is_utf8(yaml.error->message()));
  const auto json = read("Pipfile.lock", "{\"default\": \xEF\xFF{}}");
  EXPECT_EQ(json.kind(), ErrorKind::kCorrupt);
  EXPECT_TRUE(is_utf8(json.error->message()));
  const auto toml = read("Cargo.lock", "a = \"\\\xF2\"\n");
  EXPECT_EQ(toml.kind(), ErrorKind::kCorrupt);
  EXPECT_TRUE(is_utf8(toml.error->message()));
}

TEST(LanguageBadInputTest, ANameThatIsTooLongIsUnread) {
  const auto seen = read("requirements.txt", std::string(5000, 'a') + "==1\nb==1\n");
  EXPECT_THAT(seen.packages(), ElementsAre("b 1"));
  EXPECT_THAT(seen.unread(), ElementsAre(HasSubstr("too long")));
}

long status_bytes(std::string_view field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field)) return std::stol(line.substr(field.size())) * 1024;
  }
  return 0;
}

struct Use {
  long bytes = 0;  // at most, beyond what was there before
  std::size_t packages = 0;
};

// Measured in a process of its own.
Use use_of(const std::function<void(Finds&)>& act) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::pipe(ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5\n";  // the peak is forgotten
    const long before = status_bytes("VmHWM:");
    Finds finds;
    act(finds);
    const Use use{.bytes = status_bytes("VmHWM:") - before, .packages = finds.take().packages.size()};
    ::_exit(::write(ends[1], &use, sizeof use) == sizeof use ? 0 : 1);
  }
  Use use;
  EXPECT_EQ(::read(ends[0], &use, sizeof use), static_cast<ssize_t>(sizeof use));
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return use;
}

std::string repeated(std::string_view begin, const std::function<std::string(int)>& one, std::string_view end,
                     std::size_t size) {
  std::string text(begin);
  for (int i = 0; text.size() + end.size() + 200 < size; ++i) text += one(i);
  text += end;
  return text;
}

TEST(LanguageMemoryTest, TheLargestFilesFitIntoSixtyFourMegabytes) {
  if (sys::kSanitized) GTEST_SKIP() << "sanitizers take memory of their own";
  const std::vector<std::pair<std::string, std::string>> files{
      {"package-lock.json",
       repeated(
           R"({"lockfileVersion":3,"packages":{)",
           [](int i) {
             return fmt::format(
                 R"("node_modules/p{}":{{"version":"1.0.0","resolved":"https://r.example/p{}.tgz","integrity":"sha512-ggRCXln9zEqv6OqAGXFEcshF5dSBvCkzj6Gm2gzuR5fWawaX8t7cxKVkkygKODrDAzKdoYw3l"}},)",
                 i, i);
           },
           R"("node_modules/a":{"version":"1.0.0"}}})", kLargestLockFile)},
      {"pnpm-lock.yaml",
       repeated(
           "lockfileVersion: '6.0'\npackages:\n",
           [](int i) {
             return fmt::format(
                 "  /p{}@1.0.0:\n    resolution: {{integrity: "
                 "sha512-ggRCXln9zEqv6OqAGXFEcshF5dSBvCkzj6Gm2gzuR5fWawaX8t7cxKVkkygKODrDAzKdoYw3l}}\n",
                 i);
           },
           "", kLargestYaml)},
      {"uv.lock", repeated(
                      "version = 1\n",
                      [](int i) {
                        return fmt::format(
                            "[[package]]\nname = \"p{}\"\nversion = \"1.0.0\"\nwheels = [\n  {{ url = "
                            "\"https://r.example/packages/c2/f1/"
                            "df59e28c642d583f7dacffb1e0965d0e00b218e0186d7858ac5233dce840/p.whl\", size = 1 }},\n]\n",
                            i);
                      },
                      "", kLargestLockFile)},
      {"yarn.lock", repeated(
                        "# yarn lockfile v1\n",
                        [](int i) {
                          return fmt::format(
                              "p{}@^1:\n  version \"1.0.0\"\n  resolved "
                              "\"https://r.example/p{}.tgz#714f1f8d9dde4bdfa55764ba37ef214630d80ef2\"\n",
                              i, i);
                        },
                        "", kLargestLockFile)},
  };
  for (const auto& [path, text] : files) {
    const auto reader =
        std::ranges::find_if(language_readers(), [&](const auto& one) { return one.wants({.path = path}); });
    const Use whole = use_of([&](Finds& finds) {
      archive::MemorySource source(text, 64UL << 10);
      EXPECT_TRUE(reader->read({.path = path}, source, finds));
    });
    // The source's text and the packages are not the reader's.
    const Use given = use_of([&](Finds& finds) {
      const archive::MemorySource source(text);
      for (std::size_t i = 0; i < whole.packages; ++i) {
        finds.add({.type = PackageType::kNpm, .name = fmt::format("p{}", i), .version = "1.0.0"});
      }
    });
    EXPECT_GT(whole.packages, 10'000U) << path;
    EXPECT_LT(whole.bytes - given.bytes, 48L << 20) << path;
    RecordProperty(path, fmt::format("{} KiB, {} packages: {} KiB", (whole.bytes - given.bytes) >> 10, whole.packages,
                                     (given.bytes - static_cast<long>(text.size())) >> 10));
  }
}

}  // namespace
}  // namespace slipway::scan

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scan/inventory/file_reader.h"
#include "scan/inventory/python_names.h"
#include "scan/testing/read_file.h"

namespace slipway::scan {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ReadFile read(std::string_view path, std::string text) { return read_file(language_readers(), path, std::move(text)); }

std::string reader_of(std::string_view path) { return read(path, "").reader; }

ReadFile read_metadata(std::string text) { return read("lib/x-1.0.dist-info/METADATA", std::move(text)); }

TEST(PythonNamesTest, AreNormalisedAsThePep503Says) {
  EXPECT_EQ(normalised_python_name("Friendly-._.Bard"), "friendly-bard");
  EXPECT_EQ(normalised_python_name("zope.interface"), "zope-interface");
  EXPECT_EQ(normalised_python_name("ruamel_yaml"), "ruamel-yaml");
}

TEST(PythonMetadataTest, WhichFilesAreWanted) {
  EXPECT_EQ(reader_of("usr/lib/python3/dist-packages/x-1.0.dist-info/METADATA"), "python");
  EXPECT_EQ(reader_of("usr/lib/python3/dist-packages/x.egg-info/PKG-INFO"), "python");
  EXPECT_EQ(reader_of("usr/lib/python3/dist-packages/x-1.0.egg/EGG-INFO/PKG-INFO"), "python");
  EXPECT_EQ(reader_of("usr/lib/python3/dist-packages/x-1.0-py3.egg-info"), "python");
  EXPECT_EQ(reader_of("usr/lib/python3/dist-packages/x/METADATA"), "");
  EXPECT_EQ(reader_of("src/x-1.0/PKG-INFO"), "");
  EXPECT_EQ(reader_of("usr/lib/x.dist-info/RECORD"), "");
}

TEST(PythonMetadataTest, HeadOfAPackage) {
  const auto seen = read_metadata(
      "Metadata-Version: 2.1\nName: Zope.Interface\nVersion: 5.4.0\nLicense: ZPL 2.1\n"
      "\nName: not this\nVersion: 9\n");
  ASSERT_EQ(seen.packages(), std::vector<std::string>{"zope-interface 5.4.0"});
  EXPECT_EQ(seen.found.packages[0].type, PackageType::kPypi);
  EXPECT_EQ(seen.found.packages[0].licence, "ZPL 2.1");
}

TEST(PythonMetadataTest, LicenceIsTheBestThatIsStated) {
  const auto licence = [](const std::string& lines) {
    const auto seen = read_metadata("Name: x\nVersion: 1\n" + lines);
    return seen.found.packages.empty() ? "no package" : seen.found.packages[0].licence;
  };
  EXPECT_EQ(licence("License: a\nLicense-Expression: MIT OR ISC\n"), "MIT OR ISC");
  EXPECT_EQ(licence("License: UNKNOWN\nClassifier: License :: OSI Approved :: MIT License\n"), "MIT License");
  EXPECT_EQ(licence("License: UNKNOWN\n"), "");
  EXPECT_EQ(licence("License: Copyright (c)\n        All of its text\nClassifier: License :: OSI Approved\n"
                    "Classifier: License :: OSI Approved :: BSD License\n"),
            "BSD License");
  EXPECT_EQ(licence("License: Copyright (c)\n        All of its text\n"), "Copyright (c)");
  EXPECT_EQ(licence("License: Andr\xE9's\n"), "Andr?'s") << "Latin-1, in old packages";
}

TEST(PythonMetadataTest, CarriageReturnsAMarkAndPiecesMakeNoDifference) {
  const std::string text = "\xEF\xBB\xBFName: x\r\nVersion: 1.0\r\n\r\nbody\r\n";
  for (const std::size_t piece : {1UL, 2UL, 7UL, 1000UL}) {
    EXPECT_THAT(read_file(language_readers(), "x.dist-info/METADATA", text, piece).packages(), ElementsAre("x 1.0"));
  }
}

TEST(PythonMetadataTest, ALongDescriptionIsNotRead) {
  const std::string body(3UL << 20, 'x');
  const auto seen = read_file(language_readers(), "x.dist-info/METADATA", "Name: x\nVersion: 1\n\n" + body, 65536);
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.packages(), ElementsAre("x 1"));
}

TEST(PythonMetadataTest, WithoutNameOrVersionItIsCorrupt) {
  EXPECT_EQ(read_metadata("").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read_metadata("Name: x\n").kind(), ErrorKind::kCorrupt);
  EXPECT_EQ(read_metadata("Version: 1\n").kind(), ErrorKind::kCorrupt);
}

TEST(RequirementsTest, OnlyPinsAreVersions) {
  const auto seen = read("app/requirements.txt", R"(# a comment
click==8.0.0
Flask == 2.0.0   # another
extras[security,tests]==1.0 ; python_version < "3"
arbitrary===1.0+local
both>=1,==1.5
brackets (==2.0)
hashed==1.0 \
    --hash=sha256:0123 \
    --hash=sha256:4567
MarkupSafe>2.0.0
wildcard==1.*
variable==${VERSION}
compatible~=1.0
nothing
-r other.txt
-e git+https://r.example/x#egg=x==1.0
--index-url=https://r.example/==1
archive @ https://r.example/x-1.0.zip
)");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.packages(), ElementsAre("arbitrary 1.0+local", "both 1.5", "brackets 2.0", "click 8.0.0",
                                           "extras 1.0", "flask 2.0.0", "hashed 1.0"));
}

TEST(RequirementsTest, ThoseOfInstalledPackagesAreNotWanted) {
  EXPECT_EQ(reader_of("usr/lib/python3/dist-packages/x/requirements.txt"), "");
  EXPECT_EQ(reader_of("app/requirements.txt"), "pip requirements");
}

TEST(PipfileLockTest, DefaultAndNotDevelop) {
  const auto seen = read("Pipfile.lock", R"({"_meta": {"pipfile-spec": 6},
    "default": {"Amqp": {"version": "==2.4.2"}, "folder": {"path": "."}, "r": {"git": "u", "ref": "x"}},
    "develop": {"pytest": {"version": "==1.0"}}})");
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.packages(), ElementsAre("amqp 2.4.2"));
  EXPECT_EQ(read("Pipfile.lock", R"({"a": 1})").kind(), ErrorKind::kCorrupt);
}

TEST(PoetryLockTest, TheMainGroupOfAllForms) {
  const auto seen = read("poetry.lock", R"([[package]]
name = "Click"
version = "8.1.3"
category = "main"

[package.dependencies]
colorama = {version = "*", markers = "platform_system == \"Windows\""}

[[package]]
name = "old-dev"
version = "1.0"
category = "dev"

[[package]]
name = "neither"
version = "2.0"
description = """
[[package]]
name = "a trap"
"""

[[package]]
name = "both"
version = "3.0"
groups = ["dev", "main"]

[[package]]
name = "new-dev"
version = "4.0"
groups = ["dev"]

[metadata]
lock-version = "2.0"
)");
  EXPECT_FALSE(seen.error) << seen.error->message();
  EXPECT_THAT(seen.packages(), ElementsAre("both 3.0", "click 8.1.3", "neither 2.0"));
}

TEST(PoetryLockTest, WithoutPackagesItSaysSo) {
  EXPECT_FALSE(read("poetry.lock", "package = []\n\n[metadata]\nlock-version = \"2.0\"\n").error);
  EXPECT_EQ(read("poetry.lock", "[tool.poetry]\nname = \"x\"\n").kind(), ErrorKind::kCorrupt);
}

TEST(UvLockTest, WhatTheProjectNeedsWithoutItself) {
  const auto seen = read("uv.lock", R"(version = 1
requires-python = ">=3.11"

[[package]]
name = "app"
version = "0.1.0"
source = { editable = "." }
dependencies = [
    { name = "click" },
]

[package.optional-dependencies]
extra = [
    { name = "extra" },
]

[package.dev-dependencies]
dev = [
    { name = "pytest" },
]

[[package]]
name = "click"
version = "8.1.3"
source = { registry = "https://r.example/simple" }
dependencies = [
    { name = "colorama", marker = "sys_platform == 'win32'" },
]

[[package]]
name = "colorama"
version = "0.4.6"
source = { registry = "https://r.example/simple" }

[[package]]
name = "extra"
version = "1.0"

[[package]]
name = "pytest"
version = "7.0"
source = { registry = "https://r.example/simple" }
)");
  EXPECT_FALSE(seen.error) << seen.error->message();
  EXPECT_THAT(seen.unread(), IsEmpty());
  EXPECT_THAT(seen.packages(), ElementsAre("click 8.1.3", "colorama 0.4.6", "extra 1.0"));
}

TEST(PylockTest, PackagesWithSubtables) {
  constexpr std::string_view kText = R"(lock-version = "1.0"
created-by = "x"
[[packages]]
name = "click"
version = "8.1.3"
[[packages.wheels]]
name = "click-8.1.3-py3-none-any.whl"
[packages.wheels.hashes]
sha256 = "0123"
[[packages]]
name = "own"
directory = { path = "." }
[[packages]]
name = "colorama"
version = "0.4.6"
)";
  const auto seen = read("pylock.dev.toml", std::string(kText));
  EXPECT_FALSE(seen.error);
  EXPECT_THAT(seen.unread(), IsEmpty());
  EXPECT_THAT(seen.packages(), ElementsAre("click 8.1.3", "colorama 0.4.6"));
  EXPECT_EQ(reader_of("pylock.toml"), "pylock");
  EXPECT_EQ(reader_of("pylock.x"), "");
}

TEST(TomlLocksTest, ErrorsTellTheLineOfTheFile) {
  const auto seen = read("poetry.lock", "[[package]]\nname = \"a\"\nversion = \"1\"\n\n[[package]]\nname = b\n");
  EXPECT_EQ(seen.kind(), ErrorKind::kCorrupt);
  EXPECT_THAT(seen.error->message(), HasSubstr("line 6"));
  EXPECT_THAT(seen.packages(), ElementsAre("a 1")) << "what came before stays";
}

}  // namespace
}  // namespace slipway::scan

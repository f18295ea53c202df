// The readers beside the programs whose files they read: npm, and Python's importlib. Skipped where these are missing.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/json.h"
#include "scan/inventory/file_reader.h"
#include "scan/inventory/python_names.h"
#include "scan/testing/read_file.h"
#include "sys/testing/command.h"
#include "sys/testing/temp_dir.h"

namespace slipway::scan {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

namespace fs = std::filesystem;

using Names = std::set<std::string>;  // "name version"

std::string contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

Names read_all(const fs::path& top, const std::vector<fs::path>& files) {
  Names names;
  for (const auto& path : files) {
    const auto seen = read_file(language_readers(), fs::relative(path, top).string(), contents(path));
    EXPECT_FALSE(seen.error) << path << ": " << seen.error->message();
    EXPECT_THAT(seen.unread(), IsEmpty()) << path;
    for (const auto& one : seen.packages()) names.insert(one);
  }
  return names;
}

// Of the files below `top` those that a reader of this name wants.
std::vector<fs::path> wanted_by(std::string_view reader, const fs::path& top) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(top)) {
    if (!entry.is_regular_file() || entry.is_symlink()) continue;
    const std::string path = fs::relative(entry.path(), top).string();
    for (const auto& one : language_readers()) {
      if (!one.wants({.path = path})) continue;
      if (one.name == reader) files.push_back(entry.path());
      break;
    }
  }
  return files;
}

class NpmPeer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (sys::find_program("npm").empty()) GTEST_SKIP() << "there is no npm";
  }

  std::string npm(const std::string& folder, std::vector<std::string> words) {
    words.insert(words.begin(), "npm");
    const auto ended = sys::run_to_end(words, {.streams = sys::CommandOptions::Streams::kKept,
                                               .variables = {{"npm_config_cache", dir_.path() + "/cache"},
                                                             {"npm_config_offline", "true"},
                                                             {"npm_config_update_notifier", "false"}},
                                               .folder = folder});
    EXPECT_EQ(ended.code, 0) << ended.err << ended.out;
    return ended.out;
  }

  // A package, packed: the archive's path.
  std::string pack(const std::string& name, const std::string& version, const Json& needs) {
    const std::string folder = fmt::format("{}/src-{}", dir_.path(), count_++);
    Json manifest{{"name", name}, {"version", version}, {"license", "MIT"}, {"dependencies", needs}};
    write(folder + "/package.json", manifest.dump());
    write(folder + "/dist/esm/package.json", R"({"type": "module", "name": "inner", "version": "9.9.9"})");
    write(folder + "/yarn.lock", "not one");
    const Json packed = Json::parse(npm(folder, {"pack", "--json", "--pack-destination", dir_.path()}));
    const Json& first = packed.is_array() ? packed.at(0) : packed.front();
    return "file:" + dir_.path() + "/" + first.at("filename").get<std::string>();
  }

  // b is there twice, once nested; d is for development; an alias and a folder beside.
  std::string make_project() {
    const std::string project = dir_.path() + "/project";
    const auto b1 = pack("b", "1.0.0", Json::object());
    const auto b2 = pack("b", "2.0.0", Json::object());
    const auto scoped = pack("@scope/c", "3.1.0-rc.1", {{"b", b1}});
    const auto a = pack("a", "1.2.3", {{"b", b1}, {"@scope/c", scoped}});
    const auto d = pack("d", "4.0.0", {{"e", pack("e", "5.0.0", Json::object())}});
    write(project + "/own/package.json", R"({"name": "own", "version": "0.0.1"})");
    const Json manifest{{"name", "project"},
                        {"version", "1.0.0"},
                        {"dependencies", {{"a", a}, {"b", b2}, {"own", "file:own"}}},
                        {"devDependencies", {{"d", d}}}};
    write(project + "/package.json", manifest.dump());
    return project;
  }

  // "name version" of all that `npm ls` has below `node`, but links to folders.
  static void collect(const Json& node, Names& names) {
    if (!node.contains("dependencies")) return;
    for (const auto& [name, one] : node.at("dependencies").items()) {
      const auto resolved = one.value("resolved", "");
      const bool is_folder = resolved.starts_with("file:") && !resolved.ends_with(".tgz");
      if (!is_folder) names.insert(name + " " + one.at("version").get<std::string>());
      collect(one, names);
    }
  }

  Names listed(const std::string& project, std::vector<std::string> options) {
    options.insert(options.begin(), {"ls", "--all", "--json"});
    Names names;
    collect(Json::parse(npm(project, options)), names);
    return names;
  }

  sys::TempDir dir_;
  int count_ = 0;
};

TEST_F(NpmPeer, InstalledAndLockedAreWhatNpmLists) {
  const std::string project = make_project();
  for (const auto* const form : {"3", "2", "1"}) {
    fs::remove_all(project + "/node_modules");
    fs::remove(project + "/package-lock.json");
    npm(project, {"install", "--ignore-scripts", "--no-audit", "--no-fund", "--lockfile-version", form});
    const Names all = listed(project, {});
    const Names needed = listed(project, {"--omit=dev"});
    EXPECT_THAT(all, SizeIs(6)) << "form " << form;
    EXPECT_THAT(needed, SizeIs(4)) << "form " << form;
    EXPECT_EQ(read_all(project, wanted_by("npm", project)), all) << "form " << form;
    const auto locks = wanted_by("npm lock", project);
    EXPECT_THAT(locks, SizeIs(1));
    // In form 1 what is not from a registry has an address for its version.
    EXPECT_EQ(read_all(project, locks), std::string_view(form) == "1" ? Names{} : needed) << "form " << form;
  }
}

// Those of the machine: the program's own folders, each of which may hold any packages.
TEST(PythonPeer, InstalledAreWhatImportlibLists) {
  if (sys::find_program("python3").empty()) GTEST_SKIP() << "there is no python3";
  constexpr const char* kList = R"(
import importlib.metadata, json
found = []
for one in importlib.metadata.distributions():
    path = getattr(one, "_path", None)
    if path is not None and one.metadata["Name"] and one.version:
        found.append({"path": str(path), "name": one.metadata["Name"], "version": one.version})
print(json.dumps(found))
)";
  const Json found = Json::parse(sys::run_command({"python3", "-c", kList}));
  if (found.empty()) GTEST_SKIP() << "python3 has no packages";
  for (const auto& one : found) {
    fs::path path = one.at("path").get<std::string>();
    if (fs::is_directory(path)) path /= path.extension() == ".dist-info" ? "METADATA" : "PKG-INFO";
    const auto seen = read_file(language_readers(), path.string().substr(1), contents(path));
    EXPECT_EQ(seen.reader, "python") << path;
    EXPECT_EQ(seen.packages(), std::vector{normalised_python_name(one.at("name").get<std::string>()) + " " +
                                           one.at("version").get<std::string>()})
        << path;
  }
  RecordProperty("packages", static_cast<int>(found.size()));
}

}  // namespace
}  // namespace slipway::scan

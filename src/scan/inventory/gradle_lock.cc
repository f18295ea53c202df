// gradle.lockfile: "group:artifact:version=configuration,configuration" a line, and "empty=" for configurations that
// have nothing.
#include <string>
#include <string_view>
#include <utility>

#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"

namespace slipway::scan {
namespace {

bool wants(const FileInfo& file) { return file.name() == "gradle.lockfile"; }

// Whether all of its configurations are of tests: testCompileClasspath, testRuntimeClasspath.
bool is_for_tests(std::string_view configurations) {
  for (;;) {
    const std::size_t comma = configurations.find(',');
    if (!trimmed(configurations.substr(0, comma)).starts_with("test")) return false;
    if (comma == std::string_view::npos) return true;
    configurations.remove_prefix(comma + 1);
  }
}

// Whether it is a line of a lock file.
bool read_line(std::string_view line, Finds& finds) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return false;
  const auto coordinate = trimmed(line.substr(0, equals));
  if (coordinate == "empty") return true;
  const std::size_t first = coordinate.find(':');
  const std::size_t last = coordinate.rfind(':');
  if (first == last) return false;
  if (is_for_tests(line.substr(equals + 1))) return true;
  add_package(finds, {.type = PackageType::kMaven,
                      .name = std::string(coordinate.substr(0, last)),
                      .version = std::string(coordinate.substr(last + 1))});
  return true;
}

Result<> read(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  auto lines = TextLines::read(content, kLargestLockFile);
  if (!lines) return fail(std::move(lines.error()));
  for (int number = 1; const auto line = lines->next(); ++number) {
    const auto text = trimmed(*line);
    if (text.empty() || text.starts_with('#')) continue;
    if (!read_line(text, finds)) return fail(ErrorKind::kCorrupt, "line {} is none of a lock file of Gradle", number);
  }
  return {};
}

}  // namespace

FileReader gradle_lock_reader() { return {.name = "gradle lock", .wants = wants, .read = read}; }

}  // namespace slipway::scan

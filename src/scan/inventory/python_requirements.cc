// requirements.txt: only what is pinned to one version ("x==1.0") tells what is installed.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "scan/inventory/language_files.h"
#include "scan/inventory/language_text.h"
#include "scan/inventory/python_names.h"

namespace slipway::scan {
namespace {

bool wants(const FileInfo& file) {
  return file.name() == "requirements.txt" && !is_within(file.path, "site-packages") &&
         !is_within(file.path, "dist-packages");
}

// '#' begins a comment at the beginning of a line or behind a blank.
std::string_view without_comment(std::string_view line) {
  for (std::size_t at = line.find('#'); at != std::string_view::npos; at = line.find('#', at + 1)) {
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return line.substr(0, at);
  }
  return line;
}

// The version of a list of specifiers ("==1.0, !=1.1") that allows one alone; empty: it allows more.
std::string_view pinned_version(std::string_view specifiers) {
  for (;;) {
    const std::size_t comma = specifiers.find(',');
    auto one = trimmed(specifiers.substr(0, comma));
    if (one.starts_with("==")) {
      one.remove_prefix(one.starts_with("===") ? 3 : 2);
      const auto version = take_word(one);
      if (version.find_first_of("*${}") == std::string_view::npos) return version;
    }
    if (comma == std::string_view::npos) return {};
    specifiers.remove_prefix(comma + 1);
  }
}

// x[extra]==1.0 ; python_version < "3" --hash=sha256:...
void read_requirement(std::string_view line, Finds& finds) {
  line = trimmed(line);
  if (line.empty() || line.starts_with('-')) return;
  line = line.substr(0, line.find(';'));
  line = line.substr(0, line.find(" --"));
  const std::size_t end = line.find_first_of(" \t[=<>!~@(");
  if (end == std::string_view::npos) return;
  const auto name = line.substr(0, end);
  auto rest = trimmed(line.substr(end));
  if (rest.starts_with('[')) {
    const std::size_t close = rest.find(']');
    if (close == std::string_view::npos) return;
    rest = trimmed(rest.substr(close + 1));
  }
  if (rest.starts_with('(') && rest.ends_with(')')) rest = rest.substr(1, rest.size() - 2);
  const auto version = pinned_version(rest);
  if (!version.empty()) add_package(finds, python_package(name, version));
}

Result<> read(const FileInfo&, archive::ByteSource& content, Finds& finds) {
  auto lines = TextLines::read(content, kLargestManifest);
  if (!lines) return fail(std::move(lines.error()));
  std::string joined;  // of lines that go on
  while (const auto line = lines->next()) {
    const auto text = without_comment(*line);
    joined += text;
    if (joined.ends_with('\\')) {
      joined.back() = ' ';
      continue;
    }
    read_requirement(joined, finds);
    joined.clear();
  }
  read_requirement(joined, finds);
  return {};
}

}  // namespace

FileReader python_requirements_reader() { return {.name = "pip requirements", .wants = wants, .read = read}; }

}  // namespace slipway::scan

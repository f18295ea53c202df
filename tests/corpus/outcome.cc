#include "outcome.h"

#include <cerrno>
#include <set>
#include <stdexcept>

#include <sys/resource.h>
#include <sys/wait.h>

#include "archive/image.h"
#include "archive/testing/inspector_program.h"
#include "archive/testing/survey_helpers.h"
#include "base/digest.h"
#include "base/json.h"
#include "sys/testing/child_process.h"

namespace slipway::corpus {
namespace {

// Texts travel as lists of numbers: the test wants every byte as the inspector gave it, and JSON holds only UTF-8.
Json bytes_of(const std::string& text) {
  Json bytes = Json::array();
  for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
  return bytes;
}

std::string text_of(const Json& bytes) {
  std::string text;
  for (const Json& byte : bytes) text.push_back(static_cast<char>(byte.get<unsigned char>()));
  return text;
}

Json to_json(const Result<archive::Inspection>& seen) {
  if (!seen) {
    return {{"error", to_string(seen.error().kind())},
            {"message", bytes_of(seen.error().message())},
            {"hint", bytes_of(seen.error().hint())}};
  }
  Json findings = Json::array();
  for (const archive::Finding& finding : seen->findings) {
    findings.push_back({bytes_of(finding.rule), bytes_of(finding.entry), bytes_of(finding.detail)});
  }
  return {{"kind", to_string(seen->kind)},
          {"layers", seen->layers},
          {"files", seen->files},
          {"total_size", seen->total_size},
          {"findings", std::move(findings)}};
}

// The tree does not leave the inspector's child: what passed is surveyed here once more.
std::string tree_digest(const std::string& file, const archive::Policy& policy) {
  const auto opened = archive::open_image_file(file);
  if (!opened) throw std::runtime_error(opened.error().message());
  const auto seen = archive::survey({.fd = opened->fd.get(), .size = opened->size, .tick = {}}, policy);
  if (!seen) throw std::runtime_error(seen.error().message());
  return sha256_hex(archive::listing(seen->tree)).substr(0, 16);
}

void add_cost(Json& json) {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto milliseconds = [](const timeval& time) { return time.tv_sec * 1000 + time.tv_usec / 1000; };
  json["cpu"] = milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
  json["peak"] = used.ru_maxrss;
  json["children_left"] = !(::waitpid(-1, nullptr, WNOHANG | __WALL) == -1 && errno == ECHILD);
}

Outcome from_json(const Json& json) {
  Outcome outcome{
      .cpu_milliseconds = json.at("cpu"), .peak_kibibytes = json.at("peak"), .children_left = json.at("children_left")};
  if (json.contains("error")) {
    const auto kind = parse_error_kind(json["error"].get<std::string>());
    if (!kind) throw std::runtime_error("an error of no known kind");
    outcome.error = Error(*kind, text_of(json["message"])).with_hint(text_of(json["hint"]));
    return outcome;
  }
  outcome.kind = json["kind"];
  outcome.layers = json["layers"];
  outcome.files = json["files"];
  outcome.total_size = json["total_size"];
  outcome.tree = json["tree"];
  for (const Json& finding : json["findings"]) {
    outcome.findings.push_back(
        {.rule = text_of(finding[0]), .entry = text_of(finding[1]), .detail = text_of(finding[2])});
  }
  return outcome;
}

}  // namespace

Outcome inspect(const std::string& file, const archive::Policy& policy) {
  sys::ChildProcess process([&](const sys::ChildProcess::Voice& voice) {
    const archive::Inspector inspector(archive::test_inspector());
    const auto seen = inspector.inspect(file, policy, {}, {});
    Json json = to_json(seen);
    add_cost(json);
    if (seen) json["tree"] = tree_digest(file, policy);
    voice.say(json.dump());
    return 0;
  });
  const std::string line = process.hear();
  process.wait();
  const Json json = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) throw std::runtime_error("the inspection of " + file + " ended without an outcome");
  return from_json(json);
}

std::vector<std::string> rules_of(const Outcome& outcome) {
  std::set<std::string> rules;
  for (const archive::Finding& finding : outcome.findings) rules.insert(finding.rule);
  return {rules.begin(), rules.end()};
}

}  // namespace slipway::corpus

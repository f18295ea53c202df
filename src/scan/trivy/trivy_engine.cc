#include "scan/trivy/trivy_engine.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <system_error>
#include <utility>

namespace slipway::scan {
namespace {

// Where it finds programs, its data, the network and the certificates of hosts; from where it fetches its data, and as
// whom. None of these changes what a report says.
constexpr std::array<std::string_view, 23> kPassedOn{"PATH",
                                                     "HOME",
                                                     "TMPDIR",
                                                     "TZ",
                                                     "LANG",
                                                     "XDG_CACHE_HOME",
                                                     "XDG_DATA_HOME",
                                                     "DOCKER_CONFIG",
                                                     "SSL_CERT_FILE",
                                                     "SSL_CERT_DIR",
                                                     "HTTP_PROXY",
                                                     "HTTPS_PROXY",
                                                     "NO_PROXY",
                                                     "http_proxy",
                                                     "https_proxy",
                                                     "no_proxy",
                                                     "TRIVY_CACHE_DIR",
                                                     "TRIVY_DB_REPOSITORY",
                                                     "TRIVY_JAVA_DB_REPOSITORY",
                                                     "TRIVY_INSECURE",
                                                     "TRIVY_USERNAME",
                                                     "TRIVY_PASSWORD",
                                                     "TRIVY_REGISTRY_TOKEN"};

constexpr std::size_t kLinesOfFailure = 3;
constexpr auto kTimeForVersion = std::chrono::milliseconds(std::chrono::seconds(30));
constexpr std::string_view kWayOut = "install trivy, or set scan_engine: builtin";

std::vector<std::string> passed_on(const std::vector<std::string>& environment) {
  std::vector<std::string> some;
  for (const auto& one : environment) {
    const std::string_view name = std::string_view(one).substr(0, one.find('='));
    if (std::ranges::find(kPassedOn, name) != kPassedOn.end()) some.push_back(one);
  }
  return some;
}

// As Trivy calls them. It knows nothing below LOW.
std::string severity_list(const std::vector<Severity>& severities) {
  std::string list;
  for (const auto severity :
       {Severity::kUnknown, Severity::kLow, Severity::kMedium, Severity::kHigh, Severity::kCritical}) {
    const auto wanted = std::ranges::any_of(severities, [&](Severity one) {
      return one == severity || (one == Severity::kNegligible && severity == Severity::kLow);
    });
    if (!wanted) continue;
    if (!list.empty()) list += ',';
    for (const char c : to_string(severity)) list += static_cast<char>(c & ~0x20);
  }
  return list;
}

Error not_installed(const std::string& program) {
  return Error(ErrorKind::kNotFound, fmt::format("{} is not installed", program)).with_hint(std::string(kWayOut));
}

Error failure(const sys::ProgramEnd& said) {
  auto words = sys::last_lines(said.err, kLinesOfFailure);
  if (words.empty()) words = "it does not say why";
  return {ErrorKind::kUnavailable, said.end.signalled
                                       ? fmt::format("trivy was ended by signal {}: {}", said.end.code, words)
                                       : fmt::format("trivy failed with {}: {}", said.end.code, words)};
}

// What it says when all went well.
Result<std::string> ask(const TrivyEngine& engine, std::vector<std::string> arguments,
                        std::chrono::milliseconds timeout, const std::stop_token& stop) {
  const auto executable = sys::find_program(engine.program, sys::variable(engine.environment, "PATH"));
  if (!executable) return fail(not_installed(engine.program));
  auto said = sys::run_program({.executable = *executable,
                                .arguments = std::move(arguments),
                                .environment = passed_on(engine.environment),
                                .folder = "/",
                                .timeout = timeout,
                                .most_output = engine.most_output},
                               stop);
  if (!said) {
    if (said.error().kind() == ErrorKind::kNotFound) return fail(not_installed(*executable));
    return said.error().during("run trivy");
  }
  if (!said->ok()) return fail(failure(*said));
  return std::move(said->out);
}

// Since it is not started where we are.
std::string whole_path(const std::filesystem::path& path) {
  std::error_code error;
  const auto whole = std::filesystem::absolute(path, error);
  return error ? path.string() : whole.string();
}

std::vector<std::string> cache_arguments(const TrivyEngine& engine) {
  if (engine.cache_dir.empty()) return {};
  return {"--cache-dir", whole_path(engine.cache_dir)};
}

}  // namespace

Result<TrivyVersion> TrivyEngine::version(const std::stop_token& stop) const {
  auto arguments = cache_arguments(*this);
  arguments.insert(arguments.end(), {"--version", "--format", "json"});
  auto said = ask(*this, std::move(arguments), std::min(timeout, kTimeForVersion), stop);
  if (!said) return fail(std::move(said.error()));
  return read_trivy_version(*said);
}

Result<TrivyAnswer> TrivyEngine::scan_sbom(const std::filesystem::path& sbom, const std::stop_token& stop) const {
  std::vector<std::string> arguments{"sbom", "--format", "json"};
  if (const auto list = severity_list(severities); !list.empty())
    arguments.insert(arguments.end(), {"--severity", list});
  arguments.emplace_back("--quiet");
  for (auto& one : cache_arguments(*this)) arguments.push_back(std::move(one));
  if (skip_db_update) arguments.emplace_back("--skip-db-update");
  arguments.push_back(whole_path(sbom));  // which begins with no dash
  const auto said = ask(*this, std::move(arguments), timeout, stop);
  if (!said) return fail(said.error());
  auto findings = read_trivy_report(*said);
  if (!findings) return findings.error().during("read what trivy answered");
  // Only now: the scan may have fetched newer data. A report is good without it.
  const auto told = version(stop);
  if (!told && told.error().kind() == ErrorKind::kCancelled) return fail(told.error());
  const auto known = told.value_or(TrivyVersion{});
  return TrivyAnswer{.findings = std::move(*findings),
                     .engine = known.version.empty() ? "trivy" : "trivy " + known.version,
                     .database = known.database};
}

}  // namespace slipway::scan

#include "scan/trivy/trivy_engine.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/system_error.h"

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
constexpr int kSbomNumber = 3;  // of the SBOM's descriptor, in Trivy
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

Result<sys::Descriptor> in_memory(std::string_view text) {
  sys::Descriptor fd(::memfd_create("sbom.cdx.json", MFD_CLOEXEC));
  if (!fd) return fail(sys::system_error("make", "a file in memory", errno));
  while (!text.empty()) {
    const auto put = ::write(fd.get(), text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail(sys::system_error("write", "a file in memory", errno));
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return fd;
}

struct Asking {
  std::vector<std::string> arguments{};
  std::vector<std::pair<int, int>> descriptors{};
  std::chrono::milliseconds timeout{};
};

// What it says when all went well.
Result<std::string> ask(const TrivyEngine& engine, Asking asking, const std::stop_token& stop) {
  const auto executable = sys::find_program(engine.program, sys::variable(engine.environment, "PATH"));
  if (!executable) return fail(not_installed(engine.program));
  auto said = sys::run_program({.executable = *executable,
                                .arguments = std::move(asking.arguments),
                                .environment = passed_on(engine.environment),
                                .descriptors = std::move(asking.descriptors),
                                .folder = "/",
                                .timeout = asking.timeout,
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
  auto said = ask(*this, {.arguments = std::move(arguments), .timeout = std::min(timeout, kTimeForVersion)}, stop);
  if (!said) return fail(std::move(said.error()));
  return read_trivy_version(*said);
}

Result<TrivyAnswer> TrivyEngine::scan_sbom(std::string_view sbom, const std::vector<Severity>& severities,
                                           const std::stop_token& stop) const {
  const auto file = in_memory(sbom);
  if (!file) return fail(file.error());
  // All packages: only so can what it has judged and found clean be told from what it does not know.
  std::vector<std::string> arguments{"sbom", "--format", "json", "--list-all-pkgs"};
  if (const auto list = severity_list(severities); !list.empty())
    arguments.insert(arguments.end(), {"--severity", list});
  arguments.emplace_back("--quiet");
  for (auto& one : cache_arguments(*this)) arguments.push_back(std::move(one));
  if (skip_db_update) arguments.emplace_back("--skip-db-update");
  arguments.push_back(fmt::format("/proc/self/fd/{}", kSbomNumber));
  const auto said =
      ask(*this, {.arguments = std::move(arguments), .descriptors = {{kSbomNumber, file->get()}}, .timeout = timeout},
          stop);
  if (!said) return fail(said.error());
  auto report = read_trivy_report(*said);
  if (!report) return report.error().during("read what trivy answered");
  // Only now: the scan may have fetched newer data. A report is good without it.
  const auto told = version(stop);
  if (!told && told.error().kind() == ErrorKind::kCancelled) return fail(told.error());
  const auto known = told.value_or(TrivyVersion{});
  return TrivyAnswer{.findings = std::move(report->findings),
                     .judged = std::move(report->judged),
                     .release_unsupported = report->release_unsupported,
                     .engine = known.version.empty() ? "trivy" : "trivy " + known.version,
                     .database = known.database};
}

}  // namespace slipway::scan

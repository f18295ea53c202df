#include "scan/trivy/trivy_scan.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <unistd.h>

#include "scan/reports/formats.h"
#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::scan {
namespace {

// A file with a text, gone when this is.
class TextFile {
 public:
  static Result<TextFile> make(std::string_view text) {
    std::string path = (std::filesystem::temp_directory_path() / "slipway-sbom-XXXXXX").string();
    const sys::Descriptor fd(::mkstemp(path.data()));
    if (!fd) return fail(sys::system_error("make", path, errno));
    TextFile made(path);
    while (!text.empty()) {
      const auto put = ::write(fd.get(), text.data(), text.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return fail(sys::system_error("write", path, errno));
      text.remove_prefix(static_cast<std::size_t>(put));
    }
    return made;
  }
  ~TextFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  TextFile(TextFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  TextFile& operator=(TextFile&&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  explicit TextFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace

Result<Report> judge_with_trivy(Artifact artifact, const TrivyEngine& trivy, const Rules& rules, const DataRules& data,
                                TimePoint now, const std::stop_token& stop) {
  Report report = report_of(std::move(artifact), now);
  auto sbom = TextFile::make(cyclonedx_json(report, Vulnerabilities::kLeftOut));
  if (!sbom) return fail(std::move(sbom.error()));
  auto answer = trivy.scan_sbom(sbom->path(), stop);
  if (!answer) return answer.error().during("scan {} with Trivy", report.artifact);
  report.engine = std::move(answer->engine);
  report.data.push_back({.source = "trivy-db", .loaded_at = answer->database});
  if (auto good = judge_age("trivy-db", answer->database, data, now, report); !good) {
    return fail(std::move(good.error()));
  }
  apply_rules(std::move(answer->findings), rules, report);
  return report;
}

}  // namespace slipway::scan

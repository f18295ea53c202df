// What the feeds know against packages: for the scanner, which asks it thousands of times.
//
//   auto advisories = reader->advisories();
//   for (const auto& row : advisories->about("Debian:12", "openssl").value()) ...
//
// All answers are of one instant. One thread; it must not outlive its FeedReader, and holds one of its connections.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "feeds/query/views.h"

namespace slipway::store {
class Pool;
}

namespace slipway::feeds {

// What one advisory says of one package. Its columns are those of the table `affected`.
struct AffectedPackage {
  NodeId advisory{};
  std::string provider{};  // whose it is: "debian", "alpine", "osv"
  Affected said{};         // without ecosystem and package, which were asked for
};

// An advisory by itself, or a CVE.
struct VulnerabilityFacts {
  NodeId node{};
  std::string urn{};
  std::string name{};  // "GHSA-...", "CVE-...", "openssl/CVE-..."
  std::string title{};
  std::string description{};
  Standing standing = Standing::kLive;
  std::optional<TimePoint> published{};
  std::optional<TimePoint> modified{};
  std::optional<double> score{};
  std::string vector{};
  std::string body{};
  std::vector<std::string> aliases{};   // publishers' ids that it says are the same
  std::vector<std::string> upstream{};  // and those that it is about: an advisory of a distribution names several CVEs
  std::vector<std::string> related{};   // ids that it only points to: they need not be the same, nor what it is about
  std::vector<std::string> weaknesses{};  // "CWE-79"
};

// When a provider's source was last read to its end.
struct DataAge {
  std::string provider{};
  std::optional<TimePoint> completed_at{};
};

class AdvisoryReader {
 public:
  ~AdvisoryReader();
  AdvisoryReader(AdvisoryReader&&) noexcept;
  AdvisoryReader& operator=(AdvisoryReader&&) = delete;

  // Of live advisories; those that were withdrawn, or that their source no longer has, say nothing.
  [[nodiscard]] Result<std::vector<AffectedPackage>> about(std::string_view ecosystem, std::string_view package);
  // Whether about() has anything to say of any package of this ecosystem.
  [[nodiscard]] Result<bool> covers(std::string_view ecosystem);

  // kNotFound: no advisory and no CVE has this number.
  [[nodiscard]] Result<VulnerabilityFacts> facts(NodeId node);
  // The CVE of this id; none: the feeds do not have it. Its body, and what it is linked to, may be left out: they are
  // most of the work.
  enum class Extent : std::uint8_t { kWhole, kWithoutBody };
  [[nodiscard]] Result<std::optional<VulnerabilityFacts>> cve(std::string_view id, Extent extent = Extent::kWhole);

  [[nodiscard]] Result<std::vector<DataAge>> ages();

 private:
  friend class FeedReader;
  struct State;
  explicit AdvisoryReader(std::unique_ptr<State> state);
  [[nodiscard]] static Result<AdvisoryReader> open(store::Pool& pool);

  std::unique_ptr<State> state_;
};

}  // namespace slipway::feeds

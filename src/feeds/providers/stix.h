// Internal to feeds/providers: STIX 2.0 and 2.1 bundles, as MITRE publishes ATT&CK and CAPEC.
//
// In a bundle, objects name each other by ids that mean nothing outside of it, and relations are objects, too. So a
// bundle is read twice: once for its outline (who is who, and what relations each has), then for its objects.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "archive/byte_source.h"
#include "base/error.h"
#include "feeds/formats/json_node.h"
#include "feeds/record.h"

namespace slipway::feeds {

// Whose ids the objects have outside of their bundle: {"mitre-attack", ...} -> v2e::mitre::attack::T1078.
struct StixNames {
  std::vector<std::string> source_names{};  // in external_references
  std::string kind{};                       // of the URN
};

// The name that an object has outside; "" when it has none. Mitigations that ATT&CK had before it gave them ids of
// their own have that of their technique: T1066/mitigation.
[[nodiscard]] std::string external_id(const JsonNode& object, const StixNames& names);

class StixOutline {
 public:
  explicit StixOutline(StixNames names) : names_(std::move(names)) {}

  // Adds a bundle. kCorrupt: it is none, or it is larger than any that is published (a million objects).
  [[nodiscard]] Result<> read(archive::ByteSource& bundle);

  // The relations that begin at an object, to those that have a name.
  [[nodiscard]] std::vector<Link> links_of(std::string_view stix_id) const;
  // The name of an object of the bundle; none: it has none, or is not there.
  [[nodiscard]] std::optional<Urn> urn_of(std::string_view stix_id) const;
  // Tactics are named by a word in their techniques ("kill_chain_phases").
  [[nodiscard]] std::optional<Urn> tactic(std::string_view chain, std::string_view phase) const;

  [[nodiscard]] const StixNames& names() const { return names_; }

 private:
  struct Relation {
    std::string relation{};
    std::string target{};
  };
  Result<> add(const JsonNode& object);
  void add_relation(const JsonNode& object);

  StixNames names_;
  std::unordered_map<std::string, Urn> urns_;
  std::unordered_map<std::string, Urn> tactics_;
  std::unordered_map<std::string, std::vector<Relation>> relations_;
  std::size_t objects_ = 0;
};

// An object as a record; none for one that is no record: a relation, an identity, a marking, one without a name.
[[nodiscard]] Result<std::optional<Record>> read_attack_object(const JsonNode& object, const StixOutline& outline);
[[nodiscard]] Result<std::optional<Record>> read_capec_object(const JsonNode& object, const StixOutline& outline);

}  // namespace slipway::feeds

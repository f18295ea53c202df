// Of which packages in which artifact a VEX document speaks, and what its last word on them is.
#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scan/finding.h"
#include "scan/policy/openvex.h"

namespace slipway::scan {

// What is known of the artifact that is scanned, as others may name it.
struct ArtifactNames {
  std::vector<std::string> names{};  // its id, its file's name, its reference ("team/app:1.2"), its package URL
  std::vector<std::string>
      digests{};  // SHA-256 of its file, its manifest or its configuration; "sha256:" in front or not
};

// The artifact, to be compared with what a VEX document calls its product. Immutable.
class VexArtifact {
 public:
  explicit VexArtifact(const ArtifactNames& names);

  // By a digest, by a name that is the same, or by a package URL. pkg:oci/NAME@DIGEST is it by the digest alone;
  // without one by the name and whatever of tag and repository_url it states.
  [[nodiscard]] bool is(const VexComponent& product) const;

 private:
  struct Reference {
    std::string repository{};  // "host/team/app"
    std::string name{};        // "app"
    std::string tag{};
  };
  void add_name(const std::string& name);
  [[nodiscard]] bool has_digest(std::string_view digest) const;
  [[nodiscard]] bool is_image(const PurlParts& purl) const;

  std::vector<std::string> names_;
  std::vector<std::string> digests_;  // 64 hexadecimal digits, small letters
  std::vector<PurlParts> purls_;
  std::vector<Reference> references_;
};

// All statements of some documents, found by the vulnerability's name. The documents must outlive it. Immutable.
class VexIndex {
 public:
  explicit VexIndex(const std::vector<VexDocument>& documents);

  struct Word {
    const VexStatement* statement = nullptr;  // null: nobody speaks of it
    const VexDocument* document = nullptr;
  };
  // The last word on a finding in the package of that URL: of those statements that speak of it the youngest, and of
  // two that are equally old the one that stands later, in a later document. One without a time is the oldest.
  [[nodiscard]] Word last_word(const Finding& finding, const PurlParts& package, const VexArtifact& artifact) const;

 private:
  // By a name in small letters; in the order of the documents.
  std::unordered_map<std::string, std::vector<Word>> by_name_;
};

}  // namespace slipway::scan

#include "scan/policy/vex_match.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "scan/letters.h"

namespace slipway::scan {
namespace {

constexpr std::string_view kSha256 = "sha256:";

std::string bare_digest(std::string_view digest) {
  auto small = small_letters(digest);
  if (small.starts_with(kSha256)) small.erase(0, kSha256.size());
  return small;
}

bool means(const VexComponent& component, const PurlParts& package) {
  return std::ranges::any_of(component.purls, [&](const PurlParts& purl) { return covers(purl, package); });
}

// Of a product with subcomponents only these are meant, also where the product is the package itself.
bool speaks_of(const VexStatement& statement, const PurlParts& package, const VexArtifact& artifact) {
  return std::ranges::any_of(statement.products, [&](const VexProduct& product) {
    if (!means(product.self, package) && !artifact.is(product.self)) return false;
    return product.subcomponents.empty() ||
           std::ranges::any_of(product.subcomponents,
                               [&](const VexComponent& component) { return means(component, package); });
  });
}

}  // namespace

VexArtifact::VexArtifact(const ArtifactNames& names) {
  for (const auto& digest : names.digests) {
    if (!digest.empty()) digests_.push_back(bare_digest(digest));
  }
  for (const auto& name : names.names) {
    if (!name.empty()) add_name(name);
  }
}

void VexArtifact::add_name(const std::string& name) {
  names_.push_back(name);
  if (auto purl = split_purl(name)) {
    purls_.push_back(std::move(*purl));
    return;
  }
  std::string_view rest = name;
  if (const auto at = rest.find('@'); at != std::string_view::npos) {
    if (rest.substr(at + 1).starts_with(kSha256)) digests_.push_back(bare_digest(rest.substr(at + 1)));
    rest = rest.substr(0, at);
  }
  Reference reference;
  const auto last = rest.find_last_of('/') + 1;  // npos + 1 is 0
  if (const auto colon = rest.find(':', last); colon != std::string_view::npos) {
    reference.tag = rest.substr(colon + 1);
    rest = rest.substr(0, colon);
  }
  reference.repository = small_letters(rest);
  reference.name = small_letters(rest.substr(last));
  references_.push_back(std::move(reference));
}

bool VexArtifact::has_digest(std::string_view digest) const {
  const auto bare = bare_digest(digest);
  return !bare.empty() && std::ranges::find(digests_, bare) != digests_.end();
}

bool VexArtifact::is_image(const PurlParts& purl) const {
  if (purl.version.starts_with(kSha256)) return has_digest(purl.version);
  const auto qualifier = [&](const char* name) {
    const auto found = purl.qualifiers.find(name);
    return found == purl.qualifiers.end() ? std::string{} : found->second;
  };
  const auto tag = purl.version.empty() ? qualifier("tag") : purl.version;
  auto repository = small_letters(qualifier("repository_url"));
  while (repository.ends_with('/')) repository.pop_back();
  return std::ranges::any_of(references_, [&](const Reference& reference) {
    if (reference.name != purl.name || (!tag.empty() && tag != reference.tag)) return false;
    // Written with the image's name at its end or without it.
    return repository.empty() || repository == reference.repository ||
           repository + "/" + reference.name == reference.repository;
  });
}

bool VexArtifact::is(const VexComponent& product) const {
  const auto mine = [&](const std::string& name) {
    return std::ranges::find(names_, name) != names_.end() || has_digest(name);
  };
  if (std::ranges::any_of(product.digests, [&](const std::string& digest) { return has_digest(digest); })) return true;
  if (std::ranges::any_of(product.names, mine)) return true;
  return std::ranges::any_of(product.purls, [&](const PurlParts& purl) {
    return (purl.type == "oci" && is_image(purl)) ||
           std::ranges::any_of(purls_, [&](const PurlParts& own) { return covers(purl, own); });
  });
}

VexIndex::VexIndex(const std::vector<VexDocument>& documents) {
  for (const auto& document : documents) {
    for (const auto& statement : document.statements) {
      for (const auto& name : statement.vulnerabilities) {
        auto& words = by_name_[small_letters(name)];
        // Its names may say the same twice.
        if (words.empty() || words.back().statement != &statement) words.push_back({&statement, &document});
      }
    }
  }
}

VexIndex::Word VexIndex::last_word(const Finding& finding, const PurlParts& package,
                                   const VexArtifact& artifact) const {
  Word last;
  const auto later = [&](const Word& word) {
    if (last.statement == nullptr || word.statement->at != last.statement->at) {
      return last.statement == nullptr || word.statement->at > last.statement->at;
    }
    // Documents and their statements lie in order in memory.
    if (word.document != last.document) return std::greater<>()(word.document, last.document);
    return std::greater<>()(word.statement, last.statement);
  };
  const auto hear = [&](const std::string& name) {
    const auto found = by_name_.find(small_letters(name));
    if (found == by_name_.end()) return;
    for (const Word& word : found->second) {
      if (later(word) && speaks_of(*word.statement, package, artifact)) last = word;
    }
  };
  hear(finding.id);
  for (const auto& alias : finding.aliases) hear(alias);
  return last;
}

}  // namespace slipway::scan

// What distributions say of their own packages.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "feeds/formats/json_writer.h"
#include "feeds/providers/advisory_record.h"

namespace slipway::feeds {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 13> kDebianReleases = {{
    {"woody", "3.0"},
    {"sarge", "3.1"},
    {"etch", "4"},
    {"lenny", "5"},
    {"squeeze", "6"},
    {"wheezy", "7"},
    {"jessie", "8"},
    {"stretch", "9"},
    {"buster", "10"},
    {"bullseye", "11"},
    {"bookworm", "12"},
    {"trixie", "13"},
    {"forky", "14"},
}};

// A version 0 says that no version that Debian had was ever affected. The tracker writes what is postponed or will not
// be fixed as open, with a word of its own beside it.
Affected debian_release(std::string_view package, std::string_view release, const JsonNode& state) {
  Affected made{.ecosystem = debian_ecosystem(release),
                .package = std::string(package),
                .fixed = std::string(state["fixed_version"].text()),
                .urgency = std::string(state["urgency"].text())};
  const auto status = state["status"].text();
  if (status == "resolved") {
    made.status = made.fixed == "0" ? "not-affected" : "fixed";
  } else if (made.urgency == "end-of-life") {
    made.status = "end-of-life";
  } else {
    made.status = status == "open" ? "open" : "undetermined";
  }
  if (made.status == "not-affected") made.fixed.clear();
  return made;
}

Result<Record> debian_problem(std::string_view package, std::string_view id, const JsonNode& problem) {
  auto urn = Urn::make("debian", "advisory", fmt::format("{}/{}", package, id));
  if (!urn) return fail(std::move(urn.error()));
  Record record{.urn = std::move(*urn),
                .title = fmt::format("{} in {}", id, package),
                .description = std::string(problem["description"].text())};
  // TEMP-... are numbers of the tracker's own, for what has no CVE yet.
  if (id.starts_with("CVE-")) {
    auto cve = Urn::make("nvd", "cve", id);
    if (!cve) return fail(std::move(cve.error()));
    record.links.push_back({"alias", std::move(*cve)});
  }
  Advisory advisory;
  JsonWriter body;
  body.open('{').filled("scope", problem["scope"].text());
  if (const auto bug = problem["debianbug"].number()) body.name("debianbug").number(static_cast<std::int64_t>(*bug));
  JsonWriter reasons;
  reasons.open('{');
  // The tracker writes no releases as an empty list.
  const bool none = problem["releases"].is_list() && problem["releases"].items().empty();
  for (const auto& [release, state] : none ? JsonNode().members() : problem["releases"].members()) {
    advisory.affected.push_back(debian_release(package, release, state));
    const auto reason = state["nodsa_reason"] ? state["nodsa_reason"].text() : state["nodsa"].text();
    if (!reason.empty()) reasons.member(release, reason);
  }
  reasons.close('}');
  if (reasons.text() != "{}") body.name("no_dsa").raw(reasons.text());
  advisory.body = body.close('}').take();
  record.details = std::move(advisory);
  return record;
}

// "CVE-2019-2426", "CVE_2019-2426", "CVE-2017-17434-1", "CVE-2017-8073.patch": the CVE that it means, or "".
std::string cve_in(std::string_view word) {
  std::string id(word);
  std::ranges::replace(id, '_', '-');
  if (!id.starts_with("CVE-")) return {};
  const auto number = id.find('-', 4);
  if (number != 8) return {};
  const auto end = id.find_first_not_of("0123456789", number + 1);
  const auto digits = std::min(end, id.size()) - number - 1;
  if (digits < 4 || id.substr(4, 4).find_first_not_of("0123456789") != std::string::npos) return {};
  if (end != std::string::npos && id[end] != '-' && id[end] != '.') return {};
  return id.substr(0, end);
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(" \t"); at < text.size(); at = text.find_first_not_of(" \t", at)) {
    const auto end = std::min(text.find_first_of(" \t", at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

// The ids of one line of fixes: CVEs as everybody spells them, others as they stand. "CVE-????-?????" is a CVE that had
// no number yet: it names the line only where nothing else does.
std::vector<std::string> ids_in(std::string_view line) {
  std::vector<std::string> ids;
  const auto words = words_of(line);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool apart = i > 0 && words[i - 1] == "CVE";  // "CVE 2018-16859"
    if (auto cve = cve_in(apart ? fmt::format("CVE-{}", words[i]) : std::string(words[i])); !cve.empty()) {
      ids.push_back(std::move(cve));
    } else if (!words[i].starts_with("CVE")) {
      ids.emplace_back(words[i]);
    }
  }
  if (ids.empty() && !words.empty()) ids.emplace_back(words.front());
  return ids;
}

// The problems of one package, as they are come to.
class AlpinePackage {
 public:
  AlpinePackage(std::string_view package, std::string_view ecosystem, std::string_view repository)
      : package_(package), ecosystem_(ecosystem), repository_(repository) {}

  // Each CVE of a line of fixes is a problem of its own; where there is none, the first id names one. A fix in version
  // 0 says that the package was never affected.
  Result<> add(std::string_view version, std::string_view line) {
    const auto ids = ids_in(line);
    if (ids.empty()) return {};
    const bool never = version == "0";
    const Affected affected{.ecosystem = std::string(ecosystem_),
                            .package = std::string(package_),
                            .status = never ? "not-affected" : "fixed",
                            .fixed = never ? "" : std::string(version)};
    bool named = false;
    for (const auto& id : ids) {
      if (cve_in(id).empty()) continue;
      named = true;
      if (auto put = put_problem(id, ids, line, affected); !put) return put;
    }
    return named ? Result<>() : put_problem(ids.front(), ids, line, affected);
  }

  [[nodiscard]] std::vector<Record> take() { return std::move(records_); }

 private:
  Result<> put_problem(const std::string& name, const std::vector<std::string>& ids, std::string_view line,
                       const Affected& affected) {
    if (const auto found = known_.find(name); found != known_.end()) {
      auto& list = std::get<Advisory>(records_[found->second].details).affected;
      if (std::ranges::find(list, affected) == list.end()) list.push_back(affected);
      return {};
    }
    auto record = make(name, ids, line, affected);
    if (!record) return fail(std::move(record.error()));
    known_.emplace(name, records_.size());
    records_.push_back(std::move(*record));
    return {};
  }

  // The other ids are only related: several CVEs may share one, as those of one XSA do, and are not the same for that.
  Result<Record> make(const std::string& name, const std::vector<std::string>& ids, std::string_view line,
                      const Affected& affected) const {
    auto urn = Urn::make("alpine", "advisory", fmt::format("{}/{}/{}/{}", ecosystem_, repository_, package_, name));
    if (!urn) return fail(std::move(urn.error()));
    Record record{.urn = std::move(*urn), .title = fmt::format("{} in {}", name, package_)};
    for (const auto& id : ids) {
      if (id.starts_with("CVE") && cve_in(id).empty()) continue;
      auto target = vulnerability_urn(id);
      if (target) record.links.push_back({id == name ? "alias" : "related", std::move(*target)});
    }
    JsonWriter body;
    body.open('{').member("repository", repository_).member("ids", line).close('}');
    record.details = Advisory{.body = body.take(), .affected = {affected}};
    return record;
  }

  const std::string_view package_;
  const std::string_view ecosystem_;
  const std::string_view repository_;
  std::vector<Record> records_;
  std::map<std::string, std::size_t> known_;  // by name, where in the list
};

}  // namespace

std::string debian_ecosystem(std::string_view release) {
  const auto known = std::ranges::find(kDebianReleases, release, &std::pair<std::string_view, std::string_view>::first);
  return fmt::format("Debian:{}", known == kDebianReleases.end() ? release : known->second);
}

Result<std::vector<Record>> read_debian_package(std::string_view package, const JsonNode& problems) {
  std::vector<Record> records;
  for (const auto& [id, problem] : problems.members()) {
    auto record = debian_problem(package, id, problem);
    if (!record) return fail(std::move(record.error()));
    records.push_back(std::move(*record));
  }
  return records;
}

Result<std::vector<Record>> read_alpine_package(const JsonNode& entry, std::string_view ecosystem,
                                                std::string_view repository) {
  AlpinePackage package(entry["pkg"]["name"].text(), ecosystem, repository);
  if (entry["pkg"]["name"].text().empty()) return fail(ErrorKind::kCorrupt, "a package without a name");
  for (const auto& [version, lines] : entry["pkg"]["secfixes"].members()) {
    for (const auto& line : lines.items()) {
      if (auto added = package.add(version, line.text()); !added) return fail(std::move(added.error()));
    }
  }
  return package.take();
}

}  // namespace slipway::feeds

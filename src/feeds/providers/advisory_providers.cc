#include "feeds/providers/advisory_providers.h"

#include <utility>
#include <vector>

#include "base/json.h"
#include "feeds/providers/advisory_record.h"
#include "feeds/providers/json_items.h"

namespace slipway::feeds {
namespace {

bool is_yaml(std::string_view name) { return name.ends_with(".yaml") || name.ends_with(".yml"); }
bool is_json(std::string_view name) { return name.ends_with(".json"); }
bool is_hidden(std::string_view name) { return file_name(name).starts_with('.'); }

std::unique_ptr<Items> items(const std::string& file, archive::ByteSource& bytes, JsonElements::Options shape,
                             ReadJson read) {
  return is_yaml(file) ? yaml_items(file, bytes, std::move(shape), std::move(read))
                       : json_items(file, bytes, std::move(shape), std::move(read));
}

// The text that JSON spells so; "" when it is none.
std::string decoded(std::string_view json) {
  const auto value = parse_json(json);
  return value && value->is_string() ? value->get<std::string>() : "";
}

Result<std::vector<Record>> alpine_records(const JsonItem& item) {
  // A file without releases is of a distribution that has none.
  const auto plain = [&](std::string_view name) { return decoded(item.document->header(name)); };
  const auto release = plain("distroversion");
  const auto repository = plain("reponame");
  const std::string ecosystem = release.empty() ? "Wolfi" : "Alpine:" + release;
  if (item.kind == JsonElement::Kind::kWhole) {
    // "packages: null" is a release for which nothing is known yet.
    if (item.root["reponame"] && !item.root["packages"]) return std::vector<Record>();
    return fail(ErrorKind::kCorrupt, "it is no secdb: it has no list of packages");
  }
  // What stands behind the packages comes too late to say of which release they are.
  const bool has_releases =
      !item.document->header("distroversion").empty() || plain("urlprefix").find("alpine") != std::string::npos;
  if (repository.empty() || (release.empty() && has_releases)) {
    return fail(ErrorKind::kCorrupt, "it does not say, before its packages, of which release and repository they are");
  }
  return read_alpine_package(item.root, ecosystem, repository);
}

}  // namespace

std::unique_ptr<Items> osv_items(const std::string& file, archive::ByteSource& bytes) {
  return items(file, bytes, {}, [](const JsonItem& item) -> Result<std::vector<Record>> {
    auto record = read_osv(item.root);
    if (!record) return fail(std::move(record.error()));
    std::vector<Record> one;
    one.push_back(std::move(*record));
    return one;
  });
}

std::unique_ptr<Items> debian_items(const std::string& file, archive::ByteSource& bytes) {
  return json_items(file, bytes, {.members = true, .largest = std::size_t{128} << 20}, [](const JsonItem& item) {
    if (item.kind != JsonElement::Kind::kMember) {
      return Result<std::vector<Record>>(fail(ErrorKind::kCorrupt, "it is not the tracker's: packages by name"));
    }
    const auto package = decoded(fmt::format("\"{}\"", item.name));
    if (package.empty()) return Result<std::vector<Record>>(fail(ErrorKind::kCorrupt, "a package's name is no text"));
    return read_debian_package(package, item.root);
  });
}

std::unique_ptr<Items> alpine_items(const std::string& file, archive::ByteSource& bytes) {
  return items(file, bytes, {.lists = {"packages"}}, alpine_records);
}

bool OsvProvider::wants(std::string_view file) const { return !is_hidden(file) && (is_json(file) || is_yaml(file)); }
Result<std::unique_ptr<Items>> OsvProvider::open(const FeedFile& file) { return osv_items(file.name, *file.bytes); }

bool DebianProvider::wants(std::string_view file) const { return !is_hidden(file) && is_json(file); }
Result<std::unique_ptr<Items>> DebianProvider::open(const FeedFile& file) {
  return debian_items(file.name, *file.bytes);
}

bool AlpineProvider::wants(std::string_view file) const { return !is_hidden(file) && (is_json(file) || is_yaml(file)); }
Result<std::unique_ptr<Items>> AlpineProvider::open(const FeedFile& file) {
  return alpine_items(file.name, *file.bytes);
}

}  // namespace slipway::feeds

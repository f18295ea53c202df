#include "scan/inventory/jar_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "archive/entry.h"
#include "archive/zip_stream.h"
#include "scan/inventory/jar_facts.h"

namespace slipway::scan {
namespace {

using archive::ByteSource;
using archive::ZipStream;

constexpr std::size_t kMostPoms = 10'000;  // of one jar

bool ends_like(std::string_view name, std::string_view ending) {
  if (name.size() <= ending.size()) return false;
  return std::ranges::equal(name.substr(name.size() - ending.size()), ending,
                            [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

bool names_jar(std::string_view name) {
  constexpr std::array<std::string_view, 5> kEndings{".jar", ".war", ".ear", ".par", ".hpi"};
  return std::ranges::any_of(kEndings, [&](auto ending) { return ends_like(name, ending); });
}

bool names_pom(std::string_view name) {
  return name.starts_with("META-INF/maven/") && name.ends_with("/pom.properties");
}

bool names_manifest(std::string_view name) {
  constexpr std::string_view kManifest = "meta-inf/manifest.mf";
  return name.size() == kManifest.size() &&
         std::ranges::equal(name, kManifest, [](unsigned char a, unsigned char b) { return std::tolower(a) == b; });
}

// Not more than the first `most` bytes of it.
Result<std::string> read_some(ByteSource& content, std::uint64_t most) {
  std::string text;
  while (text.size() < most) {
    const auto piece = content.next();
    if (!piece) return fail(piece.error());
    if (piece->empty()) break;
    text.append(reinterpret_cast<const char*>(piece->data()),
                static_cast<std::size_t>(std::min<std::uint64_t>(piece->size(), most - text.size())));
  }
  return text;
}

// One outer file.
class JarScan {
 public:
  JarScan(Finds& finds, const JarLimits& limits) : finds_(finds), allowance_(limits.bytes, limits.entries) {}

  // What was found stays also when it fails.
  [[nodiscard]] Result<> jar(ByteSource& content, std::string path, int depth);

 private:
  [[nodiscard]] Result<> entries(ZipStream& zip, JarFacts& jar, int depth);
  [[nodiscard]] Result<> entry(ZipStream& zip, const std::string& name, JarFacts& jar, int depth);
  [[nodiscard]] Result<> inner(ZipStream& zip, const std::string& name, const JarFacts& outer, int depth);

  Finds& finds_;
  archive::ZipAllowance allowance_;
};

Result<> JarScan::jar(ByteSource& content, std::string path, int depth) {
  JarFacts facts{.path = std::move(path)};
  ZipStream zip(content, allowance_);
  auto read = entries(zip, facts, depth);
  auto [packages, unread] = packages_of(facts);
  for (Package& package : packages) finds_.add(std::move(package));
  for (const std::string& reason : unread) {
    finds_.unread(depth == 1 ? reason : fmt::format("{}: {}", archive::printable(facts.path), reason));
  }
  return read;
}

Result<> JarScan::entries(ZipStream& zip, JarFacts& jar, int depth) {
  for (;;) {
    const auto next = zip.next();
    if (!next) return fail(next.error());
    if (*next == nullptr) return {};
    const std::string name = (*next)->name;
    if (auto done = entry(zip, name, jar, depth); !done) return done;
  }
}

Result<> JarScan::entry(ZipStream& zip, const std::string& name, JarFacts& jar, int depth) {
  if (names_jar(name)) return inner(zip, name, jar, depth);
  const bool manifest = names_manifest(name);
  if (!manifest && !names_pom(name)) return {};
  const auto text = read_some(zip.content(), kMostManifestBytes);
  if (!text) return text.error().during("{}", archive::printable(name));
  if (manifest) {
    jar.manifest = parse_manifest(*text);
    return {};
  }
  if (jar.poms.size() == kMostPoms) return fail(ErrorKind::kRejected, "it holds more than {} others", kMostPoms);
  jar.poms.push_back(parse_pom_properties(*text));
  return {};
}

// An allowance that is spent is spent for all; anything else that is wrong with a jar is its own matter: if it is the
// outer one's, the outer one fails by itself.
Result<> JarScan::inner(ZipStream& zip, const std::string& name, const JarFacts& outer, int depth) {
  const std::string path = fmt::format("{}/{}", outer.path, archive::printable(name));
  if (depth == kDeepestJar) {
    finds_.unread(fmt::format("{}: a jar deeper than {} in others", archive::printable(path), kDeepestJar));
    return {};
  }
  auto read = jar(zip.content(), path, depth + 1);
  if (read || allowance_.spent()) return read;
  finds_.unread(fmt::format("{}: {}", archive::printable(path), read.error().message()));
  return {};
}

}  // namespace

bool wants_jar(const FileInfo& file) { return names_jar(file.name()); }

Result<> read_jar(const FileInfo& file, ByteSource& content, Finds& finds) {
  return read_jar(file, content, finds, JarLimits{});
}

Result<> read_jar(const FileInfo& file, ByteSource& content, Finds& finds, const JarLimits& limits) {
  return JarScan(finds, limits).jar(content, archive::printable(file.path), 1);
}

}  // namespace slipway::scan

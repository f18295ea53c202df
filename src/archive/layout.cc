#include "archive/layout.h"

#include <algorithm>
#include <set>

#include "archive/entry.h"
#include "base/json.h"

namespace slipway::archive {
namespace {

constexpr std::size_t kMostLayers = 1024;
constexpr std::size_t kMostManifests = 256;
constexpr int kDeepestIndex = 4;
constexpr std::string_view kSha256 = "sha256:";

bool is_hex_digest(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

Result<std::string> sha256_of(std::string_view digest, std::string_view of) {
  if (digest.starts_with(kSha256) && is_hex_digest(digest.substr(kSha256.size()))) {
    return std::string(digest.substr(kSha256.size()));
  }
  if (digest.starts_with("sha512:")) return fail(ErrorKind::kUnsupported, "the digest of {} is not SHA-256", of);
  return fail(ErrorKind::kCorrupt, "the digest of {} is malformed: {}", of, printable(digest));
}

// A member that must be there; `path` and `key` are for the message.
const Json* member(const Json& object, const char* key, Json::value_t type) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found != object.end() && found->type() == type ? &*found : nullptr;
}

std::string text_member(const Json& object, const char* key) {
  const Json* found = member(object, key, Json::value_t::string);
  return found != nullptr ? found->get<std::string>() : std::string();
}

std::unexpected<Error> misshapen(std::string_view path, std::string_view what) {
  return fail(ErrorKind::kCorrupt, "{}: {}", printable(path), what);
}

Result<Json> read_json(const ReadText& read, const std::string& path, std::optional<std::uint64_t> size = {}) {
  auto text = read(path);
  if (!text) return fail(std::move(text.error()));
  if (size && *size != text->size()) {
    return misshapen(path, fmt::format("has {} bytes, where {} were promised", text->size(), *size));
  }
  auto json = parse_json(*text);
  if (!json) return misshapen(path, "is not JSON");
  return json;
}

// The file is named by its digest: it must have it.
struct Blob {
  std::string digest;
  std::string path;
  std::optional<std::uint64_t> size;
  std::string type;  // its media type; empty: not given
};

Result<Blob> blob_of(const Json& descriptor, std::string_view of) {
  if (!descriptor.is_object()) return fail(ErrorKind::kCorrupt, "the descriptor of {} is malformed", of);
  auto digest = sha256_of(text_member(descriptor, "digest"), of);
  if (!digest) return fail(std::move(digest.error()));
  Blob blob{*digest, "blobs/sha256/" + *digest, std::nullopt, text_member(descriptor, "mediaType")};
  if (const auto size = descriptor.find("size"); size != descriptor.end()) {
    if (!size->is_number_unsigned()) return fail(ErrorKind::kCorrupt, "the size of {} is malformed", of);
    blob.size = size->get<std::uint64_t>();
  }
  return blob;
}

// A text that says to be of another kind than it was taken for could be read as either.
Result<> check_version(const Json& document, const std::string& path, std::string_view type) {
  if (document.is_object() && document.contains("schemaVersion") && document["schemaVersion"] != 2) {
    return misshapen(path, "its schemaVersion is not 2");
  }
  const std::string own = text_member(document, "mediaType");
  if (own.empty() || type.empty() || own == type) return {};
  return misshapen(path, fmt::format("says to be {}, where {} was promised", printable(own), printable(type)));
}

bool is_index(std::string_view type) {
  return type == "application/vnd.oci.image.index.v1+json" ||
         type == "application/vnd.docker.distribution.manifest.list.v2+json";
}

bool is_manifest(std::string_view type) {
  return type.empty() || type == "application/vnd.oci.image.manifest.v1+json" ||
         type == "application/vnd.docker.distribution.manifest.v2+json";
}

// How it is compressed is seen from its bytes.
bool is_layer(std::string_view type) {
  return type.empty() || type.starts_with("application/vnd.oci.image.layer.v1.tar") ||
         type.starts_with("application/vnd.docker.image.rootfs.diff.tar");
}

// docker leaves out an empty list, or writes null for it.
bool is_list_of_none(const Json* list) { return list == nullptr || list->is_null(); }

Result<std::vector<std::string>> diff_ids(const Json& config, const std::string& path) {
  const Json* rootfs = member(config, "rootfs", Json::value_t::object);
  if (rootfs != nullptr && text_member(*rootfs, "type") == "layers") {
    const auto found = rootfs->find("diff_ids");
    if (is_list_of_none(found != rootfs->end() ? &*found : nullptr)) return std::vector<std::string>{};
  }
  const Json* ids = rootfs != nullptr ? member(*rootfs, "diff_ids", Json::value_t::array) : nullptr;
  if (ids == nullptr) return fail(ErrorKind::kUnsupported, "{}: is no configuration of an image", printable(path));
  std::vector<std::string> out;
  for (const Json& id : *ids) {
    if (!id.is_string()) return misshapen(path, "a diff_id is no text");
    auto hex = sha256_of(id.get_ref<const std::string&>(), "a layer");
    if (!hex) return fail(std::move(hex.error()));
    out.push_back(std::move(*hex));
  }
  return out;
}

Result<> add_diff_ids(std::vector<LayerPlan>& layers, const Json& config, const std::string& path) {
  auto ids = diff_ids(config, path);
  if (!ids) return fail(std::move(ids.error()));
  if (ids->size() != layers.size()) {
    return misshapen(path, fmt::format("has {} diff_ids for {} layers", ids->size(), layers.size()));
  }
  for (std::size_t i = 0; i < layers.size(); ++i) layers[i].diff_id = std::move((*ids)[i]);
  return {};
}

std::string docker_names(const Json& manifest) {
  std::string out;
  for (const Json& image : manifest) {
    const Json* tags = member(image, "RepoTags", Json::value_t::array);
    const bool tagged = tags != nullptr && !tags->empty() && tags->front().is_string();
    out +=
        (out.empty() ? "" : ", ") + printable(tagged ? tags->front().get<std::string>() : text_member(image, "Config"));
  }
  return out;
}

// Images that an index leads to.
struct Choice {
  Blob blob;
  std::string os;
  std::string architecture;
  std::string name;
};

bool is_attestation(const Json& descriptor) {
  const Json* notes = member(descriptor, "annotations", Json::value_t::object);
  return notes != nullptr && text_member(*notes, "vnd.docker.reference.type") == "attestation-manifest";
}

class IndexWalk {
 public:
  explicit IndexWalk(const ReadText& read) : read_(read) {}

  Result<> walk(const Json& index, const Blob& from, int depth) {
    const std::string& path = from.path;
    if (auto fine = check_version(index, path, from.type); !fine) return fine;
    const Json* manifests = member(index, "manifests", Json::value_t::array);
    if (manifests == nullptr) return misshapen(path, "has no list of manifests");
    if (depth > kDeepestIndex) return misshapen(path, "indexes are nested too deep");
    for (const Json& descriptor : *manifests) {
      if (is_attestation(descriptor)) continue;
      if (++seen_ > kMostManifests) return misshapen(path, "names too many manifests");
      if (auto added = add(descriptor, depth); !added) return added;
    }
    return {};
  }

  [[nodiscard]] std::vector<Choice> take() { return std::move(choices_); }

 private:
  Result<> add(const Json& descriptor, int depth) {
    auto blob = blob_of(descriptor, "a manifest");
    if (!blob) return fail(std::move(blob.error()));
    if (is_index(blob->type)) {
      if (!walked_.insert(blob->digest).second) return {};  // its images are known already
      auto nested = read_json(read_, blob->path, blob->size);
      if (!nested) return nested.error().during("read the nested index");
      return walk(*nested, *blob, depth + 1);
    }
    if (!is_manifest(blob->type)) return {};  // no image: to be passed over, as OCI has it
    Choice choice{std::move(*blob), {}, {}, {}};
    if (const Json* platform = member(descriptor, "platform", Json::value_t::object)) {
      choice.os = text_member(*platform, "os");
      choice.architecture = text_member(*platform, "architecture");
    }
    if (const Json* notes = member(descriptor, "annotations", Json::value_t::object)) {
      choice.name = text_member(*notes, "org.opencontainers.image.ref.name");
    }
    choices_.push_back(std::move(choice));
    return {};
  }

  const ReadText& read_;
  std::vector<Choice> choices_;
  std::set<std::string> walked_;
  std::size_t seen_ = 0;
};

Result<Choice> choose(std::vector<Choice> choices, std::string_view architecture) {
  if (choices.empty()) return fail(ErrorKind::kCorrupt, "index.json names no image");
  if (std::ranges::none_of(choices, [](const Choice& c) { return c.os.empty() || c.os == "linux"; })) {
    return fail(ErrorKind::kUnsupported, "index.json names no image for Linux");
  }
  if (choices.size() == 1) return std::move(choices.front());
  // One image under several names is one choice.
  if (std::ranges::all_of(choices, [&](const Choice& c) { return c.blob.digest == choices.front().blob.digest; })) {
    return std::move(choices.front());
  }
  std::vector<Choice> fitting;
  std::string names;
  for (const Choice& choice : choices) {
    names += fmt::format("{}{}/{}{}{}", names.empty() ? "" : ", ", printable(choice.os), printable(choice.architecture),
                         choice.name.empty() ? "" : " ", printable(choice.name));
    if (choice.os == "linux" && choice.architecture == architecture) fitting.push_back(choice);
  }
  if (fitting.size() == 1) return std::move(fitting.front());
  return fail(ErrorKind::kUnsupported, "the layout holds {} images, {} of them for linux/{}: {}", choices.size(),
              fitting.size(), architecture, names);
}

Result<std::vector<LayerPlan>> manifest_layers(const ReadText& read, const Blob& manifest_blob) {
  auto manifest = read_json(read, manifest_blob.path, manifest_blob.size);
  if (!manifest) return manifest.error().during("read the manifest");
  if (auto fine = check_version(*manifest, manifest_blob.path, manifest_blob.type); !fine) {
    return fail(std::move(fine.error()));
  }
  const Json* list = member(*manifest, "layers", Json::value_t::array);
  const Json* config = member(*manifest, "config", Json::value_t::object);
  if (list == nullptr || config == nullptr) return misshapen(manifest_blob.path, "is no manifest of an image");
  if (list->size() > kMostLayers) return misshapen(manifest_blob.path, "names too many layers");
  std::vector<LayerPlan> layers;
  for (const Json& descriptor : *list) {
    auto blob = blob_of(descriptor, "a layer");
    if (!blob) return fail(std::move(blob.error()));
    const std::string& type = blob->type;
    if (type.ends_with("+encrypted")) return fail(ErrorKind::kUnsupported, "layer {} is encrypted", blob->digest);
    if (type.find("nondistributable") != std::string::npos || type.find("foreign") != std::string::npos) {
      return fail(ErrorKind::kUnsupported, "layer {} is a foreign one, which archives do not carry: {}", blob->digest,
                  printable(type));
    }
    if (!is_layer(type)) return fail(ErrorKind::kUnsupported, "layer {} is of type {}", blob->digest, printable(type));
    layers.push_back({std::move(blob->path), blob->size, std::move(blob->digest), std::nullopt});
  }
  auto config_blob = blob_of(*config, "the configuration");
  if (!config_blob) return fail(std::move(config_blob.error()));
  auto content = read_json(read, config_blob->path, config_blob->size);
  if (!content) return content.error().during("read the configuration");
  if (auto added = add_diff_ids(layers, *content, config_blob->path); !added) return fail(std::move(added.error()));
  return layers;
}

}  // namespace

std::string_view host_architecture() {
#if defined(__x86_64__)
  return "amd64";
#elif defined(__aarch64__)
  return "arm64";
#elif defined(__riscv)
  return "riscv64";
#elif defined(__powerpc64__)
  return "ppc64le";
#elif defined(__s390x__)
  return "s390x";
#else
  return "unknown";
#endif
}

Result<std::vector<LayerPlan>> docker_layers(const ReadText& read) {
  const std::string path = "manifest.json";
  auto manifest = read_json(read, path);
  if (!manifest) return fail(std::move(manifest.error()));
  if (!manifest->is_array() || manifest->empty()) return misshapen(path, "is no list of images");
  if (manifest->size() > 1) {
    return fail(ErrorKind::kUnsupported, "the archive holds {} images: {}", manifest->size(), docker_names(*manifest));
  }
  const Json& image = manifest->front();
  static const Json no_layers = Json::array();
  const bool of_nothing = member(image, "Layers", Json::value_t::null) != nullptr;  // what docker saves then
  const Json* list = of_nothing ? &no_layers : member(image, "Layers", Json::value_t::array);
  const std::string config = text_member(image, "Config");
  if (list == nullptr || config.empty()) return misshapen(path, "has no Config or no Layers");
  if (list->size() > kMostLayers) return misshapen(path, "names too many layers");
  std::vector<LayerPlan> layers;
  for (const Json& layer : *list) {
    if (!layer.is_string()) return misshapen(path, "a layer is no text");
    LayerPlan plan{.path = layer.get<std::string>()};
    constexpr std::string_view kBlobs = "blobs/sha256/";
    if (plan.path.starts_with(kBlobs)) {
      auto digest = sha256_of(std::string(kSha256) + plan.path.substr(kBlobs.size()), "a layer");
      if (!digest) return fail(std::move(digest.error()));
      plan.digest = std::move(*digest);
    }
    layers.push_back(std::move(plan));
  }
  auto content = read_json(read, config);
  if (!content) return content.error().during("read the configuration");
  if (auto added = add_diff_ids(layers, *content, config); !added) return fail(std::move(added.error()));
  return layers;
}

Result<std::vector<LayerPlan>> oci_layers(const ReadText& read, std::string_view architecture) {
  auto layout = read_json(read, "oci-layout");
  if (!layout) return fail(std::move(layout.error()));
  const std::string version = text_member(*layout, "imageLayoutVersion");
  if (version.empty()) return misshapen("oci-layout", "has no imageLayoutVersion");
  if (!version.starts_with("1.")) return fail(ErrorKind::kUnsupported, "OCI layout version {}", printable(version));
  auto index = read_json(read, "index.json");
  if (!index) return fail(std::move(index.error()));
  IndexWalk walk(read);
  if (auto done = walk.walk(*index, {.digest = {}, .path = "index.json", .size = {}, .type = {}}, 0); !done)
    return fail(std::move(done.error()));
  auto choice = choose(walk.take(), architecture);
  if (!choice) return fail(std::move(choice.error()));
  return manifest_layers(read, choice->blob);
}

}  // namespace slipway::archive

#include <cstddef>
#include <span>

#include "archive/byte_source.h"
#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "base/json.h"

namespace slipway::archive {
namespace {

class TextSource : public ByteSource {
 public:
  explicit TextSource(std::string_view text) : left_(std::as_bytes(std::span(text))) {}
  Result<std::span<const std::byte>> next() override { return std::exchange(left_, {}); }

 private:
  std::span<const std::byte> left_;
};

constexpr std::string_view kManifest = "application/vnd.oci.image.manifest.v1+json";
constexpr std::string_view kConfig = "application/vnd.oci.image.config.v1+json";
constexpr std::string_view kLayer = "application/vnd.oci.image.layer.v1.tar";

std::string blob_path(std::string_view bytes) { return "blobs/sha256/" + sha256_hex(bytes); }

std::string docker_manifest(const std::string& config, const std::vector<std::string>& paths) {
  return Json::array({{{"Config", config}, {"RepoTags", {"test:latest"}}, {"Layers", paths}}}).dump();
}

void add_blobs(TarBuilder& tar, const std::vector<std::string>& layers) {
  tar.folder("blobs").folder("blobs/sha256");
  // The other way round: the order in the archive says nothing about the order of layers.
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) add_blob(tar, *layer);
  add_blob(tar, config_json(layers));
}

void add_layout(TarBuilder& tar, const std::vector<std::string>& layers) {
  const std::string manifest = manifest_json(layers);
  add_blob(tar, manifest);
  const Json index{{"schemaVersion", 2}, {"manifests", {Json::parse(descriptor_json(kManifest, manifest))}}};
  tar.file("index.json", index.dump()).file("oci-layout", R"({"imageLayoutVersion":"1.0.0"})");
}

}  // namespace

TarBuilder& add_blob(TarBuilder& tar, std::string_view bytes) { return tar.file(blob_path(bytes), bytes); }

std::string unpacked(const std::string& layer) {
  TextSource source(layer);
  PeekedSource peeked(source);
  const Compression compression = detect_compression(*peeked.head());
  if (compression == Compression::kNone) return layer;
  DecompressSource unpacking(peeked, compression);
  std::string out;
  for (auto piece = unpacking.next(); piece && !piece->empty(); piece = unpacking.next()) {
    out.append(reinterpret_cast<const char*>(piece->data()), piece->size());
  }
  return out;
}

std::string config_json(const std::vector<std::string>& layers) {
  Json ids = Json::array();
  for (const std::string& layer : layers) ids.push_back("sha256:" + sha256_hex(unpacked(layer)));
  return Json{{"architecture", "amd64"}, {"os", "linux"}, {"rootfs", {{"type", "layers"}, {"diff_ids", ids}}}}.dump();
}

std::string descriptor_json(std::string_view type, std::string_view blob) {
  return Json{{"mediaType", type}, {"digest", "sha256:" + sha256_hex(blob)}, {"size", blob.size()}}.dump();
}

std::string manifest_json(const std::vector<std::string>& layers) {
  Json list = Json::array();
  for (const std::string& layer : layers) list.push_back(Json::parse(descriptor_json(kLayer, layer)));
  return Json{{"schemaVersion", 2},
              {"mediaType", kManifest},
              {"config", Json::parse(descriptor_json(kConfig, config_json(layers)))},
              {"layers", list}}
      .dump();
}

std::string docker_layer_path(int number) { return std::to_string(number) + "/layer.tar"; }

std::string docker_image(const std::vector<std::string>& layers) {
  TarBuilder tar;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < layers.size(); ++i) paths.push_back(docker_layer_path(static_cast<int>(i)));
  for (std::size_t i = layers.size(); i-- > 0;) tar.folder(std::to_string(i) + "/").file(paths[i], layers[i]);
  tar.file("config.json", config_json(layers)).file("manifest.json", docker_manifest("config.json", paths));
  return tar.finish();
}

std::string hybrid_image(const std::vector<std::string>& layers) {
  TarBuilder tar;
  add_blobs(tar, layers);
  add_layout(tar, layers);
  std::vector<std::string> paths;
  for (const std::string& layer : layers) paths.push_back(blob_path(layer));
  tar.file("manifest.json", docker_manifest(blob_path(config_json(layers)), paths));
  return tar.finish();
}

std::string oci_image(const std::vector<std::string>& layers) {
  TarBuilder tar;
  add_blobs(tar, layers);
  add_layout(tar, layers);
  return tar.finish();
}

}  // namespace slipway::archive

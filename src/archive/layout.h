// What `docker save` archives and OCI layouts say about themselves: which files are layers, in which order, with which
// digests. Reads JSON that others wrote; nothing of it is believed further than its shape.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace slipway::archive {

struct LayerPlan {
  std::string path{};                    // in the image's archive
  std::optional<std::uint64_t> size{};   // promised, of the layer as it stands there
  std::optional<std::string> digest{};   // SHA-256 in hex of the same
  std::optional<std::string> diff_id{};  // SHA-256 in hex of the layer unpacked
};

// The text of a file of the archive; kNotFound when it is not there.
using ReadText = std::function<Result<std::string>(const std::string& path)>;

// From manifest.json. kUnsupported: several images.
[[nodiscard]] Result<std::vector<LayerPlan>> docker_layers(const ReadText& read);

// From oci-layout, index.json and the blobs they name. Of several images that for Linux on `architecture` ("amd64") is
// taken; kUnsupported when that is not exactly one, naming those there are.
[[nodiscard]] Result<std::vector<LayerPlan>> oci_layers(const ReadText& read, std::string_view architecture);

// As OCI spells the machine that this program was built for.
[[nodiscard]] std::string_view host_architecture();

}  // namespace slipway::archive

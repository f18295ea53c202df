// Is this file the image that was asked for, and one that may be used? The checksum and the entry policy, side by side:
// the bytes are hashed here while a sandboxed process reads the archive.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>

#include "archive/inspector.h"
#include "base/error.h"
#include "catalog/types.h"

namespace slipway::pipeline {

// How a file is told from another, without reading it. kNotFound; kInvalid when it is no regular file (links are not
// followed).
[[nodiscard]] Result<catalog::FileIdentity> identify(const std::filesystem::path& file);

struct HashedFile {
  std::string sha256{};              // lower-case hex
  catalog::FileIdentity identity{};  // as it was all the while; kConflict when the file changed meanwhile
};

// `progress` is told of the bytes read so far. kCancelled by the stop.
[[nodiscard]] Result<HashedFile> hash_file(const std::filesystem::path& file,
                                           const std::function<void(std::uint64_t)>& progress, std::stop_token stop);

struct ValidationRequest {
  std::filesystem::path file{};
  std::string sha256{};
  archive::Policy policy{};
  archive::InspectOptions inspect{};  // its progress is told of the slower of the two
};

struct Validated {
  archive::Inspection inspection{};
  catalog::FileIdentity identity{};
};

// What reads the archive: by archive::Inspector::inspect()'s contract.
using Inspect = std::function<Result<archive::Inspection>(const archive::ImageFile&, const archive::Policy&,
                                                          const archive::InspectOptions&, std::stop_token)>;
[[nodiscard]] Inspect by(const archive::Inspector& inspector);  // must outlive it

// The file is opened once, and both look at that one. kNotFound: no file. kInvalid: a link, or no regular file.
// kCorrupt: empty, another checksum, or not an archive to its end. kRejected: the policy says no. kUnsupported: of a
// form that is not taken. kTimeout: reading it costs more than it may. kConflict: it changed, or is another one by now.
// kUnavailable: the archive's reader was ended by somebody else, or was not let run; that and all others say nothing
// about the file.
[[nodiscard]] Result<Validated> validate(const Inspect& inspect, const ValidationRequest& request,
                                         std::stop_token stop);

}  // namespace slipway::pipeline

// What tar makes of an image: the peer that volumes are compared with.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace slipway::volumes::ext4 {

// Why tar cannot be asked here, for GTEST_SKIP.
[[nodiscard]] std::optional<std::string> no_tar();

// The volume that is filled with an image holds what tar makes of it, in every detail of expect_same_tree(); so it does
// as the kernel reads it, where it can be mounted; and e2fsck finds nothing. Of layers (docker-save, OCI) each is
// extracted in turn, after what its whiteouts name was removed. Throws when tar does not take the image.
void expect_as_tar_has_it(const std::filesystem::path& image, std::uint64_t volume_size = 64ULL << 20);
void expect_as_tar_has_it(const std::string& image_bytes);

}  // namespace slipway::volumes::ext4

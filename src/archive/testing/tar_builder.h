// Tar archives made in memory, good and bad ones.
//
//   TarBuilder tar;
//   tar.folder("etc").file("etc/hostname", "box\n").symlink("bin", "usr/bin");
//   std::string bytes = compress(Compression::kGzip, tar.finish());
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive/decompress.h"

namespace slipway::archive {

// One header block with all that can be said in it, right or wrong.
struct TarHeader {
  std::string name{};
  char type = '0';
  std::uint32_t mode = 0644;
  std::uint64_t uid = 0;
  std::uint64_t gid = 0;
  std::uint64_t size = 0;
  std::uint64_t mtime = 1'000'000'000;
  std::string link{};
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::string size_field{};  // instead of the size, as it is
  std::string prefix{};
  bool v7 = false;   // no magic
  bool gnu = false;  // GNU's magic
};

class TarBuilder {
 public:
  TarBuilder& file(std::string_view name, std::string_view content, std::uint32_t mode = 0644);
  TarBuilder& folder(std::string_view name, std::uint32_t mode = 0755);
  TarBuilder& symlink(std::string_view name, std::string_view target);
  TarBuilder& hard_link(std::string_view name, std::string_view target);
  TarBuilder& special(std::string_view name, char type);  // '3' character device, '4' block device, '6' FIFO

  using Records = std::vector<std::pair<std::string, std::string>>;
  TarBuilder& pax(const Records& records, char type = 'x');  // speaks of the entry that comes next
  TarBuilder& long_name(std::string_view name, char type = 'L');
  TarBuilder& header(const TarHeader& header);
  TarBuilder& content(std::string_view bytes);  // padded
  TarBuilder& raw(std::string_view bytes);

  [[nodiscard]] const std::string& open_end() const { return bytes_; }  // without the end mark
  [[nodiscard]] std::string finish() const;                             // with two blocks of zeros

 private:
  std::string bytes_;
};

// A root file system that passes even the strict policy.
[[nodiscard]] TarBuilder small_rootfs();

[[nodiscard]] std::string compress(Compression compression, std::string_view bytes);
[[nodiscard]] std::string docker_layer_path(int number);  // as old versions of docker call them

// Layers (tar archives, compressed or not) put together to an image.
[[nodiscard]] std::string docker_image(const std::vector<std::string>& layers);
// With blobs instead, and an OCI layout beside manifest.json, as new versions of docker do.
[[nodiscard]] std::string hybrid_image(const std::vector<std::string>& layers);
[[nodiscard]] std::string oci_image(const std::vector<std::string>& layers);

// The parts of the last three, to be put together wrongly.
[[nodiscard]] std::string unpacked(const std::string& layer);
[[nodiscard]] std::string config_json(const std::vector<std::string>& layers);
[[nodiscard]] std::string manifest_json(const std::vector<std::string>& layers);          // of OCI
[[nodiscard]] std::string descriptor_json(std::string_view type, std::string_view blob);  // of OCI
TarBuilder& add_blob(TarBuilder& tar, std::string_view bytes);

}  // namespace slipway::archive

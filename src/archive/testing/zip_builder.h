// Zips made in memory, good and bad ones.
//
//   ZipBuilder zip;
//   zip.file("a.txt", "text").file("b.txt", "more", {.stored = true});
//   std::string bytes = zip.finish();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slipway::archive {

struct ZipForm {
  enum class Lengths : std::uint8_t {
    kBefore,     // in the header
    kBehind,     // in a descriptor
    kUnmarked,   // in a descriptor without a mark
    kWide,       // in a descriptor of zip64
    kBoth,       // in the header and in a descriptor
    kWideBefore  // in the header's field of zip64
  };
  bool stored = false;
  Lengths lengths = Lengths::kBefore;
  bool encrypted = false;
  std::uint16_t method = 8;  // what the header says of one that is not stored
};

class ZipBuilder {
 public:
  ZipBuilder& file(std::string_view name, std::string_view content, const ZipForm& form = {});

  [[nodiscard]] const std::string& open_end() const { return bytes_; }  // without the directory
  [[nodiscard]] std::string finish() const;

 private:
  std::string bytes_;
  std::string directory_;
  std::uint16_t entries_ = 0;
};

}  // namespace slipway::archive

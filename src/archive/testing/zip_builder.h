// Zips made in memory, good and bad ones.
//
//   ZipBuilder zip;
//   zip.file("a.txt", "text").file("b.txt", "more", {.stored = true});
//   std::string bytes = zip.finish();
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

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
  // In the directory:
  std::string_view listed_as{};  // another name than the file's
  bool unlisted = false;         // it is not there
  bool far = false;              // its offset is in the field of zip64
};

struct ZipEnd {
  std::string_view comment{};
  bool wide = false;         // the numbers are in zip64's end
  std::uint64_t before = 0;  // offsets count from so many bytes before the zip
};

class ZipBuilder {
 public:
  ZipBuilder& file(std::string_view name, std::string_view content, const ZipForm& form = {});

  // The directory lists the last file first.
  ZipBuilder& list_backwards();

  [[nodiscard]] const std::string& open_end() const { return bytes_; }  // without the directory
  [[nodiscard]] std::string finish(const ZipEnd& end = {}) const;

 private:
  struct Listed {
    std::string begin{};  // of its record, up to the length of its name
    std::string name{};
    std::uint64_t at = 0;
    bool far = false;
  };

  std::string bytes_;
  std::vector<Listed> listed_;  // in the directory's order
};

}  // namespace slipway::archive

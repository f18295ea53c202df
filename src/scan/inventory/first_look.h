// Inside src/scan/inventory only: reads the files that readers want while their archive is surveyed, and keeps what it
// found apart for each.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/image.h"
#include "scan/inventory/file_reader.h"
#include "scan/inventory/finds.h"

namespace slipway::scan {

// The one that wants the file; null: nobody does.
[[nodiscard]] const FileReader* reader_of(const FileInfo& file);
[[nodiscard]] const FileReader* distribution_reader_of(const FileInfo& file);  // of distribution_readers() only
[[nodiscard]] bool is_executable(std::uint16_t mode);

// Reads it into `finds`. An error is the archive's own; what is wrong with this file alone is noted as unread.
[[nodiscard]] Result<> read_file(const FileReader& reader, const FileInfo& file, archive::ByteSource& content,
                                 Finds& finds);

// One thread.
class FirstLook : public archive::Onlooker {
 public:
  void begin_again() override;
  [[nodiscard]] Result<> file(archive::Origin place, std::string_view path, const archive::Entry& entry,
                              archive::ByteSource& content) override;

  // Once all was shown. What was found in the file at that place, if it was read under this name by this reader and was
  // not taken yet.
  [[nodiscard]] std::optional<Finds> take(archive::Origin place, std::string_view path, const FileReader& reader);
  // What was found in files that were not taken, with their layers: another layer has replaced them.
  void each_left(const std::function<void(const Finds&, std::uint32_t layer)>& visit) const;
  // Who has read the file at that place, whether it was taken or not; null: nobody.
  [[nodiscard]] const FileReader* reader_at(archive::Origin place);

 private:
  struct ReadFile {
    archive::Origin place{};
    std::string path{};
    const FileReader* reader = nullptr;
    bool taken = false;
    std::unique_ptr<Finds> finds{};  // null: nothing
  };

  [[nodiscard]] ReadFile* at(archive::Origin place);  // null: it was not read

  std::vector<ReadFile> files_;
  bool sorted_ = false;
  // Layers that are replaced in the end, too: as much in all as one inventory may have is kept.
  std::size_t packages_ = 0;
  std::size_t owned_ = 0;
};

}  // namespace slipway::scan

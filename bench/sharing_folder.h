// A folder on a file system that shares blocks between files.
#pragma once

#include <string>

namespace slipway::bench {

// XFS in a file, mounted while this lives. Needs root.
class SharingFolder {
 public:
  SharingFolder(std::string image, std::string place);
  ~SharingFolder();
  SharingFolder(const SharingFolder&) = delete;
  SharingFolder& operator=(const SharingFolder&) = delete;

  [[nodiscard]] const std::string& missing() const { return missing_; }  // why it is not there

 private:
  std::string image_;
  std::string place_;
  std::string missing_;
};

}  // namespace slipway::bench

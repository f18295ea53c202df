// File systems in files, mounted for a test that is root. The mounts are this process's alone: nobody else sees them,
// and none outlives the process, however it ends.
#pragma once

#include <string>

#include "sys/testing/temp_dir.h"

namespace slipway::volumes {

// Mounted while it lives, where it can be: else why() says what is in the way, for GTEST_SKIP.
class Mounted {
 public:
  // `file` holds a file system, or is the source that `options` do not speak of: Mounted("tmpfs", "none", "size=1m").
  Mounted(const std::string& type, const std::string& file, const std::string& options);
  ~Mounted();
  Mounted(const Mounted&) = delete;
  Mounted& operator=(const Mounted&) = delete;

  [[nodiscard]] bool ok() const { return why_.empty(); }
  [[nodiscard]] const std::string& why() const { return why_; }
  [[nodiscard]] const std::string& path() const { return folder_.path(); }
  [[nodiscard]] std::string file(const std::string& name) const { return folder_.file(name); }

 private:
  sys::TempDir folder_;
  std::string why_;
};

}  // namespace slipway::volumes

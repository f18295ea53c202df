// A fresh directory for one test or measurement, removed with all it holds.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

namespace slipway::sys {

class TempDir {
 public:
  TempDir() : path_(std::filesystem::temp_directory_path() / "slipway-test-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) throw std::runtime_error("mkdtemp " + path_ + " failed");
  }
  ~TempDir() {
    if (kept_) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  void keep() { kept_ = true; }  // it stays, for a look
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  bool kept_ = false;
};

}  // namespace slipway::sys

// nginx over a folder, on a free port of loopback: the server that objects come from. An ordinary configuration, with
// its own paths for all that it writes; ended with this process, however that ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sys/testing/command.h"

namespace slipway::bench {

class Nginx {
 public:
  // Serves `root` at /. `work` is a folder for its own files. Throws, with its error log, when it does not start.
  Nginx(const std::string& root, const std::string& work);
  ~Nginx();
  Nginx(const Nginx&) = delete;
  Nginx& operator=(const Nginx&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }  // without a slash at its end

 private:
  [[nodiscard]] bool start(const std::string& root, const std::string& work);

  std::string url_;
  std::unique_ptr<sys::Command> process_;
};

}  // namespace slipway::bench

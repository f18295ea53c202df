// One at a time at a thin pool: threads and processes. What takes several requests to the kernel is done inside, so
// that what is found half done there was left by a crash. The kernel's lock on the pool's node: it ends with its
// process.
#pragma once

#include <string>

#include "base/error.h"
#include "sys/descriptor.h"
#include "volumes/thin/device_mapper.h"

namespace slipway::volumes {

class PoolGate {
 public:
  // Waits its turn. kNotFound: there is no such pool. kUnavailable: somebody has been inside for half a minute.
  [[nodiscard]] static Result<PoolGate> enter(const std::string& pool);

  [[nodiscard]] const std::string& number() const { return number_; }  // of the pool: "253:0"

 private:
  PoolGate(sys::Descriptor node, std::string number) : node_(std::move(node)), number_(std::move(number)) {}

  sys::Descriptor node_;
  std::string number_;
};

}  // namespace slipway::volumes

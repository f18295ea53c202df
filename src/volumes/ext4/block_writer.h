// Inside src/volumes/ext4 only: many small writes that follow each other become few large ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "volumes/ext4/device.h"

namespace slipway::volumes::ext4 {

// One thread at a time; `device` must outlive it. What was written is on the device after flush(), not before.
class BlockWriter {
 public:
  explicit BlockWriter(Device& device);

  [[nodiscard]] Result<> write(std::uint64_t offset, std::span<const std::byte> bytes);
  [[nodiscard]] Result<> zeros(std::uint64_t offset, std::uint64_t length);
  [[nodiscard]] Result<> flush();

 private:
  [[nodiscard]] Result<> make_room(std::uint64_t offset);

  Device& device_;
  std::vector<std::byte> buffer_;
  std::uint64_t start_ = 0;  // of the buffer on the device
  std::size_t filled_ = 0;
  std::uint64_t out_from_ = 0;  // the system was not yet asked to write out from here...
  std::uint64_t out_to_ = 0;    // ...to here
};

}  // namespace slipway::volumes::ext4

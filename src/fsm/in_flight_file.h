// The in-flight marks of a run store, in a file that is mapped into memory: a mark is two stores, and the kernel keeps
// the page when the process dies.
//
// The file is an array of slots of 16 bytes, each the two halves of a run version as native 64-bit numbers, high first;
// zero: nobody. It has no checksum and no order: a mark is a hint, and whoever reads it asks the store whether such a
// run is active. So a mark torn by a crash, left from an older file, or made of noise names no run and has no effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "fsm/run_store.h"

namespace slipway::fsm {

// Thread-safe: slots are independent of each other.
class InFlightFile final : public InFlightMarks {
 public:
  // Makes the file if it is missing, reads the marks that the last owner left, and empties it. The whole file is
  // allocated here, so that a disk that fills up later cannot take the process down in enter().
  [[nodiscard]] static Result<std::unique_ptr<InFlightFile>> open(const std::string& path, std::size_t slots);

  ~InFlightFile() override;  // leaves the marks as they are

  void enter(std::size_t slot, RunVersion version) override;
  void leave(std::size_t slot) override;
  void clear() override;
  [[nodiscard]] std::size_t slots() const override { return halves_.size() / 2; }

  [[nodiscard]] const std::vector<RunVersion>& found() const { return found_; }

 private:
  InFlightFile(std::span<std::uint64_t> halves, std::vector<RunVersion> found)
      : halves_(halves), found_(std::move(found)) {}

  void set(std::size_t slot, std::uint64_t high, std::uint64_t low);

  std::span<std::uint64_t> halves_;  // the mapping
  std::vector<RunVersion> found_;
};

}  // namespace slipway::fsm

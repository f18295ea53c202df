// The thin pool that a workshop stands on: made by the program, looked at and taken down beside it.
#pragma once

#include <filesystem>
#include <string>

#include "catalog/types.h"
#include "sys/testing/command.h"
#include "volumes/thin/pool_setup.h"

namespace slipway {

class ThinGround {
 public:
  static constexpr std::uint64_t kDataSize = 48ULL << 20;
  static constexpr std::uint64_t kMetadataSize = 2ULL << 20;

  // Why there can be no thin pool here; empty: there can.
  [[nodiscard]] static std::string why_not();

  // Of the files that `slipway pool create` makes by itself.
  ThinGround(std::filesystem::path state, const std::string& name);
  ~ThinGround();  // leaves nothing in the kernel, whatever has happened
  ThinGround(const ThinGround&) = delete;
  ThinGround& operator=(const ThinGround&) = delete;

  [[nodiscard]] const volumes::ThinPoolPlace& place() const { return place_; }
  [[nodiscard]] const std::string& name() const { return place_.name; }
  [[nodiscard]] sys::Variables variables() const;

  // The state folder has a pool that is new: remembered, so that it need not be made again.
  void remember_as_new();
  // The state folder as it was then.
  void renew();
  void take_down();

  // Nothing when the kernel has of this state folder just the pool, its loop devices and the active snapshot, and the
  // pool has just these two. Else what is wrong.
  [[nodiscard]] std::string faults(const catalog::Volume& volume, const catalog::Snapshot& snapshot) const;

 private:
  [[nodiscard]] std::filesystem::path kept() const { return state_.native() + ".new"; }

  std::filesystem::path state_;
  volumes::ThinPoolPlace place_;
};

}  // namespace slipway

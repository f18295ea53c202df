// The machines that work with devices, over a pool in memory (in tests/vm: a thin pool), a catalog in a temporary
// folder, a run store in memory and a clock that the test moves.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "fsm/testing/manager_harness.h"
#include "pipeline/doctor.h"
#include "sys/testing/temp_dir.h"
#include "volumes/testing/pool_stage.h"

namespace slipway::pipeline {

class VolumeFixture : public testing::Test {
 protected:
  static constexpr std::uint64_t kSize = 1U << 20;
  static constexpr DeviceId kVolume{100};  // of "the-image"

  VolumeFixture();

  virtual void add_machines(fsm::Manager& manager) = 0;
  void open() {
    harness_.open([this](fsm::Manager& manager) { add_machines(manager); });
  }

  // An image with a file in images/, a volume that is in the pool, and its row.
  void unpack(const std::string& image, DeviceId id, const std::string& name);
  // A snapshot of it, active.
  void activate(const std::string& image, DeviceId origin, DeviceId id, const std::string& name);

  // The process dies in this transition of a run that `start` starts, before it has done anything or after it has done
  // all but note it; then `meanwhile` happens, and the next process goes on.
  template <class Start>
  fsm::RunVersion cut_off(
      const std::string& transition, bool after, const Start& start, const std::function<void()>& meanwhile = [] {}) {
    begin_cut_off(transition, after);
    const fsm::RunVersion run = start();
    end_cut_off(meanwhile);
    return run;
  }

  [[nodiscard]] std::filesystem::path images() const { return folder_.file("images"); }
  std::vector<catalog::Reservation> ids() { return catalog_->list_reservations().value(); }
  std::string breaches();  // of the catalog's rules; one a line
  DoctorParts doctor();

  sys::TempDir folder_;
  std::shared_ptr<catalog::Catalog> catalog_;
  std::shared_ptr<volumes::PoolStage> stage_ = volumes::make_pool_stage();
  std::shared_ptr<volumes::Pool> pool_ = stage_->open();
  fsm::ManagerHarness harness_;

 private:
  struct CutOff {
    std::string transition;
    bool after = false;
    fsm::Gate gate{};
  };
  void begin_cut_off(const std::string& transition, bool after);
  void end_cut_off(const std::function<void()>& meanwhile);

  std::unique_ptr<CutOff> cut_off_;
};

}  // namespace slipway::pipeline

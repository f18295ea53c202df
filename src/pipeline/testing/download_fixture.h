// The download machine over a bucket in memory, a catalog in a temporary folder, a run store in memory and a clock that
// the test moves.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/testing/inspector_program.h"
#include "archive/testing/tar_builder.h"
#include "catalog/catalog.h"
#include "fsm/testing/manager_harness.h"
#include "objects/testing/memory_source.h"
#include "pipeline/download_image.h"
#include "pipeline/process_image.h"
#include "sys/testing/temp_dir.h"
#include "volumes/testing/memory_pool.h"

namespace slipway::pipeline {

class DownloadImageFixture : public testing::Test {
 protected:
  DownloadImageFixture();

  // Before open(): what is different in this test.
  DownloadSettings settings_;
  archive::InspectorProgram inspector_ = archive::test_inspector();
  // Called before each try of each transition; false: the try ends there, as cut off.
  std::function<bool(const fsm::RunContext& run)> before_;

  void open();
  void crash() { harness_.crash(); }  // then open() again

  fsm::RunVersion start(bool verify = false);
  Result<DownloadImageResponse> wait(fsm::RunVersion run) { return machine_->wait(run); }
  Result<DownloadImageResponse> fetch(bool verify = false) { return wait(start(verify)); }
  // The same, with the clock moved on whenever the run waits for its next try.
  Result<DownloadImageResponse> fetch_patiently();
  std::string ending(fsm::RunVersion run) { return harness_.ending(run); }

  // A root file system with a file of so many bytes.
  static std::string image(std::size_t bytes, char fill = 'x');
  catalog::Image row() { return *catalog_->get_image("the-image"); }
  std::vector<std::string> files() const;  // in the folder of images
  std::filesystem::path file() const { return settings_.images / "the-image.tar"; }
  std::vector<std::string> log_lines() const;
  int tries(fsm::RunVersion run, std::string_view transition);

  sys::TempDir folder_;
  std::shared_ptr<objects::MemorySource> source_ = std::make_shared<objects::MemorySource>();
  std::shared_ptr<catalog::Catalog> catalog_;
  std::shared_ptr<volumes::PoolMemory> memory_ = std::make_shared<volumes::PoolMemory>();
  std::shared_ptr<volumes::Pool> pool_ = std::make_shared<volumes::MemoryPool>(memory_);
  fsm::ManagerHarness harness_;
  std::optional<DownloadImageMachine> machine_;
  std::optional<ScanImageMachine> scan_;
  std::optional<ProcessImageMachine> process_;
  DownloadImageRequest request_{.bucket = "bucket",
                                .key = "the/key.tar",
                                .image_id = "the-image",
                                .verify = false,
                                .list_packages = false,
                                .rules = {}};

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

}  // namespace slipway::pipeline

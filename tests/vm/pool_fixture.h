// A thin pool on loop devices over sparse files in a temporary folder, for one test. What needs device-mapper is
// skipped where there is none; run-in-vm gives it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sys/testing/temp_dir.h"
#include "vm/thin_devices.h"
#include "volumes/testing/pool_contract.h"
#include "volumes/thin/pool_setup.h"
#include "volumes/thin/thin_pool.h"

namespace slipway::volumes {

// Makes the pool, and destroys it with all that is active on it.
class TestPool {
 public:
  explicit TestPool(const ThinPoolSpec& sizes = {});
  ~TestPool();
  TestPool(const TestPool&) = delete;
  TestPool& operator=(const TestPool&) = delete;

  [[nodiscard]] const ThinPoolPlace& place() const { return spec_.place; }
  [[nodiscard]] const std::string& name() const { return spec_.place.name; }
  [[nodiscard]] const Result<>& made() const { return made_; }
  [[nodiscard]] std::unique_ptr<ThinPool> open(ThinPoolOptions options = {}) const;

 private:
  sys::TempDir dir_;
  ThinPoolSpec spec_;
  Result<> made_;
};

class ThinTest : public testing::Test {
 protected:
  static constexpr std::uint64_t kSize = 16ULL << 20;

  void SetUp() override;
  void start(const ThinPoolSpec& sizes = {});
  [[nodiscard]] ThinPool& pool() { return *pool_; }
  [[nodiscard]] std::string name(const std::string& short_name) const { return test_->name() + "." + short_name; }
  [[nodiscard]] DeviceSpec spec(std::uint32_t id) const { return {{id}, name(std::to_string(id)), kSize}; }
  std::string make(const DeviceSpec& volume);
  // 0, or the errno of the first write or sync that failed.
  static int fill(const std::string& path, std::uint64_t bytes);
  static void put(const std::string& path, std::uint64_t offset, const std::string& text);
  static std::string get(const std::string& path, std::uint64_t offset, std::size_t length);

  std::unique_ptr<TestPool> test_;
  std::unique_ptr<ThinPool> pool_;
};

}  // namespace slipway::volumes

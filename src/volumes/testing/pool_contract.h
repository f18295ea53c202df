// What every Pool must do (volumes/pool.h), as a suite that each implementation runs:
//
//   INSTANTIATE_TEST_SUITE_P(Memory, PoolContract, testing::Values(pool_contract("memory", [] { return ...; })));
#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>

#include <gtest/gtest.h>

#include "volumes/pool.h"

namespace slipway::volumes {

// One pool that can be closed and opened again. Made empty for each test.
class PoolHarness {
 public:
  PoolHarness() = default;
  PoolHarness(const PoolHarness&) = delete;
  PoolHarness& operator=(const PoolHarness&) = delete;
  virtual ~PoolHarness() = default;

  // Why there can be no such pool here, for GTEST_SKIP; empty when there can.
  [[nodiscard]] virtual std::string hindrance() { return {}; }
  // The same pool each time, as its last user left it.
  [[nodiscard]] virtual Result<std::unique_ptr<Pool>> open() = 0;
};

struct PoolFactory {
  std::string name;
  std::function<std::unique_ptr<PoolHarness>()> make;
};
void PrintTo(const PoolFactory& factory, std::ostream* out);

// Use this and not PoolFactory{}: it makes the linker take the suite out of its library.
[[nodiscard]] PoolFactory pool_contract(std::string name, std::function<std::unique_ptr<PoolHarness>()> make);

class PoolContract : public testing::TestWithParam<PoolFactory> {
 protected:
  static constexpr std::uint64_t kSize = 8ULL << 20;

  void SetUp() override;
  void TearDown() override;  // removes what the test has made
  [[nodiscard]] Pool& pool() { return *pool_; }
  void reopen();

  [[nodiscard]] static DeviceSpec spec(std::uint32_t id, const std::string& name) { return {{id}, name, kSize}; }
  // Create and activate.
  std::string make(const DeviceSpec& volume);
  // Both of an active device.
  static void write(const std::string& path, std::uint64_t offset, const std::string& text);
  static std::string read(const std::string& path, std::uint64_t offset, std::size_t length);
  static ErrorKind kind_of(const Result<>& result);

  std::unique_ptr<PoolHarness> harness_;
  std::unique_ptr<Pool> pool_;
};

}  // namespace slipway::volumes

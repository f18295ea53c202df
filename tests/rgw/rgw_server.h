// Ceph's RADOS gateway, started once for the whole test program by the script start-rgw beside this file, and ended
// with it however it ends. All tests are skipped where Ceph is not installed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "sys/testing/command.h"

namespace slipway::rgw {

struct RgwServer {
  std::string endpoint{};  // http://127.0.0.1:PORT
  std::uint16_t port = 0;
  std::string access_key{};
  std::string secret_key{};
};

// The one that runs. Only for tests, which run between the environment's SetUp and TearDown.
[[nodiscard]] const RgwServer& server();

class RgwEnvironment : public testing::Environment {
 public:
  void SetUp() override;
  void TearDown() override;

 private:
  std::unique_ptr<sys::Command> script_;
};

}  // namespace slipway::rgw

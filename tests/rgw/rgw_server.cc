#include "rgw_server.h"

#include "base/number.h"

namespace slipway::rgw {
namespace {

constexpr int kNotInstalled = 77;  // what the script says

RgwServer& running() {
  static RgwServer instance;
  return instance;
}

std::uint16_t port_of(const std::string& endpoint) {
  return parse_number<std::uint16_t>(endpoint.substr(endpoint.rfind(':') + 1)).value_or(0);
}

[[maybe_unused]] const auto* const registered = testing::AddGlobalTestEnvironment(new RgwEnvironment);

}  // namespace

const RgwServer& server() { return running(); }

void RgwEnvironment::SetUp() {
  script_ = std::make_unique<sys::Command>(std::vector<std::string>{START_RGW});
  RgwServer started;
  started.endpoint = script_->read_line();
  started.access_key = script_->read_line();
  started.secret_key = script_->read_line();
  if (started.secret_key.empty()) {
    const int status = script_->wait();
    if (status == kNotInstalled)
      GTEST_SKIP() << "all tests are skipped: there is no Ceph here (packages.txt names what is needed)";
    FAIL() << "start-rgw ended with status " << status << "; what it said stands above";
  }
  started.port = port_of(started.endpoint);
  ASSERT_NE(started.port, 0) << started.endpoint;
  running() = started;
}

void RgwEnvironment::TearDown() {
  if (script_ == nullptr) return;
  script_->close_input();
  const int status = script_->wait();
  EXPECT_TRUE(status == 0 || status == kNotInstalled) << "start-rgw ended with status " << status;
}

}  // namespace slipway::rgw

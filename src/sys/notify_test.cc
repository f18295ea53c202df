#include "sys/notify.h"

#include <cstring>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/testing/temp_dir.h"

namespace slipway::sys {
namespace {

using namespace std::chrono_literals;

class ServiceNotifierTest : public testing::Test {
 protected:
  ServiceNotifierTest() {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
    EXPECT_EQ(::bind(manager_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  }
  std::string heard() {
    char text[256];
    const ssize_t got = ::recv(manager_.get(), text, sizeof text, MSG_DONTWAIT);
    return got < 0 ? "" : std::string(text, static_cast<std::size_t>(got));
  }

  TempDir dir_;
  std::string path_ = dir_.file("notify");
  Descriptor manager_{::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

TEST_F(ServiceNotifierTest, TheManagerHearsIt) {
  const ServiceNotifier notifier(path_, "", "");
  EXPECT_TRUE(notifier.ready());
  EXPECT_EQ(heard(), "READY=1");
  EXPECT_TRUE(notifier.status("at work"));
  EXPECT_EQ(heard(), "STATUS=at work");
  EXPECT_FALSE(notifier.watchdog());
}

TEST_F(ServiceNotifierTest, TheWatchdogIsFedTwiceAsOftenAndOnlyByWhoIsMeant) {
  EXPECT_EQ(ServiceNotifier(path_, "30000000", "").watchdog(), 15s);
  EXPECT_EQ(ServiceNotifier(path_, "30000000", std::to_string(::getpid())).watchdog(), 15s);
  EXPECT_FALSE(ServiceNotifier(path_, "30000000", "1").watchdog());
  EXPECT_FALSE(ServiceNotifier(path_, "nonsense", "").watchdog());
  EXPECT_FALSE(ServiceNotifier("", "30000000", "").watchdog());
}

TEST_F(ServiceNotifierTest, WithoutAManagerNothingIsSaid) {
  EXPECT_TRUE(ServiceNotifier("", "", "").ready());
  EXPECT_FALSE(ServiceNotifier(dir_.file("nobody"), "", "").ready());
}

}  // namespace
}  // namespace slipway::sys

#include "sys/unix_socket.h"

#include <filesystem>
#include <fstream>
#include <future>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sys/testing/child_process.h"
#include "sys/testing/temp_dir.h"

namespace slipway::sys {
namespace {

constexpr std::size_t kLine = 100;

class UnixSocketTest : public ::testing::Test {
 protected:
  // Both ends of a connection through `listening`.
  struct Ends {
    LineSocket here;
    LineSocket there;
  };
  Ends connect(const Descriptor& listening) {
    auto here = connect_to(path_);
    EXPECT_TRUE(here) << here.error().message();
    Descriptor there(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
    return {LineSocket(std::move(*here), kLine), LineSocket(std::move(there), kLine)};
  }

  TempDir dir_;
  std::filesystem::path path_ = dir_.file("socket");
};

TEST_F(UnixSocketTest, IsForThisUserOnly) {
  const mode_t before = ::umask(0);
  const auto listening = listen_at(path_);
  ::umask(before);
  ASSERT_TRUE(listening) << listening.error().message();
  struct stat status{};
  ASSERT_EQ(::stat(path_.c_str(), &status), 0);
  EXPECT_TRUE(S_ISSOCK(status.st_mode));
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(UnixSocketTest, LinesGoBothWays) {
  const auto listening = listen_at(path_);
  auto ends = connect(*listening);
  ASSERT_TRUE(ends.here.write_line("one"));
  ASSERT_TRUE(ends.here.write_line(""));
  ASSERT_TRUE(ends.there.write_line("back"));
  EXPECT_EQ(*ends.there.read_line(), "one");
  EXPECT_TRUE(ends.there.wait(std::chrono::milliseconds(0)));  // it has been read already, and not given out
  EXPECT_EQ(*ends.there.read_line(), "");
  EXPECT_EQ(*ends.here.read_line(), "back");
}

TEST_F(UnixSocketTest, APathLongerThanTheKernelTakesWorks) {
  const auto deep = std::filesystem::path(dir_.file(std::string(100, 'd'))) / std::string(100, 'e');
  std::filesystem::create_directories(deep);
  path_ = deep / "socket";
  const auto listening = listen_at(path_);
  ASSERT_TRUE(listening) << listening.error().message();
  auto ends = connect(*listening);
  ASSERT_TRUE(ends.here.write_line("x"));
  EXPECT_EQ(*ends.there.read_line(), "x");
}

TEST_F(UnixSocketTest, ANameThatIsTooLongIsRefused) {
  path_ = dir_.file(std::string(200, 's'));
  EXPECT_EQ(listen_at(path_).error().kind(), ErrorKind::kInvalid);
  EXPECT_EQ(connect_to(path_).error().kind(), ErrorKind::kInvalid);
}

TEST_F(UnixSocketTest, WhereNobodyListensIsUnavailable) {
  EXPECT_EQ(connect_to(path_).error().kind(), ErrorKind::kUnavailable);
  {
    const auto gone = listen_at(path_);
  }
  ASSERT_TRUE(std::filesystem::exists(path_));
  EXPECT_EQ(connect_to(path_).error().kind(), ErrorKind::kUnavailable);
}

TEST_F(UnixSocketTest, WhatIsThereAlreadyIsReplaced) {
  std::ofstream(path_) << "a file";
  const auto listening = listen_at(path_);
  ASSERT_TRUE(listening) << listening.error().message();
  EXPECT_TRUE(connect_to(path_));
}

TEST_F(UnixSocketTest, ALineThatIsTooLongIsCorrupt) {
  const auto listening = listen_at(path_);
  auto ends = connect(*listening);
  ASSERT_TRUE(ends.here.write_line(std::string(kLine, 'x')));
  EXPECT_EQ(ends.there.read_line()->size(), kLine);
  ASSERT_TRUE(ends.here.write_line(std::string(20'000, 'x')));
  EXPECT_EQ(ends.there.read_line().error().kind(), ErrorKind::kCorrupt);
}

TEST_F(UnixSocketTest, ALineWithoutItsEndIsNone) {
  const auto listening = listen_at(path_);
  auto ends = connect(*listening);
  ASSERT_EQ(::send(ends.here.descriptor(), "half", 4, MSG_NOSIGNAL), 4);
  ends.here.shut();
  EXPECT_EQ(ends.there.read_line().error().kind(), ErrorKind::kUnavailable);
  EXPECT_EQ(ends.there.write_line("x").error().kind(), ErrorKind::kUnavailable);
}

TEST_F(UnixSocketTest, WaitingEndsWithALineOrWithTheOtherSide) {
  const auto listening = listen_at(path_);
  auto ends = connect(*listening);
  EXPECT_FALSE(ends.there.wait(std::chrono::milliseconds(1)));
  auto waiting = std::async(std::launch::async, [&] { return ends.there.wait(std::chrono::hours(1)); });
  ends.here.shut();
  EXPECT_TRUE(waiting.get());
}

TEST_F(UnixSocketTest, ThePeerIsTrustedWhenItIsThisUser) {
  const auto listening = listen_at(path_);
  const auto here = connect_to(path_);
  const Descriptor there(::accept4(listening->get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_TRUE(peer_is_trusted(there));
  EXPECT_FALSE(peer_is_trusted(Descriptor(::dup(0))));  // no socket
}

// Root may be anybody: a child becomes nobody, and is let in by the file's mode, but not by the check.
TEST_F(UnixSocketTest, AnotherUserIsNotTrusted) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can become another user";
  const auto listening = listen_at(path_);
  ::chmod(dir_.path().c_str(), 0755);
  ::chmod(path_.c_str(), 0666);
  sys::ChildProcess other([this](const ChildProcess::Voice& voice) {
    if (::setgid(65534) != 0 || ::setuid(65534) != 0) return 77;
    const auto connection = connect_to(path_);
    voice.say(connection ? "connected" : connection.error().message());
    for (;;) ::pause();
    return 0;
  });
  ASSERT_EQ(other.hear(), "connected");
  const Descriptor there(::accept4(listening->get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_FALSE(peer_is_trusted(there));
}

}  // namespace
}  // namespace slipway::sys

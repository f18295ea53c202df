#include "sys/process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <string>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace slipway::sys {
namespace {

struct Pipe {
  Pipe() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reading = Descriptor(ends[0]);
    writing = Descriptor(ends[1]);
  }
  std::string read_all() {
    writing = Descriptor();
    std::string out;
    std::array<char, 1024> piece{};
    for (ssize_t got = 0; (got = ::read(reading.get(), piece.data(), piece.size())) > 0;) {
      out.append(piece.data(), static_cast<std::size_t>(got));
    }
    return out;
  }
  Descriptor reading;
  Descriptor writing;
};

std::string shell(const std::string& script, std::vector<std::string> environment = {}) {
  Pipe out;
  auto process = Process::start({.executable = "/bin/sh",
                                 .arguments = {"-c", script},
                                 .environment = std::move(environment),
                                 .descriptors = {{1, out.writing.get()}}});
  EXPECT_TRUE(process) << process.error().message();
  const std::string text = out.read_all();
  EXPECT_EQ(process->wait().code, 0);
  return text;
}

TEST(ProcessTest, HasOnlyTheDescriptorsItIsGiven) {
  const Descriptor leak(::open("/dev/null", O_RDONLY));  // on purpose without O_CLOEXEC
  ASSERT_TRUE(leak);
  // The shell's own look into the folder is the one that is not given.
  EXPECT_EQ(shell("for fd in /proc/self/fd/*; do [ -e $fd ] && echo ${fd##*/}; done"), "1\n");
}

TEST(ProcessTest, SwapsDescriptorsWithoutTrampling) {
  Pipe a;
  Pipe b;
  // The child's numbers are ours, crosswise.
  auto process =
      Process::start({.executable = "/bin/sh",
                      .arguments = {"-c", "echo a >&" + std::to_string(b.writing.get()) + "; echo b >&" +
                                              std::to_string(a.writing.get())},
                      .descriptors = {{b.writing.get(), a.writing.get()}, {a.writing.get(), b.writing.get()}}});
  ASSERT_TRUE(process) << process.error().message();
  EXPECT_EQ(a.read_all(), "a\n");
  EXPECT_EQ(b.read_all(), "b\n");
}

TEST(ProcessTest, InheritsNoEnvironment) {
  ::setenv("SLIPWAY_SECRET", "x", 1);
  EXPECT_EQ(shell("echo \"$SLIPWAY_SECRET$GIVEN\"", {"GIVEN=y"}), "y\n");
  ::unsetenv("SLIPWAY_SECRET");
}

TEST(ProcessTest, StandsInAGroupOfItsOwn) {
  EXPECT_EQ(shell("read -r pid x y z group rest </proc/$$/stat; [ $pid = $group ] && echo own"), "own\n");
}

TEST(ProcessTest, IsStartedInTheFolderItIsGiven) {
  Pipe out;
  auto process = Process::start(
      {.executable = "/bin/sh", .arguments = {"-c", "pwd"}, .descriptors = {{1, out.writing.get()}}, .folder = "/usr"});
  ASSERT_TRUE(process) << process.error().message();
  EXPECT_EQ(out.read_all(), "/usr\n");
}

TEST(ProcessTest, ItsGroupIsKilledAfterItsOwnEndToo) {
  Pipe out;
  auto process = Process::start(
      {.executable = "/bin/sh", .arguments = {"-c", "sleep 1000 &"}, .descriptors = {{1, out.writing.get()}}});
  ASSERT_TRUE(process) << process.error().message();
  pollfd ended{process->pidfd(), POLLIN, 0};
  ASSERT_EQ(::poll(&ended, 1, -1), 1);
  process->kill_group();
  EXPECT_EQ(out.read_all(), "");  // comes to its end: nobody has the pipe
  EXPECT_EQ(process->wait().code, 0);
  process->kill_group();  // of a group that is gone: nothing
}

TEST(ProcessTest, SaysHowItEnded) {
  auto exits = Process::start({.executable = "/bin/sh", .arguments = {"-c", "exit 3"}});
  ASSERT_TRUE(exits);
  EXPECT_FALSE(exits->wait().signalled);
  EXPECT_EQ(exits->wait().code, 3);

  auto killed = Process::start({.executable = "/bin/sleep", .arguments = {"1000"}});
  ASSERT_TRUE(killed);
  killed->kill();
  EXPECT_TRUE(killed->wait().signalled);
  EXPECT_EQ(killed->wait().code, SIGKILL);
  killed->kill();  // of a process that is gone: nothing
}

TEST(ProcessTest, ItsEndCanBePolled) {
  auto process = Process::start({.executable = "/bin/true"});
  ASSERT_TRUE(process);
  pollfd watched{process->pidfd(), POLLIN, 0};
  EXPECT_EQ(::poll(&watched, 1, -1), 1);
  EXPECT_EQ(process->wait().code, 0);
}

TEST(ProcessTest, LeavesNoZombieWhenItsOwnerGoes) {
  pid_t pid = 0;
  {
    auto process = Process::start({.executable = "/bin/sleep", .arguments = {"1000"}});
    ASSERT_TRUE(process);
    pid = process->pid();
    const Process moved = std::move(*process);
    EXPECT_EQ(::kill(pid, 0), 0);
  }
  EXPECT_EQ(::waitpid(pid, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD);
}

TEST(ProcessTest, AProgramThatIsNotThereIsAnError) {
  const auto process = Process::start({.executable = "/nowhere/at/all"});
  ASSERT_FALSE(process);
  EXPECT_EQ(process.error().kind(), ErrorKind::kNotFound);
}

}  // namespace
}  // namespace slipway::sys

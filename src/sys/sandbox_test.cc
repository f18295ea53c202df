#include "sys/sandbox.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/testing/child_process.h"
#include "sys/testing/sanitized.h"
#include "sys/testing/temp_dir.h"

namespace slipway::sys {
namespace {

using ::testing::HasSubstr;

constexpr int kKilled = 128 + SIGSYS;
constexpr int kAllowed = 1;
constexpr int kNoSandbox = 2;
constexpr unsigned kSomeUser = 12345;

// As root, and as somebody else; the latter only where we may become that.
class SandboxTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && ::geteuid() != 0) GTEST_SKIP() << "needs root";
    file_ = ::open(dir_.file("file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    ASSERT_GE(file_, 0);
  }
  void TearDown() override {
    if (file_ >= 0) ::close(file_);
  }

  // Much address space where that is not the point: a test program has used a lot of it up by then.
  static bool lock_in(bool as_root, int output, std::uint64_t address_space = 1ULL << 40,
                      std::optional<SandboxVolume> volume = {}) {
    if (!as_root && ::geteuid() == 0 &&
        (::setresgid(kSomeUser, kSomeUser, kSomeUser) != 0 || ::setresuid(kSomeUser, kSomeUser, kSomeUser) != 0)) {
      return false;
    }
    return enter_sandbox({.address_space = address_space, .output = output, .volume = volume, .parent = ::getppid()})
        .has_value();
  }

  // How a process ends that tries this in the sandbox; the attempt says whether it worked.
  int attempt(const std::function<bool()>& act, std::uint64_t address_space = 1ULL << 40) const {
    const bool as_root = GetParam();
    ChildProcess child([&](const ChildProcess::Voice&) {
      if (!lock_in(as_root, /*output=*/1, address_space)) return kNoSandbox;
      return act() ? kAllowed : 0;
    });
    return child.wait();
  }

  TempDir dir_;
  int file_ = -1;
};

INSTANTIATE_TEST_SUITE_P(Users, SandboxTest, ::testing::Bool(),
                         [](const auto& user) { return user.param ? "Root" : "SomeUser"; });

TEST_P(SandboxTest, ReadingComputingAndEndingGoOn) {
  ASSERT_EQ(::pwrite(file_, "abc", 3, 0), 3);
  EXPECT_EQ(attempt([&] {
              std::array<char, 3> bytes{};
              const bool read = ::pread(file_, bytes.data(), bytes.size(), 0) == 3;
              const std::string much(32UL << 20, 'x');
              return read && bytes[2] == 'c' && much.back() == 'x';
            }),
            kAllowed);
}

TEST_P(SandboxTest, OpeningAFileKills) {
  EXPECT_EQ(attempt([] { return ::open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0; }), kKilled);
}

TEST_P(SandboxTest, ASocketKills) {
  EXPECT_EQ(attempt([] { return ::socket(AF_INET, SOCK_STREAM, 0) >= 0; }), kKilled);
  EXPECT_EQ(attempt([] { return ::socket(AF_UNIX, SOCK_STREAM, 0) >= 0; }), kKilled);
}

TEST_P(SandboxTest, ANewProcessKills) {
  EXPECT_EQ(attempt([] { return ::syscall(SYS_fork) >= 0; }), kKilled);
}

TEST_P(SandboxTest, AProgramKills) {
  EXPECT_EQ(attempt([] {
              std::array<char*, 1> none{nullptr};
              return ::execve("/bin/true", none.data(), none.data()) == 0;
            }),
            kKilled);
}

TEST_P(SandboxTest, SignallingTheParentKills) {
  EXPECT_EQ(attempt([] { return ::kill(1, 0) == 0; }), kKilled);
  const pid_t parent = ::getpid();
  EXPECT_EQ(attempt([&] { return ::syscall(SYS_tgkill, parent, parent, 0) == 0; }), kKilled);
}

TEST_P(SandboxTest, WritingToAnotherDescriptorKills) {
  if (kSanitized) GTEST_SKIP() << "sanitizers write to pipes of their own";
  EXPECT_EQ(attempt([&] { return ::write(file_, "x", 1) == 1; }), kKilled);
  EXPECT_EQ(attempt([&] { return ::ftruncate(file_, 10) == 0; }), kKilled);
  struct stat info{};
  ASSERT_EQ(::fstat(file_, &info), 0);
  EXPECT_EQ(info.st_size, 0);
}

TEST_P(SandboxTest, AVolumeMayBeChangedUpToItsSizeAndNothingElse) {
  const int other = ::open(dir_.file("other").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  ASSERT_GE(other, 0);
  const bool as_root = GetParam();
  const auto with_volume = [&](const std::function<bool()>& act) {
    ChildProcess child([&](const ChildProcess::Voice&) {
      const SandboxVolume volume{.fd = file_, .size = 1 << 20};
      if (!lock_in(as_root, /*output=*/1, 1ULL << 40, volume)) return kNoSandbox;
      return act() ? kAllowed : 0;
    });
    return child.wait();
  };
  constexpr int kHole = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
  EXPECT_EQ(with_volume([&] { return ::pwrite(file_, "x", 1, (1 << 20) - 1) == 1; }), kAllowed);
  EXPECT_EQ(with_volume([&] { return ::fallocate(file_, kHole, 0, 4096) == 0 || errno == EOPNOTSUPP; }), kAllowed);
  EXPECT_EQ(with_volume([&] { return ::fdatasync(file_) == 0; }), kAllowed);
  EXPECT_EQ(with_volume([&] { return ::pwrite(file_, "x", 1, 1 << 20) == 1; }), 128 + SIGXFSZ);
  EXPECT_EQ(with_volume([&] { return ::pwrite(other, "x", 1, 0) == 1; }), kKilled);
  EXPECT_EQ(with_volume([&] { return ::ftruncate(file_, 0) == 0; }), kKilled);
  EXPECT_EQ(attempt([&] { return ::pwrite(file_, "x", 1, 0) == 1; }), kKilled);  // where none was given
  ::close(other);
}

TEST_P(SandboxTest, ChangingFilesByNameKills) {
  EXPECT_EQ(attempt([&] { return ::unlink(dir_.file("file").c_str()) == 0; }), kKilled);
  EXPECT_EQ(attempt([&] { return ::chmod(dir_.file("file").c_str(), 0777) == 0; }), kKilled);
}

TEST_P(SandboxTest, MemoryToExecuteKills) {
  EXPECT_EQ(attempt([] {
              return ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
            }),
            kKilled);
  EXPECT_EQ(attempt([] {
              void* page = ::mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return ::mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0;
            }),
            kKilled);
}

TEST_P(SandboxTest, MemoryIsBounded) {
  if (kSanitized) GTEST_SKIP() << "sanitizers reserve more than any limit";
  EXPECT_EQ(
      attempt([] { return ::mmap(nullptr, 1ULL << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED; },
              1ULL << 30),
      0);
}

TEST_P(SandboxTest, TheOutputMayNotBeAFileThatGrows) {
  const bool as_root = GetParam();
  ChildProcess child([&](const ChildProcess::Voice&) {
    if (!lock_in(as_root, file_)) return kNoSandbox;
    return ::write(file_, "x", 1) == 1 ? kAllowed : 0;
  });
  EXPECT_EQ(child.wait(), 128 + SIGXFSZ);
}

TEST_P(SandboxTest, NoRightsAreLeft) {
  std::array<int, 2> go_on{};
  std::array<int, 2> ready{};
  ASSERT_EQ(::pipe2(go_on.data(), O_CLOEXEC), 0);
  ASSERT_EQ(::pipe2(ready.data(), O_CLOEXEC), 0);
  const bool as_root = GetParam();
  ChildProcess child([&](const ChildProcess::Voice&) {
    if (!lock_in(as_root, ready[1])) return kNoSandbox;
    char byte = 0;
    return ::write(ready[1], "x", 1) == 1 && ::read(go_on[0], &byte, 1) == 1 ? 0 : kAllowed;
  });
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 1);
  std::stringstream status;
  status << std::ifstream("/proc/" + std::to_string(child.pid()) + "/status").rdbuf();
  ASSERT_EQ(::write(go_on[1], "x", 1), 1);
  EXPECT_EQ(child.wait(), 0);
  for (const int fd : {go_on[0], go_on[1], ready[0], ready[1]}) ::close(fd);

  EXPECT_THAT(status.str(), HasSubstr("NoNewPrivs:\t1"));
  EXPECT_THAT(status.str(), HasSubstr("Seccomp:\t2"));
  EXPECT_THAT(status.str(), HasSubstr("CapPrm:\t0000000000000000"));
  EXPECT_THAT(status.str(), HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(status.str(), HasSubstr("CapAmb:\t0000000000000000"));
  if (as_root) {
    EXPECT_THAT(status.str(), HasSubstr("Uid:\t65534\t65534\t65534\t65534"));
    EXPECT_THAT(status.str(), HasSubstr("Gid:\t65534\t65534\t65534\t65534"));
    EXPECT_THAT(status.str(), HasSubstr("Groups:\t \n"));
  }
}

TEST(SandboxLimitTest, ProcessorTimeEnds) {
  ChildProcess child([](const ChildProcess::Voice&) {
    const auto locked = enter_sandbox({.address_space = 1ULL << 40, .cpu_seconds = 1});
    if (!locked) return kNoSandbox;
    for (volatile std::uint64_t turns = 0;;) turns = turns + 1;
  });
  EXPECT_EQ(child.wait(), 128 + SIGXCPU);
}

TEST(SandboxParentTest, AParentThatIsGoneIsNoticed) {
  ChildProcess child([](const ChildProcess::Voice&) {
    const auto locked = enter_sandbox({.parent = ::getpid()});  // not our parent
    return !locked && locked.error().kind() == ErrorKind::kConflict ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
}

}  // namespace
}  // namespace slipway::sys

// A run store on a file system that is really full: a small tmpfs in a mount namespace of the test's own.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fsm/sqlite_run_store.h"
#include "sys/testing/temp_dir.h"

namespace slipway::fsm {
namespace {

namespace fs = std::filesystem;

constexpr int kSkipped = 77;

bool write_file(const char* path, const std::string& text) {
  std::ofstream file(path);
  file << text << std::flush;
  return file.good();
}

// In a process that is to end after the test.
bool mount_small_disk(const std::string& directory) {
  const auto user = ::getuid();
  const auto group = ::getgid();
  if (::unshare(CLONE_NEWNS) != 0) {
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
    if (!write_file("/proc/self/setgroups", "deny")) return false;
    if (!write_file("/proc/self/uid_map", fmt::format("0 {} 1", user))) return false;
    if (!write_file("/proc/self/gid_map", fmt::format("0 {} 1", group))) return false;
  }
  if (::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  return ::mount("tmpfs", directory.c_str(), "tmpfs", 0, "size=1m") == 0;
}

RunSpec make_spec(std::uint64_t number) {
  RunSpec spec;
  spec.version = RunVersion(Ulid(1, number));
  spec.machine = "machine";
  spec.id = std::to_string(number);
  spec.plan = std::make_shared<const Plan>(Plan{{"a"}, "end"});
  return spec;
}

Result<std::vector<WriteResult>> start(RunStore& store, std::uint64_t number) {
  const RunSpec spec = make_spec(number);
  const RunState state = Running{};
  const std::string request(20'000, 'r');
  const std::vector<Write> writes = {StartWrite{&spec, &state, &request, {{.kind = EventKind::kStarted}}}};
  return store.commit(writes);
}

#define REQUIRE(condition)                                                       \
  do {                                                                           \
    if (!(condition)) {                                                          \
      std::fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition); \
      return 1;                                                                  \
    }                                                                            \
  } while (false)

int fill_and_recover(const std::string& directory) {
  if (!mount_small_disk(directory)) return kSkipped;
  const std::string path = directory + "/runs.db";
  const std::string filler = directory + "/filler";
  std::uint64_t stored = 0;
  {
    auto store = SqliteRunStore::open(path);
    REQUIRE(store);
    REQUIRE(write_file(filler.c_str(), std::string(300'000, 'f')));
    Result<std::vector<WriteResult>> last = std::vector<WriteResult>();
    while (stored < 1000 && (last = start(**store, stored + 1))) ++stored;
    REQUIRE(stored > 3 && stored < 1000);
    REQUIRE(last.error().kind() == ErrorKind::kNoSpace);
    REQUIRE(start(**store, stored + 1).error().kind() == ErrorKind::kNoSpace);
    REQUIRE((*store)->list({})->size() == stored);
    (*store)->in_flight().enter(511, make_spec(1).version);
    REQUIRE(fs::remove(filler));
    REQUIRE(start(**store, stored + 1));
    ++stored;
  }
  auto again = SqliteRunStore::open(path);
  REQUIRE(again);
  REQUIRE((*again)->list({})->size() == stored);
  REQUIRE((*again)->find(make_spec(stored).version).value()->request == std::string(20'000, 'r'));
  REQUIRE((*again)->found_in_flight() == std::vector{make_spec(1).version});
  return 0;
}

TEST(SqliteRunStoreOnAFullDisk, SaysSoKeepsWhatItHasAndGoesOnWhenThereIsRoom) {
  const sys::TempDir directory;
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) ::_exit(fill_and_recover(directory.path()));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  if (WEXITSTATUS(status) == kSkipped) GTEST_SKIP() << "this user may not mount a tmpfs";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace slipway::fsm

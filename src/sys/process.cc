#include "sys/process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/system_error.h"

namespace slipway::sys {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));  // exec does not write
  out.push_back(nullptr);
  return out;
}

// posix_spawn's two settings, freed together.
class SpawnSettings {
 public:
  SpawnSettings() {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  [[nodiscard]] int set_signals_and_group() {
    sigset_t all;
    sigset_t none;
    ::sigfillset(&all);
    ::sigemptyset(&none);
    int error = ::posix_spawnattr_setsigdefault(&attributes_, &all);
    if (error == 0) error = ::posix_spawnattr_setsigmask(&attributes_, &none);
    if (error == 0) error = ::posix_spawnattr_setpgroup(&attributes_, 0);
    if (error == 0) {
      error = ::posix_spawnattr_setflags(&attributes_,
                                         POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    }
    return error;
  }
  [[nodiscard]] int give(int from, int to) { return ::posix_spawn_file_actions_adddup2(&actions_, from, to); }
  [[nodiscard]] int close_from(int first) { return ::posix_spawn_file_actions_addclosefrom_np(&actions_, first); }

  posix_spawn_file_actions_t* actions() { return &actions_; }
  posix_spawnattr_t* attributes() { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Copies above all numbers that the child wants, so that no dup2 there tramples on what a later one needs.
Result<std::vector<Descriptor>> lift(const SpawnOptions& options, int above) {
  std::vector<Descriptor> lifted;
  for (const auto& [wanted, ours] : options.descriptors) {
    const int copy = ::fcntl(ours, F_DUPFD_CLOEXEC, above);
    if (copy < 0) return fail(system_error("copy a descriptor for", options.executable, errno));
    lifted.emplace_back(copy);
  }
  return lifted;
}

int first_unused(const SpawnOptions& options) {
  int highest = -1;
  for (const auto& [wanted, ours] : options.descriptors) highest = std::max(highest, wanted);
  return highest + 1;
}

}  // namespace

Result<Process> Process::start(const SpawnOptions& options) {
  const int unused = first_unused(options);
  auto lifted = lift(options, unused);
  if (!lifted) return fail(std::move(lifted.error()));
  SpawnSettings settings;
  int error = settings.set_signals_and_group();
  int next = 0;
  for (std::size_t i = 0; i < lifted->size() && error == 0; ++i) {
    error = settings.give((*lifted)[i].get(), options.descriptors[i].first);
  }
  for (; next < unused && error == 0; ++next) {
    const bool given = std::ranges::any_of(options.descriptors, [&](const auto& d) { return d.first == next; });
    if (!given) error = ::posix_spawn_file_actions_addclose(settings.actions(), next);
  }
  if (error == 0) error = settings.close_from(unused);
  if (error == 0 && !options.folder.empty()) {
    error = ::posix_spawn_file_actions_addchdir_np(settings.actions(), options.folder.c_str());
  }
  std::vector<std::string> arguments{options.executable};
  arguments.insert(arguments.end(), options.arguments.begin(), options.arguments.end());
  pid_t pid = -1;
  if (error == 0) {
    error = ::posix_spawn(&pid, options.executable.c_str(), settings.actions(), settings.attributes(),
                          pointers(arguments).data(), pointers(options.environment).data());
  }
  if (error != 0) return fail(system_error("start", options.executable, error));
  // It cannot be somebody else's by now: only we can reap it.
  Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  Process made(pid, std::move(pidfd));
  if (!made.pidfd_) return fail(system_error("watch", options.executable, errno));
  return made;
}

Process::~Process() {
  if (pid_ < 0 || reaped_) return;
  kill();
  wait();
}

Process::Process(Process&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)), reaped_(other.reaped_), end_(other.end_) {}

void Process::kill() const {
  if (pidfd_) {
    ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
  } else if (pid_ > 0 && !reaped_) {
    ::kill(pid_, SIGKILL);
  }
}

void Process::kill_group() const {
  if (pid_ > 0 && !reaped_) ::kill(-pid_, SIGKILL);
}

ProcessEnd Process::wait() {
  if (reaped_ || pid_ < 0) return end_;
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) < 0 && errno == EINTR) {
  }
  reaped_ = true;
  end_ = {.signalled = info.si_code == CLD_KILLED || info.si_code == CLD_DUMPED, .code = info.si_status};
  return end_;
}

}  // namespace slipway::sys

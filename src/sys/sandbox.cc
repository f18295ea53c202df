#include "sys/sandbox.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sys/system_error.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLIPWAY_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLIPWAY_SANITIZED 1
#endif
#endif
#ifndef SLIPWAY_SANITIZED
#define SLIPWAY_SANITIZED 0
#endif

namespace slipway::sys {
namespace {

constexpr bool kSanitized = SLIPWAY_SANITIZED != 0;
constexpr unsigned kNobody = 65534;
constexpr rlim_t kCpuGrace = 5;  // seconds

std::unexpected<Error> failed(std::string_view doing, int error) {
  return fail(system_error(doing, "the sandbox", error));
}

Result<> die_with(pid_t parent) {
  if (parent == 0) return {};
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return failed("tie to the parent", errno);
  if (::getppid() != parent) return fail(ErrorKind::kConflict, "the parent of the sandbox is gone");
  return {};
}

// Best effort: containers and hardened kernels refuse these.
void take_namespaces() {
  constexpr int kSpaces = CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWIPC;
  if (::geteuid() == 0) {
    ::unshare(kSpaces);
  } else {
    ::unshare(CLONE_NEWUSER | kSpaces);
  }
}

// A root that may not become somebody else, or that is the only user there is (EINVAL), has nothing to drop that the
// filter and the lost capabilities do not take.
Result<> settled(int status, std::string_view doing) {
  if (status == 0 || errno == EPERM || errno == EINVAL) return {};
  return failed(doing, errno);
}

Result<> drop_rights() {
  if (::geteuid() == 0) {
    if (auto done = settled(::setgroups(0, nullptr), "drop the groups of"); !done) return done;
    if (auto done = settled(::setresgid(kNobody, kNobody, kNobody), "drop the group of"); !done) return done;
    if (auto done = settled(::setresuid(kNobody, kNobody, kNobody), "drop the user of"); !done) return done;
  }
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return failed("forbid new rights to", errno);
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  __user_cap_header_struct header{.version = _LINUX_CAPABILITY_VERSION_3, .pid = 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> none{};
  if (::syscall(SYS_capset, &header, none.data()) != 0) return failed("drop the capabilities of", errno);
  return {};
}

// `grace`: how much further it may be taken by who does not heed the first signal.
Result<> limit(__rlimit_resource what, rlim_t value, rlim_t grace = 0) {
  rlimit now{};
  if (::getrlimit(what, &now) != 0) return failed("read a limit of", errno);
  const rlim_t most = std::min(now.rlim_max, value + grace);  // infinity is the largest
  const rlimit bound{.rlim_cur = std::min(value, most), .rlim_max = most};
  if (::setrlimit(what, &bound) != 0) return failed("set a limit of", errno);
  return {};
}

Result<> set_limits(const SandboxOptions& options) {
  // Those that are open stay; no new one comes. Sanitizers make pipes to see whether memory can be read.
  constexpr rlim_t kFiles = kSanitized ? 64 : 0;
  for (const auto& [what, value] :
       {std::pair{RLIMIT_CORE, rlim_t{0}}, std::pair{RLIMIT_FSIZE, rlim_t{options.volume ? options.volume->size : 0}},
        std::pair{RLIMIT_NOFILE, kFiles}, std::pair{RLIMIT_NPROC, rlim_t{0}}, std::pair{RLIMIT_MEMLOCK, rlim_t{0}}}) {
    if (auto set = limit(what, value); !set) return set;
  }
  if (options.cpu_seconds > 0) {
    if (auto set = limit(RLIMIT_CPU, options.cpu_seconds, kCpuGrace); !set) return set;
  }
  if (kSanitized) return {};
  return limit(RLIMIT_AS, options.address_space);
}

struct FilterCloser {
  void operator()(void* filter) const { ::seccomp_release(filter); }
};

// Collects the first error of many calls.
class Filter {
 public:
  Filter() : filter_(::seccomp_init(SCMP_ACT_KILL_PROCESS)), error_(filter_ ? 0 : ENOMEM) {}

  void allow(int call) { add(call, nullptr); }
  void allow(int call, const scmp_arg_cmp& condition) { add(call, &condition); }
  [[nodiscard]] Result<> load() {
    if (error_ == 0) error_ = -::seccomp_load(filter_.get());
    if (error_ != 0) return failed("filter the system calls of", error_);
    return {};
  }

 private:
  void add(int call, const scmp_arg_cmp* condition) {
    if (error_ != 0) return;
    error_ = -::seccomp_rule_add_array(filter_.get(), SCMP_ACT_ALLOW, call, condition != nullptr ? 1 : 0, condition);
  }

  std::unique_ptr<void, FilterCloser> filter_;
  int error_;
};

// Conditions on a call's arguments, counted from 0.
scmp_arg_cmp first_is(int value) { return {0, SCMP_CMP_EQ, static_cast<scmp_datum_t>(value), 0}; }
scmp_arg_cmp third_lacks(int bits) { return {2, SCMP_CMP_MASKED_EQ, static_cast<scmp_datum_t>(bits), 0}; }

void allow_reading_and_memory(Filter& filter, int output) {
  for (const int call : {SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(lseek), SCMP_SYS(fstat), SCMP_SYS(munmap),
                         SCMP_SYS(mremap), SCMP_SYS(brk), SCMP_SYS(madvise), SCMP_SYS(futex)}) {
    filter.allow(call);
  }
  filter.allow(SCMP_SYS(write), first_is(output));
  filter.allow(SCMP_SYS(mmap), third_lacks(PROT_EXEC));
  filter.allow(SCMP_SYS(mprotect), third_lacks(PROT_EXEC));
}

void allow_volume(Filter& filter, const SandboxVolume& volume) {
  for (const int call : {SCMP_SYS(pwrite64), SCMP_SYS(fallocate), SCMP_SYS(sync_file_range), SCMP_SYS(fdatasync)}) {
    filter.allow(call, first_is(volume.fd));
  }
}

void allow_time_and_ending(Filter& filter) {
  for (const int call : {SCMP_SYS(clock_gettime), SCMP_SYS(gettimeofday), SCMP_SYS(getrandom), SCMP_SYS(exit),
                         SCMP_SYS(exit_group), SCMP_SYS(restart_syscall), SCMP_SYS(rt_sigreturn),
                         SCMP_SYS(rt_sigprocmask), SCMP_SYS(getpid), SCMP_SYS(gettid)}) {
    filter.allow(call);
  }
  // abort() signals its own process, and no other.
  filter.allow(SCMP_SYS(tgkill), first_is(::getpid()));
}

// What the sanitizers' run time asks for while a program runs and when it reports. Such a build is for tests only.
void allow_sanitizers(Filter& filter) {
  for (const int call :
       {SCMP_SYS(write), SCMP_SYS(pipe), SCMP_SYS(pipe2), SCMP_SYS(sigaltstack), SCMP_SYS(sched_yield),
        SCMP_SYS(rt_sigaction), SCMP_SYS(nanosleep), SCMP_SYS(clock_nanosleep), SCMP_SYS(prctl), SCMP_SYS(readlink),
        SCMP_SYS(getrlimit), SCMP_SYS(prlimit64), SCMP_SYS(getuid), SCMP_SYS(close)}) {
    filter.allow(call);
  }
}

}  // namespace

Result<> enter_sandbox(const SandboxOptions& options) {
  take_namespaces();
  if (auto dropped = drop_rights(); !dropped) return dropped;
  // After the user has changed: that unties.
  if (auto tied = die_with(options.parent); !tied) return tied;
  Filter filter;
  allow_reading_and_memory(filter, options.output);
  allow_time_and_ending(filter);
  if (options.volume) allow_volume(filter, *options.volume);
  if (kSanitized) allow_sanitizers(filter);
  if (auto bounded = set_limits(options); !bounded) return bounded;
  return filter.load();
}

}  // namespace slipway::sys

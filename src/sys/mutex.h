// A mutex that clang's thread-safety analysis understands (`./dev lint` runs it): which lock guards which member is
// written once, at the member, and checked by the compiler. With g++ the annotations are nothing.
#pragma once

#include <mutex>

#if defined(__clang__)
#define SLIPWAY_TSA(x) __attribute__((x))
#else
#define SLIPWAY_TSA(x)
#endif

#define SLIPWAY_GUARDED_BY(mutex) SLIPWAY_TSA(guarded_by(mutex))
#define SLIPWAY_REQUIRES(...) SLIPWAY_TSA(requires_capability(__VA_ARGS__))
#define SLIPWAY_EXCLUDES(...) SLIPWAY_TSA(locks_excluded(__VA_ARGS__))

namespace slipway::sys {

class SLIPWAY_TSA(capability("mutex")) Mutex {
 public:
  void lock() SLIPWAY_TSA(acquire_capability()) { inner_.lock(); }
  void unlock() SLIPWAY_TSA(release_capability()) { inner_.unlock(); }
  [[nodiscard]] std::mutex& inner() { return inner_; }

 private:
  std::mutex inner_;
};

class SLIPWAY_TSA(scoped_lockable) Lock {
 public:
  explicit Lock(Mutex& mutex) SLIPWAY_TSA(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  ~Lock() SLIPWAY_TSA(release_capability()) { mutex_.unlock(); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  Mutex& mutex_;
};

// The opposite of Lock: lets go of a held mutex for a scope, and takes it again. (To the analysis, the end of a scoped
// lockable undoes its beginning: hence "release" at both.)
class SLIPWAY_TSA(scoped_lockable) Unlock {
 public:
  explicit Unlock(Mutex& mutex) SLIPWAY_TSA(release_capability(mutex)) : mutex_(mutex) { mutex_.unlock(); }
  ~Unlock() SLIPWAY_TSA(release_capability()) { mutex_.lock(); }
  Unlock(const Unlock&) = delete;
  Unlock& operator=(const Unlock&) = delete;

 private:
  Mutex& mutex_;
};

// A held Mutex as the std::unique_lock that condition variables want; the mutex stays held when it is gone.
class Borrowed {
 public:
  explicit Borrowed(Mutex& held) : lock_(held.inner(), std::adopt_lock) {}
  ~Borrowed() { lock_.release(); }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  [[nodiscard]] std::unique_lock<std::mutex>& lock() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace slipway::sys

#include "volumes/thin/device_mapper.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <fstream>
#include <memory>
#include <mutex>
#include <utility>

#include <fcntl.h>
#include <libdevmapper.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/mutex.h"
#include "sys/system_error.h"

namespace slipway::volumes::dm {
namespace {

constexpr const char* kControl = "/dev/mapper/control";

sys::Mutex& library() {
  static sys::Mutex mutex;
  return mutex;
}

void say_nothing(int /*level*/, const char* /*file*/, int /*line*/, int /*error*/, const char* /*format*/, ...) {}

struct Destroy {
  void operator()(dm_task* task) const { dm_task_destroy(task); }
};

// One request. Holds the library's lock while it lives.
class Task {
 public:
  explicit Task(int type) : lock_(library()) {
    static const bool set_up = [] {
      dm_log_with_errno_init(say_nothing);
      return dm_set_name_mangling_mode(DM_STRING_MANGLING_NONE) != 0;
    }();
    dm_udev_set_sync_support(::access("/run/udev/control", F_OK) == 0 ? 1 : 0);
    if (set_up) task_.reset(dm_task_create(type));
    good_ = task_ != nullptr;
  }

  [[nodiscard]] dm_task* get() { return task_.get(); }
  // Calls one of the library's setters.
  template <class Setter, class... Args>
  Task& with(Setter setter, Args... args) {
    good_ = good_ && setter(task_.get(), args...) != 0;
    return *this;
  }
  Task& name(const std::string& name) { return with(dm_task_set_name, name.c_str()); }

  [[nodiscard]] Answer<> run() {
    if (!good_) return std::unexpected(task_ ? ENOMEM : ENODEV);
    if (dm_task_run(task_.get()) != 0) return {};
    const int error = dm_task_get_errno(task_.get());
    return std::unexpected(error != 0 ? error : EIO);
  }

  // For what udev takes part in.
  [[nodiscard]] Answer<> run_with_udev() {
    std::uint32_t cookie = 0;
    with(dm_task_set_cookie, &cookie, std::uint16_t{0});
    auto done = run();
    dm_udev_wait(cookie);
    dm_task_update_nodes();
    return done;
  }

 private:
  std::lock_guard<sys::Mutex> lock_;
  std::unique_ptr<dm_task, Destroy> task_;
  bool good_ = false;
};

// Of a request that says something of a device; none when there is no such device.
std::optional<Info> info_of(Task& task) {
  dm_info info{};
  if (dm_task_get_info(task.get(), &info) == 0 || info.exists == 0) return std::nullopt;
  const char* uuid = dm_task_get_uuid(task.get());
  return Info{.uuid = uuid != nullptr ? uuid : "",
              .suspended = info.suspended != 0,
              .has_table = info.live_table != 0,
              .open_count = info.open_count,
              .number = fmt::format("{}:{}", info.major, info.minor)};
}

Answer<std::optional<Seen>> look_by(int type, const std::string& name) {
  Task task(type);
  task.name(name).with(dm_task_no_flush);
  if (auto done = task.run(); !done) {
    if (done.error() == ENXIO) return std::nullopt;
    return std::unexpected(done.error());
  }
  auto info = info_of(task);
  if (!info) return std::nullopt;
  std::uint64_t start = 0;
  std::uint64_t sectors = 0;
  char* target = nullptr;
  char* parameters = nullptr;
  dm_get_next_target(task.get(), nullptr, &start, &sectors, &target, &parameters);
  if (target == nullptr) return Seen{.info = std::move(*info)};
  return Seen{std::move(*info), Table{sectors, target, parameters != nullptr ? parameters : ""}};
}

Answer<std::optional<Table>> table_by(int type, const std::string& name) {
  auto seen = look_by(type, name);
  if (!seen) return std::unexpected(seen.error());
  if (!*seen) return std::nullopt;
  return std::move((*seen)->table);
}

}  // namespace

Error error(std::string_view doing, std::string_view device, int error) {
  if (error == EBUSY) return {ErrorKind::kUnavailable, fmt::format("{} {}: it is busy", doing, device)};
  if (error == ENODATA || error == ENXIO) {
    return {ErrorKind::kNotFound, fmt::format("{} {}: the device mapper has no such device", doing, device)};
  }
  return sys::system_error(doing, device, error);
}

Result<> check_available() {
  const sys::Descriptor control(::open(kControl, O_RDWR | O_CLOEXEC));
  if (control) return {};
  const int reason = errno;
  if (reason == EACCES || reason == EPERM) {
    return fail(Error(ErrorKind::kPermission, fmt::format("{} may be used by root only", kControl))
                    .with_hint("run as root, or use the file backend"));
  }
  std::ifstream misc("/proc/misc");
  std::string line;
  while (std::getline(misc, line)) {
    if (line.ends_with("device-mapper")) return {};  // the library makes the node
  }
  return fail(Error(ErrorKind::kUnsupported, fmt::format("this kernel has no device mapper: {}",
                                                         sys::system_error("open", kControl, reason).message()))
                  .with_hint("load the modules dm-mod and dm-thin-pool, or use the file backend"));
}

Answer<std::vector<std::string>> names() {
  Task task(DM_DEVICE_LIST);
  if (auto done = task.run(); !done) return std::unexpected(done.error());
  std::vector<std::string> found;
  const dm_names* at = dm_task_get_names(task.get());
  if (at == nullptr || at->dev == 0) return found;
  for (;;) {
    found.emplace_back(at->name);
    if (at->next == 0) break;
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): the list's own way to its next entry
    at = reinterpret_cast<const dm_names*>(reinterpret_cast<const std::byte*>(at) + at->next);
  }
  std::ranges::sort(found);
  return found;
}

Answer<std::optional<Info>> info(const std::string& name) {
  Task task(DM_DEVICE_INFO);
  task.name(name);
  if (auto done = task.run(); !done) {
    if (done.error() == ENXIO) return std::nullopt;
    return std::unexpected(done.error());
  }
  return info_of(task);
}

Answer<std::optional<Table>> table(const std::string& name) { return table_by(DM_DEVICE_TABLE, name); }
Answer<std::optional<Table>> status(const std::string& name) { return table_by(DM_DEVICE_STATUS, name); }
Answer<std::optional<Seen>> look(const std::string& name) { return look_by(DM_DEVICE_TABLE, name); }

Answer<> create(const std::string& name, const std::string& uuid) {
  Task task(DM_DEVICE_CREATE);
  return task.name(name).with(dm_task_set_uuid, uuid.c_str()).run();
}

Answer<> load(const std::string& name, const Table& table) {
  Task task(DM_DEVICE_RELOAD);
  return task.name(name)
      .with(dm_task_add_target, std::uint64_t{0}, table.sectors, table.target.c_str(), table.parameters.c_str())
      .run();
}

Answer<> resume(const std::string& name) {
  Task task(DM_DEVICE_RESUME);
  return task.name(name).with(dm_task_set_add_node, DM_ADD_NODE_ON_RESUME).run_with_udev();
}

Answer<> suspend(const std::string& name, Flush flush) {
  Task task(DM_DEVICE_SUSPEND);
  task.name(name);
  if (flush == Flush::kNo) task.with(dm_task_no_flush).with(dm_task_skip_lockfs);
  return task.run();
}

Answer<> remove(const std::string& name) {
  Task task(DM_DEVICE_REMOVE);
  auto done = task.name(name).run_with_udev();
  if (!done && done.error() == ENXIO) return {};
  return done;
}

Answer<> message(const std::string& name, const std::string& text) {
  Task task(DM_DEVICE_TARGET_MSG);
  return task.name(name).with(dm_task_set_sector, std::uint64_t{0}).with(dm_task_set_message, text.c_str()).run();
}

Answer<> make_node(const std::string& name) {
  Task task(DM_DEVICE_MKNODES);
  auto done = task.name(name).run();
  dm_task_update_nodes();
  return done;
}

std::string path_of(const std::string& name) { return "/dev/mapper/" + name; }

}  // namespace slipway::volumes::dm

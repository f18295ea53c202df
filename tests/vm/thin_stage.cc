// The tests of the machines and of the doctor (src/pipeline), on a real thin pool.
#include <atomic>
#include <map>
#include <memory>
#include <stdexcept>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>

#include "pool_fixture.h"
#include "sys/descriptor.h"
#include "volumes/testing/pool_stage.h"
#include "volumes/thin/device_mapper.h"

namespace slipway::volumes {
namespace {

// The thin pool, counting what is asked of it.
class WatchedPool : public Pool {
 public:
  WatchedPool(std::shared_ptr<ThinPool> pool, std::shared_ptr<std::atomic<int>> changes)
      : pool_(std::move(pool)), changes_(std::move(changes)) {}

  void exchange(std::shared_ptr<ThinPool> pool) { pool_ = std::move(pool); }

  [[nodiscard]] const std::string& name() const override { return pool_->name(); }
  [[nodiscard]] Result<PoolStatus> status() override { return pool_->status(); }
  [[nodiscard]] Result<bool> exists() override { return pool_->exists(); }
  [[nodiscard]] Result<std::optional<Device>> find(DeviceId id) override { return pool_->find(id); }
  [[nodiscard]] Result<std::vector<Device>> list() override { return pool_->list(); }
  [[nodiscard]] Result<std::vector<Device>> list_active() override { return pool_->list_active(); }
  [[nodiscard]] Result<> create(const DeviceSpec& volume) override {
    ++*changes_;
    return pool_->create(volume);
  }
  [[nodiscard]] Result<> snapshot(const DeviceSpec& snapshot, const DeviceSpec& origin) override {
    ++*changes_;
    return pool_->snapshot(snapshot, origin);
  }
  [[nodiscard]] Result<std::string> activate(const DeviceSpec& device) override {
    ++*changes_;
    return pool_->activate(device);
  }
  using Pool::deactivate;
  [[nodiscard]] Result<> deactivate(const DeviceSpec& device, WhenBusy when_busy) override {
    ++*changes_;
    return pool_->deactivate(device, when_busy);
  }
  using Pool::remove;
  [[nodiscard]] Result<> remove(const DeviceSpec& device, WhenBusy when_busy) override {
    ++*changes_;
    return pool_->remove(device, when_busy);
  }
  [[nodiscard]] Result<std::vector<Leftover>> leftovers() override { return pool_->leftovers(); }
  [[nodiscard]] Result<> remove_leftovers() override { return pool_->remove_leftovers(); }

 private:
  std::shared_ptr<ThinPool> pool_;
  std::shared_ptr<std::atomic<int>> changes_;
};

class ThinStage : public PoolStage {
 public:
  ThinStage() {
    if (!test_.made()) throw std::runtime_error(test_.made().error().describe());
  }

  [[nodiscard]] std::shared_ptr<Pool> open() override {
    opened_ = std::make_shared<WatchedPool>(test_.open(), changes_);
    return opened_;
  }

  // What is left of one: the pool is stopped, and started from what it stands on.
  void reboot() override {
    const auto active = test_.open()->list_active().value();
    for (const auto& device : active) check(test_.open()->deactivate({device.id, device.name, 0}));
    check(stop_thin_pool(test_.place()));
    check(start_thin_pool(test_.place()));
  }
  void set_busy(DeviceId id, bool busy) override {
    if (!busy) {
      held_.erase(id);
      return;
    }
    const auto path = test_.open()->find(id).value().value().path;
    held_[id] = sys::Descriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    EXPECT_TRUE(held_[id]) << path;
  }
  // All of it is to be free, which it never is.
  void set_full(bool full) override {
    opened_->exchange(test_.open(full ? ThinPoolOptions{.least_free_metadata = 100} : ThinPoolOptions{}));
  }
  void drop(DeviceId id) override { check(test_.open()->remove({id, "dropped", 0})); }
  void set_transaction_id(std::uint64_t id) override {
    const auto now = test_.open()->status().value().transaction_id.value();
    EXPECT_TRUE(dm::message(test_.name(), fmt::format("set_transaction_id {} {}", now, id)));
  }
  [[nodiscard]] int changes() const override { return *changes_; }

 private:
  static void check(const Result<>& done) { EXPECT_TRUE(done) << done.error().describe(); }

  TestPool test_{{.data_size = 128ULL << 20}};
  std::shared_ptr<std::atomic<int>> changes_ = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<WatchedPool> opened_;
  std::map<DeviceId, sys::Descriptor> held_;
};

const bool kUsed = [] {
  set_pool_stage([] { return std::make_shared<ThinStage>(); });
  return true;
}();

}  // namespace
}  // namespace slipway::volumes

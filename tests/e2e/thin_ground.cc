#include "e2e/thin_ground.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/ranges.h>

#include "vm/thin_devices.h"
#include "volumes/thin/device_mapper.h"
#include "volumes/thin/thin_pool.h"

namespace slipway {
namespace {

void need(const Result<>& done) {
  if (!done) throw std::runtime_error(done.error().describe());
}

std::string differs(const std::string& what, std::vector<std::string> found, std::vector<std::string> wanted) {
  std::ranges::sort(found);
  std::ranges::sort(wanted);
  if (found == wanted) return "";
  return fmt::format("{} are [{}], and should be [{}]", what, fmt::join(found, ", "), fmt::join(wanted, ", "));
}

}  // namespace

std::string ThinGround::why_not() {
  const auto available = volumes::dm::check_available();
  return available ? "" : available.error().describe();
}

ThinGround::ThinGround(std::filesystem::path state, const std::string& name)
    : state_(std::move(state)),
      place_{name, state_ / "volumes" / (name + ".data"), state_ / "volumes" / (name + ".metadata")} {}

ThinGround::~ThinGround() { take_down(); }

sys::Variables ThinGround::variables() const {
  return {{"SLIPWAY_VOLUME_BACKEND", "thin"},
          {"SLIPWAY_DM_POOL_NAME", place_.name},
          {"SLIPWAY_DM_DATA_SIZE", std::to_string(kDataSize)},
          {"SLIPWAY_DM_META_SIZE", std::to_string(kMetadataSize)}};
}

// A new pool has no data: that file, which may be large, is not copied.
void ThinGround::remember_as_new() {
  take_down();
  std::filesystem::rename(state_, kept());
  std::filesystem::remove(kept() / "volumes" / place_.data.filename());
  renew();
}

void ThinGround::renew() {
  take_down();
  std::filesystem::remove_all(state_);
  std::filesystem::copy(kept(), state_, std::filesystem::copy_options::recursive);
  std::ofstream(place_.data).close();
  std::filesystem::resize_file(place_.data, kDataSize);
  need(volumes::start_thin_pool(place_));
}

void ThinGround::take_down() { volumes::take_down(place_); }

std::string ThinGround::faults(const catalog::Volume& volume, const catalog::Snapshot& snapshot) const {
  auto wrong = differs("the loop devices", volumes::looped_files(state_), {place_.data, place_.metadata});
  if (wrong.empty()) wrong = differs("the pool's devices", volumes::devices_of(name()), {snapshot.name});
  if (!wrong.empty()) return wrong;
  auto pool = volumes::ThinPool::open({.name = name()});
  if (!pool) return pool.error().describe();
  const auto listed = (*pool)->list();
  if (!listed) return listed.error().describe();
  std::vector<std::string> ids;
  for (const auto& device : *listed) ids.push_back(fmt::format("{}", device.id));
  return differs("the thin ids", ids, {fmt::format("{}", volume.device_id), fmt::format("{}", snapshot.snapshot_id)});
}

}  // namespace slipway

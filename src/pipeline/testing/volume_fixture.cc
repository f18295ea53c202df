#include "pipeline/testing/volume_fixture.h"

#include <filesystem>
#include <fstream>

#include "base/digest.h"

namespace slipway::pipeline {

VolumeFixture::VolumeFixture() : catalog_(*catalog::Catalog::open(folder_.file("catalog.db"), sys::system_clock())) {
  std::filesystem::create_directory(images());
  harness_.options().interceptors.push_back(
      [this](const fsm::RunContext& run, const std::function<fsm::EncodedOutcome()>& go_on) -> fsm::EncodedOutcome {
        if (!cut_off_ || run.transition() != cut_off_->transition) return go_on();
        if (cut_off_->after) (void)go_on();
        cut_off_->gate.pass(run.stop());
        return fsm::error(Error(ErrorKind::kCancelled, "cut off"));
      });
}

void VolumeFixture::unpack(const std::string& image, DeviceId id, const std::string& name) {
  const std::string checksum = sha256_hex(image);
  const std::string file = images() / (image + ".tar");
  std::ofstream(file) << image;
  ASSERT_TRUE(catalog_->store_image({.source = {.image_id = image, .bucket = "bucket", .key = image + ".tar"},
                                     .local_path = file,
                                     .checksum = checksum}));
  ASSERT_TRUE(pool_->create({id, name, kSize}));
  ASSERT_TRUE(catalog_->store_volume({.image_id = image,
                                      .pool = pool_->name(),
                                      .device_id = id,
                                      .device_name = name,
                                      .device_path = "/dev/" + name,
                                      .layout_verified = true,
                                      .source_checksum = checksum,
                                      .device_size = kSize}));
}

void VolumeFixture::activate(const std::string& image, DeviceId origin, DeviceId id, const std::string& name) {
  ASSERT_TRUE(pool_->snapshot({id, name, kSize}, {origin, "", kSize}));
  const auto path = pool_->activate({id, name, kSize});
  ASSERT_TRUE(path);
  ASSERT_TRUE(catalog_->register_snapshot({.image_id = image,
                                           .pool = pool_->name(),
                                           .snapshot_id = id,
                                           .name = name,
                                           .device_path = *path,
                                           .origin = origin}));
}

void VolumeFixture::begin_cut_off(const std::string& transition, bool after) {
  cut_off_ = std::make_unique<CutOff>();
  cut_off_->transition = transition;
  cut_off_->after = after;
}

void VolumeFixture::end_cut_off(const std::function<void()>& meanwhile) {
  cut_off_->gate.await_arrivals(1);
  harness_.crash();
  cut_off_.reset();
  meanwhile();
  open();
}

std::string VolumeFixture::breaches() {
  std::string all;
  const auto found = catalog_->check_consistency().value();
  for (const auto& breach : found) all += breach.sentence + "\n";
  return all;
}

DoctorParts VolumeFixture::doctor() {
  return {.catalog = catalog_.get(),
          .pool = pool_.get(),
          .runs = [this](const fsm::RunFilter& filter) { return harness_.manager().runs(filter); },
          .images = images()};
}

}  // namespace slipway::pipeline

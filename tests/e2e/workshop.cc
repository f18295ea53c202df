#include "e2e/workshop.h"

#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "archive/testing/tar_builder.h"
#include "base/digest.h"
#include "catalog/catalog.h"
#include "catalog/identity.h"
#include "fsm/sqlite_run_store.h"
#include "vm/thin_devices.h"
#include "volumes/testing/ext4_volume.h"

namespace slipway {
namespace {

constexpr const char* kPrefix = "images/";
constexpr std::uint64_t kDeviceSize = 128ULL << 20;
constexpr std::uint64_t kThinDeviceSize = 32ULL << 20;

std::string faults_of_runs(const std::filesystem::path& store) {
  const auto runs = fsm::open_run_reader(store);
  if (!runs) return runs.error().message();
  const auto active = (*runs)->list({.phase = fsm::RunFilter::Phase::kActive});
  if (!active) return active.error().message();
  return active->empty() ? "" : std::to_string(active->size()) + " runs are not over";
}

std::string contents(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string bytes(file ? std::filesystem::file_size(path) : 0, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  return bytes;
}

// That the volume has exactly what the archive has, by a reader that is not ours.
std::string faults_of_tree(const std::string& device, std::uint64_t size, const std::string& bytes) {
  static std::map<std::string, volumes::ext4::Seen> references;
  auto& reference = references[sha256_hex(bytes)];
  if (reference.empty()) {
    volumes::ext4::TestVolume volume(size);
    if (const auto filled = volume.fill(bytes); !filled) return filled.error().message();
    reference = volume.read();
  }
  const auto seen = volumes::ext4::read_volume(device);
  for (const auto& [path, inode] : reference) {
    const auto found = seen.find(path);
    if (found == seen.end()) return path + " is not on the volume";
    if (found->second.mode != inode.mode || found->second.sha256 != inode.sha256) return path + " is another";
  }
  return seen.size() == reference.size() ? "" : "there is more on the volume";
}

}  // namespace

std::unique_ptr<sys::Command> start_program(const std::string& program, const std::vector<std::string>& words,
                                            const sys::Variables& variables) {
  std::vector<std::string> all{program};
  all.insert(all.end(), words.begin(), words.end());
  return std::make_unique<sys::Command>(
      all,
      sys::CommandOptions{.streams = sys::CommandOptions::Streams::kKept, .inherit = false, .variables = variables});
}

Workshop::Workshop(Place place, Backend backend)
    : temporary_(std::make_unique<sys::TempDir>()), folder_(temporary_->path()) {
  if (place == Place::kS3) s3_ = std::make_unique<objects::FakeS3>();
  std::filesystem::create_directories(folder_ / "bucket" / kPrefix);
  if (backend != Backend::kFile) ground_ = std::make_unique<ThinGround>(state(), volumes::unique_name("swe"));
  if (backend == Backend::kThin) make_pool();
}

Workshop::Workshop(const std::filesystem::path& folder, const std::string& pool)
    : folder_(folder), ground_(std::make_unique<ThinGround>(state(), pool)) {
  std::filesystem::create_directories(folder_ / "bucket" / kPrefix);
}

// In order, when the test has come to its end; ThinGround does the rest.
Workshop::~Workshop() {
  if (!ground_ || !temporary_ || testing::Test::HasFailure()) return;
  if (!volumes::thin_pool_runs(ground_->name()).value_or(false)) return;
  for (const auto& device : volumes::devices_of(ground_->name())) (void)run({"deactivate", device});
  const auto gone = run({"pool", "destroy", "--force"});
  EXPECT_EQ(gone.code, 0) << gone.err;
}

std::string Workshop::why_not(Backend backend) { return backend == Backend::kFile ? "" : ThinGround::why_not(); }

void Workshop::make_pool() {
  const auto made = run({"pool", "create"});
  if (made.code != 0) throw std::runtime_error(made.err);
  ground_->remember_as_new();
}

std::uint64_t Workshop::device_size() const { return ground_ ? kThinDeviceSize : kDeviceSize; }

std::string Workshop::program() { return SLIPWAY_BINARY; }
std::string Workshop::faulty_program() { return SLIPWAY_FAULTY_BINARY; }

void Workshop::put(const std::string& key, const std::string& bytes) {
  if (s3_) return s3_->put(kPrefix + key, bytes);
  const auto file = folder_ / "bucket" / kPrefix / key;
  std::filesystem::remove(file);
  std::ofstream(file, std::ios::binary) << bytes;
}

sys::Variables Workshop::variables() const {
  sys::Variables variables{{"SLIPWAY_STATE_DIR", state()},
                           {"HOME", folder_},
                           {"SLIPWAY_VOLUME_BACKEND", "file"},
                           {"SLIPWAY_FEEDS_INTERVAL", "never"},  // they would be fetched from their publishers
                           {"SLIPWAY_DEVICE_SIZE", std::to_string(device_size())}};
  if (ground_) {
    for (const auto& [name, value] : ground_->variables()) variables[name] = value;
  }
  if (s3_) {
    const auto credentials = objects::FakeS3::credentials();
    variables["SLIPWAY_S3_BUCKET"] = objects::FakeS3::kBucket;
    variables["SLIPWAY_S3_ENDPOINT"] = s3_->proxy().url();
    variables["AWS_ACCESS_KEY_ID"] = credentials.access_key_id;
    variables["AWS_SECRET_ACCESS_KEY"] = credentials.secret_access_key;
  } else {
    variables["SLIPWAY_S3_BUCKET"] = "file://" + (folder_ / "bucket").native();
  }
  return variables;
}

std::unique_ptr<sys::Command> Workshop::start(const std::vector<std::string>& words) const {
  return start_program(program(), words, variables());
}

void Workshop::forget() {
  if (ground_) return ground_->renew();
  std::filesystem::remove_all(state());
}

catalog::Image Workshop::image(const std::string& key) const {
  const auto catalog = catalog::Catalog::open_reader(state() / "catalog.db", sys::system_clock());
  if (!catalog) throw std::runtime_error(catalog.error().describe());
  const auto images = (*catalog)->list_status().value();
  for (const auto& listed : images) {
    if (listed.image.key == kPrefix + key) return listed.image;
  }
  throw std::runtime_error("there is no image of " + key);
}

std::string Workshop::faults_of(const std::string& key, const std::string& bytes) const {
  auto catalog = catalog::Catalog::open_reader(state() / "catalog.db", sys::system_clock());
  if (!catalog) return catalog.error().message();
  const auto images = (*catalog)->list_status();
  if (!images) return images.error().message();
  if (images->size() != 1) return std::to_string(images->size()) + " images";
  const auto& image = images->front().image;
  if (image.key != kPrefix + key) return "the image is of " + image.key;
  if (images->front().status != catalog::Status::kReady) {
    return "the image is " + std::string(catalog::to_string(images->front().status)) + ": " + image.error;
  }
  if (image.checksum != sha256_hex(bytes)) return "the row has a wrong checksum";
  if (contents(image.local_path) != bytes) return "the file is not the object";
  for (const auto& entry : std::filesystem::directory_iterator(this->images())) {
    if (entry.path() != image.local_path) return "there is also " + entry.path().string();
  }
  const auto snapshots = (*catalog)->snapshots_of(image.image_id);
  if (!snapshots) return snapshots.error().message();
  if (snapshots->size() != 1) return std::to_string(snapshots->size()) + " snapshots";
  const auto& snapshot = snapshots->front();
  if (auto wrong = faults_of_tree(snapshot.device_path, device_size(), bytes); !wrong.empty()) return wrong;
  if (ground_) {
    const auto volume = (*catalog)->find_volume(image.image_id);
    if (!volume || !*volume) return "the image has no volume";
    if (auto wrong = ground_->faults(**volume, snapshot); !wrong.empty()) return wrong;
  }
  if (auto left = faults_of_runs(state() / "fsm.db"); !left.empty()) return left;
  const auto doctor = run({"doctor", "--json"});
  return doctor.code == 0 ? "" : doctor.out + doctor.err;
}

std::string sample_image(std::size_t bytes) {
  std::mt19937_64 dice(7);
  std::string noise(bytes, '\0');
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= noise.size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t word = dice();
    std::memcpy(&noise[at], &word, sizeof(word));
  }
  auto tar = archive::small_rootfs();
  tar.file("usr/noise", noise);
  return tar.finish();
}

}  // namespace slipway

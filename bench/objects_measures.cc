#include "objects_measures.h"

#include <atomic>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "net/http_client.h"
#include "objects/credentials.h"
#include "objects/download.h"
#include "objects/s3_source.h"
#include "rootfs_tar.h"
#include "sys/testing/command.h"
#include "timing.h"

namespace slipway::bench {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
constexpr int kRounds = 3;
constexpr int kSmallObjects = 200;
constexpr int kWorkers = 8;

std::string object_path(const std::string& www, const std::string& key) {
  return fmt::format("{}/{}/{}", www, kBucket, key);
}

void curl(const std::string& endpoint, const std::string& key, const std::string& file) {
  (void)sys::run_command({"curl", "-q", "--silent", "--show-error", "--fail", "--noproxy", "*", "-o", file,
                          fmt::format("{}/{}/{}", endpoint, kBucket, key)});
}

// What the shell of an operator does to get a file that is whole, known and safe.
std::string curl_hash_sync(const std::string& endpoint, const std::string& key, const std::string& file) {
  curl(endpoint, key, file);
  const auto hash = sys::run_command({"openssl", "dgst", "-sha256", "-r", file}).substr(0, 64);
  (void)sys::run_command({"sync", file});
  return hash;
}

struct Times {
  std::vector<double> peer{};
  std::vector<double> ours{};

  [[nodiscard]] double ratio() const { return median(peer) / median(ours); }
};

// Turn about, and each is first in its turn: what one leaves for the other (a busy disk, a warm cache) evens out.
template <class Peer, class Ours>
Times alternate(std::string_view what, Peer&& peer, Ours&& ours) {
  Times times;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 2 == 0) times.peer.push_back(peer());
    times.ours.push_back(ours());
    if (round % 2 == 1) times.peer.push_back(peer());
    fmt::print(stderr, "  {}, round {} of {}: peer {:.3f} s, ours {:.3f} s\n", what, round + 1, kRounds,
               times.peer.back(), times.ours.back());
  }
  return times;
}

std::string small_key(int number) { return fmt::format("small-{:03}", number); }

// Several at a time through one source, as the runtime's queue of downloads does.
void download_small(const std::string& endpoint, const std::string& folder) {
  const auto source = open_bucket(endpoint);
  std::atomic<int> next = 0;
  std::mutex mutex;
  std::string failed;
  {
    std::vector<std::jthread> workers;
    for (int i = 0; i < kWorkers; ++i) {
      workers.emplace_back([&] {
        for (int number = next++; number < kSmallObjects; number = next++) {
          try {
            download_to(*source, small_key(number), folder + "/" + small_key(number));
          } catch (const std::exception& e) {
            const std::scoped_lock lock(mutex);
            failed = e.what();
          }
        }
      });
    }
  }
  if (!failed.empty()) throw std::runtime_error(failed);
}

void remove_small(const std::string& folder) {
  for (int number = 0; number < kSmallObjects; ++number) std::filesystem::remove(folder + "/" + small_key(number));
}

}  // namespace

std::unique_ptr<objects::ObjectSource> open_bucket(const std::string& endpoint) {
  auto made = objects::S3Source::make({.bucket = kBucket,
                                       .endpoint = endpoint,
                                       .client = std::make_shared<net::HttpClient>(net::HttpClientOptions{}),
                                       .credentials = objects::fixed_credentials({})});
  if (!made) throw std::runtime_error(made.error().describe());
  return std::move(*made);
}

std::string download_to(objects::ObjectSource& source, const std::string& key, const std::string& file) {
  auto done = objects::download(source, {.key = key, .file = file, .max_size = 16 * kGiB}, {});
  if (!done) throw std::runtime_error(done.error().describe());
  return done->sha256;
}

std::vector<Measure> measure_big_object(const std::string& endpoint, const std::string& www,
                                        const std::string& folder) {
  fmt::print(stderr, "an object of 1 GiB...\n");
  const std::string key = "rootfs-1gib.tar";
  const std::string object = object_path(www, key);
  const std::string file = folder + "/" + key;
  write_rootfs_tar(object, kGiB);
  (void)sys::run_command({"sync", object});

  std::string peer_hash;
  std::string our_hash;
  const Times times = alternate(
      "1 GiB",
      [&] {
        const double seconds = seconds_for([&] { peer_hash = curl_hash_sync(endpoint, key, file); });
        std::filesystem::remove(file);
        return seconds;
      },
      [&] {
        const double seconds = seconds_for([&] { our_hash = download_to(*open_bucket(endpoint), key, file); });
        std::filesystem::remove(file);
        return seconds;
      });
  if (our_hash != peer_hash) throw std::runtime_error("the two digests differ");
  std::filesystem::remove(object);
  return {
      {.name = "objects.curl_1gib", .value = median(times.peer), .unit = "s"},
      {.name = "objects.download_1gib", .value = median(times.ours), .unit = "s"},
      {.name = "objects.download_1gib_vs_curl", .value = times.ratio(), .must = 1.2, .aim = 1.6},
  };
}

std::vector<Measure> measure_small_objects(const std::string& endpoint, const std::string& www,
                                           const std::string& folder) {
  fmt::print(stderr, "{} objects of 100 KiB...\n", kSmallObjects);
  for (int number = 0; number < kSmallObjects; ++number) {
    write_noise(object_path(www, small_key(number)), 100 * kKiB, static_cast<std::uint64_t>(number) + 1);
  }
  (void)sys::run_command({"sync", "--file-system", www});
  const auto each = [&](auto&& one) {
    const double seconds = seconds_for([&] {
      for (int number = 0; number < kSmallObjects; ++number) one(small_key(number), folder + "/" + small_key(number));
    });
    remove_small(folder);
    return seconds;
  };
  const auto ours = [&] {
    const double seconds = seconds_for([&] { download_small(endpoint, folder); });
    remove_small(folder);
    return seconds;
  };
  const Times whole = alternate(
      "200 small, curl + openssl + sync",
      [&] { return each([&](const auto& key, const auto& file) { curl_hash_sync(endpoint, key, file); }); }, ours);
  const Times bare = alternate(
      "200 small, curl alone",
      [&] { return each([&](const auto& key, const auto& file) { curl(endpoint, key, file); }); }, ours);
  return {
      {.name = "objects.small_objects_vs_curl", .value = bare.ratio(), .must = 3, .aim = 8},
      {.name = "objects.small_objects_vs_curl_openssl_sync", .value = whole.ratio()},
  };
}

}  // namespace slipway::bench

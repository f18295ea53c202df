// A snapshot of an image's volume, on a file system that shares blocks between files.
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "catalog/catalog.h"
#include "pipeline/activate_image.h"
#include "pipeline/pipeline.h"
#include "sys/testing/command.h"
#include "timing.h"
#include "volumes/file/file_pool.h"
#include "volumes_measures.h"

namespace slipway::bench {
namespace {

constexpr int kRounds = 21;

// The machines in this process, as the worker has them. Nothing is fetched or unpacked.
std::unique_ptr<pipeline::Pipeline> open_pipeline(const std::string& state) {
  pipeline::PipelineOptions options;
  options.catalog = state + "/catalog.db";
  options.runs = state + "/fsm.db";
  options.download.images = state + "/images";
  options.source_of = [](const std::string&) -> Result<std::shared_ptr<objects::ObjectSource>> {
    return fail(ErrorKind::kUnsupported, "no bucket is asked for here");
  };
  options.open_pool = [state](catalog::Catalog&) -> Result<std::shared_ptr<volumes::Pool>> {
    auto opened = volumes::FilePool::open({.folder = state + "/volumes"});
    if (!opened) return fail(std::move(opened.error()));
    return std::shared_ptr<volumes::Pool>(std::move(*opened));
  };
  auto opened = pipeline::Pipeline::open(options);
  if (!opened) throw std::runtime_error(opened.error().describe());
  return std::move(*opened);
}

// From the start of a run of activate-image to its end, on disk.
std::vector<double> activate_in_process(const std::string& state) {
  const auto pipeline = open_pipeline(state);
  const auto images = pipeline->catalog().list_images({});
  if (!images || images->empty()) throw std::runtime_error("the image is not in the catalog");
  const auto volume = pipeline->catalog().find_volume(images->front().image_id);
  if (!volume || !*volume) throw std::runtime_error("the image has no volume");
  std::vector<double> milliseconds;
  for (int i = 0; i < kRounds; ++i) {
    const pipeline::ActivateImageRequest request{.image_id = (*volume)->image_id,
                                                 .device_id = (*volume)->device_id.value,
                                                 .device_name = (*volume)->device_name,
                                                 .snapshot_name = fmt::format("run-{}", i),
                                                 .pool = pipeline->pool().name()};
    milliseconds.push_back(1000 * seconds_for([&] {
                             auto started = pipeline->manager().start(
                                 "activate-image",
                                 {.id = request.snapshot_name, .request = nlohmann::json(request).dump()});
                             if (!started) throw std::runtime_error(started.error().describe());
                             const auto ended = pipeline->manager().wait(started->version);
                             if (!ended) throw std::runtime_error(ended.error().describe());
                             if (ended->error) throw std::runtime_error(ended->error->describe());
                           }));
  }
  return milliseconds;
}

}  // namespace

std::vector<Measure> measure_activating(const VolumesBench& bench) {
  Measure run{.name = "volumes.activate", .must = 50, .aim = 10, .better = Better::kLower, .unit = "ms"};
  Measure command{.name = "volumes.activate_command", .better = Better::kLower, .unit = "ms"};
  const auto skipping = [&](const std::string& reason) {
    run.skipped = command.skipped = reason;
    return std::vector<Measure>{run, command};
  };
  if (!bench.no_sharing.empty()) return skipping(bench.no_sharing);

  fmt::print(stderr, "snapshots on XFS...\n");
  const std::string state = bench.sharing + "/state";
  (void)sys::run_command(slipway_words(state, bench.bucket, {"fetch-and-create", kDebianKey}));
  run.value = median(activate_in_process(state));
  std::vector<double> commands;
  for (int i = 0; i < kRounds; ++i) {
    const auto words =
        slipway_words(state, bench.bucket, {"activate", kDebianKey, "--name", fmt::format("command-{}", i)});
    commands.push_back(1000 * seconds_for([&] { (void)sys::run_command(words); }));
  }
  command.value = median(commands);
  std::filesystem::remove_all(state);
  return {run, command};
}

}  // namespace slipway::bench

// What of a bucket is to be processed: the worker's eye.
//
// All that it goes by is in the catalog and in the runs, so that a restart changes nothing: an object is processed when
// nothing is known of it, when its ETag has changed, and when its last run ended badly, after a pause that doubles with
// each failure in a row. Left alone is what a run is under way for, what a person has cancelled, and an object that was
// refused for what it is, until the object or the rules are others.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/time.h"
#include "catalog/catalog.h"
#include "fsm/manager.h"
#include "objects/object_source.h"
#include "pipeline/process_image.h"

namespace slipway::pipeline {

struct WatchSettings {
  std::string prefix{};
  // The request for a key, complete. kInvalid: it can be no image.
  std::function<Result<ProcessImageRequest>(const std::string& key)> request_for{};
  Duration first_pause = std::chrono::minutes(1);
  Duration longest_pause = std::chrono::hours(1);
  // Told again and again while a poll goes on: a bucket may be long.
  std::function<void()> on_progress{[] {}};
};

// What is known of one object.
struct Known {
  std::optional<catalog::Image> image{};
  std::vector<fsm::RunRecord> runs{};  // of process-image for its id, newest first; the first one with its request
  bool blocked = false;                // by the last verdict over its present content
};

// Why the object is to be processed now; nothing when it is not. Pure.
[[nodiscard]] std::optional<std::string> why_process(const objects::ObjectInfo& object, const Known& known,
                                                     const std::string& request, const WatchSettings& settings,
                                                     TimePoint now);

struct WatchReport {
  std::uint64_t seen = 0;
  std::uint64_t started = 0;
  std::uint64_t passed_over = 0;  // they can be no image, or are in conflict with what is known; the log tells why
};

class BucketWatch {
 public:
  BucketWatch(fsm::Manager& manager, catalog::Catalog& catalog, ProcessImageMachine machine, WatchSettings settings,
              Logger log);

  // Looks at the bucket once, and starts what is to be processed. An error: the bucket could not be listed to its end;
  // what was seen until then has been started.
  [[nodiscard]] Result<WatchReport> poll(objects::ObjectSource& source, const std::stop_token& stop);

 private:
  [[nodiscard]] Result<Known> look_up(const ProcessImageRequest& request, std::optional<catalog::Image> image) const;
  enum class Verdict : std::uint8_t { kLeft, kStarted, kPassedOver };
  [[nodiscard]] Result<Verdict> consider(const objects::ObjectInfo& object) const;

  fsm::Manager& manager_;
  catalog::Catalog& catalog_;
  ProcessImageMachine machine_;
  WatchSettings settings_;
  Logger log_;
};

}  // namespace slipway::pipeline

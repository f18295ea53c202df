// A data source as a class with one method. What is not its business: saving checkpoints, batching, backing off,
// pausing, permits, retries. See intake.h for what it is given.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "feeds/sources/place.h"

namespace slipway::feeds {

class Intake;

struct ProviderConfig {
  std::string id{};
  std::string type{};
  std::vector<std::string> dependencies{};
  int permits = 1;  // it asks for so many
  int batch_size = 100;
  int max_retries = 3;  // one after the other without a single new item
  Duration retry_delay = std::chrono::seconds(5);
  int max_bad_records = 100;  // in one sync; with one more it fails
  std::vector<Part> parts{};  // of its source
  std::string api_key{};
};

// kInvalid, with the field and its rule.
[[nodiscard]] Result<> check_config(const ProviderConfig& config);

class Provider {
 public:
  Provider() = default;
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;
  virtual ~Provider() = default;

  // Reads the source to its end, from where the intake says, and hands over what is in it. An error of the intake is
  // handed on at once. One call at a time, from any thread; the next one may follow a failed one, or an end.
  [[nodiscard]] virtual Result<> run(Intake& intake) = 0;
};

}  // namespace slipway::feeds

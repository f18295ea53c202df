// What the runtime counts, in Prometheus' terms.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/time.h"
#include "fsm/run.h"

namespace slipway::fsm {

// A histogram over fixed bounds.
class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds) : bounds_(std::move(bounds)), counts_(bounds_.size() + 1) {}

  void observe(double value);

  [[nodiscard]] const std::vector<double>& bounds() const { return bounds_; }
  [[nodiscard]] std::uint64_t at_most(std::size_t bound) const;  // cumulative, as Prometheus wants it
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] double sum() const { return sum_; }

 private:
  std::vector<double> bounds_;
  std::vector<std::uint64_t> counts_;
  std::uint64_t count_ = 0;
  double sum_ = 0;
};

[[nodiscard]] Histogram seconds_histogram();
[[nodiscard]] Histogram size_histogram();

using Labels = std::vector<std::pair<std::string, std::string>>;

struct MetricsSnapshot {
  struct Number {
    std::string name;
    Labels labels;
    double value = 0;
    bool is_counter = false;
  };
  struct Distribution {
    std::string name;
    Labels labels;
    Histogram histogram;
  };
  std::vector<Number> numbers;
  std::vector<Distribution> distributions;

  // The Prometheus text format.
  [[nodiscard]] std::string render() const;
  // Of the series with this name that has all these labels; 0 when there is none.
  [[nodiscard]] double value(std::string_view name, const Labels& labels = {}) const;
};

enum class TryStatus : std::uint8_t { kOk, kHandoff, kError, kTimeout, kAbort, kUnrecoverable };

// The counts of one machine. Not thread-safe.
class MachineMetrics {
 public:
  explicit MachineMetrics(std::size_t transitions);

  void transition_tried(std::size_t transition, TryStatus status, Duration took);
  // `kind` is that of the error a run ended with.
  void run_ended(Ending ending, const Error* error, Duration took);

  // Adds fsm_action_* and fsm_transition_* series.
  void append_to(MetricsSnapshot& snapshot, const std::string& machine, const std::string& resource,
                 const std::vector<std::string>& transitions) const;

 private:
  static constexpr std::size_t kStatuses = 6;

  std::vector<std::array<Histogram, kStatuses>> transitions_;
  std::map<std::pair<Ending, std::string>, Histogram> actions_;
};

}  // namespace slipway::fsm

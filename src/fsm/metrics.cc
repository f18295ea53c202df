#include "fsm/metrics.h"

#include <algorithm>

#include <fmt/format.h>

namespace slipway::fsm {
namespace {

constexpr std::array<std::string_view, 6> kStatusNames{"ok", "handoff", "error", "timeout", "abort", "unrecoverable"};

double seconds(Duration length) { return std::chrono::duration<double>(length).count(); }

std::string escaped(std::string_view value) {
  std::string out;
  for (const char c : value) {
    if (c == '\n') {
      out += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

std::string series(std::string_view name, const Labels& labels, std::string_view le = {}) {
  std::string out(name);
  std::string inner;
  for (const auto& [key, value] : labels)
    inner += fmt::format("{}{}=\"{}\"", inner.empty() ? "" : ",", key, escaped(value));
  if (!le.empty()) inner += fmt::format("{}le=\"{}\"", inner.empty() ? "" : ",", le);
  if (!inner.empty()) out += "{" + inner + "}";
  return out;
}

std::string render_histogram(const std::string& name, const MetricsSnapshot::Distribution& distribution) {
  const auto& [unused, labels, histogram] = distribution;
  std::string out;
  for (std::size_t i = 0; i < histogram.bounds().size(); ++i) {
    const std::string bound = fmt::format("{}", histogram.bounds()[i]);
    out += fmt::format("{} {}\n", series(name + "_bucket", labels, bound), histogram.at_most(i));
  }
  out += fmt::format("{} {}\n", series(name + "_bucket", labels, "+Inf"), histogram.count());
  out += fmt::format("{} {}\n", series(name + "_sum", labels), histogram.sum());
  out += fmt::format("{} {}\n", series(name + "_count", labels), histogram.count());
  return out;
}

}  // namespace

void Histogram::observe(double value) {
  const auto bucket = std::ranges::lower_bound(bounds_, value) - bounds_.begin();
  ++counts_[static_cast<std::size_t>(bucket)];
  ++count_;
  sum_ += value;
}

std::uint64_t Histogram::at_most(std::size_t bound) const {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i <= bound; ++i) total += counts_[i];
  return total;
}

Histogram seconds_histogram() {
  return Histogram({0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 1800});
}

Histogram size_histogram() { return Histogram({1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}); }

std::string MetricsSnapshot::render() const {
  // All series of a name stand together, below one TYPE line.
  std::map<std::string, std::vector<const Number*>> by_name;
  for (const auto& number : numbers) by_name[number.name].push_back(&number);
  std::string out;
  for (const auto& [name, all] : by_name) {
    out += fmt::format("# TYPE {} {}\n", name, all.front()->is_counter ? "counter" : "gauge");
    for (const auto* number : all) out += fmt::format("{} {}\n", series(name, number->labels), number->value);
  }
  std::map<std::string, std::vector<const Distribution*>> distributed;
  for (const auto& distribution : distributions) distributed[distribution.name].push_back(&distribution);
  for (const auto& [name, all] : distributed) {
    out += fmt::format("# TYPE {} histogram\n", name);
    for (const auto* distribution : all) out += render_histogram(name, *distribution);
  }
  return out;
}

double MetricsSnapshot::value(std::string_view name, const Labels& labels) const {
  const auto fits = [&](const Number& number) {
    return number.name == name && std::ranges::all_of(labels, [&](const auto& wanted) {
             return std::ranges::find(number.labels, wanted) != number.labels.end();
           });
  };
  double total = 0;
  for (const auto& number : numbers) {
    if (fits(number)) total += number.value;
  }
  return total;
}

MachineMetrics::MachineMetrics(std::size_t transitions) {
  const auto fresh = [] { return seconds_histogram(); };
  transitions_.reserve(transitions);
  for (std::size_t i = 0; i < transitions; ++i) {
    transitions_.push_back({fresh(), fresh(), fresh(), fresh(), fresh(), fresh()});
  }
}

void MachineMetrics::transition_tried(std::size_t transition, TryStatus status, Duration took) {
  transitions_[transition][static_cast<std::size_t>(status)].observe(seconds(took));
}

void MachineMetrics::run_ended(Ending ending, const Error* error, Duration took) {
  const std::string kind = error == nullptr ? "" : std::string(to_string(error->kind()));
  actions_.try_emplace({ending, kind}, seconds_histogram()).first->second.observe(seconds(took));
}

void MachineMetrics::append_to(MetricsSnapshot& snapshot, const std::string& machine, const std::string& resource,
                               const std::vector<std::string>& transitions) const {
  const auto append = [&](std::string_view what, Labels labels, const Histogram& histogram) {
    if (histogram.count() == 0) return;
    snapshot.numbers.push_back(
        {fmt::format("fsm_{}_count", what), labels, static_cast<double>(histogram.count()), /*is_counter=*/true});
    snapshot.distributions.push_back({fmt::format("fsm_{}_duration_seconds", what), std::move(labels), histogram});
  };
  for (const auto& [key, histogram] : actions_) {
    append("action",
           {{"action", machine},
            {"resource", resource},
            {"status", std::string(to_string(key.first))},
            {"kind", key.second}},
           histogram);
  }
  for (std::size_t i = 0; i < transitions_.size(); ++i) {
    for (std::size_t status = 0; status < kStatuses; ++status) {
      append("transition",
             {{"action", machine},
              {"state", transitions[i]},
              {"resource", resource},
              {"status", std::string(kStatusNames[status])}},
             transitions_[i][status]);
    }
  }
}

}  // namespace slipway::fsm

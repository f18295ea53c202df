#include "report.h"

#include <algorithm>
#include <fstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace slipway::bench {
namespace {

std::string number(std::optional<double> value) { return value ? fmt::format("{:.6g}", *value) : "-"; }

std::string verdict(const Measure& measure) {
  if (!measure.must) return "";
  if (!measure.ok()) return "MISSED";
  return !measure.aim || measure.reaches(*measure.aim) ? "aim" : "must";
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

void print_table(const std::vector<Measure>& measures) {
  std::size_t width = 0;
  for (const auto& measure : measures) width = std::max(width, measure.name.size());
  fmt::print("{:<{}}  {:>10}  {:>8}  {:>8}  {:<6}  {}\n", "measure", width, "value", "must", "aim", "met", "unit");
  for (const auto& measure : measures) {
    if (!measure.skipped.empty()) {
      fmt::print("{:<{}}  {:>10}  {:>8}  {:>8}  {:<6}  {}\n", measure.name, width, "-", number(measure.must),
                 number(measure.aim), "", "skipped: " + measure.skipped);
      continue;
    }
    fmt::print("{:<{}}  {:>10.4g}  {:>8}  {:>8}  {:<6}  {}\n", measure.name, width, measure.value, number(measure.must),
               number(measure.aim), verdict(measure), measure.unit);
  }
}

bool write_json(const std::vector<Measure>& measures, const std::string& path) {
  auto list = nlohmann::json::array();
  for (const auto& measure : measures) {
    const auto bound = [](std::optional<double> value) { return value ? nlohmann::json(*value) : nlohmann::json(); };
    list.push_back({{"name", measure.name},
                    {"value", measure.skipped.empty() ? nlohmann::json(measure.value) : nlohmann::json()},
                    {"must", bound(measure.must)},
                    {"aim", bound(measure.aim)},
                    {"ok", measure.ok()}});
    if (!measure.skipped.empty()) list.back()["skipped"] = measure.skipped;
  }
  std::ofstream file(path);
  file << list.dump(2) << "\n";
  return file.good();
}

bool all_ok(const std::vector<Measure>& measures) {
  return std::ranges::all_of(measures, [](const Measure& measure) { return measure.ok(); });
}

int bench_main(std::string_view program, int argc, char** argv, const std::function<std::vector<Measure>()>& measure) {
  std::string json;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json" && i + 1 < argc) {
      json = argv[++i];
    } else {
      fmt::print(stderr, "usage: {} [--json FILE]\n", program);
      return 2;
    }
  }
  const auto measures = measure();
  print_table(measures);
  if (!json.empty() && !write_json(measures, json)) {
    fmt::print(stderr, "{}: cannot write {}\n", program, json);
    return 1;
  }
  return all_ok(measures) ? 0 : 1;
}

}  // namespace slipway::bench

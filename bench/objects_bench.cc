// How fast objects become files, against what people would do by hand: curl, openssl and sync, in the same folder in
// the same run. docs/benchmarks.md says how to read it.
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "nginx.h"
#include "objects_measures.h"
#include "report.h"
#include "sys/testing/temp_dir.h"

namespace slipway::bench {
namespace {

std::vector<Measure> measure() {
  const sys::TempDir folder;
  const std::string www = folder.file("www");
  const std::string work = folder.file("nginx");
  const std::string to = folder.file("downloads");
  for (const auto& each : {www + "/" + kBucket, work, to}) std::filesystem::create_directories(each);
  const Nginx nginx(www, work);

  std::vector<Measure> all;
  for (const auto part : {measure_big_object, measure_small_objects, measure_memory}) {
    const auto measures = part(nginx.url(), www, to);
    all.insert(all.end(), measures.begin(), measures.end());
  }
  return all;
}

}  // namespace
}  // namespace slipway::bench

int main(int argc, char** argv) {
  try {
    // All is on loopback: no proxy helps.
    for (const auto* name : {"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"}) ::unsetenv(name);
    slipway::bench::run_as_child(argc, argv);
    return slipway::bench::bench_main("objects_bench", argc, argv, slipway::bench::measure);
  } catch (const std::exception& e) {
    fmt::print(stderr, "objects_bench: {}\n", e.what());
    return 1;
  }
}

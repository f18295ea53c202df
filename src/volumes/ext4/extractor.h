// fill() and look() in a process of their own, which can do nothing but read the one image, change the one volume, and
// answer: what reads an image's bytes or a file system that was made of them has no rights to lose.
//
//   Extractor extractor({.executable = "/proc/self/exe", .arguments = {"fill-volume"}});
//   auto filled = extractor.extract(image, policy, {.fd = fd, .size = size, .zeroed = true}, options, {}, stop);
//   auto layout = extractor.look(fd, size, {}, stop);
#pragma once

#include <cstdint>
#include <stop_token>
#include <utility>

#include "archive/inspector.h"
#include "archive/policy.h"
#include "volumes/ext4/fill.h"
#include "volumes/ext4/look.h"

namespace slipway::volumes::ext4 {

// Thread-safe: any number of calls at once, each with a child of its own.
class Extractor {
 public:
  // A program whose main() calls extractor_main() when it has these arguments.
  explicit Extractor(archive::InspectorProgram program) : program_(std::move(program)) {}

  // Surveys the image again under the policy, never trusting that somebody did, fills the volume, and syncs it: on
  // success all of it is durable. On an error, or when this process dies, the volume holds nothing of use. The errors
  // are those of fill() and of archive::Inspector::inspect(). Of `limits` the progress is not called: that of `options`
  // is.
  [[nodiscard]] Result<Filled> extract(const archive::ImageFile& image, const archive::Policy& policy,
                                       const Target& target, const FillOptions& options,
                                       const archive::InspectOptions& limits, std::stop_token stop) const;

  // The errors of look(), and kTimeout and kUnavailable as extract() has them.
  [[nodiscard]] Result<Layout> look(int fd, std::uint64_t size, const archive::InspectOptions& limits,
                                    std::stop_token stop) const;

 private:
  archive::InspectorProgram program_;
};

// The child's side: as child::serve() in archive/reader_child.h says.
[[nodiscard]] int extractor_main();

}  // namespace slipway::volumes::ext4

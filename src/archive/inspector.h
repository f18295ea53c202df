// Looks at an image's archive in a process of its own, which can do nothing but read that one file and answer: a parser
// that is subverted, hangs or crashes costs one verdict.
//
//   archive::Inspector inspector({.executable = "/proc/self/exe", .arguments = {"inspect-archive"}});
//   auto seen = inspector.inspect(path, archive::standard_policy(), {}, stop);
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "archive/image_kind.h"
#include "archive/policy.h"
#include "base/error.h"
#include "sys/descriptor.h"

namespace slipway::archive {

// What is worth knowing of an image that passed.
struct Inspection {
  ImageKind kind = ImageKind::kRootfs;
  std::uint64_t layers = 0;
  std::uint64_t entries = 0;        // of all layers
  std::uint64_t files = 0;          // regular files of the merged tree, hard links counted once
  std::uint64_t total_size = 0;     // their bytes
  std::vector<Finding> findings{};  // recorded, not refused; the first thousand
  std::uint64_t findings_total = 0;
};

struct Survey;
[[nodiscard]] Inspection inspection_of(const Survey& seen);

// How the child is started: a program whose main() calls inspector_main() when it has these arguments.
struct InspectorProgram {
  std::string executable{};
  std::vector<std::string> arguments{};
};

// The child says how far it is as it reads. What it may cost is measured in processor time: a machine that is busy or
// asleep condemns no image.
struct InspectOptions {
  std::chrono::milliseconds stall_cpu{60'000};      // of processor time without getting on: kTimeout
  std::chrono::seconds cpu_limit{3'600};            // of processor time in all, kept by the kernel: kTimeout
  std::chrono::milliseconds idle_timeout{600'000};  // without getting on, while it does not run either: kUnavailable
  std::function<void(std::uint64_t read, std::uint64_t size)> progress{};
};

// An image's file, opened once for all who look at it: what is at its path may be another one a moment later.
struct ImageFile {
  std::filesystem::path path{};
  sys::Descriptor fd{};  // read it with pread(): the position is shared with the child
  std::uint64_t size = 0;
};

// kNotFound, kIo; kInvalid: no regular file, or a symbolic link (which is not followed); kCorrupt: empty.
[[nodiscard]] Result<ImageFile> open_image_file(const std::filesystem::path& path);

// Thread-safe: any number of inspections at once, each with a child of its own.
class Inspector {
 public:
  explicit Inspector(InspectorProgram program);

  // kRejected: refused by the policy; the message names the entry, the rule and the setting that would allow it.
  // kCorrupt: no archive, or a broken one, or the child crashed over it. kTimeout: it cost more than the options allow.
  // kUnsupported: of a form that is not taken. kCancelled by the stop. All others say nothing about the image and may
  // be gone at the next try: kUnavailable (somebody ended the child, or it was not let run), kIo and what the system
  // says.
  [[nodiscard]] Result<Inspection> inspect(const ImageFile& file, const Policy& policy, const InspectOptions& options,
                                           std::stop_token stop) const;
  // The same for what open_image_file() opens, with its errors.
  [[nodiscard]] Result<Inspection> inspect(const std::filesystem::path& file, const Policy& policy,
                                           const InspectOptions& options, std::stop_token stop) const;

 private:
  InspectorProgram program_;
};

// The child's side: as child::serve() in archive/reader_child.h says.
[[nodiscard]] int inspector_main();

}  // namespace slipway::archive

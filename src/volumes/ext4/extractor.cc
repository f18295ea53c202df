#include "volumes/ext4/extractor.h"

#include <algorithm>
#include <cerrno>
#include <optional>
#include <utility>

#include <unistd.h>

#include "archive/reader_child.h"
#include "sys/fault.h"
#include "sys/system_error.h"
#include "volumes/ext4/device.h"
#include "volumes/ext4/extractor_frames.h"

namespace slipway::volumes::ext4 {
namespace {

archive::Order common(const archive::Policy& policy, std::uint64_t size, const archive::InspectOptions& limits) {
  return {.policy = policy,
          .parent = ::getpid(),
          .size = size,
          .cpu_seconds = static_cast<std::uint64_t>(std::max<std::int64_t>(limits.cpu_limit.count(), 1))};
}

archive::InspectOptions silent(archive::InspectOptions limits) {
  limits.progress = {};
  return limits;
}

// Runs the child until it answers with a Verdict.
template <class Verdict>
Result<Verdict> run(const archive::InspectorProgram& program, const archive::ReaderTask& task,
                    const archive::InspectOptions& limits, std::stop_token stop,
                    const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  std::optional<Verdict> verdict;
  const archive::Listen listen = [&](std::string_view body) -> Result<std::optional<std::uint64_t>> {
    auto word = parse_extractor_word(body);
    if (!word) return fail(std::move(word.error()));
    if (auto* error = std::get_if<Error>(&*word)) return fail(std::move(*error));
    if (const auto* read = std::get_if<archive::Progress>(&*word)) return read->read;
    if (const auto* written = std::get_if<Written>(&*word)) {
      if (progress) progress(std::min(written->bytes, written->most), written->most);
      return std::uint64_t{0};  // for people; to be left alone it must read on
    }
    auto* told = std::get_if<Verdict>(&*word);
    if (told == nullptr) return fail(ErrorKind::kCorrupt, "the volume filler answers what it was not asked");
    verdict = std::move(*told);
    return std::nullopt;
  };
  if (auto done = archive::run_reader(program, task, silent(limits), std::move(stop), listen); !done) {
    return fail(std::move(done.error()));
  }
  return std::move(*verdict);
}

Result<> sync(int fd) {
  if (auto fault = fault::check("volumes.ext4.sync")) return fail(writing_error(std::move(*fault)));
  if (::fsync(fd) != 0) return fail(writing_error(sys::system_error("sync", "the volume", errno)));
  return {};
}

}  // namespace

Result<Filled> Extractor::extract(const archive::ImageFile& image, const archive::Policy& policy, const Target& target,
                                  const FillOptions& options, const archive::InspectOptions& limits,
                                  std::stop_token stop) const {
  const auto doing = [&](const Error& error) { return error.during("unpack {}", image.path.native()); };
  const ExtractorOrder order{common(policy, image.size, limits), FillOrder{.size = target.size,
                                                                           .zeroed = target.zeroed,
                                                                           .label = options.label,
                                                                           .uuid = options.uuid,
                                                                           .time = options.time}};
  const archive::ReaderTask task{.input = image.fd.get(),
                                 .size = image.size,
                                 .more = {{kVolumeDescriptor, target.fd}},
                                 .order = order_frame(order)};
  auto filled = run<Filled>(program_, task, limits, std::move(stop), options.progress);
  if (!filled) return doing(filled.error());
  if (auto synced = sync(target.fd); !synced) return doing(synced.error());
  return filled;
}

Result<Layout> Extractor::look(int fd, std::uint64_t size, const archive::InspectOptions& limits,
                               std::stop_token stop) const {
  const ExtractorOrder order{common(archive::standard_policy(), size, limits), LookOrder{size}};
  const archive::ReaderTask task{.size = size, .more = {{kVolumeDescriptor, fd}}, .order = order_frame(order)};
  auto seen = run<Layout>(program_, task, limits, std::move(stop), {});
  if (!seen) return seen.error().during("look at a volume");
  return seen;
}

}  // namespace slipway::volumes::ext4

#include "pipeline/process_image.h"

#include <optional>
#include <utility>

namespace slipway::pipeline {
namespace {

using namespace std::chrono_literals;

using Run = fsm::Context<ProcessImageRequest, ProcessImageResponse>;
using Outcome = fsm::Outcome<ProcessImageResponse>;

class ProcessImage {
 public:
  ProcessImage(fsm::Manager& manager, DownloadImageMachine download)
      : manager_(manager), download_(std::move(download)) {}

  Outcome download(const Run& run) const;
  Outcome collect(const Run& run) const;
  Result<> cancel_children(const Run& run, const fsm::Finishing& end) const;

 private:
  // The child of that machine that an earlier try has started; a crash may have come between its start and our note.
  Result<std::optional<fsm::RunVersion>> find_child(const Run& run, const std::string& machine) const;

  // Whether the child's error is its end, and not that of asking for it.
  [[nodiscard]] bool is_over(fsm::RunVersion child) const {
    const auto record = manager_.run(child);
    return record && fsm::is_finished(record->progress.state);
  }
  // A download of this id that was under way already must be of the object that is wanted.
  Result<> check_same_object(fsm::RunVersion run, const ProcessImageRequest& wanted) const;

  fsm::Manager& manager_;
  DownloadImageMachine download_;
};

Result<> ProcessImage::check_same_object(fsm::RunVersion run, const ProcessImageRequest& wanted) const {
  const auto record = manager_.run(run);
  if (!record) return record.error().during("look at run {}", run);
  const auto other = decode_json<DownloadImageRequest>(record->request);
  if (!other) return other.error().during("request of run {}", run);
  if (other->bucket == wanted.bucket && other->key == wanted.key) return {};
  return fail(ErrorKind::kConflict, "the image {} is being downloaded from {} in {} by run {}, not from {} in {}",
              wanted.image_id, other->key, other->bucket, run, wanted.key, wanted.bucket);
}

Result<std::optional<fsm::RunVersion>> ProcessImage::find_child(const Run& run, const std::string& machine) const {
  auto children = manager_.children(run.version());
  if (!children) return children.error().during("look for the parts of run {}", run.version());
  for (const auto& child : *children) {
    if (child.spec.machine == machine) return child.spec.version;
  }
  return std::nullopt;
}

Outcome ProcessImage::download(const Run& run) const {
  const auto& request = run.request();
  auto child = find_child(run, download_.name());
  if (!child) return fsm::error(child.error());
  if (!*child) {
    const auto started = download_.start(request.image_id,
                                         {.bucket = request.bucket,
                                          .key = request.key,
                                          .image_id = request.image_id,
                                          .verify = request.verify,
                                          .rules = request.rules},
                                         {.queue = kDownloadsQueue, .parent = run.version()});
    if (!started) return started.error().during("start the download");
    if (started->already_running) {
      if (auto same = check_same_object(started->version, request); !same) return fsm::abort(same.error());
    }
    *child = started->version;
  }
  ProcessImageResponse response;
  response.image_id = request.image_id;
  response.download_run = (*child)->to_string();
  return fsm::await(**child, std::move(response));
}

Outcome ProcessImage::collect(const Run& run) const {
  ProcessImageResponse response = run.response();
  const auto version = fsm::RunVersion::parse(response.download_run);
  if (!version) return fsm::unrecoverable(version.error());
  auto downloaded = download_.wait(*version, TimePoint{});
  if (!downloaded && !is_over(*version)) return fsm::error(downloaded.error());
  if (!downloaded) return fsm::abort(downloaded.error());
  response.local_path = downloaded->local_path;
  response.checksum = downloaded->checksum;
  response.size = downloaded->size;
  response.downloaded = downloaded->downloaded;
  return fsm::next(std::move(response));
}

Result<> ProcessImage::cancel_children(const Run& run, const fsm::Finishing& end) const {
  if (end.ending != fsm::Ending::kCancelled) return {};
  auto children = manager_.children(run.version());
  if (!children) return children.error().during("cancel the parts of run {}", run.version());
  for (const auto& child : *children) {
    if (fsm::is_finished(child.progress.state)) continue;
    auto cancelled = manager_.cancel(child.spec.version, "its parent was cancelled");
    if (!cancelled && cancelled.error().kind() != ErrorKind::kConflict) return fail(std::move(cancelled.error()));
  }
  return {};
}

}  // namespace

Result<ProcessImageMachine> add_process_image(fsm::Manager& manager, DownloadImageMachine download) {
  const auto machine = std::make_shared<const ProcessImage>(manager, std::move(download));
  return fsm::machine<ProcessImageRequest, ProcessImageResponse>("process-image")
      .resource("image")
      .start("download", [machine](const Run& run) { return machine->download(run); },
             {.retry = fsm::exponential(3, 200ms, 5s)})
      .to("collect", [machine](const Run& run) { return machine->collect(run); },
          {.retry = fsm::exponential(3, 200ms, 5s)})
      .finalizer([machine](const Run& run, const fsm::Finishing& end) { return machine->cancel_children(run, end); })
      .end("complete")
      .add_to(manager);
}

}  // namespace slipway::pipeline

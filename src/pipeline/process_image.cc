#include "pipeline/process_image.h"

#include <optional>
#include <utility>

#include "pipeline/under_way.h"

namespace slipway::pipeline {
namespace {

using namespace std::chrono_literals;

using Run = fsm::Context<ProcessImageRequest, ProcessImageResponse>;
using Outcome = fsm::Outcome<ProcessImageResponse>;

class ProcessImage {
 public:
  ProcessImage(fsm::Manager& manager, ProcessParts parts) : manager_(manager), parts_(std::move(parts)) {}

  // Each takes what the child before has answered, and starts its own.
  Outcome download(const Run& run) const;
  Outcome settle(const Run& run) const;
  Outcome scan(const Run& run) const;
  Outcome unpack(const Run& run) const;
  Outcome activate(const Run& run) const;
  Outcome collect(const Run& run) const;
  Result<> cancel_children(const Run& run, const fsm::Finishing& end) const;

 private:
  // The child of that machine that an earlier try has started; a crash may have come between its start and our note.
  Result<std::optional<fsm::RunVersion>> find_child(const Run& run, const std::string& machine) const;

  // Starts the child, or finds it, and awaits it. One that is under way for somebody else must be for the same work.
  template <class Request, class Response, class Same>
  Outcome start_child(const Run& run, const fsm::Machine<Request, Response>& machine, const std::string& id,
                      const Request& request, const std::string& queue, const Same& same,
                      std::string ProcessImageResponse::* note, ProcessImageResponse response) const;

  // Whether that scan was asked for what this run would have asked it for.
  Result<bool> is_by_our_rules(const Run& run, const std::string& scan_run) const;

  // What the child has answered. An outcome: it ended badly, or could not be asked.
  template <class Request, class Response>
  std::expected<Response, Outcome> answer_of(const fsm::Machine<Request, Response>& machine,
                                             const std::string& child) const;

  fsm::Manager& manager_;
  ProcessParts parts_;
};

Result<std::optional<fsm::RunVersion>> ProcessImage::find_child(const Run& run, const std::string& machine) const {
  auto children = manager_.children(run.version());
  if (!children) return children.error().during("look for the parts of run {}", run.version());
  for (const auto& child : *children) {
    if (child.spec.machine == machine) return child.spec.version;
  }
  return std::nullopt;
}

template <class Request, class Response, class Same>
Outcome ProcessImage::start_child(const Run& run, const fsm::Machine<Request, Response>& machine, const std::string& id,
                                  const Request& request, const std::string& queue, const Same& same,
                                  std::string ProcessImageResponse::* note, ProcessImageResponse response) const {
  auto child = find_child(run, machine.name());
  if (!child) return fsm::error(child.error());
  if (!*child) {
    const auto started = machine.start(id, request, {.queue = queue, .parent = run.version()});
    if (!started) return started.error().during("start {}", machine.name());
    if (started->already_running) {
      const auto record = manager_.run(started->version);
      if (!record) return record.error().during("look at run {}", started->version);
      const auto other = decode_json<Request>(record->request);
      if (!other) return other.error().during("request of run {}", started->version);
      if (auto agrees = same(*other, started->version); !agrees) return fsm::abort(agrees.error());
    }
    *child = started->version;
  }
  response.*note = (*child)->to_string();
  return fsm::await(**child, std::move(response));
}

template <class Request, class Response>
std::expected<Response, Outcome> ProcessImage::answer_of(const fsm::Machine<Request, Response>& machine,
                                                         const std::string& child) const {
  const auto version = fsm::RunVersion::parse(child);
  if (!version) return std::unexpected(Outcome(fsm::unrecoverable(version.error())));
  auto answer = machine.wait(*version, TimePoint{});
  if (answer) return std::move(*answer);
  const auto record = manager_.run(*version);
  const bool over = record && fsm::is_finished(record->progress.state);  // else asking for it has failed
  return std::unexpected(over ? Outcome(fsm::abort(answer.error())) : Outcome(fsm::error(answer.error())));
}

// A removal of the image that began before comes to its end first.
Outcome ProcessImage::settle(const Run& run) const {
  const auto removal = earlier_run(manager_, run.version(), "remove-image", run.request().image_id);
  if (!removal) return fsm::error(removal.error());
  if (*removal) return fsm::await(**removal, ProcessImageResponse{});
  return fsm::next(ProcessImageResponse{});
}

Outcome ProcessImage::download(const Run& run) const {
  const auto& request = run.request();
  const auto same = [&](const DownloadImageRequest& other, fsm::RunVersion by) -> Result<> {
    if (other.bucket == request.bucket && other.key == request.key) return {};
    return fail(ErrorKind::kConflict, "the image {} is being downloaded from {} in {} by run {}, not from {} in {}",
                request.image_id, other.key, other.bucket, by, request.key, request.bucket);
  };
  ProcessImageResponse response;
  response.image_id = request.image_id;
  return start_child(run, parts_.download, request.image_id,
                     {.bucket = request.bucket,
                      .key = request.key,
                      .image_id = request.image_id,
                      .verify = request.verify,
                      .list_packages = request.scan.engine != "off",
                      .rules = request.rules},
                     kDownloadsQueue, same, &ProcessImageResponse::download_run, std::move(response));
}

Outcome ProcessImage::scan(const Run& run) const {
  const auto& request = run.request();
  ProcessImageResponse response = run.response();
  auto downloaded = answer_of(parts_.download, response.download_run);
  if (!downloaded) return std::move(downloaded.error());
  response.local_path = downloaded->local_path;
  response.checksum = downloaded->checksum;
  response.size = downloaded->size;
  response.downloaded = downloaded->downloaded;
  // One that is under way for somebody else is awaited; if it went by other rules, our own follows.
  const auto same = [](const ScanImageRequest&, fsm::RunVersion) -> Result<> { return {}; };
  return start_child(run, parts_.scan, request.image_id,
                     {.image_id = request.image_id,
                      .local_path = response.local_path,
                      .checksum = response.checksum,
                      .size = response.size,
                      .rules = request.rules,
                      .scan = request.scan},
                     kScanningQueue, same, &ProcessImageResponse::scan_run, response);
}

Result<bool> ProcessImage::is_by_our_rules(const Run& run, const std::string& scan_run) const {
  const auto version = fsm::RunVersion::parse(scan_run);
  if (!version) return fail(version.error());
  const auto record = manager_.run(*version);
  if (!record) return record.error().during("look at run {}", *version);
  const auto request = decode_json<ScanImageRequest>(record->request);
  if (!request) return request.error().during("request of run {}", *version);
  auto asked = request->scan;
  asked.again = run.request().scan.again;  // when it is judged anew makes no other verdict
  return request->checksum == run.response().checksum && asked == run.request().scan;
}

// Of a run that began before there were scans nothing is asked.
Outcome ProcessImage::unpack(const Run& run) const {
  const auto& request = run.request();
  ProcessImageResponse response = run.response();
  if (!response.scan_run.empty()) {
    const auto ours = is_by_our_rules(run, response.scan_run);
    if (!ours) return fsm::error(ours.error());
    if (!*ours) return fsm::go_to("scan", std::move(response));
    auto scanned = answer_of(parts_.scan, response.scan_run);
    if (!scanned) return std::move(scanned.error());
    if (scanned->blocked) {
      return fsm::abort(Error(ErrorKind::kVulnerable,
                              fmt::format("image {} is vulnerable, and blocked: {}", request.image_id, scanned->note))
                            .with_hint(fmt::format("slipway show {} lists all that is known against it; "
                                                   "--allow-vulnerable takes it all the same",
                                                   request.image_id)));
    }
    response.scanned = scanned->scanned;
    response.scan_note = scanned->note;
  }
  const auto same = [&](const UnpackImageRequest& other, fsm::RunVersion by) -> Result<> {
    if (other.checksum == response.checksum && other.pool == request.pool) return {};
    return fail(ErrorKind::kConflict,
                "the image {} is being unpacked by run {}, with another content or into another pool", request.image_id,
                by);
  };
  return start_child(run, parts_.unpack, request.image_id,
                     {.image_id = request.image_id,
                      .local_path = response.local_path,
                      .checksum = response.checksum,
                      .pool = request.pool,
                      .device_size = request.device_size,
                      .rules = request.rules,
                      .verify = request.verify},
                     kUnpackingQueue, same, &ProcessImageResponse::unpack_run, response);
}

Outcome ProcessImage::activate(const Run& run) const {
  const auto& request = run.request();
  ProcessImageResponse response = run.response();
  auto unpacked = answer_of(parts_.unpack, response.unpack_run);
  if (!unpacked) return std::move(unpacked.error());
  response.device_id = unpacked->device_id;
  response.device_name = unpacked->device_name;
  response.files = unpacked->files;
  response.unpacked = unpacked->unpacked;
  const auto same = [&](const ActivateImageRequest& other, fsm::RunVersion by) -> Result<> {
    if (other.image_id == request.image_id && other.device_id == response.device_id) return {};
    return fail(ErrorKind::kConflict, "snapshot {} is being made of image {} by run {}", request.snapshot_name,
                other.image_id, by);
  };
  return start_child(run, parts_.activate, request.snapshot_name,
                     {.image_id = request.image_id,
                      .device_id = response.device_id,
                      .device_name = response.device_name,
                      .snapshot_name = request.snapshot_name,
                      .pool = request.pool},
                     /*queue=*/"", same, &ProcessImageResponse::activate_run, response);
}

Outcome ProcessImage::collect(const Run& run) const {
  ProcessImageResponse response = run.response();
  auto activated = answer_of(parts_.activate, response.activate_run);
  if (!activated) return std::move(activated.error());
  response.snapshot_name = activated->snapshot_name;
  response.device_path = activated->device_path;
  response.activated = activated->activated;
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

Result<ProcessImageMachine> add_process_image(fsm::Manager& manager, ProcessParts parts) {
  const auto machine = std::make_shared<const ProcessImage>(manager, std::move(parts));
  const auto calling = [&machine](Outcome (ProcessImage::*transition)(const Run&) const) {
    return [machine, transition](const Run& run) { return (machine.get()->*transition)(run); };
  };
  const fsm::TransitionPolicy asking{.retry = fsm::exponential(3, 200ms, 5s)};
  return fsm::machine<ProcessImageRequest, ProcessImageResponse>("process-image")
      .resource("image")
      .start("settle", calling(&ProcessImage::settle), asking)
      .to("download", calling(&ProcessImage::download), asking)
      .to("scan", calling(&ProcessImage::scan), asking)
      .to("unpack", calling(&ProcessImage::unpack), asking)
      .to("activate", calling(&ProcessImage::activate), asking)
      .to("collect", calling(&ProcessImage::collect), asking)
      .finalizer([machine](const Run& run, const fsm::Finishing& end) { return machine->cancel_children(run, end); })
      .end("complete")
      .add_to(manager);
}

}  // namespace slipway::pipeline

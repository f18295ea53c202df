#include "pipeline/unpack_image.h"

#include <cerrno>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "catalog/identity.h"
#include "pipeline/device_ids.h"
#include "pipeline/extraction.h"
#include "pipeline/image_lock.h"
#include "pipeline/under_way.h"
#include "sys/fault.h"

namespace slipway::pipeline {

namespace {

using namespace std::chrono_literals;

using Run = fsm::Context<UnpackImageRequest, UnpackImageResponse>;
using Outcome = fsm::Outcome<UnpackImageResponse>;

constexpr std::uint32_t kExtractionRetries = 2;

// The image will not be another one the next time, nor the pool larger by itself.
bool is_final(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kCorrupt:
    case ErrorKind::kRejected:
    case ErrorKind::kUnsupported:
    case ErrorKind::kInvalid:
    case ErrorKind::kNoSpace:
    case ErrorKind::kTimeout: return true;
    default: return false;
  }
}

Outcome final_or_error(const Error& error) {
  return is_final(error.kind()) ? Outcome(fsm::abort(error)) : Outcome(fsm::error(error));
}

class UnpackImage {
 public:
  UnpackImage(fsm::Manager& manager, UnpackParts parts) : manager_(manager), parts_(std::move(parts)) {}

  Outcome check_unpacked(const Run& run) const;
  Outcome create_device(const Run& run) const;
  Outcome extract_layers(const Run& run) const;
  Outcome verify_layout(const Run& run) const;
  Outcome update_db(const Run& run) const;
  Result<> clean_up(const Run& run, const fsm::Finishing& end) const;

 private:
  [[nodiscard]] catalog::Catalog& catalog() const { return *parts_.catalog; }
  [[nodiscard]] volumes::Pool& pool() const { return *parts_.pool; }
  [[nodiscard]] volumes::DeviceSpec device_of(const Run& run) const {
    return {{run.response().device_id}, catalog::volume_name(run.request().image_id), run.request().device_size};
  }

  // The volume, when it is whole, of this content, and in the pool.
  Result<std::optional<catalog::Volume>> find_good(const Run& run) const;
  // What is wrong with what is on it, if anything is.
  Result<std::optional<Error>> look_at(const catalog::Volume& volume, const std::stop_token& stop) const;
  // Makes room for a new volume: one of other content, or that has lost its device, is forgotten and deleted.
  Result<> forget_old(const Run& run) const;
  Result<> release(const Run& run) const;
  Error explained(const Error& error) const;

  fsm::Manager& manager_;
  UnpackParts parts_;
};

Result<std::optional<catalog::Volume>> UnpackImage::find_good(const Run& run) const {
  auto volume = catalog().find_unpacked(run.request().image_id);
  if (!volume || !*volume) return volume;
  if ((*volume)->pool != pool().name() || (*volume)->source_checksum != run.request().checksum) return std::nullopt;
  const auto device = pool().find((*volume)->device_id);
  if (!device) return fail(device.error());
  const auto made_with = (*volume)->device_size;
  // (That of an active one is what whoever activated it made of it.)
  const bool whole =
      *device && (made_with == 0 || (*device)->active() || (*device)->size.value_or(made_with) == made_with);
  if (whole && run.request().verify) {
    const auto wrong = look_at(**volume, run.stop());
    if (!wrong) return wrong.error().during("look at {}", (*volume)->device_name);
    if (!*wrong) return volume;
    run.log().warn("the volume {} is made again: {}", (*volume)->device_name, (*wrong)->message());
    return std::nullopt;
  }
  if (whole) return volume;
  run.log().warn("the volume {} has {} device {}: it is made again", (*volume)->device_name,
                 *device ? "a damaged" : "lost its", (*volume)->device_id);
  return std::nullopt;
}

Result<std::optional<Error>> UnpackImage::look_at(const catalog::Volume& volume, const std::stop_token& stop) const {
  const volumes::DeviceSpec device{volume.device_id, volume.device_name, volume.device_size};
  const auto path = pool().activate(device);
  if (!path) return fail(path.error());
  auto found = look(*parts_.extractor, *path, volume.device_size, stop);
  if (auto rested = pool().deactivate(device); !rested) return fail(std::move(rested.error()));
  if (!found && is_final(found.error().kind()) && !stop.stop_requested()) return found.error();
  if (!found) return fail(std::move(found.error()));
  if (found->files == volume.file_count && found->bytes == volume.size_bytes) return std::nullopt;
  return Error(ErrorKind::kCorrupt, fmt::format("it holds {} files with {} bytes, and {} with {} were put there",
                                                found->files, found->bytes, volume.file_count, volume.size_bytes));
}

Result<> UnpackImage::forget_old(const Run& run) const {
  const auto& image_id = run.request().image_id;
  const auto volume = catalog().find_volume(image_id);
  if (!volume) return fail(volume.error());
  if (!*volume) return {};
  if ((*volume)->pool != pool().name()) {
    return fail(Error(ErrorKind::kConflict, fmt::format("the volume of image {} is in pool {}, not in {}", image_id,
                                                        (*volume)->pool, pool().name()))
                    .with_hint(fmt::format("use that pool, or remove the image there: slipway rm {}", image_id)));
  }
  auto forgotten = catalog().delete_volume(image_id, catalog::DeviceFate::kMayRemain);
  if (!forgotten && forgotten.error().kind() == ErrorKind::kConflict) {
    return fail(Error(ErrorKind::kConflict, fmt::format("the volume of image {} is to be made anew, and {}", image_id,
                                                        forgotten.error().message()))
                    .with_hint("take its snapshots down first: slipway deactivate NAME --delete"));
  }
  if (!forgotten) return fail(std::move(forgotten.error()));
  const volumes::DeviceSpec old{(*volume)->device_id, (*volume)->device_name, (*volume)->device_size};
  auto gone = discard_device(catalog(), pool(), old, run.log());
  if (!gone) return fail(std::move(gone.error()));
  return {};
}

Outcome UnpackImage::check_unpacked(const Run& run) const {
  const auto& request = run.request();
  if (request.pool != pool().name()) {
    return fsm::abort(Error(ErrorKind::kConflict,
                            fmt::format("pool {} is asked for, and this process has {}", request.pool, pool().name())));
  }
  const auto holder = take_lock(catalog(), manager_, request.image_id, run.version());
  if (!holder) return holder.error().during("lock image {}", request.image_id);
  if (*holder) {
    run.log().info("image {} is locked by run {}, which is awaited", request.image_id, **holder);
    return fsm::await(**holder, UnpackImageResponse{});
  }
  const auto good = find_good(run);
  if (!good) return good.error().during("look for the volume of {}", request.image_id);
  if (*good) {
    if (auto released = release(run); !released) return released.error().during("unlock image {}", request.image_id);
    return fsm::handoff(UnpackImageResponse{.image_id = request.image_id,
                                            .device_id = (*good)->device_id.value,
                                            .device_name = (*good)->device_name,
                                            .device_path = (*good)->device_path,
                                            .bytes = (*good)->size_bytes,
                                            .files = (*good)->file_count});
  }
  // A snapshot that is being made of the old volume is not to become half of one and half of the other.
  const auto activation = earlier_activation(manager_, run.version(), request.image_id);
  if (!activation) return fsm::error(activation.error());
  if (*activation) return fsm::await((*activation)->spec.version, UnpackImageResponse{});
  if (auto forgotten = forget_old(run); !forgotten) {
    if (forgotten.error().kind() == ErrorKind::kConflict) return fsm::abort(forgotten.error());
    return forgotten.error().during("make room for the volume of {}", request.image_id);
  }
  const auto reserved = reserve_device(catalog(), pool(),
                                       {.pool = request.pool,
                                        .purpose = catalog::Purpose::kVolume,
                                        .image_id = request.image_id,
                                        .start = catalog::first_volume_id(request.image_id)});
  if (!reserved) return final_or_error(reserved.error());
  return fsm::next(UnpackImageResponse{.image_id = request.image_id, .device_id = reserved->device_id.value});
}

Outcome UnpackImage::create_device(const Run& run) const {
  const auto mine = has_lock(catalog(), run.request().image_id, run.version());
  if (!mine) return fsm::error(mine.error());
  // The run that held it has ended: what it has made is looked at now.
  if (!*mine || run.response().device_id == 0) return fsm::go_to("check-unpacked", UnpackImageResponse{});

  auto device = device_of(run);
  const auto image = catalog().find_image(run.request().image_id);
  if (!image) return fsm::error(image.error());
  if (*image && (*image)->archive) device.content = (*image)->archive->total_size;
  if (auto removed = pool().remove(device); !removed) return final_or_error(removed.error());
  if (auto fault = fault::check("pipeline.unpack.create")) return fsm::error(std::move(*fault));
  if (auto made = pool().create(device); !made) return final_or_error(made.error());
  auto path = pool().activate(device);
  if (!path) return path.error().during("activate {}", device.name);
  UnpackImageResponse response = run.response();
  response.device_name = device.name;
  response.device_path = std::move(*path);
  return fsm::next(std::move(response));
}

// A full pool fails the writes to its devices, and only it knows why.
Error UnpackImage::explained(const Error& error) const {
  if (error.kind() != ErrorKind::kIo) return error;
  const auto status = pool().status();
  if (!status || status->problems.empty()) return error;
  const bool full = status->data.free() == 0;
  Error told(full ? ErrorKind::kNoSpace : ErrorKind::kCorrupt,
             fmt::format("{}: pool {}: {}", error.message(), status->name, status->problems.front()));
  return full ? std::move(told).with_hint("grow it (slipway pool grow), or remove images (slipway rm)") : told;
}

Outcome UnpackImage::extract_layers(const Run& run) const {
  UnpackImageResponse response = run.response();
  // What a try that was cut off has written is not known. Going back begins a new count of tries, so this keeps one.
  if (run.retry() > 0) ++response.begun_anew;
  if (run.retry() > 0 || run.resumed()) return fsm::go_to("create-device", std::move(response));
  const auto& request = run.request();
  const ExtractionRequest wanted{
      .image = request.local_path,
      .sha256 = request.checksum,
      .device = response.device_path,
      .size = request.device_size,
      .policy = request.rules.policy,
      .label = response.device_name,
      .made_at = manager_.clock().now(),
      .progress = [&run](std::uint64_t done, std::uint64_t total) { run.progress({done, total, "bytes unpacked"}); }};
  const auto counts = extract(*parts_.extractor, wanted, run.stop());
  if (!counts) {
    const auto failed = explained(counts.error()).during("unpack {}", request.local_path).error();
    if (run.stop().stop_requested()) return fsm::error(failed);
    // What has filled the disk goes at once: the end of this run has to be written down, maybe on the same disk.
    if (failed.kind() == ErrorKind::kNoSpace) (void)pool().remove(device_of(run), volumes::WhenBusy::kGiveUp);
    if (is_final(failed.kind())) return fsm::abort(failed);
    if (response.begun_anew >= kExtractionRetries) return fsm::unrecoverable(failed);
    return fsm::error(failed);
  }
  response.bytes = counts->bytes;
  response.files = counts->files;
  response.put = *counts;
  return fsm::next(std::move(response));
}

Outcome UnpackImage::verify_layout(const Run& run) const {
  const auto& response = run.response();
  // A reboot in between has made it inactive.
  const auto path = pool().activate(device_of(run));
  if (!path) return path.error().during("activate {}", response.device_name);
  auto good = verify(*parts_.extractor, *path, run.request().device_size, response.put, run.stop());
  if (!good && is_final(good.error().kind()) && !run.stop().stop_requested()) {
    return fsm::abort(good.error().during("look at {}", *path).error());
  }
  if (!good) return good.error().during("look at {}", *path);
  UnpackImageResponse next = response;
  next.unpacked = true;
  return fsm::next(std::move(next));
}

Outcome UnpackImage::update_db(const Run& run) const {
  const auto& response = run.response();
  const auto& request = run.request();
  const auto device = device_of(run);
  if (auto rested = pool().deactivate(device); !rested) return rested.error().during("deactivate {}", device.name);
  if (auto fault = fault::check("pipeline.unpack.store")) return fsm::error(std::move(*fault));
  auto stored = catalog().store_volume({.image_id = request.image_id,
                                        .pool = request.pool,
                                        .device_id = device.id,
                                        .device_name = device.name,
                                        .device_path = response.device_path,
                                        .size_bytes = response.bytes,
                                        .file_count = response.files,
                                        .layout_verified = true,
                                        .source_checksum = request.checksum,
                                        .device_size = device.size});
  if (!stored && stored.error().kind() == ErrorKind::kConflict) return fsm::abort(stored.error());
  if (!stored) return stored.error().during("store the volume of {}", request.image_id);
  if (auto released = release(run); !released) return released.error().during("unlock image {}", request.image_id);
  return fsm::next(response);
}

Result<> UnpackImage::release(const Run& run) const {
  auto released = catalog().release_lock(run.request().image_id, run.version().to_string());
  if (!released) return fail(std::move(released.error()));
  return {};
}

// On every way out the lock is free, and what was begun and is no volume is gone.
Result<> UnpackImage::clean_up(const Run& run, const fsm::Finishing& end) const {
  const auto mine = has_lock(catalog(), run.request().image_id, run.version());
  if (!mine) return fail(mine.error());
  if (!*mine) return {};
  if (!fsm::succeeded(end.ending) && run.response().device_id != 0) {
    const auto volume = catalog().find_volume(run.request().image_id);
    if (!volume) return fail(volume.error());
    const auto device = device_of(run);
    if (!*volume || (*volume)->device_id != device.id) {
      auto gone = discard_device(catalog(), pool(), device, run.log());
      if (!gone) return gone.error().during("clean up");
    }
  }
  return release(run);
}

}  // namespace

Result<UnpackImageMachine> add_unpack_image(fsm::Manager& manager, UnpackParts parts) {
  const auto timeout = parts.timeout;
  const auto machine = std::make_shared<const UnpackImage>(manager, std::move(parts));
  const auto calling = [&machine](Outcome (UnpackImage::*transition)(const Run&) const) {
    return [machine, transition](const Run& run) { return (machine.get()->*transition)(run); };
  };
  return fsm::machine<UnpackImageRequest, UnpackImageResponse>("unpack-image")
      .resource("image")
      .start("check-unpacked", gated(calling(&UnpackImage::check_unpacked)), {.retry = fsm::exponential(3, 200ms, 5s)})
      .to("create-device", gated(calling(&UnpackImage::create_device)), {.retry = fsm::fixed(3, 1s)})
      .to("extract-layers", calling(&UnpackImage::extract_layers),
          {.retry = fsm::fixed(kExtractionRetries, 1s), .timeout = timeout})
      .to("verify-layout", calling(&UnpackImage::verify_layout), {.retry = fsm::fixed(2, 1s)})
      .to("update-db", calling(&UnpackImage::update_db), {.retry = fsm::exponential(5, 100ms, 10s)})
      .finalizer([machine](const Run& run, const fsm::Finishing& end) { return machine->clean_up(run, end); })
      .end("complete")
      .add_to(manager);
}

}  // namespace slipway::pipeline

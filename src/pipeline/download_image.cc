#include "pipeline/download_image.h"

#include <system_error>
#include <utility>

#include "catalog/identity.h"
#include "objects/download.h"
#include "pipeline/hand_over.h"
#include "pipeline/validation.h"
#include "scan/inventory_json.h"
#include "sys/directories.h"

namespace slipway::catalog {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(FileIdentity, size, mtime_ns, ctime_ns, inode)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ArchiveFacts, kind, layers, entries, files, total_size, policy,
                                                findings)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(PolicyFinding, rule, entry, detail)

}  // namespace slipway::catalog

namespace slipway::pipeline {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(DownloadImageResponse, image_id, local_path, checksum, size, downloaded,
                                                etag, verified_file, archive, findings)

namespace {

using namespace std::chrono_literals;

using Run = fsm::Context<DownloadImageRequest, DownloadImageResponse>;
using Outcome = fsm::Outcome<DownloadImageResponse>;

// Trying again can help: the network, the server or the disk may be better next time.
bool worth_a_retry(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kUnavailable:
    case ErrorKind::kTimeout:
    case ErrorKind::kCancelled:
    case ErrorKind::kConflict:  // the object was replaced again and again
    case ErrorKind::kCorrupt:   // bytes were changed on their way
    case ErrorKind::kIo:
    case ErrorKind::kInternal: return true;
    default: return false;
  }
}

// How often the clean-up of an unhappy end is tried. A catalog that is locked makes each try wait for some seconds.
constexpr int kCleanUpTries = 6;

// Validation said no to the file, and will say so again. (A reader that hung will hang again.)
bool is_verdict(ErrorKind kind) {
  return kind == ErrorKind::kCorrupt || kind == ErrorKind::kRejected || kind == ErrorKind::kUnsupported ||
         kind == ErrorKind::kTimeout;
}

// As the catalog keeps it, to tell whether an image was judged by the same one before.
std::string text_of(const archive::Policy& policy) { return archive::to_json(policy).dump(); }

Result<> remove_file(const std::filesystem::path& file) {
  std::error_code failed;
  std::filesystem::remove(file, failed);
  if (failed) return fail(ErrorKind::kIo, "remove {}: {}", file.string(), failed.message());
  return {};
}

class DownloadImage {
 public:
  explicit DownloadImage(DownloadParts parts) : parts_(std::move(parts)) {}

  Outcome check_exists(const Run& run) const;
  Outcome download(const Run& run) const;
  Outcome validate(const Run& run) const;
  Outcome store_metadata(const Run& run) const;
  Result<> clean_up(const Run& run, const fsm::Finishing& end) const;

 private:
  Result<> try_clean_up(const Run& run, const fsm::Finishing& end) const;
  Result<> note_failure(const Run& run, const fsm::Finishing& end, const catalog::Image& image) const;
  [[nodiscard]] const DownloadSettings& settings() const { return parts_.settings; }
  [[nodiscard]] catalog::Catalog& catalog() const { return *parts_.catalog; }
  [[nodiscard]] std::filesystem::path file_of(const Run& run) const {
    return settings().images / (run.request().image_id + ".tar");
  }
  static catalog::ImageSource source_of(const Run& run) {
    return {.image_id = run.request().image_id, .bucket = run.request().bucket, .key = run.request().key};
  }

  // Why the image must be downloaded again; nothing when it need not. An error: it could not be found out.
  Result<std::optional<std::string>> why_not_good(const Run& run, const catalog::Image& image) const;
  Result<std::optional<std::string>> why_file_not_good(const Run& run, const catalog::Image& image) const;
  std::optional<std::string> why_outdated(const Run& run, const catalog::Image& image) const;

  Result<bool> is_of_the_catalog(const catalog::Image& image, const std::filesystem::path& file,
                                 const std::stop_token& stop) const;
  Outcome refuse(const Run& run, const Error& error) const;

  DownloadParts parts_;
  mutable HandOver<catalog::StoredInventory> listed_;  // by `validate`, for `store-metadata`
};

Result<std::optional<std::string>> DownloadImage::why_file_not_good(const Run& run, const catalog::Image& image) const {
  const auto identity = identify(image.local_path);
  if (!identity && identity.error().kind() == ErrorKind::kNotFound) return "its file is gone";
  if (!identity && identity.error().kind() == ErrorKind::kInvalid) return identity.error().message();
  if (!identity) return fail(identity.error());
  if (identity->size != image.size_bytes) {
    return fmt::format("its file has {} bytes, not {}", identity->size, image.size_bytes);
  }
  if (!run.request().verify && *identity == image.verified_file) return std::nullopt;

  const auto tell = [&](std::uint64_t done) { run.progress({done, image.size_bytes, "bytes verified"}); };
  const auto hashed = hash_file(image.local_path, tell, run.stop());
  if (!hashed) return fail(hashed.error());
  if (hashed->sha256 != image.checksum) {
    return fmt::format("its file has the SHA-256 {}, not {}", hashed->sha256, image.checksum);
  }
  if (auto kept = catalog().record_verification(image.image_id, image.checksum, hashed->identity); !kept) {
    return fail(std::move(kept.error()));
  }
  return std::nullopt;
}

std::optional<std::string> DownloadImage::why_outdated(const Run& run, const catalog::Image& image) const {
  const auto cannot_ask = [&](const Error& error) {
    run.log().warn("cannot ask whether {} has changed, taken as unchanged: {}", image.key, error.describe());
    return std::nullopt;
  };
  const auto source = parts_.source_of(image.bucket);
  if (!source) return cannot_ask(source.error());
  const auto remote = (*source)->head(image.key, run.stop());
  if (!remote && remote.error().kind() == ErrorKind::kNotFound) return "the object is no longer in the bucket";
  if (!remote) return cannot_ask(remote.error());
  if (remote->etag != image.etag) return fmt::format("the object's ETag is {}, not {}", remote->etag, image.etag);
  if (remote->size != image.size_bytes) {
    return fmt::format("the object has {} bytes, not {}", remote->size, image.size_bytes);
  }
  return std::nullopt;
}

Result<std::optional<std::string>> DownloadImage::why_not_good(const Run& run, const catalog::Image& image) const {
  auto why = why_file_not_good(run, image);
  if (!why || *why) return why;
  return why_outdated(run, image);
}

Outcome DownloadImage::check_exists(const Run& run) const {
  const auto& request = run.request();
  if (auto good = catalog::check_image_id(request.image_id); !good) return fsm::abort(good.error());
  const auto image = catalog().find_downloaded(request.bucket, request.key);
  if (!image) return image.error().during("look for {}", request.key);
  if (!*image) return fsm::next(DownloadImageResponse{});
  if ((*image)->image_id != request.image_id) {
    return fsm::abort(Error(ErrorKind::kConflict, fmt::format("{} is the image {} already, and cannot be {}",
                                                              request.key, (*image)->image_id, request.image_id)));
  }
  const auto why = why_not_good(run, **image);
  if (!why) return why.error().during("check {}", (*image)->local_path);
  if (*why) {
    run.log().info("image {} is downloaded again: {}", request.image_id, **why);
    return fsm::next(DownloadImageResponse{});
  }
  DownloadImageResponse there;
  there.image_id = (*image)->image_id;
  there.local_path = (*image)->local_path;
  there.checksum = (*image)->checksum;
  there.size = (*image)->size_bytes;
  if (!(*image)->archive || (*image)->archive->policy != text_of(request.rules.policy)) {
    run.log().info("image {} is validated again: the entry policy is another one than before", request.image_id);
    there.etag = (*image)->etag;
    return fsm::go_to("validate", std::move(there));
  }
  return fsm::handoff(std::move(there));
}

Outcome DownloadImage::download(const Run& run) const {
  const auto& request = run.request();
  if (auto good = objects::check_key(request.key); !good) return fsm::abort(good.error());
  auto source = parts_.source_of(request.bucket);
  if (!source) return fsm::abort(source.error());
  if (auto marked = catalog().mark_downloading(source_of(run)); !marked) {
    if (marked.error().kind() == ErrorKind::kConflict) return fsm::abort(marked.error());
    return marked.error().during("note the download of {}", request.key);
  }
  if (auto made = sys::make_directories(settings().images); !made) return made.error().during("folder of images");

  const auto file = file_of(run);
  objects::DownloadRequest wanted;
  wanted.key = request.key;
  wanted.file = file;
  wanted.max_size = request.rules.max_image_size;
  wanted.progress = [&run](const objects::DownloadProgress& now) { run.progress({now.done, now.total, "bytes"}); };
  wanted.log = run.log();
  wanted.tuning = settings().tuning;
  auto got = objects::download(**source, wanted, run.stop());
  if (!got && worth_a_retry(got.error().kind())) return got.error().during("download {}", request.key);
  if (!got) {
    if (auto removed = objects::remove_partial(file); !removed) run.log().warn("{}", removed.error().message());
    return fsm::abort(got.error().during("download {}", request.key).error());
  }

  DownloadImageResponse response;
  response.image_id = request.image_id;
  response.local_path = file;
  response.checksum = std::move(got->sha256);
  response.size = got->object.size;
  response.downloaded = true;
  response.etag = std::move(got->object.etag);
  return fsm::next(std::move(response));
}

// The file is not what it must be, or not allowed to be what it is.
Outcome DownloadImage::refuse(const Run& run, const Error& error) const {
  const auto& request = run.request();
  run.log()
      .with("security", error.kind() == ErrorKind::kRejected ? "refused" : "corrupt")
      .with("bucket", request.bucket)
      .with("key", request.key)
      .error("image {} is refused{}: {}", request.image_id, run.response().downloaded ? " and its file removed" : "",
             error.message());
  return fsm::abort(error);
}

Outcome DownloadImage::validate(const Run& run) const {
  DownloadImageResponse response = run.response();
  ValidationRequest wanted;
  wanted.file = response.local_path;
  wanted.sha256 = response.checksum;
  wanted.policy = run.request().rules.policy;
  wanted.inspect.progress = [&run](std::uint64_t done, std::uint64_t total) {
    run.progress({done, total, "bytes validated"});
  };
  scan::Inventory packages;
  const Inspect inspect_and_list = [&](const archive::ImageFile& file, const archive::Policy& policy,
                                       const archive::InspectOptions& options,
                                       std::stop_token stop) -> Result<archive::Inspection> {
    auto listed = parts_.taker->take(file, policy, options, std::move(stop));
    if (!listed) return fail(std::move(listed.error()));
    packages = std::move(listed->inventory);
    return std::move(listed->inspection);
  };
  const bool list = run.request().list_packages;
  auto seen = pipeline::validate(list ? inspect_and_list : by(*parts_.inspector), wanted, run.stop());
  if (!seen) {
    if (is_verdict(seen.error().kind()) && !run.stop().stop_requested()) return refuse(run, seen.error());
    return seen.error().during("validate {}", response.local_path);
  }

  auto& found = seen->inspection;
  response.verified_file = seen->identity;
  response.archive = {.kind = std::string(archive::to_string(found.kind)),
                      .layers = found.layers,
                      .entries = found.entries,
                      .files = found.files,
                      .total_size = found.total_size,
                      .policy = text_of(run.request().rules.policy),
                      .findings = found.findings_total};
  if (found.findings.size() > settings().max_findings) found.findings.resize(settings().max_findings);
  for (auto& finding : found.findings) {
    response.findings.push_back({std::move(finding.rule), std::move(finding.entry), std::move(finding.detail)});
  }
  if (list) {
    listed_.put(run.version(), {.image_id = response.image_id,
                                .checksum = response.checksum,
                                .packages = packages.packages.size(),
                                .body = scan::to_json(packages)});
  }
  return fsm::next(std::move(response));
}

Outcome DownloadImage::store_metadata(const Run& run) const {
  DownloadImageResponse response = run.response();
  catalog::DownloadedImage image;
  image.source = source_of(run);
  image.etag = std::exchange(response.etag, {});
  image.local_path = response.local_path;
  image.checksum = response.checksum;
  image.size_bytes = response.size;
  image.verified_file = std::exchange(response.verified_file, {});
  image.archive = std::exchange(response.archive, {});
  image.policy_findings = std::exchange(response.findings, {});
  const auto before = catalog().find_image(run.request().image_id);
  if (!before) return before.error().during("store what is known of {}", run.request().image_id);
  if (auto stored = catalog().store_image(image); !stored) {
    if (stored.error().kind() == ErrorKind::kInvalid || stored.error().kind() == ErrorKind::kConflict) {
      return fsm::abort(stored.error());
    }
    return stored.error().during("store what is known of {}", run.request().image_id);
  }
  if (const auto listed = listed_.take(run.version())) {
    // Else the scan lists them by itself.
    if (auto kept = catalog().store_inventory(*listed); !kept) run.log().warn("{}", kept.error().message());
  }
  // Its file stands somewhere else now: nobody knows of the old one any more.
  if (*before && !(*before)->local_path.empty() && (*before)->local_path != response.local_path) {
    if (auto removed = remove_file((*before)->local_path); !removed) run.log().warn("{}", removed.error().message());
  }
  return fsm::next(std::move(response));
}

// Whether the file is the one that the catalog has as completed. What this run, or a try of it that a crash cut off,
// has put in its place is not.
Result<bool> DownloadImage::is_of_the_catalog(const catalog::Image& image, const std::filesystem::path& file,
                                              const std::stop_token& stop) const {
  if (image.download_status != catalog::DownloadStatus::kCompleted) return false;
  const auto identity = identify(file);
  if (!identity && identity.error().kind() != ErrorKind::kIo) return false;
  if (!identity) return fail(identity.error());
  if (*identity == image.verified_file) return true;
  if (identity->size != image.size_bytes) return false;
  const auto hashed = hash_file(file, {}, stop);
  if (!hashed) return fail(hashed.error());
  return hashed->sha256 == image.checksum;
}

// An unhappy end leaves no partial file, no file that was not validated, and a row that says why. A file that was there
// before, and is still what the catalog has, stays: it is refused by this run's rules, not by those it was taken under.
Result<> DownloadImage::clean_up(const Run& run, const fsm::Finishing& end) const {
  listed_.drop(run.version());
  if (fsm::succeeded(end.ending) || !catalog::check_image_id(run.request().image_id)) return {};
  for (int tries = 1;; ++tries) {
    auto cleaned = try_clean_up(run, end);
    if (cleaned || tries == kCleanUpTries || run.stop().stop_requested()) return cleaned;
  }
}

Result<> DownloadImage::try_clean_up(const Run& run, const fsm::Finishing& end) const {
  const auto image = catalog().find_image(run.request().image_id);
  if (!image) return image.error().during("clean up");
  const bool same = *image && (*image)->bucket == run.request().bucket && (*image)->key == run.request().key;
  if (same) {  // else nothing was noted, or the id is another object's
    if (auto noted = note_failure(run, end, **image); !noted) return noted.error().during("clean up");
  }
  if (auto removed = objects::remove_partial(file_of(run)); !removed) return removed.error().during("clean up");
  return {};
}

// The row first: a file that is gone must not be behind a row that has it.
Result<> DownloadImage::note_failure(const Run& run, const fsm::Finishing& end, const catalog::Image& image) const {
  const auto& response = run.response();
  const std::filesystem::path own =
      response.local_path.empty() ? file_of(run) : std::filesystem::path(response.local_path);
  const bool elsewhere = own != image.local_path;  // the catalog's file, if any, is not the one of this run
  const bool condemned = !elsewhere && response.downloaded && end.error && is_verdict(end.error->kind());
  Result<bool> good = condemned ? Result<bool>(false) : is_of_the_catalog(image, image.local_path, run.stop());
  if (!good) return fail(std::move(good.error()));
  const std::string reason = end.error ? end.error->describe() : std::string(fsm::to_string(end.ending));
  auto marked = catalog().mark_download_failed(image.image_id, {.reason = reason, .file_removed = !*good});
  if (!marked) return fail(std::move(marked.error()));
  return *good && !elsewhere ? Result<>() : remove_file(own);
}

}  // namespace

Result<DownloadImageMachine> add_download_image(fsm::Manager& manager, DownloadParts parts) {
  const auto timeout = parts.settings.timeout;
  const auto machine = std::make_shared<const DownloadImage>(std::move(parts));
  const auto calling = [&machine](Outcome (DownloadImage::*transition)(const Run&) const) {
    return [machine, transition](const Run& run) { return (machine.get()->*transition)(run); };
  };
  return fsm::machine<DownloadImageRequest, DownloadImageResponse>("download-image")
      .resource("image")
      .start("check-exists", calling(&DownloadImage::check_exists), {.retry = fsm::exponential(3, 200ms, 5s)})
      .to("download", calling(&DownloadImage::download),
          {.retry = fsm::exponential(5, 1s, 60s).with_jitter(), .timeout = timeout})
      .to("validate", calling(&DownloadImage::validate), {.retry = fsm::fixed(2, 1s)})
      .to("store-metadata", calling(&DownloadImage::store_metadata),
          {.retry = fsm::exponential(5, 100ms, 10s).with_jitter()})
      .finalizer([machine](const Run& run, const fsm::Finishing& end) { return machine->clean_up(run, end); })
      .end("complete")
      .add_to(manager);
}

}  // namespace slipway::pipeline

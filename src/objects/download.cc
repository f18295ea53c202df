#include "objects/download.h"

#include <algorithm>
#include <utility>

#include "objects/part_file.h"
#include "objects/part_state.h"
#include "objects/transfer.h"
#include "objects/uri.h"

namespace slipway::objects {
namespace {

bool keeps_partial(ErrorKind kind) {
  return kind == ErrorKind::kUnavailable || kind == ErrorKind::kTimeout || kind == ErrorKind::kCancelled;
}

Result<> verify(const std::vector<Checksum>& stated, const std::map<HashAlgorithm, DigestBytes>& digests) {
  for (const auto& checksum : stated) {
    const auto& got = digests.at(checksum.algorithm);
    if (got == checksum.value) continue;
    return fail(
        Error(ErrorKind::kCorrupt, fmt::format("its {} is {}, the server states {}", to_string(checksum.algorithm),
                                               to_hex(got), to_hex(checksum.value)))
            .with_hint(checksum.algorithm == HashAlgorithm::kMd5
                           ? "the bytes were damaged on the way or in the bucket; or this server's ETags, which look "
                             "like MD5 sums, are none: then set s3_verify_etag to false"
                           : "the bytes were damaged on the way, or the object is damaged in its bucket"));
  }
  return {};
}

// One download() call: the tries it takes until there is a file or an error to tell.
class Download {
 public:
  Download(ObjectSource& source, const DownloadRequest& request, const std::stop_token& stop)
      : source_(source), request_(request), stop_(stop) {}

  Result<Downloaded> run() {
    auto object = first_look();
    if (!object) return fail(object.error());
    for (int replaced = 0, failures = 0;;) {
      if (auto fits = check_size(*object); !fits) return fail(fits.error());
      // Without an ETag nobody could tell the ranges of two versions apart.
      if (object->etag.empty() && object->size > request_.tuning.one_stream) whole_ = true;
      auto done = one_try(*object);
      if (done) return done;
      const ErrorKind kind = done.error().kind();
      if (kind == ErrorKind::kUnsupported && !whole_) {
        request_.log.info("{} has no ranges of {} to give: reading it in one stream", source_.describe(),
                          shown(request_.key));
        whole_ = true;
      } else if (kind == ErrorKind::kConflict && replaced_ && ++replaced <= request_.tuning.max_replaced) {
        request_.log.info("{} was replaced while it was read: starting again", shown(request_.key));
        object = source_.head(request_.key, stop_);
        if (!object) return fail(object.error());
      } else if (whole_ && keeps_partial(kind) && kind != ErrorKind::kCancelled && ++failures < request_.tuning.tries) {
        request_.log.debug("reading {} failed, trying again: {}", shown(request_.key), done.error().message());
      } else {
        return done.error().during("download {} from {}", shown(request_.key), source_.describe());
      }
    }
  }

 private:
  Result<ObjectInfo> first_look() {
    const auto& known = request_.known;
    if (known && known->key == request_.key &&
        (known->size <= request_.tuning.one_stream || !known->checksums.empty())) {
      return *known;
    }
    return source_.head(request_.key, stop_);
  }

  [[nodiscard]] Result<> check_size(const ObjectInfo& object) const {
    if (request_.max_size == 0 || object.size <= request_.max_size) return {};
    return fail(Error(ErrorKind::kRejected, fmt::format("{} has {} bytes, at most {} are allowed", shown(object.key),
                                                        object.size, request_.max_size))
                    .with_hint("raise max_image_size if that is what you want"));
  }

  Result<Downloaded> one_try(const ObjectInfo& object) {
    replaced_ = false;
    const bool small = object.size <= request_.tuning.one_stream;
    const auto mode = whole_ ? Transfer::Mode::kWhole : small ? Transfer::Mode::kSmall : Transfer::Mode::kRanges;
    auto part = PartFile::open(
        request_.file, {.source = source_.describe(), .key = object.key, .etag = object.etag, .size = object.size},
        /*reserve=*/!small);
    if (!part) return fail(part.error());
    auto done = fill(object, *part, mode);
    if (!done) replaced_ = done.error().kind() == ErrorKind::kConflict;
    const bool resumable = mode == Transfer::Mode::kRanges && !object.etag.empty();
    if (!done && !(resumable && keeps_partial(done.error().kind()))) {
      // The error to tell is the first one.
      if (auto removed = remove_partial(request_.file); !removed) request_.log.warn("{}", removed.error().message());
    }
    return done;
  }

  Result<Downloaded> fill(const ObjectInfo& object, PartFile& part, Transfer::Mode mode) {
    if (mode == Transfer::Mode::kWhole) {
      if (auto fresh = part.start_afresh(); !fresh) return fail(fresh.error());
    }
    Downloaded done{.object = object};
    for (const auto& range : part.kept()) done.resumed += range.length;
    Transfer transfer(source_, object, part, request_, mode);
    auto digests = transfer.run(stop_);
    if (!digests) return fail(digests.error());
    done.object.checksums = transfer.stated();
    if (auto right = verify(done.object.checksums, *digests); !right) return fail(right.error());
    done.sha256 = to_hex(digests->at(HashAlgorithm::kSha256));
    if (mode == Transfer::Mode::kRanges) {
      if (auto kept = keep_if_stopped(part, object.size); !kept) return fail(kept.error());
    }
    if (auto finished = part.finish(); !finished) return fail(finished.error());
    return done;
  }

  // A sync of much may take long, and who was told to stop meanwhile is no longer heard: then the bytes stay a part
  // that is whole and on the disk, so that the next download has only to put it in place.
  Result<> keep_if_stopped(PartFile& part, std::uint64_t size) const {
    if (auto synced = part.sync(); !synced) return synced;
    if (!stop_.stop_requested()) return {};
    if (auto kept = part.checkpoint({{.offset = 0, .length = size}}); !kept) return kept;
    return fail(ErrorKind::kCancelled, "told to stop");
  }

  ObjectSource& source_;
  const DownloadRequest& request_;
  const std::stop_token& stop_;
  bool whole_ = false;     // no ranges: the server has none to give, or none that are sure to be of one version
  bool replaced_ = false;  // the last try found another object than the one it looked for
};

}  // namespace

Result<Downloaded> download(ObjectSource& source, const DownloadRequest& request, const std::stop_token& stop) {
  if (auto key = check_key(request.key); !key) return fail(key.error());
  if (!request.file.has_filename()) {
    return fail(ErrorKind::kInvalid, "there is no file name in {}", shown(request.file.string()));
  }
  return Download(source, request, stop).run();
}

Result<> remove_partial(const std::filesystem::path& file) {
  if (auto removed = remove_if_there(part_path(file)); !removed) return removed;
  return remove_part_state(file);
}

}  // namespace slipway::objects

// A place that objects come from: a bucket of an S3 server, or a folder that stands in for one.
//
// Words: an object has a key (bytes without control characters, at most 1024), a size and an ETag: an opaque text that
// changes whenever the object is replaced. Everything that is read names the ETag it expects, so that bytes of two
// versions of an object are never mixed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/error.h"
#include "base/time.h"

namespace slipway::objects {

struct Checksum {
  HashAlgorithm algorithm = HashAlgorithm::kSha256;
  DigestBytes value{};
};

struct ObjectInfo {
  std::string key{};
  std::uint64_t size = 0;
  std::string etag{};  // without its quotes; empty when the server sends none
  std::optional<TimePoint> modified{};
  std::vector<Checksum> checksums{};  // of the whole object, as the server states them
};

struct ListRequest {
  std::string prefix{};
  std::string after{};  // an earlier page's `next`, empty for the first
  std::uint32_t max_keys = 1000;
};

struct ObjectPage {
  std::vector<ObjectInfo> objects{};
  std::string next{};  // empty: this is the last page
  // What may be there and cannot be looked at, such as a folder that this user may not read: the list is not whole.
  std::vector<Error> unreadable{};
};

// Told of a piece of an object as it comes, from one thread at a time, in order. done() is called exactly once, last.
class RangeReceiver {
 public:
  RangeReceiver() = default;
  RangeReceiver(const RangeReceiver&) = delete;
  RangeReceiver& operator=(const RangeReceiver&) = delete;
  virtual ~RangeReceiver() = default;

  // Checksums of the whole object that came with the answer; called at most once, before any bytes.
  virtual void stated(const std::vector<Checksum>& /*checksums*/) {}
  [[nodiscard]] virtual Result<> bytes(std::span<const std::byte> piece) = 0;
  virtual void done(Result<> how) = 0;
};

struct RangeRequest {
  std::string key{};
  std::string etag{};                   // what the object must still be; kConflict when it was replaced
  std::optional<TimePoint> modified{};  // the same for servers that send no ETag; compared by the second
  std::uint64_t object_size = 0;
  std::uint64_t offset = 0;
  std::uint64_t length = 0;  // offset 0 and the whole size: a plain GET. 0 only for an empty object
};

// Thread-safe. Errors: kNotFound no such key or bucket; kPermission denied, or bad credentials; kInvalid a key or
// setting that can never work; kConflict the object is no longer the one that was asked for; kUnavailable, kTimeout,
// try again later; kCorrupt the server's answer makes no sense.
class ObjectSource {
 public:
  ObjectSource() = default;
  ObjectSource(const ObjectSource&) = delete;
  ObjectSource& operator=(const ObjectSource&) = delete;
  virtual ~ObjectSource() = default;

  // For people: "s3://bucket at https://…", "file:///path".
  [[nodiscard]] virtual std::string describe() const = 0;

  [[nodiscard]] virtual Result<ObjectInfo> head(const std::string& key, std::stop_token stop) = 0;
  // In the order of the keys' bytes. Names that are no key (see check_key), such as "folder/", are left out.
  [[nodiscard]] virtual Result<ObjectPage> list(const ListRequest& request, std::stop_token stop) = 0;
  // Starts reading and returns; the receiver hears the rest, from any thread, this one too. Exactly `length` bytes, or
  // done() with an error: kUnsupported when the server has only whole objects to give. It may wait before it starts
  // (for credentials, for a server that asked for patience), so it is not to be called from a receiver.
  virtual void read(RangeRequest request, std::shared_ptr<RangeReceiver> receiver, std::stop_token stop) = 0;
};

// What was asked for does not lie in the object: our own caller's mistake, but one that must not reach a server.
[[nodiscard]] Result<> check_range(const RangeRequest& request);

// The key as every source wants it: kInvalid for an empty one, one over 1024 bytes, with control bytes, or with a
// segment `..` or `.`, an empty segment, or a leading slash.
[[nodiscard]] Result<> check_key(std::string_view key);

}  // namespace slipway::objects

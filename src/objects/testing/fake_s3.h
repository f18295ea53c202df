// A small S3 server in this process, for tests: one bucket, list (versions 1 and 2), HEAD, GET with ranges and
// If-Match. Signatures are checked against what really came over the wire. Quirks make it one of the servers that do
// less.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "net/http_server.h"
#include "net/testing/scripted_proxy.h"
#include "objects/s3_source.h"
#include "objects/sigv4.h"
#include "objects/testing/object_source_contract.h"
#include "sys/mutex.h"

namespace slipway::objects {

struct FakeS3Quirks {
  enum class List : std::uint8_t {
    kVersion2,
    kMarker,      // version 1, with NextMarker
    kBareMarker,  // version 1, without: go on after the last key
    kSameToken,   // version 2 that hands out one token for ever, and empty pages
    kSamePage,    // the first page again and again
  };
  bool if_match = true;    // false: the header is not looked at
  bool etags = true;       // false: none are sent
  bool odd_etags = false;  // they look like MD5 sums, and are none
  bool ranges = true;      // false: the whole object is sent whatever was asked for
  bool last_modified = true;
  bool encodes_keys = true;  // false: encoding-type is not known here
  List list = List::kVersion2;
  std::optional<HashAlgorithm> checksum{};  // stated with HEAD and whole GETs
  bool damaged_checksum = false;
  std::string region = "us-east-1";
};

// Thread-safe. A ScriptedProxy stands before it: proxy() takes the faults.
class FakeS3 {
 public:
  static constexpr const char* kBucket = "test-bucket";

  explicit FakeS3(FakeS3Quirks quirks = {});

  void put(const std::string& key, std::string bytes);
  [[nodiscard]] net::ScriptedProxy& proxy() { return proxy_; }
  // Options for a source of this server: good credentials, and hardly a wait between tries.
  [[nodiscard]] S3Options options();
  [[nodiscard]] static Credentials credentials() { return {"AKIDTEST", "verysecret", ""}; }

 private:
  struct Stored {
    std::string bytes;
    std::string etag;
    int version = 0;
  };

  void serve(const net::ServerRequest& request, net::ResponseWriter& writer);
  void serve_list(const net::ServerRequest& request, net::ResponseWriter& writer);
  void serve_object(const net::ServerRequest& request, net::ResponseWriter& writer, const std::string& key);
  [[nodiscard]] std::string refusal(const net::ServerRequest& request) const;  // an S3 code; empty: let it in
  [[nodiscard]] net::Headers headers_of(const Stored& object, bool whole) const;

  const FakeS3Quirks quirks_;
  sys::Mutex mutex_;
  std::map<std::string, Stored> objects_ SLIPWAY_GUARDED_BY(mutex_);
  int versions_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  net::ScriptedProxy proxy_;
};

}  // namespace slipway::objects

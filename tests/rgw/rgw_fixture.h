// A bucket of its own for each test, filled by curl and read by us.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "objects/download.h"
#include "objects/object_source.h"
#include "objects/sigv4.h"
#include "rgw_server.h"
#include "sys/testing/temp_dir.h"
#include "uploader.h"

namespace slipway::rgw {

[[nodiscard]] objects::Credentials owner();

// A name that no other test of this program has.
[[nodiscard]] std::string new_bucket_name();

// The bucket as our S3 source sees it; `endpoint` may be a proxy's.
[[nodiscard]] std::unique_ptr<objects::ObjectSource> open_bucket(const std::string& bucket,
                                                                 const objects::Credentials& credentials,
                                                                 const std::string& endpoint);

class RgwTest : public ::testing::Test {
 protected:
  void SetUp() override;

  [[nodiscard]] std::unique_ptr<objects::ObjectSource> open(const objects::Credentials& credentials) const {
    return open_bucket(bucket_, credentials, server().endpoint);
  }
  void put(const std::string& key, std::string_view body) { uploader_->put(bucket_, key, body); }

  std::string bucket_;
  std::unique_ptr<Uploader> uploader_;
  std::unique_ptr<objects::ObjectSource> source_;  // as the bucket's owner
};

// The kind that a call failed with; nothing when it did not fail.
template <class T>
[[nodiscard]] std::optional<ErrorKind> kind_of(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error().kind());
}

}  // namespace slipway::rgw

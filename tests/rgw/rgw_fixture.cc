#include "rgw_fixture.h"

#include <atomic>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "net/http_client.h"
#include "objects/credentials.h"
#include "objects/s3_source.h"

namespace slipway::rgw {

objects::Credentials owner() {
  return {.access_key_id = server().access_key, .secret_access_key = server().secret_key};
}

std::string new_bucket_name() {
  static std::atomic<int> count = 0;
  return fmt::format("bucket-{}", ++count);
}

std::unique_ptr<objects::ObjectSource> open_bucket(const std::string& bucket, const objects::Credentials& credentials,
                                                   const std::string& endpoint) {
  auto made = objects::S3Source::make({.bucket = bucket,
                                       .endpoint = endpoint,
                                       .client = std::make_shared<net::HttpClient>(net::HttpClientOptions{}),
                                       .credentials = objects::fixed_credentials(credentials)});
  if (!made) throw std::runtime_error(made.error().describe());
  return std::move(*made);
}

void RgwTest::SetUp() {
  uploader_ = std::make_unique<Uploader>(server());
  bucket_ = new_bucket_name();
  uploader_->make_bucket(bucket_);
  source_ = open(owner());
}

}  // namespace slipway::rgw

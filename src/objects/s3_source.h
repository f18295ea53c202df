// A bucket of an S3 server: AWS, or any other that speaks its protocol.
//
// list() and head() try a few times themselves; a read that fails is for the caller to try again from where it stopped.
// All of them keep to the endpoint's throttle. A bucket that turns out to be in another region is asked there, once; a
// server of one's own is never left for another host, whatever it says.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/log.h"
#include "net/http_client.h"
#include "objects/credentials.h"
#include "objects/object_source.h"
#include "objects/s3_answer.h"
#include "objects/s3_endpoint.h"
#include "objects/throttle.h"
#include "sys/mutex.h"

namespace slipway::objects {

struct S3Options {
  std::string bucket{};
  std::string region = "us-east-1";
  std::string endpoint{};  // empty: AWS
  AddressStyle style = AddressStyle::kAuto;
  EtagUse etag = EtagUse::kMd5;
  std::shared_ptr<net::HttpClient> client{};
  std::shared_ptr<CredentialsProvider> credentials{};
  std::shared_ptr<Throttle> throttle{};  // the endpoint's; empty: one of its own
  sys::Clock* clock = &sys::system_clock();
  std::chrono::milliseconds stall_timeout{30'000};
  int tries = 4;
  Logger log{};
};

class S3Source final : public ObjectSource {
 public:
  // kInvalid for a bucket, region or endpoint that can never work.
  [[nodiscard]] static Result<std::unique_ptr<S3Source>> make(S3Options options);
  // Ends the reads under way: each receiver is told kCancelled before the destructor returns.
  ~S3Source() override;

  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] Result<ObjectInfo> head(const std::string& key, std::stop_token stop) override;
  [[nodiscard]] Result<ObjectPage> list(const ListRequest& request, std::stop_token stop) override;
  void read(RangeRequest request, std::shared_ptr<RangeReceiver> receiver, std::stop_token stop) override;

 private:
  class Reading;
  // What a request is about; made into a signed one for each try.
  struct Call {
    std::string method = "GET";
    std::string key{};
    std::vector<std::pair<std::string, std::string>> query{};
    net::Headers headers{};
  };
  struct Prepared {
    net::HttpRequest request{};
    AnswerContext context{};
    std::string region{};
  };

  S3Source(S3Options options, S3Endpoint endpoint);
  [[nodiscard]] Result<Prepared> prepare(const Call& call, const std::stop_token& stop);
  [[nodiscard]] Result<net::HttpAnswer> ask(const Call& call, const std::stop_token& stop);
  [[nodiscard]] Result<net::HttpAnswer> ask_once(const Call& call, const std::stop_token& stop);
  // What is to be told of a bad answer. One that names another region, or says that the credentials are old, changes
  // what the next try is made with, and becomes kUnavailable when such a try may help.
  [[nodiscard]] Error learn(BadAnswer bad, const std::string& asked_region) SLIPWAY_EXCLUDES(mutex_);
  [[nodiscard]] std::string region() const SLIPWAY_EXCLUDES(mutex_);

  const S3Options options_;
  const S3Endpoint endpoint_;
  const std::string name_;
  mutable sys::Mutex mutex_;
  std::string region_ SLIPWAY_GUARDED_BY(mutex_);
  std::stop_source ending_;
  std::condition_variable idle_;
  int reads_ SLIPWAY_GUARDED_BY(mutex_) = 0;       // under way
  bool moved_ SLIPWAY_GUARDED_BY(mutex_) = false;  // followed to another region: not again
};

}  // namespace slipway::objects

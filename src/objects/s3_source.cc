#include "objects/s3_source.h"

#include <algorithm>

#include "objects/s3_list.h"
#include "objects/s3_xml.h"
#include "objects/uri.h"

namespace slipway::objects {
namespace {

constexpr std::size_t kMaxErrorBody = 64 << 10;

bool worth_another_try(ErrorKind kind) { return kind == ErrorKind::kUnavailable || kind == ErrorKind::kTimeout; }

Result<> check_region(std::string_view region) {
  const auto rule = broken_region_rule(region);
  if (rule.empty()) return {};
  return fail(ErrorKind::kInvalid, "the region {} {}", shown(region), rule);
}

}  // namespace

// One read on its way from the client to the receiver.
class S3Source::Reading final : public net::HttpReceiver {
 public:
  Reading(S3Source& owner, RangeRequest request, std::shared_ptr<RangeReceiver> receiver, Prepared prepared,
          Throttle::Permit permit, const std::stop_token& stop)
      : owner_(owner),
        request_(std::move(request)),
        receiver_(std::move(receiver)),
        context_(std::move(prepared.context)),
        region_(std::move(prepared.region)),
        permit_(std::move(permit)),
        by_caller_(stop, Stop{&stop_}),
        by_owner_(owner.ending_.get_token(), Stop{&stop_}) {
    const sys::Lock lock(owner_.mutex_);
    ++owner_.reads_;
  }

  [[nodiscard]] std::stop_token stop_token() const { return stop_.get_token(); }

  Result<> head(const net::HttpHead& head) override {
    head_ = head;
    good_ = head.status == 200 || head.status == 206;
    if (!good_) return {};
    if (auto right = check_read_head(head, request_); !right) return right;
    if (head.status == 200) {
      if (const auto checksums = read_checksums(head.headers, owner_.options_.etag); !checksums.empty())
        receiver_->stated(checksums);
    }
    return {};
  }

  Result<> bytes(std::span<const std::byte> piece) override {
    if (!good_) {
      const std::size_t room = kMaxErrorBody - std::min(kMaxErrorBody, error_body_.size());
      error_body_.append(reinterpret_cast<const char*>(piece.data()), std::min(piece.size(), room));
      return {};
    }
    if (piece.size() > request_.length - got_) {
      return fail(ErrorKind::kCorrupt, "the server sent more of {} than was asked for", shown(request_.key));
    }
    got_ += piece.size();
    return receiver_->bytes(piece);
  }

  void done(Result<> how) override {
    const bool bad = head_.status != 0 && !good_;
    if (bad) {
      BadAnswer answer = read_bad_answer(head_, error_body_, context_);
      permit_.finish(answered(answer), retry_after(head_.headers, owner_.options_.clock->now()));
      how = fail(owner_.learn(std::move(answer), region_));
    } else {
      permit_.finish(how ? Answered::kWell : Answered::kNotAtAll, std::nullopt);
      if (how && got_ < request_.length) {
        how = fail(ErrorKind::kUnavailable, "the server sent {} of {} bytes of {}", got_, request_.length,
                   shown(request_.key));
      }
    }
    receiver_->done(std::move(how));
    const sys::Lock lock(owner_.mutex_);
    --owner_.reads_;
    owner_.idle_.notify_all();
  }

 private:
  struct Stop {
    std::stop_source* source;
    void operator()() const { source->request_stop(); }
  };

  S3Source& owner_;
  RangeRequest request_;
  std::shared_ptr<RangeReceiver> receiver_;
  AnswerContext context_;
  std::string region_;
  Throttle::Permit permit_;
  net::HttpHead head_;
  bool good_ = false;
  std::string error_body_;
  std::uint64_t got_ = 0;
  std::stop_source stop_;
  std::stop_callback<Stop> by_caller_;
  std::stop_callback<Stop> by_owner_;
};

Result<std::unique_ptr<S3Source>> S3Source::make(S3Options options) {
  if (auto checked = check_region(options.region); !checked) return fail(checked.error());
  auto endpoint = S3Endpoint::make(options.endpoint, options.bucket, options.style);
  if (!endpoint) return fail(endpoint.error());
  if (!options.throttle) options.throttle = std::make_shared<Throttle>(*options.clock);
  if (!options.client) options.client = std::make_shared<net::HttpClient>(net::HttpClientOptions{});
  if (!options.credentials) options.credentials = fixed_credentials({});
  return std::unique_ptr<S3Source>(new S3Source(std::move(options), std::move(*endpoint)));
}

S3Source::S3Source(S3Options options, S3Endpoint endpoint)
    : options_(std::move(options)),
      endpoint_(std::move(endpoint)),
      name_(fmt::format("s3://{} at {}", options_.bucket, endpoint_.describe(options_.region))),
      region_(options_.region) {}

S3Source::~S3Source() {
  ending_.request_stop();
  const sys::Lock lock(mutex_);
  while (reads_ > 0) {
    sys::Borrowed borrowed(mutex_);
    idle_.wait(borrowed.lock());
  }
}

std::string S3Source::describe() const { return name_; }

std::string S3Source::region() const {
  const sys::Lock lock(mutex_);
  return region_;
}

Result<S3Source::Prepared> S3Source::prepare(const Call& call, const std::stop_token& stop) {
  const auto resolved = options_.credentials->get(stop);
  if (!resolved) return fail(resolved.error());
  Prepared out{.region = region()};
  const S3Address address = endpoint_.address(out.region, call.key);
  SignedRequest to_sign{.method = call.method,
                        .path = address.path,
                        .query = call.query,
                        .headers = call.headers,
                        .payload_sha256 = std::string(kUnsignedPayload)};
  to_sign.headers.add("Host", address.host);
  sign_s3(to_sign, resolved->credentials, {.region = out.region}, options_.clock->now());

  const std::string query = canonical_query(call.query);
  out.request = {.method = call.method,
                 .url = query.empty() ? address.url : address.url + "?" + query,
                 .stall_timeout = options_.stall_timeout};
  for (const auto& [name, value] : to_sign.headers) {
    if (name != "Host") out.request.headers.add(name, value);
  }
  out.context = {.bucket = options_.bucket,
                 .key = call.key,
                 .credentials_origin = resolved->origin,
                 .anonymous = resolved->credentials.anonymous()};
  return out;
}

Error S3Source::learn(BadAnswer bad, const std::string& asked_region) {
  const bool renewed = bad.expired && options_.credentials->refused();
  if (!bad.region || *bad.region == asked_region) {
    if (!renewed) return std::move(bad.error);
    return Error(ErrorKind::kUnavailable, bad.error.message()).with_hint(bad.error.hint());
  }
  const sys::Lock lock(mutex_);
  const bool follow = !moved_ || region_ == *bad.region;
  if (!follow) {
    return Error(ErrorKind::kInvalid,
                 fmt::format("{} (the bucket is in the region {})", bad.error.message(), *bad.region))
        .with_hint(fmt::format("set s3_region to {}", *bad.region));
  }
  moved_ = true;
  region_ = *bad.region;
  return Error(ErrorKind::kUnavailable, fmt::format("{} (the bucket is in the region {}, where it is asked for next)",
                                                    bad.error.message(), region_))
      .with_hint(fmt::format("set s3_region to {}", region_));
}

Result<net::HttpAnswer> S3Source::ask_once(const Call& call, const std::stop_token& stop) {
  auto permit = options_.throttle->acquire(stop);
  if (!permit) return fail(permit.error());
  auto prepared = prepare(call, stop);
  if (!prepared) return fail(prepared.error());
  auto answer = options_.client->fetch(std::move(prepared->request), {}, stop);
  if (!answer) return answer;
  if (answer->status == 200) {
    permit->finish(Answered::kWell, std::nullopt);
    return answer;
  }
  BadAnswer bad = read_bad_answer(*answer, answer->body, prepared->context);
  permit->finish(answered(bad), retry_after(answer->headers, options_.clock->now()));
  return fail(learn(std::move(bad), prepared->region));
}

Result<net::HttpAnswer> S3Source::ask(const Call& call, const std::stop_token& stop) {
  for (int attempt = 1;; ++attempt) {
    const std::string region_before = region();
    auto answer = ask_once(call, stop);
    if (answer || !worth_another_try(answer.error().kind()) || attempt >= options_.tries) return answer;
    options_.log.debug("try {} of {} at {}: {}", attempt, options_.tries, name_, answer.error().message());
    if (region() != region_before) continue;  // nothing to wait for
    if (auto waited = options_.throttle->back_off(attempt, stop); !waited) return fail(waited.error());
  }
}

Result<ObjectInfo> S3Source::head(const std::string& key, std::stop_token stop) {
  if (auto checked = check_key(key); !checked) return fail(checked.error());
  const auto answer = ask({.method = "HEAD", .key = key, .headers = {{"x-amz-checksum-mode", "ENABLED"}}}, stop);
  if (!answer) return answer.error().during("look at {} in {}", shown(key), name_);
  auto info = read_object_info(key, answer->headers, options_.etag);
  if (!info) return info.error().during("look at {} in {}", shown(key), name_);
  return info;
}

Result<ObjectPage> S3Source::list(const ListRequest& request, std::stop_token stop) {
  const auto cursor = ListCursor::parse(request.after);
  if (!cursor) return fail(ErrorKind::kInvalid, "{} is not where a page of a list ended", shown(request.after));
  const auto answer = ask({.query = list_query(request, *cursor)}, stop);
  if (!answer) return answer.error().during("list {}", name_);
  auto parsed = parse_list_answer(answer->body);
  if (!parsed) return parsed.error().during("list {}", name_);
  auto page = make_page(std::move(*parsed), request, *cursor);
  if (!page) return page.error().during("list {}", name_);
  return page;
}

void S3Source::read(RangeRequest request, std::shared_ptr<RangeReceiver> receiver, std::stop_token stop) {
  if (auto checked = check_range(request); !checked) return receiver->done(std::move(checked));
  Call call{.key = request.key};
  const bool whole = request.offset == 0 && request.length == request.object_size;
  if (!whole)
    call.headers.add("Range", fmt::format("bytes={}-{}", request.offset, request.offset + request.length - 1));
  if (whole) call.headers.add("x-amz-checksum-mode", "ENABLED");
  const bool weak = request.etag.starts_with("W/");
  if (!request.etag.empty() && !weak) call.headers.add("If-Match", fmt::format("\"{}\"", request.etag));

  auto permit = options_.throttle->acquire(stop);
  if (!permit) return receiver->done(fail(permit.error()));
  auto prepared = prepare(call, stop);
  if (!prepared) return receiver->done(fail(prepared.error()));
  net::HttpRequest http = std::move(prepared->request);
  auto reading = std::make_shared<Reading>(*this, std::move(request), std::move(receiver), std::move(*prepared),
                                           std::move(*permit), stop);
  const std::stop_token either = reading->stop_token();
  options_.client->start(std::move(http), std::move(reading), either);
}

}  // namespace slipway::objects

#include "net/http_client.h"

#include <condition_variable>
#include <optional>
#include <utility>

#include "net/http_loop.h"
#include "sys/mutex.h"

namespace slipway::net {
namespace {

class WholeAnswer : public HttpReceiver {
 public:
  WholeAnswer(HttpRequest const& request, FetchLimits limits)
      : doing_(fmt::format("{} {}", request.method, printable_url(request.url))), limits_(limits) {}

  [[nodiscard]] Result<> head(const HttpHead& head) override {
    static_cast<HttpHead&>(answer_) = head;
    return {};
  }

  [[nodiscard]] Result<> bytes(std::span<const std::byte> piece) override {
    if (piece.size() > limits_.max_body - answer_.body.size()) {
      return fail(ErrorKind::kCorrupt, "{}: the body of the answer is above {} bytes", doing_, limits_.max_body);
    }
    answer_.body.append(reinterpret_cast<const char*>(piece.data()), piece.size());
    return {};
  }

  void done(Result<> how) override {
    const sys::Lock lock(mutex_);
    how_ = std::move(how);
    changed_.notify_all();
  }

  [[nodiscard]] Result<HttpAnswer> wait() {
    const sys::Lock lock(mutex_);
    sys::Borrowed borrowed(mutex_);
    while (!how_) changed_.wait(borrowed.lock());
    if (!*how_) return fail(how_->error());
    return std::move(answer_);
  }

 private:
  const std::string doing_;
  const FetchLimits limits_;
  HttpAnswer answer_;  // the client's thread fills it before `how_` is there
  sys::Mutex mutex_;
  std::condition_variable changed_;
  std::optional<Result<>> how_ SLIPWAY_GUARDED_BY(mutex_);
};

}  // namespace

HttpClient::HttpClient(const HttpClientOptions& options) : loop_(std::make_unique<Loop>(options)) {}

HttpClient::~HttpClient() = default;

void HttpClient::start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver, std::stop_token stop) {
  loop_->start(std::move(request), std::move(receiver), std::move(stop));
}

Result<HttpAnswer> HttpClient::fetch(HttpRequest request, FetchLimits limits, std::stop_token stop) {
  if (loop_->is_this_thread()) {
    return fail(ErrorKind::kInternal, "fetch {}: called from a receiver, where it would wait for itself",
                printable_url(request.url));
  }
  auto whole = std::make_shared<WholeAnswer>(request, limits);
  loop_->start(std::move(request), whole, std::move(stop));
  return whole->wait();
}

}  // namespace slipway::net

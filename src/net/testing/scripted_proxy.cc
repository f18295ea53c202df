#include "net/testing/scripted_proxy.h"

#include <algorithm>
#include <utility>

#include "net/testing/upstream_answer.h"

namespace slipway::net {
namespace {

constexpr std::size_t kMaxBody = std::size_t{256} << 20;

bool matches(const Rule& rule, const ServerRequest& request) {
  return (rule.method.empty() || rule.method == request.method) && request.path.contains(rule.path) &&
         request.query.contains(rule.query) && (rule.range.empty() || request.headers.get("Range") == rule.range) &&
         (!rule.where || rule.where(request));
}

bool named(const std::vector<std::string>& patterns, std::string_view name) {
  return std::ranges::any_of(patterns, [&](std::string_view pattern) {
    if (!pattern.ends_with('*')) return equal_ignoring_case(pattern, name);
    pattern.remove_suffix(1);
    return equal_ignoring_case(pattern, name.substr(0, pattern.size()));
  });
}

}  // namespace

// What the rules together want done to one request.
struct ScriptedProxy::Plan {
  std::optional<CutAt> cut;
  std::optional<Answer> answer;
  std::optional<StallAt> stall;
  std::optional<TruncateTo> truncate;
  std::vector<std::uint64_t> flips;
  std::vector<std::function<void(const ServerRequest&)>> before;
  std::vector<std::string> drop;
  std::vector<std::string> strip;

  void want(const CutAt& fault) { set(cut, fault); }
  void want(const Answer& fault) { set(answer, fault); }
  void want(const StallAt& fault) { set(stall, fault); }
  void want(const TruncateTo& fault) { set(truncate, fault); }
  void want(const FlipAt& fault) { flips.push_back(fault.at); }
  void want(const Before& fault) { before.push_back(fault.hook); }
  void want(const DropHeaders& fault) { drop.insert(drop.end(), fault.names.begin(), fault.names.end()); }
  void want(const StripRequestHeaders& fault) { strip.insert(strip.end(), fault.names.begin(), fault.names.end()); }

 private:
  template <class T>
  static void set(std::optional<T>& place, const T& fault) {
    if (!place) place = fault;
  }
};

// The answer on its way from upstream to the client, with the plan's faults put in at their bytes.
class ScriptedProxy::Relay {
 public:
  Relay(ScriptedProxy& proxy, const Plan& plan, const ServerRequest& request, ResponseWriter& writer)
      : proxy_(proxy),
        plan_(plan),
        request_(request),
        writer_(writer),
        stalled_(plan.stall && plan.stall->before_head) {}

  void head(const UpstreamAnswer& answer) {
    Headers headers;
    for (const auto& [name, value] : answer.head().headers) {
      static const std::vector<std::string> kFraming = {"Connection", "Keep-Alive", "Content-Length",
                                                        "Transfer-Encoding"};
      if (!named(kFraming, name) && !named(plan_.drop, name)) headers.add(name, value);
    }
    auto length = answer.length();
    if (plan_.truncate) length = plan_.truncate->stated.value_or(plan_.truncate->size);
    going_ = writer_.begin(answer.head().status, headers, length).has_value();
  }

  // False: the client is to get no more.
  bool piece(std::string bytes) {
    for (const auto flip : plan_.flips) {
      if (flip >= at_ && flip < at_ + bytes.size()) bytes[flip - at_] = static_cast<char>(bytes[flip - at_] ^ 1);
    }
    std::string_view rest = bytes;
    while (going_ && !rest.empty()) {
      const auto part = rest.substr(0, next_stop());
      if (!part.empty()) going_ = writer_.write(part).has_value();
      at_ += part.size();
      rest.remove_prefix(part.size());
      stop_here();
    }
    return going_;
  }

  // For faults at byte 0, and at the very end of the body.
  void stop_here() {
    if (going_ && plan_.stall && !stalled_ && at_ == plan_.stall->at) {
      stalled_ = true;
      proxy_.stall(request_.stop);
    }
    if (going_ && plan_.cut && at_ == plan_.cut->at) {
      plan_.cut->reset ? writer_.reset_after() : writer_.close_after();
      going_ = false;
    }
    if (going_ && plan_.truncate && at_ == plan_.truncate->size) {
      if (!writer_.finish()) writer_.close_after();
      going_ = false;
    }
  }

  [[nodiscard]] bool going() const { return going_; }

 private:
  [[nodiscard]] std::uint64_t next_stop() const {
    std::uint64_t distance = UINT64_MAX;
    const auto consider = [&](std::uint64_t place) {
      if (place > at_) distance = std::min(distance, place - at_);
    };
    if (plan_.stall && !stalled_) consider(plan_.stall->at);
    if (plan_.cut) consider(plan_.cut->at);
    if (plan_.truncate) consider(plan_.truncate->size);
    return distance;
  }

  ScriptedProxy& proxy_;
  const Plan& plan_;
  const ServerRequest& request_;
  ResponseWriter& writer_;
  std::uint64_t at_ = 0;
  bool going_ = true;
  bool stalled_;
};

ScriptedProxy::ScriptedProxy(Upstream upstream) : upstream_(std::move(upstream)) { start(); }

ScriptedProxy::ScriptedProxy(Handler handler)
    : own_upstream_(std::make_unique<TestServer>(
          std::move(handler), HttpServerOptions{.max_connections = 1024, .max_body_bytes = kMaxBody})) {
  upstream_.port = own_upstream_->port();
  start();
}

void ScriptedProxy::start() {
  server_ = std::make_unique<TestServer>(
      [this](const ServerRequest& request, ResponseWriter& writer) { serve(request, writer); },
      HttpServerOptions{.max_connections = 1024, .max_body_bytes = kMaxBody});
}

ScriptedProxy::~ScriptedProxy() { server_->stop(); }

void ScriptedProxy::add(Rule rule) {
  const sys::Lock lock(mutex_);
  scripts_.push_back({.rule = std::move(rule)});
}

void ScriptedProxy::clear() {
  const sys::Lock lock(mutex_);
  scripts_.clear();
}

void ScriptedProxy::release() {
  const sys::Lock lock(mutex_);
  ++releases_;
  changed_.notify_all();
}

void ScriptedProxy::wait_for_stalls(int count) {
  const sys::Lock lock(mutex_);
  sys::Borrowed borrowed(mutex_);
  while (stalls_ < count) changed_.wait(borrowed.lock());
}

std::string ScriptedProxy::url(std::string_view path) const { return server_->url(path); }

std::uint16_t ScriptedProxy::port() const { return server_->port(); }

std::uint64_t ScriptedProxy::connections() const { return server_->connections(); }

std::vector<ServerRequest> ScriptedProxy::requests() {
  const sys::Lock lock(mutex_);
  return requests_;
}

std::size_t ScriptedProxy::count(std::string_view method, std::string_view path_part) {
  const sys::Lock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(requests_, [&](const ServerRequest& request) {
    return request.method == method && request.path.contains(path_part);
  }));
}

int ScriptedProxy::acted(std::size_t rule) {
  const sys::Lock lock(mutex_);
  return scripts_.at(rule).acted;
}

ScriptedProxy::Plan ScriptedProxy::plan(const ServerRequest& request) {
  const sys::Lock lock(mutex_);
  requests_.push_back(request);
  Plan plan;
  for (auto& script : scripts_) {
    if (!matches(script.rule, request) || script.seen++ < script.rule.skip) continue;
    if (script.rule.times >= 0 && script.acted >= script.rule.times) continue;
    ++script.acted;
    std::visit([&](const auto& fault) { plan.want(fault); }, script.rule.fault);
  }
  return plan;
}

void ScriptedProxy::stall(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] { release(); });
  const sys::Lock lock(mutex_);
  sys::Borrowed borrowed(mutex_);
  const int before = releases_;
  ++stalls_;
  changed_.notify_all();
  while (releases_ == before && !stop.stop_requested()) changed_.wait(borrowed.lock());
}

void ScriptedProxy::serve(const ServerRequest& request, ResponseWriter& writer) {
  const auto plan = this->plan(request);
  for (const auto& hook : plan.before) hook(request);
  if (plan.stall && plan.stall->before_head) stall(request.stop);
  if (plan.answer) {
    (void)writer.send(plan.answer->status, plan.answer->headers, plan.answer->body);
    return;
  }

  std::string text = fmt::format("{} {} HTTP/1.1\r\n", request.method, request.target);
  for (const auto& [name, value] : request.headers) {
    const bool hop = equal_ignoring_case(name, "Connection") || equal_ignoring_case(name, "Expect");
    if (!hop && !named(plan.strip, name)) text += fmt::format("{}: {}\r\n", name, value);
  }
  text += "Connection: close\r\n\r\n" + request.body;
  auto answer = UpstreamAnswer::ask(upstream_.address, upstream_.port, text, request.method == "HEAD");
  if (!answer) {
    (void)writer.send(502, {}, answer.error().describe());
    return;
  }

  Relay relay(*this, plan, request, writer);
  relay.head(*answer);
  relay.stop_here();
  while (relay.going()) {
    auto piece = answer->next();
    if (!piece) return writer.close_after();
    if (piece->empty() || !relay.piece(std::move(*piece))) return;
  }
}

}  // namespace slipway::net

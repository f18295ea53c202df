#include "net/http_loop.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <new>

#include <pthread.h>

namespace slipway::net {
namespace {

void init_curl() {
  static const CURLcode done = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (done != CURLE_OK) throw std::bad_alloc();
}

// The thread's own mask, which it inherits: signals are other threads' business, and a SIGPIPE of a TLS connection that
// the server closed must not end the program. Those that mean a bug are left alone.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    for (const int bug : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP}) sigdelset(&all, bug);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

HttpClient::Loop::Loop(const HttpClientOptions& options)
    : settings_{.user_agent = options.user_agent,
                .ca_file = options.ca_file,
                .connect_timeout = options.connect_timeout,
                .proxies = options.proxies ? ProxySettings::from_environment() : ProxySettings{}},
      max_connections_(std::max<std::size_t>(options.max_connections, 1)),
      max_per_host_(std::max<std::size_t>(options.max_per_host, 1)) {
  init_curl();
  multi_ = curl_multi_init();
  settings_.share = curl_share_init();
  if (multi_ == nullptr || settings_.share == nullptr) throw std::bad_alloc();
  const long connections = static_cast<long>(std::min<std::size_t>(max_connections_, 100'000));
  curl_multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, connections);  // makes room by closing idle ones
  curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, connections);
  curl_multi_setopt(multi_, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
  curl_share_setopt(settings_.share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

HttpClient::Loop::~Loop() {
  {
    const sys::Lock lock(mutex_);
    ending_ = true;
  }
  curl_multi_wakeup(multi_);
  thread_.join();
  curl_multi_cleanup(multi_);
  curl_share_cleanup(settings_.share);
}

void HttpClient::Loop::start(HttpRequest request, std::shared_ptr<HttpReceiver> receiver, std::stop_token stop) {
  const auto id = next_id_.fetch_add(1, std::memory_order_relaxed);
  auto transfer = std::make_unique<Transfer>(id, std::move(request), std::move(receiver), std::move(stop),
                                             [this, id] { request_stop(id); });
  {
    const sys::Lock lock(mutex_);
    if (!closed_) {
      commands_.started.push_back(std::move(transfer));
      curl_multi_wakeup(multi_);
      return;
    }
  }
  transfer->finish(fail(transfer->cancelled()));
}

void HttpClient::Loop::request_stop(std::uint64_t id) {
  {
    const sys::Lock lock(mutex_);
    commands_.stopped.push_back(id);
  }
  curl_multi_wakeup(multi_);
}

bool HttpClient::Loop::take_commands(Commands& commands) {
  const sys::Lock lock(mutex_);
  std::swap(commands, commands_);
  return !ending_;
}

void HttpClient::Loop::run() {
  while (true) {
    Commands commands;
    const bool going_on = take_commands(commands);
    for (auto& transfer : commands.started) accept(std::move(transfer));
    if (!going_on) break;
    for (const auto id : commands.stopped) {
      if (const auto found = transfers_.find(id); found != transfers_.end()) end(id, fail(found->second->cancelled()));
    }
    admit();
    tell();
    // Taken before curl reads: what had come by then counts, however long the receivers take over it.
    const auto now = std::chrono::steady_clock::now();
    int running = 0;
    curl_multi_perform(multi_, &running);
    reap();
    expire(now);
    admit();
    tell();
    wait();
  }
  end_all();
}

void HttpClient::Loop::end_all() {
  while (true) {
    while (!transfers_.empty()) {
      const auto& [id, transfer] = *transfers_.begin();
      end(id, fail(transfer->cancelled()));
    }
    tell();
    Commands commands;
    {
      const sys::Lock lock(mutex_);
      std::swap(commands, commands_);
      if (commands.started.empty()) {
        closed_ = true;
        return;
      }
    }
    for (auto& transfer : commands.started) accept(std::move(transfer));
  }
}

// A stop that came before this is not found by its id: hence the look at the token.
void HttpClient::Loop::accept(std::unique_ptr<Transfer> transfer) {
  auto& accepted = *transfer;
  const auto id = accepted.id();
  transfers_.emplace(id, std::move(transfer));
  if (accepted.stopped()) return end(id, fail(accepted.cancelled()));
  if (auto sound = accepted.check(); !sound) return end(id, std::move(sound));
  hosts_[accepted.origin()].waiting.push_back(id);
}

// Hosts take turns when the limit over all of them is what holds requests back.
void HttpClient::Loop::admit() {
  std::size_t idle = 0;  // hosts in a row from which nothing could be admitted
  auto host = hosts_.upper_bound(last_host_);
  while (idle < hosts_.size() && active_.size() < max_connections_) {
    if (host == hosts_.end()) host = hosts_.begin();
    if (admit_one(host->second)) {
      last_host_ = host->first;
      idle = 0;
    } else {
      ++idle;
    }
    ++host;
  }
  std::erase_if(hosts_, [](const auto& entry) { return entry.second.active == 0 && entry.second.waiting.empty(); });
}

bool HttpClient::Loop::admit_one(Host& host) {
  while (host.active < max_per_host_ && !host.waiting.empty()) {
    const auto found = transfers_.find(host.waiting.front());
    host.waiting.pop_front();
    if (found == transfers_.end()) continue;
    begin(*found->second);
    return true;
  }
  return false;
}

void HttpClient::Loop::begin(Transfer& transfer) {
  if (auto prepared = transfer.prepare(settings_); !prepared) return end(transfer.id(), std::move(prepared));
  if (const auto code = curl_multi_add_handle(multi_, transfer.handle()); code != CURLM_OK) {
    return end(transfer.id(), fail(ErrorKind::kInternal, "start a transfer: {}", curl_multi_strerror(code)));
  }
  active_.emplace(transfer.id(), &transfer);
  ++hosts_[transfer.origin()].active;
}

void HttpClient::Loop::reap() {
  int left = 0;
  while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    void* owner = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
    const auto& transfer = *static_cast<Transfer*>(owner);
    end(transfer.id(), transfer.outcome(message->data.result));
  }
}

void HttpClient::Loop::expire(Transfer::Time now) {
  std::vector<const Transfer*> late;
  for (const auto& [id, transfer] : active_) {
    if (transfer->deadline() <= now) late.push_back(transfer);
  }
  for (const auto* transfer : late) end(transfer->id(), fail(transfer->timed_out()));
}

void HttpClient::Loop::wait() {
  using std::chrono::milliseconds;
  milliseconds longest{60'000};
  const auto now = std::chrono::steady_clock::now();
  for (const auto& [id, transfer] : active_) {
    longest = std::min(longest, std::chrono::ceil<milliseconds>(transfer->deadline() - now));
  }
  curl_multi_poll(multi_, nullptr, 0, static_cast<int>(std::max(longest, milliseconds(0)).count()), nullptr);
}

void HttpClient::Loop::end(std::uint64_t id, Result<> how) {
  auto node = transfers_.extract(id);
  auto& transfer = *node.mapped();
  if (active_.erase(id) > 0) {
    curl_multi_remove_handle(multi_, transfer.handle());
    --hosts_[transfer.origin()].active;
  }
  ended_.emplace_back(std::move(node.mapped()), std::move(how));
}

void HttpClient::Loop::tell() {
  for (auto& [transfer, how] : std::exchange(ended_, {})) transfer->finish(std::move(how));
}

}  // namespace slipway::net

#include "net/transfer.h"

#include <algorithm>
#include <exception>
#include <new>
#include <span>
#include <utility>

#include "base/number.h"
#include "net/curl_error.h"

namespace slipway::net {
namespace {

constexpr std::size_t kMaxHeadBytes = std::size_t{128} << 10;  // with interim answers and trailers
constexpr long kBufferBytes = 256L << 10;                      // for each transfer under way
constexpr std::chrono::milliseconds kLongest = std::chrono::hours(24 * 365);

// The longest wait that can be added to a time without overflow.
std::chrono::milliseconds bounded(std::chrono::milliseconds wait) {
  return std::clamp(wait, std::chrono::milliseconds(1), kLongest);
}

}  // namespace

Transfer::Transfer(std::uint64_t id, HttpRequest request, std::shared_ptr<HttpReceiver> receiver, std::stop_token stop,
                   std::function<void()> on_stop)
    : id_(id), request_(std::move(request)), receiver_(std::move(receiver)), stop_(std::move(stop)) {
  on_stop_.emplace(stop_, std::move(on_stop));
}

Transfer::~Transfer() {
  if (handle_ != nullptr) curl_easy_cleanup(handle_);
  curl_slist_free_all(header_list_);
}

std::string Transfer::doing() const {
  const bool sound = is_token(request_.method);
  return fmt::format("{} {}", sound ? request_.method : "request of", printable_url(request_.url));
}

Result<> Transfer::check() {
  auto origin = check_url(request_.url);
  if (!origin) return fail(origin.error());
  origin_ = std::move(*origin);
  if (!is_token(request_.method) || request_.method == "CONNECT") {
    return fail(ErrorKind::kInvalid, "{}: the method must be a word such as GET", doing());
  }
  if (request_.method == "HEAD" && !request_.body.empty()) {
    return fail(ErrorKind::kInvalid, "{}: a HEAD request has no body", doing());
  }
  for (const auto& [name, value] : request_.headers) {
    if (!is_token(name)) return fail(ErrorKind::kInvalid, "{}: a header's name is not a word", doing());
    if (!is_field_value(value)) {
      return fail(ErrorKind::kInvalid, "{}: the value of header {} has a control byte or line end", doing(), name);
    }
    if (equal_ignoring_case(name, "Transfer-Encoding")) {
      return fail(ErrorKind::kInvalid, "{}: header {} is not for the caller to set", doing(), name);
    }
    if (equal_ignoring_case(name, "Content-Length") && parse_number<std::uint64_t>(value) != request_.body.size()) {
      return fail(ErrorKind::kInvalid, "{}: Content-Length {} but the body has {} bytes", doing(), value,
                  request_.body.size());
    }
  }
  return {};
}

template <class T>
void Transfer::set(CURLoption option, T value) {
  if (set_error_ == CURLE_OK) set_error_ = (curl_easy_setopt)(handle_, option, value);
}

Result<> Transfer::prepare(const TransferSettings& settings) {
  settings_ = &settings;
  handle_ = curl_easy_init();
  if (handle_ == nullptr) throw std::bad_alloc();
  set_target(settings);
  set_request();
  set_callbacks();
  if (set_error_ != CURLE_OK) return fail(curl_error(set_error_, doing(), detail_.data(), settings.ca_file));
  progressed();
  return {};
}

void Transfer::set_target(const TransferSettings& settings) {
  set(CURLOPT_ERRORBUFFER, detail_.data());
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_SHARE, settings.share);
  set(CURLOPT_NOSIGNAL, 1L);
  // A look-up that hangs is left to end by itself: waiting for it would hold up every transfer.
  set(CURLOPT_QUICK_EXIT, 1L);

  set(CURLOPT_URL, request_.url.c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, 0L);
  // Only TLS can tell which version a server speaks before the first request. Over it, a request waits for a
  // handshake under way to the same host, since it may share that connection; without it, nobody waits.
  set(CURLOPT_HTTP_VERSION, static_cast<long>(origin_.secure ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
  set(CURLOPT_PIPEWAIT, origin_.secure ? 1L : 0L);
  set(CURLOPT_SSLVERSION, static_cast<long>(CURL_SSLVERSION_TLSv1_2));
  if (!settings.ca_file.empty()) {
    set(CURLOPT_CAINFO, settings.ca_file.c_str());
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));  // that file and nothing else
  }

  const auto& proxy = origin_.secure ? settings.proxies.https : settings.proxies.http;
  set(CURLOPT_PROXY, proxy.c_str());  // an empty one keeps curl from asking the environment again
  set(CURLOPT_NOPROXY, settings.proxies.no_proxy.c_str());
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);

  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(bounded(settings.connect_timeout).count()));
  set(CURLOPT_TCP_KEEPALIVE, 1L);
  set(CURLOPT_BUFFERSIZE, kBufferBytes);
  set(CURLOPT_USERAGENT, settings.user_agent.c_str());
}

void Transfer::set_request() {
  const auto& method = request_.method;
  if (method == "HEAD") {
    set(CURLOPT_NOBODY, 1L);
  } else if (!request_.body.empty() || method == "POST" || method == "PUT" || method == "PATCH") {
    // Not curl's uploads, whatever the method: a body in memory can be sent again without being asked for.
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDS, request_.body.data());
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
    if (!request_.headers.get("Content-Type")) header_list_ = curl_slist_append(header_list_, "Content-Type:");
    if (!request_.headers.get("Expect")) header_list_ = curl_slist_append(header_list_, "Expect:");
    if (method != "POST") set(CURLOPT_CUSTOMREQUEST, method.c_str());
  } else {
    set(CURLOPT_HTTPGET, 1L);
    if (method != "GET") set(CURLOPT_CUSTOMREQUEST, method.c_str());
  }
  for (const auto& [name, value] : request_.headers) {
    if (!equal_ignoring_case(name, "Content-Length")) add_header(name, value);
  }
  set(CURLOPT_HTTPHEADER, header_list_);
}

void Transfer::add_header(const std::string& name, const std::string& value) {
  // To curl "Name:" means that it is not to be sent, and "Name;" that it is sent without a value.
  const auto line = trim_blanks(value).empty() ? name + ";" : name + ": " + value;
  auto* longer = curl_slist_append(header_list_, line.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  header_list_ = longer;
}

void Transfer::set_callbacks() {
  set(CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_PREREQFUNCTION, &Transfer::on_request);
  set(CURLOPT_PREREQDATA, static_cast<void*>(this));
  set(CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
  set(CURLOPT_XFERINFODATA, static_cast<void*>(this));
  set(CURLOPT_NOPROGRESS, 0L);
}

int Transfer::on_request(void* self, char* /*to_address*/, char* /*from_address*/, int /*to_port*/, int /*from_port*/) {
  auto& transfer = *static_cast<Transfer*>(self);
  transfer.connected_ = true;
  transfer.progressed();
  return CURL_PREREQFUNC_OK;
}

int Transfer::on_progress(void* self, curl_off_t /*to_receive*/, curl_off_t received, curl_off_t /*to_send*/,
                          curl_off_t sent) {
  auto& transfer = *static_cast<Transfer*>(self);
  if (std::exchange(transfer.moved_, received + sent) != received + sent) transfer.progressed();
  return 0;
}

// Runs a step of the answer; the size, or what makes curl give up. An exception must not cross curl's frames.
template <class Step>
std::size_t Transfer::guarded(std::size_t size, Step step) {
  Result<> taken;
  try {
    taken = stopped() ? Result<>(fail(cancelled())) : step();
  } catch (const std::exception& thrown) {
    taken = fail(ErrorKind::kInternal, "{}: the receiver threw: {}", doing(), thrown.what());
  } catch (...) {
    taken = fail(ErrorKind::kInternal, "{}: the receiver threw", doing());
  }
  progressed();
  if (taken) return size;
  failure_ = std::move(taken.error());
  return CURL_WRITEFUNC_ERROR;
}

std::size_t Transfer::on_header(const char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  return transfer.guarded(size * count, [&] { return transfer.take_header({data, size * count}); });
}

std::size_t Transfer::on_body(const char* data, std::size_t size, std::size_t count, void* self) {
  auto& transfer = *static_cast<Transfer*>(self);
  return transfer.guarded(size * count, [&] { return transfer.take_body(data, size * count); });
}

Result<> Transfer::take_header(std::string_view line) {
  head_bytes_ += line.size();
  if (head_bytes_ > kMaxHeadBytes) {
    return fail(ErrorKind::kCorrupt, "{}: the head of the answer is above {} bytes", doing(), kMaxHeadBytes);
  }
  if (stage_ == Stage::kBody) return {};  // a trailer: nobody asks for one
  if (line.ends_with('\n')) line.remove_suffix(1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (stage_ == Stage::kStatusLine) return take_status_line(line);
  if (line.empty()) return end_of_head();
  auto field = parse_field(line);
  if (!field) return fail(ErrorKind::kCorrupt, "{}: the answer has a malformed header line", doing());
  head_.headers.add(std::move(field->first), std::move(field->second));
  return {};
}

// "HTTP/1.1 200 OK"; the words after the number, and with HTTP/2 the minor version, are not there always.
Result<> Transfer::take_status_line(std::string_view line) {
  const auto blank = line.find(' ');
  const auto version = line.substr(0, blank);
  const auto number = blank == std::string_view::npos ? std::string_view() : line.substr(blank + 1, 3);
  const auto status = parse_number<std::uint64_t>(number);
  const bool ends =
      line.size() == version.size() + 4 || (line.size() > version.size() + 4 && line[version.size() + 4] == ' ');
  if (!version.starts_with("HTTP/") || number.size() != 3 || !status || *status < 100 || !ends) {
    return fail(ErrorKind::kCorrupt, "{}: the answer begins with no HTTP status", doing());
  }
  head_ = {.status = static_cast<int>(*status)};
  head_.http_version = version == "HTTP/1.0" ? 10 : version == "HTTP/1.1" ? 11 : 20;
  stage_ = Stage::kFields;
  return {};
}

Result<> Transfer::end_of_head() {
  if (head_.status < 200) {  // an interim answer: the real one follows
    stage_ = Stage::kStatusLine;
    return {};
  }
  stage_ = Stage::kBody;
  return receiver_->head(head_);
}

Result<> Transfer::take_body(const char* data, std::size_t size) {
  if (size == 0) return {};
  if (stage_ != Stage::kBody) return fail(ErrorKind::kCorrupt, "{}: the answer has a body before its head", doing());
  return receiver_->bytes(std::as_bytes(std::span(data, size)));
}

Transfer::Time Transfer::deadline() const {
  return last_progress_ + bounded(connected_ ? request_.stall_timeout : settings_->connect_timeout);
}

Error Transfer::timed_out() const {
  if (connected_) {
    return {ErrorKind::kTimeout,
            fmt::format("{}: no byte sent or received for {} ms", doing(), request_.stall_timeout.count())};
  }
  return {ErrorKind::kTimeout,
          fmt::format("{}: no connection within {} ms", doing(), settings_->connect_timeout.count())};
}

Error Transfer::cancelled() const { return {ErrorKind::kCancelled, fmt::format("{}: asked to stop", doing())}; }

Result<> Transfer::outcome(CURLcode code) const {
  if (failure_) return fail(*failure_);
  if (code == CURLE_OPERATION_TIMEDOUT) return fail(timed_out());
  if (code != CURLE_OK) return fail(curl_error(code, doing(), detail_.data(), settings_->ca_file));
  if (stage_ != Stage::kBody) return fail(ErrorKind::kUnavailable, "{}: the answer ended in its head", doing());
  return {};
}

void Transfer::finish(Result<> how) {
  on_stop_.reset();
  if (handle_ != nullptr) curl_easy_cleanup(std::exchange(handle_, nullptr));
  receiver_->done(std::move(how));
}

}  // namespace slipway::net

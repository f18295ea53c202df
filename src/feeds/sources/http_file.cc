#include "feeds/sources/http_file.h"

#include <cctype>
#include <cerrno>
#include <fstream>
#include <future>
#include <iterator>
#include <memory>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/json.h"
#include "sys/descriptor.h"
#include "sys/directories.h"
#include "sys/fault.h"
#include "sys/system_error.h"

namespace slipway::feeds {
namespace {

namespace fs = std::filesystem;

Result<> write_all(int fd, std::span<const std::byte> bytes, const fs::path& path) {
  while (!bytes.empty()) {
    const auto written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return fail(sys::system_error("write", path.string(), errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return {};
}

Result<sys::Descriptor> create(const fs::path& path) {
  sys::Descriptor fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (fd.get() < 0) return fail(sys::system_error("create", path.string(), errno));
  return fd;
}

// Onto the disk, then in the place of what is there.
Result<> settle(int fd, const fs::path& from, const fs::path& to) {
  if (auto fault = fault::check("feeds.cache.sync")) return fail(std::move(*fault));
  if (::fsync(fd) != 0) return fail(sys::system_error("sync", from.string(), errno));
  if (::rename(from.c_str(), to.c_str()) != 0) return fail(sys::system_error("rename", from.string(), errno));
  return sys::sync_directory(to.parent_path());
}

bool looks_like_page(std::string_view head) {
  while (!head.empty() && std::isspace(static_cast<unsigned char>(head.front())) != 0) head.remove_prefix(1);
  const std::string low = net::to_lower(head.substr(0, 16));
  return low.starts_with("<!doctype html") || low.starts_with("<html");
}

class Receiver : public net::HttpReceiver {
 public:
  Receiver(sys::Descriptor fd, fs::path path, std::uint64_t max_size)
      : fd_(std::move(fd)), path_(std::move(path)), max_size_(max_size), hasher_(HashAlgorithm::kSha256) {}

  Result<> head(const net::HttpHead& head) override {
    answer_.status = head.status;
    answer_.headers = head.headers;
    return {};
  }
  Result<> bytes(std::span<const std::byte> piece) override {
    if (answer_.status != 200) return {};
    if (size_ == 0 && looks_like_page({reinterpret_cast<const char*>(piece.data()), piece.size()})) {
      return fail(Error(ErrorKind::kCorrupt, "the server sent a web page instead of the data")
                      .with_hint("the address may have moved, or a proxy is in between"));
    }
    size_ += piece.size();
    if (size_ > max_size_) return fail(ErrorKind::kRejected, "it is larger than {} bytes", max_size_);
    hasher_.update(piece);
    return write_all(fd_.get(), piece, path_);
  }
  void done(Result<> how) override { how_.set_value(std::move(how)); }

  Result<> wait() { return how_.get_future().get(); }
  [[nodiscard]] int fd() const { return fd_.get(); }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] std::string sha256() { return to_hex(hasher_.finish()); }
  [[nodiscard]] HttpFileAnswer take() { return std::move(answer_); }

 private:
  sys::Descriptor fd_;
  const fs::path path_;
  const std::uint64_t max_size_;
  Hasher hasher_;
  std::uint64_t size_ = 0;
  HttpFileAnswer answer_;
  std::promise<Result<>> how_;
};

}  // namespace

bool HttpNote::has_content(const fs::path& dir) const {
  std::error_code error;
  return sha256.size() == 64 && fs::file_size(dir / sha256, error) == size && !error;
}

std::optional<HttpNote> read_note(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) return std::nullopt;
  const std::string text{std::istreambuf_iterator<char>(input), {}};
  const auto json = parse_json(text);
  if (!json || !json->is_object()) return std::nullopt;
  try {
    HttpNote note{.place = json->at("place"),
                  .etag = json->at("etag"),
                  .last_modified = json->at("last_modified"),
                  .sha256 = json->at("sha256"),
                  .size = json->at("size"),
                  .fetched_at = from_micros(json->at("fetched_at"))};
    if (note.sha256.find_first_not_of("0123456789abcdef") != std::string::npos) return std::nullopt;
    return note;
  } catch (const std::exception&) {  // of another shape
    return std::nullopt;
  }
}

Result<> write_note(const fs::path& file, const HttpNote& note) {
  auto text = write_json({{"place", note.place},
                          {"etag", note.etag},
                          {"last_modified", note.last_modified},
                          {"sha256", note.sha256},
                          {"size", note.size},
                          {"fetched_at", to_micros(note.fetched_at)}});
  if (!text) {  // a server's header that is no UTF-8: without it, all is downloaded the next time
    HttpNote plain = note;
    plain.etag.clear();
    plain.last_modified.clear();
    return write_note(file, plain);
  }
  const fs::path incoming = fs::path(file) += ".new";
  auto fd = create(incoming);
  if (!fd) return fail(std::move(fd.error()));
  if (auto put = write_all(fd->get(), std::as_bytes(std::span(*text)), incoming); !put) return put;
  return settle(fd->get(), incoming, file);
}

Result<HttpFileAnswer> get_file(net::HttpClient& client, const std::string& url, const HttpFileRequest& request,
                                const std::stop_token& stop) {
  const fs::path incoming = request.dir / "incoming";
  auto fd = create(incoming);
  if (!fd) return fail(std::move(fd.error()));
  net::HttpRequest get{.url = url};
  if (request.known && !request.known->etag.empty()) get.headers.add("If-None-Match", request.known->etag);
  if (request.known && !request.known->last_modified.empty()) {
    get.headers.add("If-Modified-Since", request.known->last_modified);
  }
  const auto receiver = std::make_shared<Receiver>(std::move(*fd), incoming, request.max_size);
  client.start(std::move(get), receiver, stop);
  if (auto how = receiver->wait(); !how) return fail(std::move(how.error()));
  HttpFileAnswer answer = receiver->take();
  if (answer.status != 200) return answer;
  answer.note.etag = answer.headers.get("etag").value_or("");
  answer.note.last_modified = answer.headers.get("last-modified").value_or("");
  answer.note.size = receiver->size();
  answer.note.sha256 = receiver->sha256();
  if (auto settled = settle(receiver->fd(), incoming, request.dir / answer.note.sha256); !settled) {
    return fail(std::move(settled.error()));
  }
  return answer;
}

}  // namespace slipway::feeds

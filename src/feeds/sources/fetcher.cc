#include "feeds/sources/fetcher.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/digest.h"
#include "feeds/sources/http_file.h"
#include "feeds/sources/local_tag.h"
#include "net/http_url.h"
#include "objects/s3_answer.h"
#include "sys/directories.h"

namespace slipway::feeds {
namespace {

namespace fs = std::filesystem;

constexpr int kMostRedirects = 5;
constexpr Duration kDefaultPatience = std::chrono::seconds(30);
constexpr Duration kMostPatience = std::chrono::hours(24);

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

Result<std::string> redirect_target(const std::string& url, const net::Headers& headers) {
  const auto location = headers.get("location");
  if (!location) return fail(ErrorKind::kCorrupt, "a redirection without a target");
  std::string target = *location;
  const auto host = url.find("://") + 3;
  if (target.starts_with("//")) {
    target = url.substr(0, host - 2) + target;
  } else if (target.starts_with('/')) {
    target = url.substr(0, url.find('/', host)) + target;
  } else if (target.find("://") == std::string::npos) {
    const auto path = url.substr(0, url.find_first_of("?#", host));
    const auto folder = path.rfind('/');
    target = (folder < host ? path + "/" : path.substr(0, folder + 1)) + target;
  }
  if (auto good = net::check_url(target); !good) return good.error().during("follow a redirection");
  if (url.starts_with("https:") && !target.starts_with("https:")) {
    return fail(ErrorKind::kRejected, "it redirects from https to http ({}), which is not followed",
                net::printable_url(target));
  }
  return target;
}

// A content by its digest, a note beside it, and what either is called until it is whole.
bool is_own_name(std::string_view name) {
  if (name == "incoming") return true;
  if (name.ends_with(".new")) name.remove_suffix(4);
  const bool note = name.ends_with(".json");
  if (note) name.remove_suffix(5);
  const bool hex = name.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  return hex && name.size() == (note ? 32U : 64U);
}

Error error_of(int status) {
  const auto kind = status == 404 || status == 410                    ? ErrorKind::kNotFound
                    : status == 401 || status == 403                  ? ErrorKind::kPermission
                    : status == 429 || status == 408 || status >= 500 ? ErrorKind::kUnavailable
                                                                      : ErrorKind::kCorrupt;
  return Error(kind, fmt::format("the server answered {}", status));
}

// The last part of a path.
std::string name_of(std::string_view place) {
  place = place.substr(0, place.find_first_of("?#"));
  return std::string(place.substr(place.rfind('/') + 1));
}

// One fetch of one provider.
class Run {
 public:
  Run(net::HttpClient& client, fs::path dir, std::uint64_t max_size, sys::Clock& clock, const Logger& log,
      const std::stop_token& stop)
      : client_(client), dir_(std::move(dir)), max_size_(max_size), clock_(clock), log_(log), stop_(stop) {}

  Result<FetchedPart> fetch(const Part& part) {
    std::optional<Error> failed;
    for (const auto& place : part.places) {
      auto fetched = local_path(place) ? from_disk(place) : from_server(part, place);
      if (fetched) return fetched;
      if (fetched.error().kind() == ErrorKind::kCancelled) return fetched;
      Error error = fetched.error().during("{}", net::printable_url(place)).error();
      if (&place != &part.places.back()) log_.warn("{}; the next place is tried", error.message());
      failed = failed ? Error(worse(*failed, error), failed->message() + "; " + error.message()) : std::move(error);
    }
    return fail(std::move(*failed));
  }

  // The least that any server wants, when one wants to be asked again.
  [[nodiscard]] const std::optional<Duration>& patience() const { return patience_; }

  // What an earlier fetch has left in the folder and is of none of the parts. Whatever else lies there is somebody's.
  void tidy() {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(dir_, ignored)) {
      const auto name = entry.path().filename().string();
      if (is_own_name(name) && !used_.contains(name)) fs::remove(entry.path(), ignored);
    }
  }

 private:
  // What may pass by itself decides how the whole is taken.
  static ErrorKind worse(const Error& a, const Error& b) {
    const auto passes = [](ErrorKind kind) { return kind == ErrorKind::kUnavailable || kind == ErrorKind::kTimeout; };
    return passes(a.kind()) ? a.kind() : b.kind();
  }

  Result<FetchedPart> from_disk(const std::string& place) {
    const auto path = *local_path(place);
    auto tag = local_tag(path, stop_);
    if (!tag) return fail(std::move(tag.error()));
    return FetchedPart{path, std::move(*tag), place, path.filename().string()};
  }

  Result<FetchedPart> from_server(const Part& part, const std::string& place) {
    if (auto made = sys::make_directories(dir_); !made) return fail(std::move(made.error()));
    const std::string note_name = sha256_hex(part.places.front()).substr(0, 32) + ".json";
    auto note = read_note(dir_ / note_name);
    if (note && (note->place != place || !note->has_content(dir_))) note.reset();
    const HttpFileRequest request{.dir = dir_, .max_size = max_size_, .known = note};
    std::string url = place;
    for (int redirects = 0;; ++redirects) {
      auto answer = get_file(client_, url, request, stop_);
      if (!answer) return fail(std::move(answer.error()));
      if (is_redirect(answer->status) && redirects < kMostRedirects) {
        auto target = redirect_target(url, answer->headers);
        if (!target) return fail(std::move(target.error()));
        url = std::move(*target);
        continue;
      }
      if (answer->status == 304 && note) return keep(note_name, *note);
      if (answer->status != 200) return refused(*answer);
      answer->note.place = place;
      answer->note.fetched_at = clock_.now();
      if (auto written = write_note(dir_ / note_name, answer->note); !written) return fail(std::move(written.error()));
      return keep(note_name, answer->note);
    }
  }

  Result<FetchedPart> keep(const std::string& note_name, const HttpNote& note) {
    used_.insert(note_name);
    used_.insert(note.sha256);
    return FetchedPart{dir_ / note.sha256, "sha256:" + note.sha256, note.place, name_of(note.place)};
  }

  Result<FetchedPart> refused(const HttpFileAnswer& answer) {
    const auto wait = objects::retry_after(answer.headers, clock_.now());
    if (answer.status == 429 || (answer.status == 503 && wait)) {
      const auto wanted = std::clamp(wait.value_or(kDefaultPatience), Duration(0), kMostPatience);
      patience_ = patience_ ? std::min(*patience_, wanted) : wanted;
    }
    return fail(error_of(answer.status));
  }

  net::HttpClient& client_;
  const fs::path dir_;
  const std::uint64_t max_size_;
  sys::Clock& clock_;
  const Logger& log_;
  const std::stop_token& stop_;
  std::optional<Duration> patience_;
  std::set<std::string> used_;
};

}  // namespace

Result<Fetched> Fetcher::fetch(const std::string& provider, const std::vector<Part>& parts, sys::Clock& clock,
                               const Logger& log, const std::stop_token& stop, std::optional<Patience>& patience) {
  Run run(client_, options_.cache_dir / provider, options_.max_size, clock, log, stop);
  Fetched fetched;
  Hasher all(HashAlgorithm::kSha256);
  for (const auto& part : parts) {
    auto got = run.fetch(part);
    if (!got) {
      if (run.patience()) patience = Patience{*run.patience()};
      return fail(std::move(got.error()));
    }
    all.update(got->tag);
    all.update("\n");
    fetched.parts.push_back(std::move(*got));
  }
  run.tidy();
  fetched.tag = to_hex(all.finish());
  return fetched;
}

}  // namespace slipway::feeds

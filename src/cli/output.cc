#include "cli/output.h"

#include <cerrno>
#include <cstdlib>
#include <utility>

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/format.h"
#include "cli/text.h"
#include "sys/system_error.h"

namespace slipway::cli {
namespace {

constexpr std::size_t kFlushAt = 64 * 1024;

bool knows_unicode(const Environment& environment) {
  for (const auto* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto value = environment.get_filled(name);
    if (!value) continue;
    return value->find("UTF-8") != std::string::npos || value->find("utf8") != std::string::npos ||
           value->find("UTF8") != std::string::npos || value->find("utf-8") != std::string::npos;
  }
  return false;
}

StreamLook look_at(int fd, const OutputOptions& options, const Environment& environment) {
  StreamLook look;
  look.terminal = ::isatty(fd) == 1;
  const auto kind = environment.get("TERM").value_or("");
  look.moves_cursor = look.terminal && !kind.empty() && kind != "dumb";
  look.unicode = knows_unicode(environment);
  if (options.color == "always") {
    look.color = true;
  } else if (options.color == "auto") {
    look.color = look.moves_cursor && !environment.get_filled("NO_COLOR");
  }
  return look;
}

}  // namespace

std::optional<TerminalSize> terminal_size(int fd) {
  winsize size{};
  if (::isatty(fd) != 1) return std::nullopt;
  if (::ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return TerminalSize{};
  return TerminalSize{size.ws_col, size.ws_row == 0 ? std::size_t{24} : size.ws_row};
}

Result<> write_fully(int fd, std::string_view text, std::string_view what) {
  while (!text.empty()) {
    const auto wrote = ::write(fd, text.data(), text.size());
    if (wrote >= 0) {
      text.remove_prefix(static_cast<std::size_t>(wrote));
      continue;
    }
    const int error = errno;
    if (error == EINTR) continue;
    if (error == EAGAIN) {  // somebody else made the shared stream non-blocking
      pollfd ready{fd, POLLOUT, 0};
      (void)::poll(&ready, 1, -1);
      continue;
    }
    if (error == EPIPE) return fail(ErrorKind::kUnavailable, "nobody reads {} any more", what);
    return fail(sys::system_error("write to", what, error));
  }
  return {};
}

Output::Output(int out, int err, const OutputOptions& options, const Environment& environment)
    : out_(out),
      err_(err),
      options_(options),
      out_look_(look_at(out, options, environment)),
      err_look_(look_at(err, options, environment)) {}

Output::~Output() { flush(); }

std::size_t Output::columns() const { return terminal_size(out_).value_or(TerminalSize{}).columns; }

void Output::flush() {
  const std::string text = std::exchange(pending_, {});
  if (text.empty() || reader_gone_ || failure_) return;
  auto wrote = write_fully(out_, text, "standard output");
  if (wrote) return;
  if (wrote.error().kind() == ErrorKind::kUnavailable) {
    reader_gone_ = true;
  } else {
    failure_ = std::move(wrote.error());
  }
}

void Output::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kFlushAt) flush();
}

void Output::line(std::string_view text) {
  pending_ += text;
  write("\n");
}

void Output::write_table(const Table& table) {
  TableLook look;
  if (out_look_.terminal) look.width = columns();
  look.color = out_look_.color;
  look.ellipsis = out_look_.unicode ? "…" : "...";
  write(table.render(look));
}

void Output::write_json(const OrderedJson& document) {
  line(document.dump(2, ' ', /*ensure_ascii=*/false, OrderedJson::error_handler_t::replace));
}

void Output::note(std::string_view text) {
  if (!options_.quiet && !options_.json) warn(text);
}

// That a message cannot be written is no reason to fail: there is nobody left to tell.
void Output::warn(std::string_view text) {
  flush();
  (void)write_fully(err_, std::string(text) + "\n", "standard error");
}

std::string Output::paint(std::string_view text, Style style) const { return cli::paint(text, style, out_look_.color); }

std::string Output::time(std::optional<TimePoint> at) const {
  if (!at) return std::string(dash());
  return out_look_.terminal ? format_local_time(*at) : to_iso8601(*at);
}

std::string Output::table_time(std::optional<TimePoint> at) const {
  auto text = time(at);
  constexpr std::size_t kSeconds = 3;  // ":03"
  if (at && out_look_.terminal && text.size() > kSeconds) text.resize(text.size() - kSeconds);
  return text;
}

std::string Output::checksum(std::string_view digest) const {
  if (digest.empty()) return std::string(dash());
  return out_look_.terminal ? short_checksum(digest) : std::string(digest);
}

Result<> Output::finish() {
  flush();
  if (failure_) return fail(*failure_);
  return {};
}

OrderedJson json_text(std::string_view text) { return valid_utf8(text); }

OrderedJson json_filled(std::string_view text) { return text.empty() ? OrderedJson(nullptr) : json_text(text); }

OrderedJson json_time(std::optional<TimePoint> at) { return at ? OrderedJson(to_iso8601(*at)) : OrderedJson(nullptr); }

OrderedJson json_error(const Error& error) {
  return {
      {"kind", to_string(error.kind())}, {"message", json_text(error.message())}, {"hint", json_filled(error.hint())}};
}

}  // namespace slipway::cli

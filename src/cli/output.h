// Where results go, and in which form: the one place that knows of terminals, widths and colours.
//
// Results are written to standard output, everything else (messages, errors, progress) to standard error. A reader that
// goes away (`slipway list | head -1`) is no error: what is written after that is dropped. Any other failure to write,
// such as a full disk, is kept and reported by finish().
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/time.h"
#include "cli/environment.h"
#include "cli/style.h"
#include "cli/table.h"

namespace slipway::cli {

using OrderedJson = nlohmann::ordered_json;  // keys stay in the order in which they are documented

// What a stream leads to. Terminals tell their size when they are asked, since it changes.
struct StreamLook {
  bool terminal = false;
  bool color = false;
  bool moves_cursor = false;  // lines can be drawn again
  bool unicode = true;        // an ellipsis and bars may be drawn with characters beyond ASCII
};

struct OutputOptions {
  bool json = false;
  bool quiet = false;
  std::string color = "auto";  // auto, always, never
};

struct TerminalSize {
  std::size_t columns = 80;
  std::size_t rows = 24;
};
// Of the terminal that `fd` is; nothing when it is none.
[[nodiscard]] std::optional<TerminalSize> terminal_size(int fd);

// Not thread-safe: belongs to the command's own thread. (Progress has its own way to standard error.)
class Output {
 public:
  Output(int out, int err, const OutputOptions& options, const Environment& environment);
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  [[nodiscard]] bool json() const { return options_.json; }
  [[nodiscard]] bool quiet() const { return options_.quiet; }
  [[nodiscard]] const StreamLook& out_look() const { return out_look_; }
  [[nodiscard]] const StreamLook& err_look() const { return err_look_; }
  [[nodiscard]] int err_fd() const { return err_; }
  [[nodiscard]] std::size_t columns() const;  // of the terminal; 80 when it is none

  // To standard output. Written at the end, or when much has come together.
  void write(std::string_view text);
  void line(std::string_view text);
  void write_table(const Table& table);
  // One document, ended by a line feed. The result of a command with --json is exactly one of these.
  void write_json(const OrderedJson& document);

  // To standard error, at once: a line for people that is no result. Nothing with --quiet or --json.
  void note(std::string_view text);
  // The same, also with --quiet.
  void warn(std::string_view text);

  // Painted as standard output wants it.
  [[nodiscard]] std::string paint(std::string_view text, Style style) const;
  // A time as people want it: local on a terminal, ISO-8601 elsewhere. Without one, a dash.
  [[nodiscard]] std::string time(std::optional<TimePoint> at) const;
  // The same for a table: to the minute on a terminal.
  [[nodiscard]] std::string table_time(std::optional<TimePoint> at) const;
  // A digest: shortened on a terminal. A dash when it is empty.
  [[nodiscard]] std::string checksum(std::string_view digest) const;
  [[nodiscard]] std::string_view dash() const { return "-"; }

  // Everything is written, or the error that kept it from being.
  [[nodiscard]] Result<> finish();

 private:
  void flush();

  int out_;
  int err_;
  OutputOptions options_;
  StreamLook out_look_;
  StreamLook err_look_;
  std::string pending_;
  bool reader_gone_ = false;
  std::optional<Error> failure_;
};

// Writes all of it. EPIPE is kUnavailable; other refusals are as sys::system_error has them.
[[nodiscard]] Result<> write_fully(int fd, std::string_view text, std::string_view what);

// The parts of JSON documents that are the same everywhere.
[[nodiscard]] OrderedJson json_text(std::string_view text);        // valid UTF-8
[[nodiscard]] OrderedJson json_filled(std::string_view text);      // null when empty
[[nodiscard]] OrderedJson json_time(std::optional<TimePoint> at);  // ISO-8601 UTC, or null
[[nodiscard]] OrderedJson json_error(const Error& error);          // {kind, message, hint}

}  // namespace slipway::cli

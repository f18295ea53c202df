// Structured log lines: a level, a sentence, and fields. A Logger is a cheap value: copy it, and bind fields with
// with(); what happens to a line is the sink's business. Thread-safe as far as its sink is.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace slipway {

enum class LogLevel : std::uint8_t { kDebug, kInfo, kWarn, kError };

[[nodiscard]] std::string_view to_string(LogLevel level);

struct LogField {
  std::string key;
  std::string value;
};

using LogSink = std::function<void(LogLevel, std::string_view message, std::span<const LogField>)>;

// One line a record on standard error: `WARN message key=value key="two words"`. Control bytes are escaped.
[[nodiscard]] LogSink stderr_sink(LogLevel least);
[[nodiscard]] std::string render_log_line(LogLevel level, std::string_view message, std::span<const LogField> fields);

class Logger {
 public:
  Logger() = default;  // drops everything
  explicit Logger(LogSink sink) : sink_(std::make_shared<const LogSink>(std::move(sink))) {}

  [[nodiscard]] Logger with(std::string key, std::string value) const {
    Logger bound = *this;
    bound.fields_.push_back({std::move(key), std::move(value)});
    return bound;
  }

  template <class... Args>
  void debug(fmt::format_string<Args...> message, Args&&... args) const {
    write(LogLevel::kDebug, message, std::forward<Args>(args)...);
  }
  template <class... Args>
  void info(fmt::format_string<Args...> message, Args&&... args) const {
    write(LogLevel::kInfo, message, std::forward<Args>(args)...);
  }
  template <class... Args>
  void warn(fmt::format_string<Args...> message, Args&&... args) const {
    write(LogLevel::kWarn, message, std::forward<Args>(args)...);
  }
  template <class... Args>
  void error(fmt::format_string<Args...> message, Args&&... args) const {
    write(LogLevel::kError, message, std::forward<Args>(args)...);
  }

 private:
  template <class... Args>
  void write(LogLevel level, fmt::format_string<Args...> message, Args&&... args) const {
    if (sink_ && *sink_) (*sink_)(level, fmt::format(message, std::forward<Args>(args)...), fields_);
  }

  std::shared_ptr<const LogSink> sink_;
  std::vector<LogField> fields_;
};

}  // namespace slipway

#include "base/log.h"

#include <algorithm>
#include <cstdio>

namespace slipway {
namespace {

bool needs_quotes(std::string_view value) {
  return value.empty() || std::ranges::any_of(value, [](unsigned char c) {
           return c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7F;
         });
}

void append_escaped(std::string& out, std::string_view text) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      out += "\\n";
    } else if (byte < ' ' || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
}

void append_value(std::string& out, std::string_view value) {
  if (!needs_quotes(value)) {
    out += value;
    return;
  }
  std::string quoted;
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  out += '"';
  append_escaped(out, quoted);
  out += '"';
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "DEBUG";
    case LogLevel::kInfo: return "INFO";
    case LogLevel::kWarn: return "WARN";
    case LogLevel::kError: return "ERROR";
  }
  return "ERROR";
}

std::string render_log_line(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  std::string line(to_string(level));
  line += ' ';
  append_escaped(line, message);
  for (const auto& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    append_value(line, field.value);
  }
  line += '\n';
  return line;
}

LogSink stderr_sink(LogLevel least) {
  return [least](LogLevel level, std::string_view message, std::span<const LogField> fields) {
    if (level < least) return;
    const std::string line = render_log_line(level, message, fields);
    std::fwrite(line.data(), 1, line.size(), stderr);
  };
}

}  // namespace slipway

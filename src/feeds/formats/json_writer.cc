#include "feeds/formats/json_writer.h"

#include <fmt/format.h>

namespace slipway::feeds {

void JsonWriter::separate() {
  if (comma_) text_ += ',';
}

void JsonWriter::quote(std::string_view text) {
  text_ += '"';
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c >= 0x20 && c != '"' && c != '\\') continue;
    text_.append(text, plain, i - plain);
    plain = i + 1;
    switch (c) {
      case '"': text_ += "\\\""; break;
      case '\\': text_ += "\\\\"; break;
      case '\n': text_ += "\\n"; break;
      case '\t': text_ += "\\t"; break;
      case '\r': text_ += "\\r"; break;
      default: fmt::format_to(std::back_inserter(text_), "\\u{:04x}", c);
    }
  }
  text_.append(text, plain, text.size() - plain);
  text_ += '"';
}

JsonWriter& JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  text_ += bracket;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::name(std::string_view key) {
  separate();
  quote(key);
  text_ += ':';
  comma_ = false;
  return *this;
}

JsonWriter& JsonWriter::value(std::string_view text) {
  separate();
  quote(text);
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  separate();
  text_ += json;
  comma_ = true;
  return *this;
}

JsonWriter& JsonWriter::number(double number) { return raw(fmt::format("{}", number)); }
JsonWriter& JsonWriter::number(std::int64_t number) { return raw(fmt::format("{}", number)); }
JsonWriter& JsonWriter::flag(bool flag) { return raw(flag ? "true" : "false"); }

}  // namespace slipway::feeds

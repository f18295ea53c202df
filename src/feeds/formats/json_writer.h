// Writes JSON text, for those who write a lot of it. The caller keeps to the grammar; commas come by themselves.
//
//   JsonWriter json;
//   json.open('{').member("id", "CVE-2024-1").name("tags").open('[').value("x").close(']').close('}');
//   json.text()      {"id":"CVE-2024-1","tags":["x"]}
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace slipway::feeds {

class JsonWriter {
 public:
  JsonWriter& open(char bracket);
  JsonWriter& close(char bracket);
  JsonWriter& name(std::string_view key);
  JsonWriter& value(std::string_view text);  // a string; must be UTF-8
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& number(double number);
  JsonWriter& number(std::int64_t number);
  JsonWriter& flag(bool flag);
  JsonWriter& raw(std::string_view json);  // a value that is JSON already

  JsonWriter& member(std::string_view key, std::string_view text) { return name(key).value(text); }
  // Nothing when the text is empty.
  JsonWriter& filled(std::string_view key, std::string_view text) {
    return text.empty() ? *this : name(key).value(text);
  }

  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void separate();
  void quote(std::string_view text);

  std::string text_;
  bool comma_ = false;
};

}  // namespace slipway::feeds

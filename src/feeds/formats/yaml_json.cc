#include "feeds/formats/yaml_json.h"

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <vector>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include "feeds/formats/json_writer.h"

namespace slipway::feeds {
namespace {

constexpr std::size_t kDeepest = 100;

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// As JSON spells them: a version such as 1.10 must stay a text, and is one in all that we read; so only whole numbers
// are taken for numbers.
bool is_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return all_digits(text) && text.size() < 16 && (text.size() == 1 || text[0] != '0');
}

// How many bytes the character that begins with `lead` has; 1 for a byte that begins none.
std::size_t length_of(unsigned char lead) {
  if (lead >= 0xF0) return 4;
  if (lead >= 0xE0) return 3;
  return lead >= 0xC2 ? 2 : 1;
}

// yaml-cpp unescapes "\_" and "\N" to single bytes, A0 and 85, which are no UTF-8; they are meant as characters.
std::string mended(const std::string& text) {
  std::string good;
  for (std::size_t i = 0; i < text.size();) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto length = length_of(c);
    if (c == 0xA0 || c == 0x85) good += '\xC2';
    good.append(text, i, length);
    i += length;
  }
  return good;
}

// The parser's events, written down. Errors leave by exception, as yaml-cpp's own do; they end in yaml_to_json().
class Writer : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override { scalar(mark, "", "null"); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override { throw YAML::ParserException(mark, "an alias"); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t, const std::string& value) override {
    const bool plain = tag == "?";  // neither quoted nor tagged
    if (plain && (value.empty() || value == "null" || value == "Null" || value == "NULL" || value == "~")) {
      return scalar(mark, value, "null");
    }
    if (plain && (value == "true" || value == "True" || value == "TRUE")) return scalar(mark, value, "true");
    if (plain && (value == "false" || value == "False" || value == "FALSE")) return scalar(mark, value, "false");
    if (plain && is_number(value)) return scalar(mark, value, value);
    scalar(mark, mended(value), {});
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark, '[');
  }
  void OnSequenceEnd() override { close(']'); }
  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {
    open(mark, '{');
  }
  void OnMapEnd() override { close('}'); }

  [[nodiscard]] std::string take() { return json_.take(); }

 private:
  struct Level {
    bool map = false;
    bool key_is_next = true;
  };

  [[nodiscard]] bool key_is_next() const {
    return !levels_.empty() && levels_.back().map && levels_.back().key_is_next;
  }
  void turn() {
    if (!levels_.empty()) levels_.back().key_is_next = !levels_.back().key_is_next;
  }
  void open(const YAML::Mark& mark, char bracket) {
    if (key_is_next()) throw YAML::ParserException(mark, "a key that is not a scalar");
    if (levels_.size() == kDeepest) throw YAML::ParserException(mark, "nesting that is too deep");
    json_.open(bracket);
    levels_.push_back({.map = bracket == '{'});
  }
  void close(char bracket) {
    json_.close(bracket);
    levels_.pop_back();
    turn();
  }
  void scalar(const YAML::Mark&, std::string_view text, std::string_view json) {
    if (key_is_next()) {
      json_.name(text);
    } else if (json.empty()) {
      json_.value(text);
    } else {
      json_.raw(json);
    }
    turn();
  }

  JsonWriter json_;
  std::vector<Level> levels_;
};

}  // namespace

Result<std::string> yaml_to_json(std::string_view yaml) {
  std::istringstream input{std::string(yaml)};
  try {
    YAML::Parser parser(input);
    Writer writer;
    if (!parser.HandleNextDocument(writer)) return fail(ErrorKind::kCorrupt, "there is no YAML document in it");
    return writer.take();
  } catch (const YAML::Exception& e) {
    return fail(ErrorKind::kCorrupt, "it is not valid YAML: {} at line {}", e.msg, e.mark.line + 1);
  } catch (const std::exception& e) {
    return fail(ErrorKind::kCorrupt, "it is not valid YAML: {}", e.what());
  }
}

}  // namespace slipway::feeds

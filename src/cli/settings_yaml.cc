#include "cli/settings_yaml.h"

#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <sstream>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "cli/text.h"
#include "sys/descriptor.h"
#include "sys/system_error.h"

namespace slipway::cli {
namespace {

// What the reader throws through yaml-cpp, which knows no other way to stop.
struct Refusal {
  Error error;
};

// Takes the parser's events; anything but one flat map of scalars is refused where it begins.
class Reader final : public YAML::EventHandler {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  std::vector<GivenSetting> take() { return std::move(given_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (documents_++ > 0) refuse(mark, "there may be only one document");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    if (depth_ == 0) return;  // an empty file
    if (!key_) refuse(mark, "a key is missing");
    refuse(mark, fmt::format("{} has no value; write {}: \"\" for an empty one", printable(*key_), printable(*key_)));
    (void)anchor;
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse(mark, "anchors and aliases are not understood here");
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    if (anchor != 0) refuse(mark, "anchors and aliases are not understood here");
    if (tag.size() > 1) refuse(mark, fmt::format("tags are not understood here: {}", printable(tag)));
    if (depth_ == 0) refuse(mark, "the file must be a map of keys to values, such as s3_bucket: NAME");
    if (!key_) {
      key_ = value;
      return;
    }
    const auto [before, fresh] = lines_.emplace(*key_, mark.line + 1);
    if (!fresh) {
      refuse(mark, fmt::format("{} is set twice, here and in line {}", printable(*key_), before->second));
    }
    given_.push_back({*key_, value, {Origin::Kind::kFile, path_, mark.line + 1, mark.column + 1}});
    key_.reset();
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    refuse_structure(mark, "a list");
  }
  void OnSequenceEnd() override {}

  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    if (depth_ > 0) refuse_structure(mark, "a map");
    if (anchor != 0) refuse(mark, "anchors and aliases are not understood here");
    ++depth_;
  }
  void OnMapEnd() override { --depth_; }

 private:
  [[noreturn]] void refuse(const YAML::Mark& mark, const std::string& why) const {
    throw Refusal{Error(ErrorKind::kInvalid, fmt::format("{}:{}:{}: {}", path_, mark.line + 1, mark.column + 1, why))};
  }

  [[noreturn]] void refuse_structure(const YAML::Mark& mark, std::string_view what) const {
    if (depth_ == 0) refuse(mark, fmt::format("the file must be a map of keys to values, not {}", what));
    if (!key_) refuse(mark, fmt::format("a key must be a name, not {}", what));
    refuse(mark, fmt::format("{} must be one value, not {}", printable(*key_), what));
  }

  const std::string& path_;
  int documents_ = 0;
  int depth_ = 0;
  std::optional<std::string> key_;
  std::map<std::string, int> lines_;
  std::vector<GivenSetting> given_;
};

Result<std::string> read_whole(const std::filesystem::path& path) {
  const sys::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return fail(sys::system_error("read settings from", path.string(), errno));
  std::string text;
  std::array<char, 16 * 1024> piece;
  for (;;) {
    const auto got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(sys::system_error("read settings from", path.string(), errno));
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxSettingsFile) {
      return fail(ErrorKind::kInvalid, "{} is larger than {} bytes: that is no settings file", path.string(),
                  kMaxSettingsFile);
    }
  }
}

}  // namespace

Result<std::vector<GivenSetting>> parse_settings_yaml(std::string_view text, const std::string& path) {
  Reader reader(path);
  try {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(reader)) {
    }
  } catch (const Refusal& refusal) {
    return fail(refusal.error);
  } catch (const YAML::Exception& e) {
    return fail(ErrorKind::kInvalid, "{}:{}:{}: not YAML: {}", path, e.mark.line + 1, e.mark.column + 1,
                printable(e.msg));
  } catch (const std::exception& e) {
    return fail(ErrorKind::kInvalid, "{}: not YAML: {}", path, printable(e.what()));
  }
  return reader.take();
}

Result<std::vector<GivenSetting>> read_settings_file(const std::filesystem::path& path) {
  auto text = read_whole(path);
  if (!text) return fail(std::move(text.error()));
  return parse_settings_yaml(*text, path.string());
}

}  // namespace slipway::cli

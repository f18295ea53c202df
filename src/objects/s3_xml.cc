#include "objects/s3_xml.h"

#include <functional>
#include <limits>
#include <memory>

#include <expat.h>

#include "base/number.h"
#include "objects/time_text.h"
#include "objects/uri.h"

namespace slipway::objects {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxText = 16 << 10;  // a key of 1024 bytes, encoded, is 3072
constexpr std::size_t kMaxKeys = 10'000;

// Calls `leaf` for each element that ends, with the names of the elements around it ("ListBucketResult/Contents/Key")
// and its text. A leaf that returns a text ends the parse with that complaint.
class XmlReader {
 public:
  using Leaf = std::function<std::string(const std::string& path, const std::string& text)>;

  explicit XmlReader(Leaf leaf) : leaf_(std::move(leaf)), parser_(XML_ParserCreate("UTF-8"), &XML_ParserFree) {
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &XmlReader::on_start, &XmlReader::on_end);
    XML_SetCharacterDataHandler(parser_.get(), &XmlReader::on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), &XmlReader::on_doctype);
  }

  // The complaint; empty when all went well.
  std::string parse(std::string_view xml) {
    if (xml.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) return "it is too long";
    const auto status = XML_Parse(parser_.get(), xml.data(), static_cast<int>(xml.size()), XML_TRUE);
    if (!complaint_.empty()) return complaint_;
    if (status != XML_STATUS_OK) {
      return fmt::format("{} at byte {}", XML_ErrorString(XML_GetErrorCode(parser_.get())),
                         XML_GetCurrentByteIndex(parser_.get()));
    }
    return {};
  }

 private:
  static XmlReader& self(void* data) { return *static_cast<XmlReader*>(data); }

  static void on_start(void* data, const XML_Char* name, const XML_Char** /*attributes*/) {
    XmlReader& reader = self(data);
    std::string_view local(name);
    if (const auto colon = local.rfind(':'); colon != std::string_view::npos) local.remove_prefix(colon + 1);
    reader.lengths_.push_back(reader.path_.size());
    if (!reader.path_.empty()) reader.path_ += '/';
    reader.path_ += local;
    reader.text_.clear();
    if (reader.lengths_.size() > kMaxDepth) reader.stop("elements are nested too deeply");
  }

  static void on_end(void* data, const XML_Char* /*name*/) {
    XmlReader& reader = self(data);
    if (std::string complaint = reader.leaf_(reader.path_, reader.text_); !complaint.empty()) reader.stop(complaint);
    reader.path_.resize(reader.lengths_.back());
    reader.lengths_.pop_back();
    reader.text_.clear();
  }

  static void on_text(void* data, const XML_Char* text, int length) {
    XmlReader& reader = self(data);
    reader.text_.append(text, static_cast<std::size_t>(length));
    if (reader.text_.size() > kMaxText) reader.stop("the text of an element is too long");
  }

  static void on_doctype(void* data, const XML_Char* /*name*/, const XML_Char* /*sysid*/, const XML_Char* /*pubid*/,
                         int /*has_internal_subset*/) {
    self(data).stop("it has a document type, which is refused");
  }

  void stop(std::string complaint) {
    if (complaint_.empty()) complaint_ = std::move(complaint);
    XML_StopParser(parser_.get(), XML_FALSE);
  }

  Leaf leaf_;
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_;
  std::string path_;
  std::vector<std::size_t> lengths_;  // of path_ around each open element
  std::string text_;
  std::string complaint_;
};

// Gathers a list answer. Whether names are encoded may be said after them, so they are decoded at the end.
class ListReader {
 public:
  std::string leaf(const std::string& path, const std::string& text) {
    constexpr std::string_view kRoot = "ListBucketResult";
    const std::string_view all = path;
    if (all == kRoot) {
      is_list_ = true;
      return {};
    }
    if (!all.starts_with(kRoot) || all.size() <= kRoot.size() || all[kRoot.size()] != '/') return {};
    const std::string_view name = all.substr(kRoot.size() + 1);
    if (name == "IsTruncated") answer_.truncated = text == "true";
    if (name == "NextContinuationToken") answer_.continuation_token = text;
    if (name == "NextMarker") answer_.next_marker = text;
    if (name == "EncodingType") encoded_ = text == "url";
    if (name == "Contents/Key") current_.key = text;
    if (name == "Contents/ETag") current_.etag = bare_etag(text);
    if (name == "Contents/LastModified") current_.modified = parse_iso8601(text);
    if (name == "Contents/Size") return take_size(text);
    if (name == "Contents") return take_object();
    return {};
  }

  Result<ListAnswer> finish() {
    if (!is_list_) return fail(ErrorKind::kCorrupt, "the server's list is not a ListBucketResult");
    if (!encoded_) return std::move(answer_);
    for (auto& object : answer_.objects) {
      auto key = percent_decode(object.key, Plus::kIsSpace);
      if (!key) return fail(ErrorKind::kCorrupt, "the server's list has a badly encoded key {}", shown(object.key));
      object.key = std::move(*key);
    }
    auto marker = percent_decode(answer_.next_marker, Plus::kIsSpace);
    if (!marker) return fail(ErrorKind::kCorrupt, "the server's list has a badly encoded NextMarker");
    answer_.next_marker = std::move(*marker);
    return std::move(answer_);
  }

 private:
  std::string take_size(const std::string& text) {
    const auto size = parse_number<std::uint64_t>(text);
    if (!size) return "the size " + shown(text) + " is not a number";
    current_.size = *size;
    return {};
  }

  std::string take_object() {
    if (current_.key.empty()) return "an object has no key";
    if (answer_.objects.size() >= kMaxKeys) return "it has too many keys for one page";
    answer_.objects.push_back(std::exchange(current_, {}));
    return {};
  }

  ListAnswer answer_;
  ObjectInfo current_;
  bool encoded_ = false;
  bool is_list_ = false;
};

}  // namespace

Result<ListAnswer> parse_list_answer(std::string_view xml) {
  ListReader list;
  XmlReader reader([&](const std::string& path, const std::string& text) { return list.leaf(path, text); });
  if (const std::string complaint = reader.parse(xml); !complaint.empty()) {
    return fail(ErrorKind::kCorrupt, "the server's list cannot be read: {}", complaint);
  }
  return list.finish();
}

std::optional<ErrorAnswer> parse_error_answer(std::string_view xml) {
  ErrorAnswer answer;
  bool is_error = false;
  XmlReader reader([&](const std::string& path, const std::string& text) -> std::string {
    // Some servers put it into an ErrorResponse.
    const std::string_view name =
        std::string_view(path).starts_with("ErrorResponse/") ? std::string_view(path).substr(14) : path;
    if (name == "Error") is_error = true;
    if (name == "Error/Code") answer.code = text;
    if (name == "Error/Message") answer.message = text;
    if (name == "Error/Region") answer.region = text;
    if (name == "Error/Endpoint") answer.endpoint = text;
    return {};
  });
  if (!reader.parse(xml).empty() || !is_error) return std::nullopt;
  return answer;
}

std::string bare_etag(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
    return std::string(text.substr(1, text.size() - 2));
  return std::string(text);
}

}  // namespace slipway::objects

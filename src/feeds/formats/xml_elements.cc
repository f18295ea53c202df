#include "feeds/formats/xml_elements.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <span>

#include <expat.h>

#include "feeds/formats/expat_memory.h"
#include "feeds/formats/xml_cutter.h"

namespace slipway::feeds {
namespace {

// Expat is fed so much at once, however small the source's pieces are: it looks again at the whole of an unfinished tag
// with each piece that comes.
constexpr std::size_t kSlice = 64UL << 10;
// Enough for tags of some megabytes and some hundred thousand different names.
constexpr std::size_t kParserMemory = 32UL << 20;
// Between namespace and local name. Expat refuses a namespace that has it in its name.
constexpr XML_Char kSeparator = '\n';

struct Name {
  std::string_view name_space;
  std::string_view local;
};

Name split(std::string_view full) {
  const auto at = full.rfind(kSeparator);
  if (at == std::string_view::npos) return {.name_space = {}, .local = full};
  return {.name_space = full.substr(0, at), .local = full.substr(at + 1)};
}

// Those without a namespace first.
XmlAttributes read_attributes(const XML_Char** pairs) {
  XmlAttributes attributes;
  for (const bool plain : {true, false}) {
    for (const XML_Char** each = pairs; *each != nullptr; each += 2) {
      const bool is_plain = std::strchr(*each, kSeparator) == nullptr;
      if (is_plain == plain) attributes.emplace_back(split(each[0]).local, each[1]);
    }
  }
  return attributes;
}

std::string complaint_of(XML_Error code, bool at_end) {
  switch (code) {
    case XML_ERROR_NO_MEMORY:
      return fmt::format(
          "reading it takes more than {} bytes: a tag, comment or name is too long, or names are too many",
          kParserMemory);
    case XML_ERROR_NO_ELEMENTS:
    case XML_ERROR_UNCLOSED_TOKEN:
    case XML_ERROR_UNCLOSED_CDATA_SECTION:
    case XML_ERROR_PARTIAL_CHAR: return fmt::format("{}{}", at_end ? "it ends too early: " : "", XML_ErrorString(code));
    case XML_ERROR_UNKNOWN_ENCODING: return "its encoding is not one of UTF-8, UTF-16, ISO-8859-1 and US-ASCII";
    default: return XML_ErrorString(code);
  }
}

}  // namespace

class XmlElements::Parser {
 public:
  Parser(archive::ByteSource& from, Options options) : from_(from), cutter_(std::move(options)) {
    const ExpatMemory::Use use(memory_);
    parser_.reset(XML_ParserCreate_MM(nullptr, ExpatMemory::suite(), &kSeparator));
    if (parser_ == nullptr) throw std::bad_alloc();
    XML_SetUserData(parser_.get(), this);
    XML_SetElementHandler(parser_.get(), &Parser::on_begin, &Parser::on_end);
    XML_SetCharacterDataHandler(parser_.get(), &Parser::on_text);
    XML_SetStartDoctypeDeclHandler(parser_.get(), &Parser::on_doctype);
  }

  Result<std::optional<XmlRecord>> next() {
    if (failed_) return fail(*failed_);
    auto record = advance();
    if (!record) failed_ = record.error();
    return record;
  }

  [[nodiscard]] const XmlRoot& root() const { return root_; }

 private:
  static Parser& self(void* data) { return *static_cast<Parser*>(data); }

  static void on_begin(void* data, const XML_Char* name, const XML_Char** attributes) {
    self(data).begin(split(name), attributes);
  }

  static void on_end(void* data, const XML_Char* /*name*/) {
    Parser& parser = self(data);
    if (parser.refused_) return;
    parser.ready_ = parser.cutter_.end();
    if (parser.ready_) XML_StopParser(parser.parser_.get(), /*resumable=*/XML_TRUE);
  }

  static void on_text(void* data, const XML_Char* text, int length) {
    Parser& parser = self(data);
    if (parser.refused_) return;
    parser.accept(parser.cutter_.text({text, static_cast<std::size_t>(length)}));
  }

  static void on_doctype(void* data, const XML_Char* /*name*/, const XML_Char* system, const XML_Char* /*public*/,
                         int has_declarations) {
    if (system != nullptr) {
      self(data).accept(fail(ErrorKind::kCorrupt, "its document type names another file, which is refused"));
    } else if (has_declarations != 0) {
      self(data).accept(fail(ErrorKind::kCorrupt, "its document type has declarations, of entities perhaps: refused"));
    }
  }

  void begin(const Name& name, const XML_Char** attributes) {
    if (refused_) return;
    if (!has_root_) {
      has_root_ = true;
      root_ = {std::string(name.local), std::string(name.name_space), read_attributes(attributes)};
    }
    const std::size_t line = cutter_.cuts(name.local) ? XML_GetCurrentLineNumber(parser_.get()) : 0;
    const bool kept = cutter_.keeps(name.local);
    accept(cutter_.begin(name.local, kept ? read_attributes(attributes) : XmlAttributes{}, line));
  }

  // Remembers the first refusal, with its place: a few calls may still come after it.
  void accept(Result<> taken) {
    if (taken || refused_) return;
    refused_ = error_here(taken.error().message());
    XML_StopParser(parser_.get(), /*resumable=*/XML_FALSE);
  }

  Result<std::optional<XmlRecord>> advance() {
    const ExpatMemory::Use use(memory_);
    while (!ended_) {
      XML_Status status = XML_STATUS_ERROR;
      if (suspended_) {
        status = XML_ResumeParser(parser_.get());
      } else if (source_error_) {
        return fail(*source_error_);
      } else {
        status = feed();
      }
      suspended_ = status == XML_STATUS_SUSPENDED;
      if (refused_) return fail(*refused_);
      if (status == XML_STATUS_ERROR) {
        return fail(error_here(complaint_of(XML_GetErrorCode(parser_.get()), fed_all_)));
      }
      if (suspended_) return std::exchange(ready_, {});
      ended_ = fed_all_;
    }
    return std::nullopt;
  }

  // Fills a slice, and has it parsed. When the source fails, what it gave before that is parsed first.
  XML_Status feed() {
    void* const slice = XML_GetBuffer(parser_.get(), static_cast<int>(kSlice));
    if (slice == nullptr) return XML_STATUS_ERROR;
    const std::span<std::byte> room(static_cast<std::byte*>(slice), kSlice);
    std::size_t filled = 0;
    while (filled < kSlice && !fed_all_ && !source_error_) {
      if (piece_.empty()) fetch();
      const std::size_t count = std::min(piece_.size(), kSlice - filled);
      std::ranges::copy(piece_.first(count), room.subspan(filled).begin());
      piece_ = piece_.subspan(count);
      filled += count;
    }
    return XML_ParseBuffer(parser_.get(), static_cast<int>(filled), fed_all_ ? XML_TRUE : XML_FALSE);
  }

  void fetch() {
    auto piece = from_.next();
    if (!piece) {
      source_error_ = std::move(piece.error());
      return;
    }
    piece_ = *piece;
    fed_all_ = piece_.empty();
  }

  [[nodiscard]] Error error_here(std::string_view complaint) const {
    return {ErrorKind::kCorrupt,
            fmt::format("the XML is refused at line {}, column {}: {}", XML_GetCurrentLineNumber(parser_.get()),
                        XML_GetCurrentColumnNumber(parser_.get()) + 1, complaint)};
  }

  archive::ByteSource& from_;
  XmlCutter cutter_;
  ExpatMemory memory_{kParserMemory};
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> parser_{nullptr, &XML_ParserFree};

  std::span<const std::byte> piece_;   // of the source, not fed yet
  std::optional<Error> source_error_;  // comes after what has been fed
  bool fed_all_ = false;
  bool suspended_ = false;  // after a record, in the middle of a slice
  bool ended_ = false;

  std::optional<XmlRecord> ready_;
  XmlRoot root_;
  bool has_root_ = false;
  std::optional<Error> refused_;
  std::optional<Error> failed_;
};

XmlElements::XmlElements(archive::ByteSource& from, Options options)
    : parser_(std::make_unique<Parser>(from, std::move(options))) {}
XmlElements::~XmlElements() = default;

Result<std::optional<XmlRecord>> XmlElements::next() { return parser_->next(); }
const XmlRoot& XmlElements::root() const { return parser_->root(); }

}  // namespace slipway::feeds

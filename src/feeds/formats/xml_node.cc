#include "feeds/formats/xml_node.h"

#include <algorithm>
#include <array>

namespace slipway::feeds {
namespace {

constexpr std::string_view kSpace = " \t\r\n";

constexpr auto kBlocks = std::to_array<std::string_view>(
    {"article", "aside",  "blockquote", "br",    "caption", "dd", "details", "div", "dl",
     "dt",      "figure", "footer",     "h1",    "h2",      "h3", "h4",      "h5",  "h6",
     "header",  "hr",     "li",         "main",  "nav",     "ol", "p",       "pre", "section",
     "summary", "table",  "tbody",      "tfoot", "thead",   "tr", "ul"});
static_assert(std::ranges::is_sorted(kBlocks));

bool is_block(std::string_view name) { return std::ranges::binary_search(kBlocks, name); }
bool is_cell(std::string_view name) { return name == "td" || name == "th"; }

// Writes text with the white space between two words decided when the second one comes.
class PlainText {
 public:
  // The depth of the tree, and so of this, is bounded by who made the tree.
  void add(const XmlNode& node) {
    const bool outer_verbatim = verbatim_;
    begin(node.name);
    std::size_t at = 0;
    for (const XmlNode& child : node.children) {
      const std::size_t place = std::clamp(child.place, at, node.text.size());
      add_text(std::string_view(node.text).substr(at, place - at));
      at = place;
      add(child);
    }
    add_text(std::string_view(node.text).substr(at));
    verbatim_ = outer_verbatim;
    end(node.name);
  }

  std::string take() { return std::move(out_); }

 private:
  void begin(std::string_view name) {
    if (is_block(name)) break_line();
    if (is_cell(name)) space();
    if (name == "li") item_ = true;
    if (name == "pre") verbatim_ = true;
  }

  void end(std::string_view name) {
    if (is_block(name)) break_line();
    if (is_cell(name)) space();
    if (name == "li") item_ = false;
  }

  void add_text(std::string_view text) {
    while (!text.empty()) {
      const std::size_t word = std::min(text.find_first_not_of(kSpace), text.size());
      add_gap(text.substr(0, word));
      text.remove_prefix(word);
      const std::size_t space = std::min(text.find_first_of(kSpace), text.size());
      add_word(text.substr(0, space));
      text.remove_prefix(space);
    }
  }

  void add_gap(std::string_view white) {
    if (white.empty()) return;
    if (!verbatim_) return space();
    for (const char each : white) {
      if (each == '\n') trim_gap();
      gap_ += each;
    }
  }

  void add_word(std::string_view word) {
    if (word.empty()) return;
    if (!out_.empty()) out_ += gap_;
    gap_.clear();
    if (std::exchange(item_, false)) out_ += "- ";
    out_ += word;
  }

  void space() {
    if (gap_.empty()) gap_ = ' ';
  }

  void break_line() {
    trim_gap();
    if (gap_.empty()) gap_ = '\n';
  }

  // Leaves the gap's line breaks: nothing stands at the end of a line.
  void trim_gap() { gap_.erase(gap_.find_last_of('\n') + 1); }

  std::string out_;
  std::string gap_;  // white space, if another word comes
  bool item_ = false;
  bool verbatim_ = false;
};

}  // namespace

std::string_view find_attribute(const XmlAttributes& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &XmlAttributes::value_type::first);
  return found == attributes.end() ? std::string_view{} : std::string_view(found->second);
}

const XmlNode* XmlNode::child(std::string_view wanted) const {
  const auto found = std::ranges::find(children, wanted, &XmlNode::name);
  return found == children.end() ? nullptr : &*found;
}

std::string XmlNode::all_text() const {
  PlainText plain;
  plain.add(*this);
  return plain.take();
}

}  // namespace slipway::feeds

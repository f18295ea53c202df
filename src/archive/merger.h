// Builds the merged tree of an image from the entries of its layers, lowest first, under a policy.
//
// Within a layer the last entry of a name wins, as with tar; a folder over a folder keeps what is in it, anything else
// replaces what was there with all below. Whiteouts touch lower layers only, wherever they stand in their own.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "archive/entry.h"
#include "archive/judge.h"
#include "archive/names.h"
#include "archive/tree.h"

namespace slipway::archive {

// An entry that waits for its layer's turn.
struct LayerEntry {
  std::string path{};
  Inode inode{};  // its target is that of hard links too
  bool hard_link = false;
};

[[nodiscard]] LayerEntry layer_entry(const Entry& entry, Origin origin);

class Merger {
 public:
  // Both must outlive it. `top`: the folder that all entries stand in and that is the image's root; may be empty.
  Merger(Tree& tree, Judge& judge, std::string top) : tree_(tree), judge_(judge), top_(std::move(top)) {}

  // An entry of the lowest layer: nothing is below it that a whiteout could hide.
  [[nodiscard]] Result<> add_lowest(LayerEntry entry);
  // A whole layer above those before.
  [[nodiscard]] Result<> add_layer(std::deque<LayerEntry> entries);
  // All layers are in: the rules about the whole, and what was left out goes.
  [[nodiscard]] Result<> finish();

  // Until finish(), an entry that is left out keeps its place in the tree by an inode that is nothing: it has replaced
  // what was there, and what is linked to it is left out with it.
  [[nodiscard]] bool left_out(NodeId node) const { return left_out_.contains(tree_.inode_id(node)); }

 private:
  void note_replaced_links(const std::deque<LayerEntry>& entries);
  [[nodiscard]] Result<> apply_whiteout(const LayerEntry& entry);
  [[nodiscard]] Result<> insert(LayerEntry entry, bool lowest);
  [[nodiscard]] Result<bool> name_is_fine(const PlainName& name, std::string_view path);
  // The rule by which an entry is left out for what it is; nothing when it is kept.
  [[nodiscard]] Result<std::optional<Rule>> left_out_by(const LayerEntry& entry);
  [[nodiscard]] Result<std::optional<Rule>> escapes(const LayerEntry& entry, NodeId folder);
  [[nodiscard]] Result<bool> whiteout_is_known(const std::vector<std::string_view>& parts, std::string_view path,
                                               bool lowest);
  // The folder that an entry stands in; nothing when the entry is to be left out.
  [[nodiscard]] Result<std::optional<NodeId>> folder_for(const std::vector<std::string_view>& parts,
                                                         std::string_view path);
  [[nodiscard]] Result<std::optional<NodeId>> through(NodeId folder, NodeId link, std::string_view path);
  // What a hard link is to be linked to; or the rule by which it is left out.
  [[nodiscard]] Result<std::variant<InodeId, Rule>> linked_inode(NodeId folder, const LayerEntry& entry);
  [[nodiscard]] Result<> insert_hard_link(NodeId folder, std::string_view name, const LayerEntry& entry);
  [[nodiscard]] Result<> check_cost(std::string_view path) const;
  void place(NodeId folder, std::string_view name, Inode inode);
  void place_nothing(NodeId folder, std::string_view name, Rule rule);
  void place_link(NodeId folder, std::string_view name, InodeId inode);
  // Takes the top folder off; false: nothing is left to do with this entry.
  [[nodiscard]] bool strip_top(std::vector<std::string_view>& parts) const;

  void drop_left_out();
  [[nodiscard]] Result<> finish_nodes();
  [[nodiscard]] Result<> finish_folders();

  Tree& tree_;
  Judge& judge_;
  std::string top_;
  std::set<std::string, std::less<>> replaced_links_;  // of the layer that is being added
  std::map<InodeId, Rule> left_out_;
  std::uint64_t steps_ = 0;  // parts of names that were walked here, besides those of the tree's own
};

}  // namespace slipway::archive

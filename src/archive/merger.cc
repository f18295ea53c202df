#include "archive/merger.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "archive/limit_error.h"

namespace slipway::archive {
namespace {

constexpr std::uint16_t kSetuidBits = 06000;
constexpr std::uint16_t kWorldWrite = 0002;

std::string quoted_target(std::string_view target) { return fmt::format("\"{}\"", printable(target)); }

std::string joined(std::span<const std::string_view> parts) {
  std::string path;
  for (const auto part : parts) {
    if (!path.empty()) path += '/';
    path += part;
  }
  return path;
}

}  // namespace

LayerEntry layer_entry(const Entry& entry, Origin origin) {
  return {.path = entry.path,
          .inode = {.type = entry.type == EntryType::kHardLink ? EntryType::kFile : entry.type,
                    .mode = entry.mode,
                    .uid = entry.uid,
                    .gid = entry.gid,
                    .size = entry.size,
                    .mtime = entry.mtime,
                    .mtime_ns = entry.mtime_ns,
                    .device_major = entry.device_major,
                    .device_minor = entry.device_minor,
                    .origin = origin,
                    .target = entry.link},
          .hard_link = entry.type == EntryType::kHardLink};
}

Result<> Merger::add_lowest(LayerEntry entry) { return insert(std::move(entry), /*lowest=*/true); }

Result<> Merger::add_layer(std::deque<LayerEntry> entries) {
  note_replaced_links(entries);
  for (const LayerEntry& entry : entries) {
    if (auto applied = apply_whiteout(entry); !applied) return applied;
  }
  for (; !entries.empty(); entries.pop_front()) {
    if (auto done = insert(std::move(entries.front()), /*lowest=*/false); !done) return done;
  }
  return {};
}

bool Merger::strip_top(std::vector<std::string_view>& parts) const {
  if (top_.empty()) return true;
  if (parts.empty() || parts.front() != top_) return false;
  parts.erase(parts.begin());
  return true;
}

// Where the layer has something of its own in place of a lower symbolic link: its whiteouts below that are about what
// is below the layer's own, and not about where the link led.
void Merger::note_replaced_links(const std::deque<LayerEntry>& entries) {
  replaced_links_.clear();
  std::set<std::string, std::less<>> above;  // all that stands above a whiteout
  for (const LayerEntry& entry : entries) {
    PlainName name = take_apart(entry.path);
    if (!name.bad.empty() || !strip_top(name.parts)) continue;
    const WhiteoutForm form = whiteout_form(name.parts);
    if (form != WhiteoutForm::kHides && form != WhiteoutForm::kOpaque) continue;
    for (std::size_t length = name.parts.size() - 1; length > 0; --length) {
      if (!above.insert(joined(std::span(name.parts).first(length))).second) break;
    }
  }
  if (above.empty()) return;
  for (const LayerEntry& entry : entries) {
    if (entry.inode.type == EntryType::kSymlink) continue;
    PlainName name = take_apart(entry.path);
    if (!name.bad.empty() || !strip_top(name.parts)) continue;
    const std::string path = joined(name.parts);
    if (!above.contains(path)) continue;
    const auto lower = tree_.resolve(Tree::root(), path, /*follow_last=*/false);
    if (lower.found != Tree::Found::kNode || lower.through_link) continue;
    if (tree_.inode(lower.node).type == EntryType::kSymlink) replaced_links_.insert(path);
  }
}

// What is wrong with the name is said when its turn as an entry comes.
Result<> Merger::apply_whiteout(const LayerEntry& entry) {
  PlainName name = take_apart(entry.path);
  if (!name.bad.empty() || !strip_top(name.parts)) return {};
  const WhiteoutForm form = whiteout_form(name.parts);
  if (form != WhiteoutForm::kHides && form != WhiteoutForm::kOpaque) return {};
  std::string folder;
  for (auto it = name.parts.begin(); it != name.parts.end() - 1; ++it) {
    folder.append(*it);
    if (replaced_links_.contains(folder)) return {};
    folder.append("/");
  }
  const auto where = tree_.resolve(Tree::root(), folder, /*follow_last=*/true);
  if (auto within = check_cost(entry.path); !within) return within;
  if (where.through_link) {
    auto action = judge_.judge(Rule::kWriteThroughSymlink, entry.path, "a whiteout below a symbolic link");
    if (!action) return fail(std::move(action.error()));
    if (*action == Action::kSkip) return {};
  }
  if (where.found != Tree::Found::kNode || tree_.inode(where.node).type != EntryType::kFolder) return {};
  if (form == WhiteoutForm::kHides) {
    if (const auto hidden = tree_.child(where.node, hidden_name(name.parts.back()))) tree_.remove(*hidden);
    return {};
  }
  std::vector<NodeId> below;
  tree_.for_each_child(where.node, [&](NodeId node) { below.push_back(node); });
  for (const NodeId node : below) tree_.remove(node);
  return {};
}

Result<bool> Merger::name_is_fine(const PlainName& name, std::string_view path) {
  if (!name.bad.empty()) {
    auto action = judge_.judge(Rule::kBadNames, path, name.bad);
    if (!action) return fail(std::move(action.error()));
    return false;
  }
  if (name.absolute) {
    if (auto action = judge_.judge(Rule::kAbsoluteNames, path, "the name is absolute"); !action) {
      return fail(std::move(action.error()));
    }
  }
  if (name.leaves_root) {
    if (auto action = judge_.judge(Rule::kTraversal, path, "the name leaves the image's root"); !action) {
      return fail(std::move(action.error()));
    }
  }
  return true;
}

Result<std::optional<Rule>> Merger::left_out_by(const LayerEntry& entry) {
  const auto judged = [&](Rule rule, std::string_view detail) -> Result<std::optional<Rule>> {
    auto action = judge_.judge(rule, entry.path, detail);
    if (!action) return fail(std::move(action.error()));
    return *action == Action::kSkip ? std::optional(rule) : std::nullopt;
  };
  switch (entry.inode.type) {
    case EntryType::kCharDevice:
    case EntryType::kBlockDevice:
      return judged(Rule::kDevices, fmt::format("{} {}:{}", to_string(entry.inode.type), entry.inode.device_major,
                                                entry.inode.device_minor));
    case EntryType::kFifo:
    case EntryType::kSocket: return judged(Rule::kFifos, to_string(entry.inode.type));
    default: break;
  }
  if (!entry.hard_link && entry.inode.type != EntryType::kSymlink) return std::nullopt;
  if (const auto bad = bad_target(entry.inode.target); !bad.empty()) return judged(Rule::kBadNames, bad);
  if (!entry.hard_link && entry.inode.target.starts_with('/')) {
    return judged(Rule::kAbsoluteSymlinks, fmt::format("symbolic link to {}", quoted_target(entry.inode.target)));
  }
  return std::nullopt;
}

// Of a symbolic link, by its text alone and where it stands.
Result<std::optional<Rule>> Merger::escapes(const LayerEntry& entry, NodeId folder) {
  if (!leads_out(entry.inode.target, tree_.depth(folder))) return std::nullopt;
  auto action = judge_.judge(Rule::kSymlinkEscape, entry.path,
                             fmt::format("symbolic link to {} leaves the root", quoted_target(entry.inode.target)));
  if (!action) return fail(std::move(action.error()));
  return *action == Action::kSkip ? std::optional(Rule::kSymlinkEscape) : std::nullopt;
}

Result<bool> Merger::whiteout_is_known(const std::vector<std::string_view>& parts, std::string_view path, bool lowest) {
  const WhiteoutForm form = whiteout_form(parts);
  if (form == WhiteoutForm::kNone) return false;
  if (form == WhiteoutForm::kReserved || lowest) {
    auto action = judge_.judge(Rule::kWhiteouts, path, "a whiteout that hides nothing");
    if (!action) return fail(std::move(action.error()));
  }
  return true;
}

Result<> Merger::insert(LayerEntry entry, bool lowest) {
  const std::string path = std::move(entry.path);
  entry.path = path;
  PlainName name = take_apart(path);
  auto fine = name_is_fine(name, path);
  if (!fine || !*fine) return fine ? Result<>{} : fail(std::move(fine.error()));
  if (!strip_top(name.parts)) return {};
  auto whiteout = whiteout_is_known(name.parts, path, lowest);
  if (!whiteout || *whiteout) return whiteout ? Result<>{} : fail(std::move(whiteout.error()));
  auto left_out = left_out_by(entry);
  if (!left_out) return fail(std::move(left_out.error()));

  if (name.parts.empty()) {
    if (*left_out) return {};
    if (entry.hard_link || entry.inode.type != EntryType::kFolder) {
      return fail(Judge::hopeless(Rule::kBadNames, path, "the image's root can only be a folder"));
    }
    tree_.update(Tree::root(), std::move(entry.inode));
    return {};
  }
  auto folder = folder_for(name.parts, path);
  if (!folder || !*folder) return folder ? Result<>{} : fail(std::move(folder.error()));
  if (tree_.depth(**folder) >= kMaxDepth) return fail(Judge::hopeless(Rule::kBadNames, path, "stands too deep"));
  if (!*left_out && entry.hard_link) return insert_hard_link(**folder, name.parts.back(), entry);
  if (!*left_out && entry.inode.type == EntryType::kSymlink) left_out = escapes(entry, **folder);
  if (!left_out) return fail(std::move(left_out.error()));
  if (entry.inode.type != EntryType::kSymlink) entry.inode.target.clear();
  if (*left_out) {
    place_nothing(**folder, name.parts.back(), **left_out);
  } else {
    place(**folder, name.parts.back(), std::move(entry.inode));
  }
  return check_cost(path);
}

Result<std::optional<NodeId>> Merger::folder_for(const std::vector<std::string_view>& parts, std::string_view path) {
  NodeId at = Tree::root();
  steps_ += parts.size();
  for (auto part = parts.begin(); part != parts.end() - 1; ++part) {
    const auto next = tree_.child(at, *part);
    if (next && tree_.inode(*next).type == EntryType::kSymlink) {
      auto inside = through(at, *next, path);
      if (!inside || !*inside) return inside;
      at = **inside;
    } else if (next && tree_.inode(*next).type == EntryType::kFolder) {
      at = *next;
    } else {
      if (next) tree_.remove(*next);
      if (tree_.depth(at) >= kMaxDepth) return fail(Judge::hopeless(Rule::kBadNames, path, "stands too deep"));
      at = tree_.add(at, *part, Inode{});
      if (auto within = check_cost(path); !within) return fail(std::move(within.error()));
    }
  }
  return at;
}

Result<std::optional<NodeId>> Merger::through(NodeId folder, NodeId link, std::string_view path) {
  const auto where = tree_.resolve(folder, tree_.name(link), /*follow_last=*/true);
  const bool inside = where.found == Tree::Found::kNode && tree_.inode(where.node).type == EntryType::kFolder;
  const std::string name = printable(tree_.path(link));
  if (!inside && judge_.policy().action(Rule::kWriteThroughSymlink) != Action::kSkip) {
    return fail(Judge::hopeless(Rule::kWriteThroughSymlink, path,
                                fmt::format("the symbolic link {} leads to no folder of the image", name)));
  }
  auto action =
      judge_.judge(Rule::kWriteThroughSymlink, path, fmt::format("written through the symbolic link {}", name));
  if (!action) return fail(std::move(action.error()));
  if (*action == Action::kSkip) return std::nullopt;
  return where.node;
}

Result<std::variant<InodeId, Rule>> Merger::linked_inode(NodeId folder, const LayerEntry& entry) {
  const std::string& target = entry.inode.target;
  using Answer = Result<std::variant<InodeId, Rule>>;
  const auto judged = [&](Rule rule, std::string_view why) {
    return judge_.judge(rule, entry.path, fmt::format("hard link to {}, {}", quoted_target(target), why));
  };
  const auto outside = [&](std::string_view why) -> Answer {  // it cannot be kept, whatever the policy says
    auto action = judged(Rule::kHardLinkOutside, why);
    return action ? Answer(Rule::kHardLinkOutside) : fail(std::move(action.error()));
  };
  PlainName to = take_apart(target);
  if (!to.bad.empty()) return outside(to.bad);
  if (to.absolute || to.leaves_root || !strip_top(to.parts)) return outside("which is outside the image");
  const auto where = tree_.resolve(Tree::root(), joined(to.parts), /*follow_last=*/false);
  const bool found = where.found == Tree::Found::kNode;
  if (found && left_out(where.node)) {
    const Rule rule = left_out_.at(tree_.inode_id(where.node));
    auto action = judged(rule, "which is left out");
    return action ? Answer(rule) : fail(std::move(action.error()));
  }
  const bool is_link = found && tree_.inode(where.node).type == EntryType::kSymlink;
  if (where.through_link || is_link) {
    auto action = judged(Rule::kHardLinkSymlink, is_link ? "which is a symbolic link" : "through a symbolic link");
    if (!action) return fail(std::move(action.error()));
    if (*action == Action::kSkip) return Rule::kHardLinkSymlink;
  }
  if (!found) return outside("which is not in the image");
  if (tree_.inode(where.node).type == EntryType::kFolder) return outside("which is a folder");
  if (is_link) {  // it may lead elsewhere from here
    auto left_out = escapes({.path = entry.path, .inode = tree_.inode(where.node)}, folder);
    if (!left_out) return fail(std::move(left_out.error()));
    if (*left_out) return **left_out;
  }
  return tree_.inode_id(where.node);
}

Result<> Merger::insert_hard_link(NodeId folder, std::string_view name, const LayerEntry& entry) {
  auto to = linked_inode(folder, entry);
  if (!to) return fail(std::move(to.error()));
  if (const auto* rule = std::get_if<Rule>(&*to)) {
    place_nothing(folder, name, *rule);
  } else {
    place_link(folder, name, std::get<InodeId>(*to));
  }
  return check_cost(entry.path);
}

void Merger::place_link(NodeId folder, std::string_view name, InodeId inode) {
  if (const auto there = tree_.child(folder, name)) {
    if (tree_.inode_id(*there) == inode) return;
    tree_.remove(*there);
  }
  tree_.link(folder, name, inode);
}

void Merger::place_nothing(NodeId folder, std::string_view name, Rule rule) {
  if (const auto there = tree_.child(folder, name)) tree_.remove(*there);
  // No folder, and no link that could be followed.
  left_out_.emplace(tree_.inode_id(tree_.add(folder, name, Inode{.type = EntryType::kSocket})), rule);
}

void Merger::drop_left_out() {
  if (left_out_.empty()) return;
  std::vector<NodeId> doomed;
  tree_.walk([&](NodeId node) {
    if (left_out(node)) doomed.push_back(node);
  });
  for (const NodeId node : doomed) tree_.remove(node);
}

void Merger::place(NodeId folder, std::string_view name, Inode inode) {
  if (const auto there = tree_.child(folder, name)) {
    if (inode.type == EntryType::kFolder && tree_.inode(*there).type == EntryType::kFolder) {
      tree_.update(*there, std::move(inode));
      return;
    }
    tree_.remove(*there);
  }
  tree_.add(folder, name, std::move(inode));
}

// Folders that nobody sent are made for names; a few long names must not become millions of them.
Result<> Merger::check_cost(std::string_view path) const {
  const std::uint64_t most = saturating_add(saturating_multiply(judge_.policy().limits.max_files, 2), 1024);
  if (tree_.nodes_made() > most) {
    return fail(refusal(path, "max_files", fmt::format("with it the tree has over {} names", most), "max_files",
                        "a larger number"));
  }
  if (tree_.name_bytes() > kMaxNameBytes) {
    return fail(Judge::hopeless(Rule::kBadNames, path, "with it the names of the image take over 64 MiB"));
  }
  if (steps_ + tree_.steps_walked() > kMaxSteps) {
    return fail(Judge::hopeless(Rule::kBadNames, path, "the names and links of the image lead too long a way round"));
  }
  return {};
}

Result<> Merger::finish() {
  drop_left_out();
  if (auto nodes = finish_nodes(); !nodes) return nodes;
  return finish_folders();
}

Result<> Merger::finish_nodes() {
  std::optional<Error> error;
  std::vector<NodeId> escaping;
  const auto judged = [&](Rule rule, NodeId node, const std::string& detail) {
    auto action = judge_.judge(rule, tree_.path(node), detail);
    if (!action) {
      error = std::move(action.error());
    } else if (*action == Action::kSkip) {
      escaping.push_back(node);
    }
  };
  tree_.walk([&](NodeId node) {
    if (error) return;
    const Inode& inode = tree_.inode(node);
    if (inode.type == EntryType::kFile && (inode.mode & kSetuidBits) != 0) {
      judged(Rule::kSetuid, node, fmt::format("mode {:04o}", inode.mode));
    }
    if (inode.type != EntryType::kSymlink || leads_out(inode.target, tree_.depth(node) - 1)) return;
    const auto where = tree_.resolve(tree_.parent(node), inode.target, /*follow_last=*/true);
    if (auto within = check_cost(tree_.path(node)); !within) error = std::move(within.error());
    if (error || where.found != Tree::Found::kOutside) return;
    judged(Rule::kSymlinkEscape, node,
           fmt::format("symbolic link to {} leaves the root by way of others", quoted_target(inode.target)));
  });
  if (error) return fail(std::move(*error));
  for (const NodeId node : escaping) tree_.remove(node);
  return {};
}

Result<> Merger::finish_folders() {
  for (const std::string_view name : {"etc", "usr", "var"}) {
    const auto where = tree_.resolve(Tree::root(), name, /*follow_last=*/true);
    const bool there = where.found == Tree::Found::kNode && tree_.inode(where.node).type == EntryType::kFolder;
    if (!there) {
      auto action = judge_.judge(Rule::kMissingFolders, name, "the folder is missing");
      if (!action) return fail(std::move(action.error()));
    } else if (name != "var" && (tree_.inode(where.node).mode & kWorldWrite) != 0) {
      auto action = judge_.judge(Rule::kWorldWritable, name,
                                 fmt::format("everybody may write to it (mode {:04o})", tree_.inode(where.node).mode));
      if (!action) return fail(std::move(action.error()));
    }
  }
  return {};
}

}  // namespace slipway::archive

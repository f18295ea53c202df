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

Result<bool> Merger::type_is_fine(const LayerEntry& entry) {
  const auto kept = [](const Result<Action>& action) -> Result<bool> {
    if (!action) return fail(action.error());
    return *action != Action::kSkip;
  };
  switch (entry.inode.type) {
    case EntryType::kCharDevice:
    case EntryType::kBlockDevice:
      return kept(judge_.judge(
          Rule::kDevices, entry.path,
          fmt::format("{} {}:{}", to_string(entry.inode.type), entry.inode.device_major, entry.inode.device_minor)));
    case EntryType::kFifo:
    case EntryType::kSocket: return kept(judge_.judge(Rule::kFifos, entry.path, to_string(entry.inode.type)));
    default: break;
  }
  if (!entry.hard_link && entry.inode.type != EntryType::kSymlink) return true;
  if (const auto bad = bad_target(entry.inode.target); !bad.empty()) {
    return kept(judge_.judge(Rule::kBadNames, entry.path, bad));
  }
  if (!entry.hard_link && entry.inode.target.starts_with('/')) {
    return kept(judge_.judge(Rule::kAbsoluteSymlinks, entry.path,
                             fmt::format("symbolic link to {}", quoted_target(entry.inode.target))));
  }
  return true;
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
  fine = type_is_fine(entry);
  if (!fine || !*fine) return fine ? Result<>{} : fail(std::move(fine.error()));

  if (name.parts.empty()) {
    if (entry.hard_link || entry.inode.type != EntryType::kFolder) {
      return fail(Judge::hopeless(Rule::kBadNames, path, "the image's root can only be a folder"));
    }
    tree_.update(Tree::root(), std::move(entry.inode));
    return {};
  }
  auto folder = folder_for(name.parts, path);
  if (!folder || !*folder) return folder ? Result<>{} : fail(std::move(folder.error()));
  if (tree_.depth(**folder) >= kMaxDepth) return fail(Judge::hopeless(Rule::kBadNames, path, "stands too deep"));
  if (entry.hard_link) return insert_hard_link(**folder, name.parts.back(), entry);
  if (entry.inode.type == EntryType::kSymlink) {
    if (leads_out(entry.inode.target, tree_.depth(**folder))) {
      auto action = judge_.judge(Rule::kSymlinkEscape, path,
                                 fmt::format("symbolic link to {} leaves the root", quoted_target(entry.inode.target)));
      if (!action) return fail(std::move(action.error()));
      if (*action == Action::kSkip) return {};
    }
  } else {
    entry.inode.target.clear();
  }
  place(**folder, name.parts.back(), std::move(entry.inode));
  return check_cost(path);
}

Result<std::optional<NodeId>> Merger::folder_for(const std::vector<std::string_view>& parts, std::string_view path) {
  NodeId at = Tree::root();
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

Result<> Merger::insert_hard_link(NodeId folder, std::string_view name, const LayerEntry& entry) {
  const std::string& target = entry.inode.target;
  const auto refuse = [&](Rule rule, std::string_view why) -> Result<bool> {
    auto action = judge_.judge(rule, entry.path, fmt::format("hard link to {}, {}", quoted_target(target), why));
    if (!action) return fail(std::move(action.error()));
    return *action != Action::kSkip;
  };
  const auto outside = [&](std::string_view why) -> Result<> {
    auto kept = refuse(Rule::kHardLinkOutside, why);
    return kept ? Result<>{} : fail(std::move(kept.error()));
  };
  PlainName to = take_apart(target);
  if (!to.bad.empty()) return outside(to.bad);
  if (to.absolute || to.leaves_root) return outside("which is outside the image");
  if (!strip_top(to.parts)) return outside("which is outside the image");
  std::string way;
  for (const std::string_view part : to.parts) way.append(way.empty() ? "" : "/").append(part);

  auto where = tree_.resolve(Tree::root(), way, /*follow_last=*/false);
  const bool is_link = where.found == Tree::Found::kNode && tree_.inode(where.node).type == EntryType::kSymlink;
  if (where.through_link || is_link) {
    auto kept = refuse(Rule::kHardLinkSymlink, is_link ? "which is a symbolic link" : "through a symbolic link");
    if (!kept || !*kept) return kept ? Result<>{} : fail(std::move(kept.error()));
  }
  if (where.found != Tree::Found::kNode) return outside("which is not in the image");
  if (tree_.inode(where.node).type == EntryType::kFolder) return outside("which is a folder");
  const InodeId inode = tree_.inode_id(where.node);
  if (const auto there = tree_.child(folder, name)) {
    if (tree_.inode_id(*there) == inode) return {};
    tree_.remove(*there);
  }
  tree_.link(folder, name, inode);
  return check_cost(entry.path);
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
  const std::uint64_t most = judge_.policy().limits.max_files * 2 + 1024;
  if (tree_.nodes_made() > most) {
    return fail(refusal(path, "max_files", fmt::format("with it the tree has over {} names", most), "max_files",
                        "a larger number"));
  }
  if (tree_.name_bytes() > kMaxNameBytes) {
    return fail(Judge::hopeless(Rule::kBadNames, path, "with it the names of the image take over 64 MiB"));
  }
  if (tree_.steps_walked() > kMaxLinkSteps) {
    return fail(Judge::hopeless(Rule::kBadNames, path, "the symbolic links of the image lead too long a way round"));
  }
  return {};
}

Result<> Merger::finish() {
  if (auto nodes = finish_nodes(); !nodes) return nodes;
  return finish_folders();
}

Result<> Merger::finish_nodes() {
  std::optional<Error> error;
  const auto judged = [&](Rule rule, NodeId node, const std::string& detail) {
    auto action = judge_.judge(rule, tree_.path(node), detail);
    if (!action) error = std::move(action.error());
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

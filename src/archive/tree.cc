#include "archive/tree.h"

#include <utility>

namespace slipway::archive {
namespace {

constexpr int kMostLinks = 40;           // as Linux
constexpr std::size_t kLongest = 65536;  // bytes of a way that links spell out
constexpr int kMostSteps = 2048;

std::string_view take_part(std::string_view& rest) {
  const auto slash = rest.find('/');
  const std::string_view part = rest.substr(0, slash);
  rest.remove_prefix(slash == std::string_view::npos ? rest.size() : slash + 1);
  return part;
}

bool only_dots_and_slashes(std::string_view rest) {
  while (!rest.empty()) {
    const std::string_view part = take_part(rest);
    if (!part.empty() && part != ".") return false;
  }
  return true;
}

}  // namespace

Tree::Tree() {
  inodes_.push_back(Inode{.links = 1});
  nodes_.push_back(Node{});
}

std::optional<NodeId> Tree::child(NodeId folder, std::string_view name) const {
  const auto found = names_.find(Key{folder, name});
  return found == names_.end() ? std::nullopt : std::optional(found->node);
}

std::string Tree::path(NodeId node) const {
  std::vector<NodeId> way;
  for (; node != root(); node = parent(node)) way.push_back(node);
  std::string out;
  for (auto it = way.rbegin(); it != way.rend(); ++it) {
    if (!out.empty()) out += '/';
    out += name(*it);
  }
  return out;
}

void Tree::for_each_child(NodeId folder, const std::function<void(NodeId)>& visit) const {
  for (auto it = names_.lower_bound(Key{folder, {}}); it != names_.end() && it->key.parent == folder; ++it) {
    visit(it->node);
  }
}

void Tree::walk(const std::function<void(NodeId)>& visit) const {
  using Place = std::pair<decltype(names_)::const_iterator, NodeId>;  // the next child of a folder
  std::vector<Place> open{{names_.lower_bound(Key{root(), {}}), root()}};
  while (!open.empty()) {
    auto& [next, folder] = open.back();
    if (next == names_.end() || next->key.parent != folder) {
      open.pop_back();
      continue;
    }
    const NodeId node = (next++)->node;
    visit(node);
    if (inode(node).type == EntryType::kFolder) open.emplace_back(names_.lower_bound(Key{node, {}}), node);
  }
}

NodeId Tree::attach(NodeId folder, std::string_view name, InodeId inode) {
  const auto id = NodeId{static_cast<std::uint32_t>(nodes_.size())};
  const Node& made =
      nodes_.emplace_back(Node{folder, inode, static_cast<std::uint16_t>(depth(folder) + 1), std::string(name)});
  name_bytes_ += name.size();
  names_.insert(NameRef{{folder, made.name}, id});
  ++inodes_[static_cast<std::size_t>(inode)].links;
  return id;
}

NodeId Tree::add(NodeId folder, std::string_view name, Inode inode) {
  inode.links = 0;
  name_bytes_ += inode.target.size();
  inodes_.push_back(std::move(inode));
  return attach(folder, name, InodeId{static_cast<std::uint32_t>(inodes_.size() - 1)});
}

NodeId Tree::link(NodeId folder, std::string_view name, InodeId inode) { return attach(folder, name, inode); }

void Tree::detach(NodeId node) {
  Node& gone = nodes_[static_cast<std::size_t>(node)];
  names_.erase(names_.find(Key{gone.parent, gone.name}));
  --inodes_[static_cast<std::size_t>(gone.inode)].links;
  std::string().swap(gone.name);
}

void Tree::remove(NodeId node) {
  std::vector<NodeId> doomed{node};
  for (std::size_t i = 0; i < doomed.size(); ++i) {
    for_each_child(doomed[i], [&](NodeId below) { doomed.push_back(below); });
  }
  for (auto it = doomed.rbegin(); it != doomed.rend(); ++it) detach(*it);
}

void Tree::update(NodeId node, Inode inode) {
  Inode& kept = inodes_[static_cast<std::size_t>(at(node).inode)];
  inode.links = kept.links;
  kept = std::move(inode);
}

Tree::Resolved Tree::resolve(NodeId from, std::string_view path, bool follow_last) const {
  Resolved out{Found::kNode, from, false};
  std::string way(path);
  if (way.starts_with('/')) out.node = root();
  std::size_t done = 0;
  int links = 0;
  for (int steps = 0; done < way.size(); ++steps, ++steps_walked_) {
    if (steps > kMostSteps) return {Found::kLoop, out.node, out.through_link};
    std::string_view rest = std::string_view(way).substr(done);
    const std::string part(take_part(rest));
    done = way.size() - rest.size();
    if (inode(out.node).type != EntryType::kFolder) return {Found::kNotFolder, out.node, out.through_link};
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (out.node == root()) return {Found::kOutside, out.node, out.through_link};
      out.node = parent(out.node);
      continue;
    }
    const auto next = child(out.node, part);
    if (!next) return {Found::kMissing, out.node, out.through_link};
    if (inode(*next).type != EntryType::kSymlink || (!follow_last && only_dots_and_slashes(rest))) {
      out.node = *next;
      continue;
    }
    out.through_link = true;
    const std::string& target = inode(*next).target;
    if (++links > kMostLinks || target.size() + rest.size() > kLongest) {
      return {Found::kLoop, *next, true};
    }
    if (target.starts_with('/')) out.node = root();
    way = target + "/" + std::string(rest);
    done = 0;
  }
  return out;
}

}  // namespace slipway::archive

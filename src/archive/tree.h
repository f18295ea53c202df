// A file system in memory: names, and what they name. Nothing of it is ever followed outside: a path is resolved by
// walking this tree, and `..` at its root is an answer, not a step. A plain value; one thread at a time.
#pragma once

#include <compare>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "archive/entry.h"

namespace slipway::archive {

// A name in a folder; several nodes may share an inode (hard links).
enum class NodeId : std::uint32_t {};
enum class InodeId : std::uint32_t {};

// Where an inode's content stands: the entry's place in its layer, both from 0.
struct Origin {
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t layer = kNone;  // kNone: no entry made it, a folder that others needed
  std::uint32_t entry = kNone;

  friend auto operator<=>(const Origin&, const Origin&) = default;
};

struct Inode {
  EntryType type = EntryType::kFolder;  // never kHardLink
  std::uint16_t mode = 0755;
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::uint64_t size = 0;
  std::int64_t mtime = 0;
  std::uint32_t mtime_ns = 0;
  std::uint32_t device_major = 0;
  std::uint32_t device_minor = 0;
  std::uint32_t links = 0;  // names it has; 0: it is gone
  Origin origin{};
  std::string target{};  // of a symbolic link
};

class Tree {
 public:
  Tree();
  ~Tree() = default;
  Tree(Tree&&) noexcept = default;
  Tree& operator=(Tree&&) noexcept = default;
  Tree(const Tree&) = delete;  // the order of names refers to this very tree
  Tree& operator=(const Tree&) = delete;

  [[nodiscard]] static NodeId root() { return NodeId{0}; }

  [[nodiscard]] std::optional<NodeId> child(NodeId folder, std::string_view name) const;
  [[nodiscard]] NodeId parent(NodeId node) const { return at(node).parent; }  // the root's is the root
  [[nodiscard]] const std::string& name(NodeId node) const { return at(node).name; }
  [[nodiscard]] std::size_t depth(NodeId node) const { return at(node).depth; }  // of the root: 0
  [[nodiscard]] InodeId inode_id(NodeId node) const { return at(node).inode; }
  [[nodiscard]] const Inode& inode(NodeId node) const { return inode(at(node).inode); }
  [[nodiscard]] const Inode& inode(InodeId id) const { return inodes_[static_cast<std::size_t>(id)]; }
  [[nodiscard]] std::size_t inode_count() const { return inodes_.size(); }  // those that are gone too
  [[nodiscard]] std::string path(NodeId node) const;                        // "etc/passwd"; of the root: ""

  // In the order of their bytes.
  void for_each_child(NodeId folder, const std::function<void(NodeId)>& visit) const;
  // Every node but the root, folders before what is in them, else in the order of their bytes.
  void walk(const std::function<void(NodeId)>& visit) const;

  NodeId add(NodeId folder, std::string_view name, Inode inode);  // the name must be free
  NodeId link(NodeId folder, std::string_view name, InodeId inode);
  void remove(NodeId node);  // with all below; not the root
  void update(NodeId node, Inode inode);

  enum class Found : std::uint8_t { kNode, kMissing, kNotFolder, kLoop, kOutside };
  struct Resolved {
    Found found = Found::kMissing;
    NodeId node{};
    bool through_link = false;
  };
  // Walks `path` from `from`, through symbolic links too; absolute targets begin at the root. The last part is followed
  // when `follow_last`. kLoop: more than 40 links, or too long a way. kOutside: a `..` at the root.
  [[nodiscard]] Resolved resolve(NodeId from, std::string_view path, bool follow_last) const;

  // What this tree has cost so far; removing gives nothing back.
  [[nodiscard]] std::size_t nodes_made() const { return nodes_.size(); }
  [[nodiscard]] std::uint64_t name_bytes() const { return name_bytes_; }
  [[nodiscard]] std::uint64_t steps_walked() const { return steps_walked_; }  // by resolve()

 private:
  struct Node {
    NodeId parent{};
    InodeId inode{};
    std::uint16_t depth = 0;
    std::string name;
  };
  struct Key {
    NodeId parent;
    std::string_view name;
    auto operator<=>(const Key&) const = default;
  };
  struct NameRef {
    Key key;  // the name is the node's own: nodes do not move
    NodeId node;
  };
  struct Order {
    using is_transparent = void;
    bool operator()(const NameRef& a, const NameRef& b) const { return a.key < b.key; }
    bool operator()(const NameRef& a, const Key& b) const { return a.key < b; }
    bool operator()(const Key& a, const NameRef& b) const { return a < b.key; }
  };

  [[nodiscard]] const Node& at(NodeId node) const { return nodes_[static_cast<std::size_t>(node)]; }
  NodeId attach(NodeId folder, std::string_view name, InodeId inode);
  void detach(NodeId node);

  std::deque<Node> nodes_;
  std::deque<Inode> inodes_;
  std::set<NameRef, Order> names_;
  std::uint64_t name_bytes_ = 0;
  mutable std::uint64_t steps_walked_ = 0;
};

}  // namespace slipway::archive

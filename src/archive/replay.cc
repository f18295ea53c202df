#include <algorithm>
#include <map>
#include <utility>

#include "archive/image.h"
#include "archive/layer_stream.h"
#include "archive/reader.h"

namespace slipway::archive {
namespace {

// Which inode an entry made, for those that are wanted.
using ByOrigin = std::map<Origin, InodeId>;

ByOrigin wanted_inodes(const Tree& tree, const Wanted& wanted) {
  ByOrigin out;
  for (std::size_t i = 0; i < tree.inode_count(); ++i) {
    const auto id = InodeId{static_cast<std::uint32_t>(i)};
    const Inode& inode = tree.inode(id);
    if (inode.links == 0 || inode.origin.layer == Origin::kNone) continue;
    if (!wanted || wanted(id)) out.emplace(inode.origin, id);
  }
  return out;
}

Result<> feed_content(Reader& reader, std::span<EntryConsumer* const> consumers) {
  for (;;) {
    auto piece = reader.read();
    if (!piece) return fail(std::move(piece.error()));
    if (piece->bytes.empty()) break;
    for (EntryConsumer* consumer : consumers) {
      if (auto taken = consumer->bytes(piece->offset, piece->bytes); !taken) return taken;
    }
  }
  for (EntryConsumer* consumer : consumers) {
    if (auto ended = consumer->end(); !ended) return ended;
  }
  return {};
}

Result<> feed(Reader& reader, InodeId inode, const Entry& entry, std::span<EntryConsumer* const> consumers) {
  std::vector<EntryConsumer*> listening;
  for (EntryConsumer* consumer : consumers) {
    auto wants = consumer->begin(inode, entry);
    if (!wants) return fail(std::move(wants.error()));
    if (*wants) listening.push_back(consumer);
  }
  return listening.empty() ? Result<>{} : feed_content(reader, listening);
}

class Replay {
 public:
  Replay(const Survey& survey, const Wanted& wanted, std::span<EntryConsumer* const> consumers)
      : survey_(survey), inodes_(wanted_inodes(survey.tree, wanted)), consumers_(consumers) {}

  [[nodiscard]] Result<> plain(Reader& reader);
  // An archive that serves as several layers is read once for each: `round` from 0.
  [[nodiscard]] Result<> layered(Reader& outer, std::size_t round);
  [[nodiscard]] std::size_t rounds() const;

 private:
  [[nodiscard]] Result<> entry(Origin origin, Reader& reader, const Entry& entry);
  // The layers that each of the image's own entries serves as, lowest first.
  [[nodiscard]] std::map<std::uint32_t, std::vector<std::uint32_t>> uses() const;

  const Survey& survey_;
  ByOrigin inodes_;
  std::span<EntryConsumer* const> consumers_;
};

Result<> Replay::entry(Origin origin, Reader& reader, const Entry& entry) {
  const auto found = inodes_.find(origin);
  if (found == inodes_.end()) return {};
  const Inode& inode = survey_.tree.inode(found->second);
  if (inode.type != entry.type || inode.size != entry.size) {
    return fail(ErrorKind::kCorrupt, "entry {} is not the one that was surveyed", printable(entry.path));
  }
  return feed(reader, found->second, entry, consumers_);
}

Result<> Replay::plain(Reader& reader) {
  for (std::uint32_t index = 0;; ++index) {
    auto next = reader.next();
    if (!next) return fail(std::move(next.error()));
    if (*next == nullptr) return {};
    if (auto done = entry({0, index}, reader, **next); !done) return done;
  }
}

std::map<std::uint32_t, std::vector<std::uint32_t>> Replay::uses() const {
  std::map<std::uint32_t, std::vector<std::uint32_t>> out;
  for (std::uint32_t i = 0; i < survey_.layers.size(); ++i) out[survey_.layers[i].outer_entry].push_back(i);
  return out;
}

std::size_t Replay::rounds() const {
  std::size_t most = 0;
  for (const auto& [_, layers] : uses()) most = std::max(most, layers.size());
  return most;
}

Result<> Replay::layered(Reader& outer, std::size_t round) {
  auto left = uses();
  std::erase_if(left, [&](const auto& use) { return use.second.size() <= round; });
  for (std::uint32_t index = 0; !left.empty(); ++index) {
    auto next = outer.next();
    if (!next) return fail(std::move(next.error()));
    if (*next == nullptr) return fail(ErrorKind::kCorrupt, "the archive is not the one that was surveyed");
    const auto use = left.extract(index);
    if (use.empty()) continue;
    const std::uint32_t layer = use.mapped()[round];
    auto read = read_layer(outer, survey_.layers[layer], survey_.policy.limits,
                           [&](std::uint32_t number, Reader& reader, const Entry& inner) {
                             return entry({layer, number}, reader, inner);
                           });
    if (!read) return read.error().during("layer {}", printable(survey_.layers[layer].name));
  }
  return {};
}

}  // namespace

Result<> replay(const Input& input, const Survey& survey, const Wanted& wanted,
                std::span<EntryConsumer* const> consumers) {
  Replay replay(survey, wanted, consumers);
  const std::size_t rounds = survey.layered() ? replay.rounds() : 1;
  for (std::size_t round = 0; round < rounds; ++round) {
    FileSource file(input.fd, input.size, input.tick);
    auto reader = Reader::open(file, survey.policy.limits);
    if (!reader) return fail(std::move(reader.error()));
    auto done = survey.layered() ? replay.layered(*reader, round) : replay.plain(*reader);
    if (!done) return done;
  }
  return {};
}

}  // namespace slipway::archive

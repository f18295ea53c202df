#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "archive/entry_content.h"
#include "archive/image.h"
#include "archive/layer_stream.h"
#include "archive/reader.h"

namespace slipway::archive {
namespace {

// An inode and the entry that made it. An entry makes several where its archive serves as several layers; it is then
// the lowest of these layers that it is known by.
struct Made {
  Origin origin{};
  InodeId inode{};

  friend auto operator<=>(const Made&, const Made&) = default;
};

// Those that are wanted, in their order. There may be very many: a map would take ten times the memory.
using ByOrigin = std::vector<Made>;

// What the entry at `origin` made.
std::span<const Made> made_by(const ByOrigin& inodes, Origin origin) {
  return std::ranges::equal_range(inodes, origin, {}, &Made::origin);
}

ByOrigin wanted_inodes(const Survey& survey, const Wanted& wanted) {
  const auto lowest = survey.lowest_uses();
  ByOrigin out;
  out.reserve(survey.tree.inode_count());
  for (std::size_t i = 0; i < survey.tree.inode_count(); ++i) {
    const auto id = InodeId{static_cast<std::uint32_t>(i)};
    const Inode& inode = survey.tree.inode(id);
    if (inode.links == 0 || inode.origin.layer == Origin::kNone) continue;
    if (!wanted || wanted(id)) out.push_back({{lowest[inode.origin.layer], inode.origin.entry}, id});
  }
  std::ranges::sort(out);
  return out;
}

// A file's content can be handed out once in a pass.
std::size_t passes(const Survey& survey, const ByOrigin& inodes) {
  std::size_t most = 1;
  std::size_t same = 0;  // how many of one origin there were
  for (std::size_t i = 0; i < inodes.size(); ++i) {
    same = i > 0 && inodes[i].origin == inodes[i - 1].origin ? same + 1 : 1;
    if (survey.tree.inode(inodes[i].inode).type == EntryType::kFile) most = std::max(most, same);
  }
  return most;
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

// Takes an inode and the entry that made it, at which the reader stands.
using Give = std::function<Result<>(Reader& reader, InodeId inode, const Entry& entry)>;

class Replay {
 public:
  Replay(const Survey& survey, const Wanted& wanted, Give give)
      : survey_(survey), inodes_(wanted_inodes(survey, wanted)), give_(std::move(give)) {}

  [[nodiscard]] Result<> run(const Input& input) const;

 private:
  // From 0. The first reads and checks all layers, the others those that still have something to give.
  [[nodiscard]] Result<> pass(const Input& input, std::size_t round) const;
  [[nodiscard]] Result<> plain(Reader& reader) const;
  [[nodiscard]] Result<> layered(Reader& outer, UnpackMeter& meter, std::size_t round) const;
  [[nodiscard]] Result<> entry(Origin origin, Reader& reader, const Entry& entry, std::size_t round) const;
  // The layers that each of the image's own entries serves as, lowest first, where this round needs them.
  using Uses = std::map<std::uint32_t, std::vector<std::uint32_t>>;
  [[nodiscard]] Uses uses(std::size_t round) const;

  const Survey& survey_;
  ByOrigin inodes_;
  Give give_;
};

Result<> Replay::run(const Input& input) const {
  const std::size_t rounds = passes(survey_, inodes_);
  for (std::size_t round = 0; round < rounds; ++round) {
    if (auto done = pass(input, round); !done) return done;
  }
  return {};
}

Result<> Replay::pass(const Input& input, std::size_t round) const {
  FileSource file(input.fd, input.size, input.tick);
  UnpackMeter meter(survey_.policy.limits, input.size);
  auto reader = Reader::open(file, meter);
  if (!reader) return fail(std::move(reader.error()));
  if (!survey_.layered()) return plain(*reader);
  UnpackMeter of_layers(survey_.policy.limits, input.size);
  return layered(*reader, of_layers, round);
}

Result<> Replay::entry(Origin origin, Reader& reader, const Entry& entry, std::size_t round) const {
  std::span<const Made> made = made_by(inodes_, origin);
  if (made.empty()) return {};
  const Inode& inode = survey_.tree.inode(made.front().inode);
  if (inode.type != entry.type || inode.size != entry.size) {
    return fail(ErrorKind::kCorrupt, "entry {} is not the one that was surveyed", printable(entry.path));
  }
  if (inode.type == EntryType::kFile) {
    made = round < made.size() ? made.subspan(round, 1) : std::span<const Made>{};
  } else if (round > 0) {
    return {};
  }
  for (const Made& each : made) {
    if (auto given = give_(reader, each.inode, entry); !given) return given;
  }
  return {};
}

Result<> Replay::plain(Reader& reader) const {
  for (std::uint32_t index = 0;; ++index) {
    auto next = reader.next();
    if (!next) return fail(std::move(next.error()));
    if (*next == nullptr) return {};
    if (auto done = entry({0, index}, reader, **next, 0); !done) return done;
  }
}

Replay::Uses Replay::uses(std::size_t round) const {
  Uses out;
  for (std::uint32_t i = 0; i < survey_.layers.size(); ++i) out[survey_.layers[i].outer_entry].push_back(i);
  if (round == 0) return out;
  std::set<std::uint32_t> giving;
  for (std::size_t i = round; i < inodes_.size(); ++i) {
    const Origin origin = inodes_[i].origin;
    if (inodes_[i - round].origin == origin) giving.insert(origin.layer);  // it made more than `round`
  }
  std::erase_if(out, [&](const auto& use) { return !giving.contains(use.second.front()); });
  return out;
}

Result<> Replay::layered(Reader& outer, UnpackMeter& meter, std::size_t round) const {
  auto left = uses(round);
  for (std::uint32_t index = 0; !left.empty(); ++index) {
    auto next = outer.next();
    if (!next) return fail(std::move(next.error()));
    if (*next == nullptr) return fail(ErrorKind::kCorrupt, "the archive is not the one that was surveyed");
    const auto use = left.extract(index);
    if (use.empty()) continue;
    const std::uint32_t lowest = use.mapped().front();
    std::vector<const LayerPlace*> promised;
    for (const std::uint32_t layer : use.mapped()) promised.push_back(&survey_.layers[layer]);
    auto read = read_layer(outer, promised, meter, [&](std::uint32_t number, Reader& reader, const Entry& inner) {
      return entry({lowest, number}, reader, inner, round);
    });
    if (!read) return read.error().during("layer {}", printable(survey_.layers[lowest].name));
  }
  return {};
}

}  // namespace

std::vector<std::uint32_t> Survey::lowest_uses() const {
  std::map<std::uint32_t, std::uint32_t> first;
  std::vector<std::uint32_t> out;
  for (std::uint32_t i = 0; i < layers.size(); ++i)
    out.push_back(first.emplace(layers[i].outer_entry, i).first->second);
  return out;
}

std::size_t passes_to_replay(const Survey& survey) { return passes(survey, wanted_inodes(survey, {})); }

Result<> replay(const Input& input, const Survey& survey, const Wanted& wanted,
                std::span<EntryConsumer* const> consumers) {
  const Give give = [&](Reader& reader, InodeId inode, const Entry& entry) {
    return feed(reader, inode, entry, consumers);
  };
  return Replay(survey, wanted, give).run(input);
}

Result<> visit(const Input& input, const Survey& survey, const Wanted& wanted, const Visit& visitor) {
  const Give give = [&](Reader& reader, InodeId inode, const Entry& entry) {
    EntryContent content(reader, entry.size);
    return visitor(inode, entry, content);
  };
  return Replay(survey, wanted, give).run(input);
}

}  // namespace slipway::archive

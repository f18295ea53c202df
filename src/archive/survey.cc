#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include <fmt/ranges.h>

#include "archive/entry_content.h"
#include "archive/image.h"
#include "archive/judge.h"
#include "archive/layer_stream.h"
#include "archive/layout.h"
#include "archive/merger.h"
#include "archive/names.h"
#include "archive/reader.h"
#include "base/digest.h"

namespace slipway::archive {
namespace {

constexpr std::string_view kTop = "rootfs";
constexpr std::uint64_t kMostText = 4ULL << 20;     // of a JSON file that is asked for
constexpr std::uint64_t kMostEager = 256ULL << 10;  // of one that is kept in case it is
constexpr std::uint64_t kMostEagerAll = 8ULL << 20;
constexpr int kMostFetched = 8;  // of those that were not kept

// Whether this may be one of the small files by which layered images describe themselves.
bool may_describe(const std::vector<std::string_view>& parts) {
  if (parts.size() == 1) return parts[0] == "oci-layout" || parts[0].ends_with(".json");
  return parts.size() == 3 && parts[0] == "blobs";
}

// The name below the image's root; nothing where it cannot be one.
std::optional<std::string> shown_name(const PlainName& name, bool stripped) {
  const auto parts = std::span(name.parts).subspan(stripped && !name.parts.empty() ? 1 : 0);
  if (!name.bad.empty() || name.leaves_root || parts.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(parts, "/"));
}

// The reader stands at the entry.
Result<> show(Onlooker& onlooker, Origin place, const PlainName& name, bool stripped, Reader& reader,
              const Entry& entry) {
  if (entry.type != EntryType::kFile) return {};
  const auto path = shown_name(name, stripped);
  if (!path) return {};
  EntryContent content(reader, entry.size);
  return onlooker.file(place, *path, entry, content);
}

// The archive's own entries, taken for a root file system until more is known.
class FirstPass {
 public:
  FirstPass(const Input& input, const Policy& policy, bool may_strip, Onlooker* onlooker)
      : input_(input), judge_(policy, input.size), onlooker_(onlooker), undecided_(may_strip) {
    judge_.defer_sizes();
  }

  [[nodiscard]] Result<> run();

  // It began as if all stood below `rootfs/`, and then something did not.
  [[nodiscard]] bool contradicted() const { return contradicted_; }
  [[nodiscard]] bool stripped() const { return stripped_; }
  [[nodiscard]] Tree& tree() { return tree_; }
  [[nodiscard]] Judge& judge() { return judge_; }
  // The files that may describe a layered image, by the entries that made them.
  [[nodiscard]] std::map<std::uint32_t, std::string>& texts() { return texts_; }

  // The first of the folders by which a root file system is known: it may well hold a file called manifest.json.
  [[nodiscard]] std::string_view root_folder() const;

  // The rules about the whole, once it is sure that this is the image.
  [[nodiscard]] Result<> finish() {
    if (held_) return fail(*held_);
    if (judge_.deferred()) return fail(*judge_.deferred());
    return merger_->finish();
  }

 private:
  [[nodiscard]] Result<> take(std::uint32_t index, Reader& reader, const Entry& entry);
  void decide(const PlainName& name, const Entry& entry);
  [[nodiscard]] Result<> keep_text(std::uint32_t index, Reader& reader, const Entry& entry);

  const Input& input_;
  Tree tree_;
  Judge judge_;
  Onlooker* onlooker_;
  std::optional<Merger> merger_;
  bool undecided_;
  bool stripped_ = false;
  bool contradicted_ = false;
  std::optional<Error> held_;  // a refusal that does not count when `rootfs/` turns out to be an ordinary folder
  std::map<std::uint32_t, std::string> texts_;
  std::uint64_t texts_size_ = 0;
};

Result<> FirstPass::run() {
  FileSource file(input_.fd, input_.size, input_.tick);
  UnpackMeter meter(judge_.policy().limits, input_.size);
  auto reader = Reader::open(file, meter);
  if (!reader) return fail(std::move(reader.error()));
  for (std::uint32_t index = 0;; ++index) {
    auto entry = reader->next();
    if (!entry) return entry.error().during("after {} entries", index);
    if (*entry == nullptr) break;
    if (auto taken = take(index, *reader, **entry); !taken) return taken;
    if (contradicted_) return {};
  }
  if (judge_.entries() == 0) return fail(ErrorKind::kCorrupt, "the archive holds no entries");
  if (!merger_) merger_.emplace(tree_, judge_, "");
  return {};
}

std::string_view FirstPass::root_folder() const {
  for (const std::string_view name : {"bin", "etc", "usr", "var", "lib", "sbin"}) {
    const auto node = tree_.child(Tree::root(), name);
    if (node && !merger_->left_out(*node)) return name;
  }
  return {};
}

void FirstPass::decide(const PlainName& name, const Entry& entry) {
  if (name.parts.empty() && name.bad.empty()) return;
  const bool fits =
      name.bad.empty() && name.parts.front() == kTop && (name.parts.size() > 1 || entry.type == EntryType::kFolder);
  if (std::exchange(undecided_, false)) stripped_ = fits;
  if (stripped_ && !fits) contradicted_ = true;
}

Result<> FirstPass::take(std::uint32_t index, Reader& reader, const Entry& entry) {
  if (auto counted = judge_.count(entry); !counted) return counted;
  const PlainName name = take_apart(entry.path);
  decide(name, entry);
  if (contradicted_) return {};
  if (undecided_) {  // only "./" so far: it is the root when nothing is stripped, and nothing else
    tree_.update(Tree::root(), layer_entry(entry, {0, index}).inode);
    if (entry.type == EntryType::kFolder && name.bad.empty() && !name.absolute && !name.leaves_root) return {};
    undecided_ = false;
  }
  if (!merger_) {
    if (stripped_) tree_.update(Tree::root(), Inode{});
    merger_.emplace(tree_, judge_, stripped_ ? std::string(kTop) : std::string());
  }
  if (held_) return {};
  if (auto added = merger_->add_lowest(layer_entry(entry, {0, index})); !added) {
    if (!stripped_) return added;
    held_ = std::move(added.error());
    return {};
  }
  if (!stripped_ && may_describe(name.parts)) return keep_text(index, reader, entry);
  return onlooker_ == nullptr ? Result<>() : show(*onlooker_, {0, index}, name, stripped_, reader, entry);
}

Result<> FirstPass::keep_text(std::uint32_t index, Reader& reader, const Entry& entry) {
  if (entry.type != EntryType::kFile) return {};
  if (entry.size > kMostEager || texts_size_ + entry.size > kMostEagerAll) return {};
  auto text = read_text(reader, entry, kMostEager);
  if (!text) return fail(std::move(text.error()));
  if (!text->starts_with('{') && !text->starts_with('[')) return {};  // a small layer
  texts_size_ += text->size();
  texts_[index] = std::move(*text);
  return {};
}

// The files of a layered image by their names, symbolic and hard links followed.
class Outer {
 public:
  Outer(const Input& input, FirstPass& first) : input_(input), first_(first) {}

  [[nodiscard]] Result<std::string> text(const std::string& path);
  [[nodiscard]] Result<InodeId> file(const std::string& path) const;
  [[nodiscard]] const Tree& tree() const { return first_.tree(); }

 private:
  [[nodiscard]] Result<std::string> fetch(std::uint32_t wanted);

  const Input& input_;
  FirstPass& first_;
  int fetched_ = 0;
};

Result<InodeId> Outer::file(const std::string& path) const {
  const auto where = tree().resolve(Tree::root(), path, /*follow_last=*/true);
  if (where.found != Tree::Found::kNode) return fail(ErrorKind::kCorrupt, "{} is missing", printable(path));
  if (tree().inode(where.node).type != EntryType::kFile) {
    return fail(ErrorKind::kCorrupt, "{} is a {}", printable(path), to_string(tree().inode(where.node).type));
  }
  return tree().inode_id(where.node);
}

Result<std::string> Outer::text(const std::string& path) {
  auto inode = file(path);
  if (!inode) return fail(std::move(inode.error()));
  const std::uint32_t entry = tree().inode(*inode).origin.entry;
  auto kept = first_.texts().find(entry);
  if (kept == first_.texts().end()) {
    auto fetched = fetch(entry);
    if (!fetched) return fetched.error().during("read {}", printable(path));
    kept = first_.texts().emplace(entry, std::move(*fetched)).first;
  }
  const std::string& text = kept->second;
  constexpr std::string_view kBlobs = "blobs/sha256/";
  if (path.starts_with(kBlobs) && sha256_hex(text) != path.substr(kBlobs.size())) {
    return fail(ErrorKind::kCorrupt, "{} has the SHA-256 {}", printable(path), sha256_hex(text));
  }
  return text;
}

// A pass over the file each: so few that they cost about as much as the rest does.
Result<std::string> Outer::fetch(std::uint32_t wanted) {
  if (++fetched_ > kMostFetched) {
    return fail(ErrorKind::kUnsupported, "the image describes itself in more than {} files of over {} KiB",
                kMostFetched, kMostEager >> 10U);
  }
  FileSource file(input_.fd, input_.size, input_.tick);
  UnpackMeter meter(first_.judge().policy().limits, input_.size);
  auto reader = Reader::open(file, meter);
  if (!reader) return fail(std::move(reader.error()));
  for (std::uint32_t index = 0;; ++index) {
    auto entry = reader->next();
    if (!entry) return fail(std::move(entry.error()));
    if (*entry == nullptr) return fail(ErrorKind::kCorrupt, "the archive changed while it was read");
    if (index == wanted) return read_text(*reader, **entry, kMostText);
  }
}

// The file that says of an archive that it holds layers, and which kind it is then.
struct Description {
  std::string_view file;
  ImageKind kind;
};

std::optional<Description> description(const Tree& tree) {
  const auto has = [&](std::string_view name, EntryType type) {
    const auto node = tree.child(Tree::root(), name);
    return node && tree.inode(*node).type == type;
  };
  if (has("manifest.json", EntryType::kFile)) return Description{"manifest.json", ImageKind::kDockerSave};
  if (has("oci-layout", EntryType::kFile)) return Description{"oci-layout", ImageKind::kOciLayout};
  if (has("index.json", EntryType::kFile) && has("blobs", EntryType::kFolder)) {
    return Description{"index.json", ImageKind::kOciLayout};
  }
  return std::nullopt;
}

Result<std::vector<LayerPlace>> find_layers(Outer& outer, ImageKind kind) {
  const ReadText read = [&](const std::string& path) { return outer.text(path); };
  auto plans = kind == ImageKind::kDockerSave ? docker_layers(read) : oci_layers(read, host_architecture());
  if (!plans) return fail(std::move(plans.error()));
  std::vector<LayerPlace> places;
  for (LayerPlan& plan : *plans) {
    auto inode = outer.file(plan.path);
    if (!inode) return inode.error().during("find a layer");
    places.push_back({std::move(plan.path), outer.tree().inode(*inode).origin.entry, plan.size, std::move(plan.digest),
                      std::move(plan.diff_id)});
  }
  return places;
}

// Reads layers in the order they stand in the archive, and merges them in the order they are meant.
class LayerPass {
 public:
  LayerPass(const Input& input, const std::vector<LayerPlace>& places, Judge& judge, Tree& tree, Onlooker* onlooker)
      : input_(input),
        places_(places),
        judge_(judge),
        onlooker_(onlooker),
        meter_(judge.policy().limits, input.size),
        merger_(tree, judge, "") {}

  [[nodiscard]] Result<> run();

 private:
  [[nodiscard]] Result<> take(Reader& outer, std::uint32_t outer_entry);
  [[nodiscard]] Result<> merge_ready();

  const Input& input_;
  const std::vector<LayerPlace>& places_;
  Judge& judge_;
  Onlooker* onlooker_;
  UnpackMeter meter_;  // of all layers
  Merger merger_;
  std::size_t merged_ = 0;  // so many of the lowest layers are in
  std::map<std::size_t, std::deque<LayerEntry>> waiting_;
};

Result<> LayerPass::run() {
  std::set<std::uint32_t> wanted;
  for (const LayerPlace& place : places_) wanted.insert(place.outer_entry);
  FileSource file(input_.fd, input_.size, input_.tick);
  UnpackMeter meter(judge_.policy().limits, input_.size);
  auto outer = Reader::open(file, meter);
  if (!outer) return fail(std::move(outer.error()));
  for (std::uint32_t index = 0; !wanted.empty(); ++index) {
    auto entry = outer->next();
    if (!entry) return fail(std::move(entry.error()));
    if (*entry == nullptr) return fail(ErrorKind::kCorrupt, "the archive changed while it was read");
    if (wanted.erase(index) == 0) continue;
    const std::string name = printable((*entry)->path);
    if (auto taken = take(*outer, index); !taken) return taken.error().during("layer {}", name);
  }
  return merger_.finish();
}

Result<> LayerPass::take(Reader& outer, std::uint32_t outer_entry) {
  std::vector<std::size_t> uses;  // an archive may serve as several layers
  std::vector<const LayerPlace*> promised;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].outer_entry != outer_entry) continue;
    uses.push_back(i);
    promised.push_back(&places_[i]);
  }
  const bool direct = uses.size() == 1 && uses.front() == 0;
  std::deque<LayerEntry> entries;
  auto read = read_layer(outer, promised, meter_, [&](std::uint32_t index, Reader& reader, const Entry& entry) {
    const Origin place{static_cast<std::uint32_t>(uses.front()), index};
    Result<> done;
    for (std::size_t i = 0; i < uses.size() && done; ++i) done = judge_.count(entry);
    if (!done) return done;
    if (direct) {
      done = merger_.add_lowest(layer_entry(entry, place));
    } else {
      entries.push_back(layer_entry(entry, place));
    }
    if (!done || onlooker_ == nullptr) return done;
    return show(*onlooker_, place, take_apart(entry.path), /*stripped=*/false, reader, entry);
  });
  if (!read) return read;
  if (direct) {
    merged_ = 1;
    return merge_ready();
  }
  for (std::size_t i = 1; i < uses.size(); ++i) {
    std::deque<LayerEntry> own = entries;
    for (LayerEntry& entry : own) entry.inode.origin.layer = static_cast<std::uint32_t>(uses[i]);
    waiting_.emplace(uses[i], std::move(own));
  }
  waiting_.emplace(uses.front(), std::move(entries));
  return merge_ready();
}

Result<> LayerPass::merge_ready() {
  for (auto next = waiting_.find(merged_); next != waiting_.end(); next = waiting_.find(merged_)) {
    if (auto added = merger_.add_layer(std::move(next->second)); !added) return added;
    waiting_.erase(next);
    ++merged_;
  }
  return {};
}

Survey conclude(ImageKind kind, const Judge& judge, Tree tree, std::vector<LayerPlace> layers) {
  return {kind,
          judge.policy(),
          std::move(tree),
          std::move(layers),
          judge.entries(),
          judge.findings(),
          judge.findings_total()};
}

}  // namespace

Result<Survey> survey(const Input& input, const Policy& policy, Onlooker* onlooker) {
  auto first = std::make_unique<FirstPass>(input, policy, /*may_strip=*/true, onlooker);
  if (auto ran = first->run(); !ran) return fail(std::move(ran.error()));
  if (first->contradicted()) {
    if (onlooker != nullptr) onlooker->begin_again();
    first = std::make_unique<FirstPass>(input, policy, /*may_strip=*/false, onlooker);
    if (auto ran = first->run(); !ran) return fail(std::move(ran.error()));
  }
  const auto described = first->stripped() ? std::nullopt : description(first->tree());
  const std::string_view root_folder = described ? first->root_folder() : std::string_view();
  if (described && !root_folder.empty()) {
    auto action = first->judge().judge(
        Rule::kMixedLayout, described->file,
        fmt::format("would make it a {}, but {}/ stands beside it: taken as a plain root file system",
                    to_string(described->kind), root_folder));
    if (!action) return fail(std::move(action.error()));
  }
  if (!described || !root_folder.empty()) {
    if (auto finished = first->finish(); !finished) return fail(std::move(finished.error()));
    return conclude(first->stripped() ? ImageKind::kRootfsFolder : ImageKind::kRootfs, first->judge(),
                    std::move(first->tree()), {LayerPlace{}});
  }
  Outer outer(input, *first);
  auto places = find_layers(outer, described->kind);
  if (!places) return fail(std::move(places.error()));
  first.reset();
  if (onlooker != nullptr) onlooker->begin_again();
  Judge judge(policy, input.size);
  Tree tree;
  LayerPass layers(input, *places, judge, tree, onlooker);
  if (auto ran = layers.run(); !ran) return fail(std::move(ran.error()));
  Survey seen = conclude(described->kind, judge, std::move(tree), std::move(*places));
  if (const std::size_t passes = passes_to_replay(seen); passes > kMostPasses) {
    return fail(ErrorKind::kUnsupported,
                "one archive serves as {} layers that all keep their own copy of a file; {} may", passes, kMostPasses);
  }
  return seen;
}

}  // namespace slipway::archive

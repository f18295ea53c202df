// What the readers of an image's files have found so far.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "scan/package.h"

namespace slipway::scan {

// A regular file of the image's merged tree.
struct FileInfo {
  std::string_view path{};  // "var/lib/dpkg/status"
  std::uint64_t size = 0;
  bool executable = false;

  [[nodiscard]] std::string_view name() const { return path.substr(path.rfind('/') + 1); }  // "status"
};

// One thread.
class Finds {
 public:
  static constexpr std::size_t kMostPackages = 200'000;
  static constexpr std::size_t kMostOwned = 1'000'000;
  static constexpr std::size_t kLongest = 1'024;                   // bytes of a name, a version, a licence, ...
  static constexpr std::size_t kMostText = std::size_t{14} << 20;  // bytes of all packages together

  // All that is added from now on is of this file.
  void enter(std::string_view path, std::uint32_t layer);

  // Path and layer become the file's; a path that is given stays. One without a name or a version, whose name or
  // version is longer than kLongest or no plain text, or beyond kMostPackages or kMostText, is not added, and that is
  // noted as unread.
  void add(Package package);
  // The one with the lowest rank counts: etc/os-release (0) before usr/lib/os-release (1), whatever their order in the
  // archive.
  void set_distribution(Distribution distribution, int rank);
  // A file that a package of the distribution has brought, absolute or not. Beyond kMostOwned it is forgotten, and that
  // is noted as unread.
  void own(std::string_view path, std::string_view package);
  // Something in this file could not be read; the rest was.
  void unread(std::string reason);

  // What another has found in one file; it is of this layer.
  void absorb(Finds other, std::uint32_t layer);
  // What an earlier layer's list has said, which was replaced: a package that is in it has brought its files by that
  // layer, and not only by that of the list that is there now. To be called when all has been absorbed.
  void precede(const Finds& earlier, std::uint32_t layer);
  [[nodiscard]] std::size_t packages() const { return found_.packages.size(); }
  [[nodiscard]] std::size_t owned() const { return owned_.size(); }
  [[nodiscard]] bool nothing() const {
    return found_.packages.empty() && found_.unread.empty() && owned_.empty() && !found_.distribution;
  }

  // All of it, sorted, each once; packages of languages that were found in a file that an installed package has brought
  // say so, unless a later layer has replaced the file. Nothing is left here.
  [[nodiscard]] Inventory take();

 private:
  struct Owned {
    std::uint64_t path = 0;  // its hash
    std::uint32_t owner = 0;
    std::uint32_t layer = 0;  // of the list that says so

    friend auto operator<=>(const Owned&, const Owned&) = default;
  };

  // True: no more of them are kept, which is noted once.
  [[nodiscard]] bool is_full();
  void keep(Package package);
  void set_owners();
  // What makes one claim of a file: its path, and who owns it in which version.
  [[nodiscard]] static std::uint64_t claim(std::uint64_t path, const Package& owner);
  // By name.
  [[nodiscard]] std::multimap<std::string_view, const Package*> installed() const;
  [[nodiscard]] bool owns_too_much();

  std::string path_{};
  std::uint64_t file_ = 0;  // the hash of its whole path
  std::uint32_t layer_ = 0;
  int rank_ = 0;
  bool overfull_ = false;
  bool overowned_ = false;
  Inventory found_{};
  std::size_t text_ = 0;                // bytes of them
  std::vector<std::uint64_t> files_{};  // that the packages were found in
  std::vector<Owned> owned_{};
  std::vector<std::string> owners_{};
  std::unordered_map<std::uint64_t, std::uint32_t> claimed_{};  // the first layer by which each claim was made
};

}  // namespace slipway::scan

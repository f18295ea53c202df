// Which packages of a lock file are needed by a project, and not only by those who develop it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace slipway::scan {

// A directed graph of names; cycles are no matter. One thread.
class Reachable {
 public:
  void add_root(std::string_view name) { roots_.push_back(number(name)); }
  void add_need(std::string_view from, std::string_view to) { needs_.emplace_back(number(from), number(to)); }
  [[nodiscard]] bool has_roots() const { return !roots_.empty(); }

  // To be called when all is added.
  void walk();
  // Whether walk() came by.
  [[nodiscard]] bool reached(std::string_view name) const;

 private:
  std::uint32_t number(std::string_view name);

  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<std::uint32_t> roots_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> needs_;
  std::vector<bool> reached_;
};

}  // namespace slipway::scan

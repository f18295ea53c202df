// The kernel's device mapper: each function is one request to it, through libdevmapper, which only this file's .cc
// includes. That library has global state, so one lock stands before all of it; what it would print goes nowhere.
//
// Where udev runs, the functions return when it has done its part; where it does not, the nodes in /dev/mapper are made
// here. Failures are errno values, since callers decide by them; error() makes an Error of one.
//
// Thread-safe.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace slipway::volumes::dm {

template <class T = void>
using Answer = std::expected<T, int>;

constexpr std::uint64_t kSector = 512;  // bytes

struct Table {
  std::uint64_t sectors = 0;
  std::string target{};  // "thin-pool", "thin"
  std::string parameters{};
};

struct Info {
  std::string uuid{};
  bool suspended = false;
  bool has_table = false;  // a live one; a device that was only half made has none
  int open_count = 0;
  std::string number{};  // "253:4"
};

// "DOING DEVICE: reason".
[[nodiscard]] Error error(std::string_view doing, std::string_view device, int error);

// kUnsupported: this kernel has no device mapper. kPermission: only root may.
[[nodiscard]] Result<> check_available();

[[nodiscard]] Answer<std::vector<std::string>> names();
// None when there is no device of this name.
[[nodiscard]] Answer<std::optional<Info>> info(const std::string& name);
// The first target of the live table, with its status instead of its parameters in status(). No more than a look: a
// pool does not commit for it. None when there is no device of this name, or it has no table.
[[nodiscard]] Answer<std::optional<Table>> table(const std::string& name);
[[nodiscard]] Answer<std::optional<Table>> status(const std::string& name);
// info() and table() by one request.
struct Seen {
  Info info{};
  std::optional<Table> table{};
};
[[nodiscard]] Answer<std::optional<Seen>> look(const std::string& name);

// Without a table: load() and resume() make it whole. EBUSY: the name or the uuid is taken.
[[nodiscard]] Answer<> create(const std::string& name, const std::string& uuid);
[[nodiscard]] Answer<> load(const std::string& name, const Table& table);
// Takes the table that was loaded, lets requests pass, and makes the node.
[[nodiscard]] Answer<> resume(const std::string& name);
enum class Flush : bool { kNo, kYes };
// kYes: what is under way is written, and a file system on it is quiet.
[[nodiscard]] Answer<> suspend(const std::string& name, Flush flush);
// EBUSY: somebody has it open. No effect when there is none.
[[nodiscard]] Answer<> remove(const std::string& name);
[[nodiscard]] Answer<> message(const std::string& name, const std::string& text);
// Makes the node where it is missing.
[[nodiscard]] Answer<> make_node(const std::string& name);

[[nodiscard]] std::string path_of(const std::string& name);

}  // namespace slipway::volumes::dm

// What a format's reader makes of one file: items, one after the other, each of which becomes records. An item is what
// a checkpoint can stand behind.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/byte_source.h"
#include "base/error.h"
#include "feeds/record.h"

namespace slipway::feeds {

class Items {
 public:
  Items() = default;
  Items(const Items&) = delete;
  Items& operator=(const Items&) = delete;
  virtual ~Items() = default;

  // To the next item; false at the end. An error: the file is broken from here on. Cheap compared with records(): those
  // before a checkpoint are only passed over.
  [[nodiscard]] virtual Result<bool> advance() = 0;

  // The records of the present item, none for one that is none of ours. An error: this item is bad, and the next may be
  // good. At most once an item.
  [[nodiscard]] virtual Result<std::vector<Record>> records() = 0;

  // The name of the present item, as far as it is known: for people who look for a bad one.
  [[nodiscard]] virtual std::string name() const = 0;
};

// The last part of a file's path in its source.
[[nodiscard]] inline std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace slipway::feeds

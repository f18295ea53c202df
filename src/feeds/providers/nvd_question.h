// Internal to feeds/providers: what is asked of NVD's API, in its windows.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace slipway::feeds {

class NvdQuestion {
 public:
  struct Window {
    std::optional<TimePoint> from{};  // none: of all times, which is one window
    TimePoint until{};

    friend bool operator==(const Window&, const Window&) = default;
  };

  // What `tag` asked of `source` (the places that are asked, in a few letters); nothing when it is no such tag, or of
  // another source.
  [[nodiscard]] static std::optional<NvdQuestion> parse(std::string_view tag, std::string_view source);
  // For what has changed since the question of `tag` was answered; for all, when there was none.
  [[nodiscard]] static NvdQuestion after(std::string_view tag, std::string_view source, TimePoint now);

  [[nodiscard]] std::string tag() const;  // "nvd2 SOURCE FROM UNTIL", in microseconds; "all" instead of FROM
  [[nodiscard]] const std::vector<Window>& windows() const { return windows_; }
  // The parameters of a request.
  [[nodiscard]] std::string query(std::size_t window, std::size_t index, std::size_t page) const;

 private:
  NvdQuestion(std::string_view source, std::optional<TimePoint> from, TimePoint until);

  std::string source_;
  std::optional<TimePoint> from_;
  TimePoint until_;
  std::vector<Window> windows_;
};

}  // namespace slipway::feeds

#include "catalog/types.h"

#include <array>
#include <utility>

namespace slipway::catalog {
namespace {

// Texts in the order of the enum's values.
constexpr std::array<std::string_view, 4> kDownload{"pending", "downloading", "completed", "failed"};
constexpr std::array<std::string_view, 3> kActivation{"inactive", "active", "failed"};
constexpr std::array<std::string_view, 2> kPurposes{"volume", "snapshot"};
constexpr std::array<std::string_view, 3> kIdStates{"reserved", "made", "deleting"};
constexpr std::array<std::string_view, 8> kStatuses{"pending",    "downloading", "downloaded", "scanned",
                                                    "vulnerable", "unpacked",    "ready",      "failed"};

template <class Enum, std::size_t N>
std::string_view text_of(Enum value, const std::array<std::string_view, N>& texts) {
  const auto at = static_cast<std::size_t>(std::to_underlying(value));
  return at < N ? texts[at] : "unknown";
}

template <class Enum, std::size_t N>
std::optional<Enum> value_of(std::string_view text, const std::array<std::string_view, N>& texts) {
  for (std::size_t at = 0; at < N; ++at) {
    if (texts[at] == text) return static_cast<Enum>(at);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(DownloadStatus status) { return text_of(status, kDownload); }
std::string_view to_string(ActivationStatus status) { return text_of(status, kActivation); }
std::string_view to_string(Purpose purpose) { return text_of(purpose, kPurposes); }
std::string_view to_string(IdState state) { return text_of(state, kIdStates); }
std::string_view to_string(Status status) { return text_of(status, kStatuses); }

std::optional<DownloadStatus> parse_download_status(std::string_view text) {
  return value_of<DownloadStatus>(text, kDownload);
}
std::optional<ActivationStatus> parse_activation_status(std::string_view text) {
  return value_of<ActivationStatus>(text, kActivation);
}
std::optional<Purpose> parse_purpose(std::string_view text) { return value_of<Purpose>(text, kPurposes); }
std::optional<IdState> parse_id_state(std::string_view text) { return value_of<IdState>(text, kIdStates); }
std::optional<Status> parse_status(std::string_view text) { return value_of<Status>(text, kStatuses); }

}  // namespace slipway::catalog

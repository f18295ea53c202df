#include "fsm/definition.h"

#include <algorithm>
#include <set>

namespace slipway::fsm {
namespace {

constexpr std::size_t kLongestName = 128;
constexpr std::size_t kLongestId = 1024;

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '-';
}

}  // namespace

const Transition* Definition::find(std::string_view transition) const {
  const auto found = std::ranges::find(transitions, transition, &Transition::name);
  return found == transitions.end() ? nullptr : &*found;
}

Plan Definition::plan() const {
  Plan plan;
  plan.transitions.reserve(transitions.size());
  for (const auto& transition : transitions) plan.transitions.push_back(transition.name);
  plan.end = end;
  return plan;
}

Result<> check_name(std::string_view what, std::string_view name) {
  if (!name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, is_name_char)) return {};
  return fail(ErrorKind::kInvalid, "{} name {:?} is not usable: it must be 1 to {} of A-Z a-z 0-9 . _ -", what, name,
              kLongestName);
}

Result<> check_id(std::string_view id) {
  if (!id.empty() && id.size() <= kLongestId) return {};
  return fail(ErrorKind::kInvalid, "a run's id must have 1 to {} bytes; this one has {}", kLongestId, id.size());
}

Result<> check(const Definition& definition) {
  if (auto good = check_name("machine", definition.name); !good) return good;
  if (definition.transitions.empty()) {
    return fail(ErrorKind::kInvalid, "machine {} has no transitions", definition.name);
  }
  std::set<std::string_view> seen;
  for (const auto& transition : definition.transitions) {
    if (auto good = check_name("transition", transition.name); !good) {
      return good.error().during("machine {}", definition.name);
    }
    if (!transition.handler) {
      return fail(ErrorKind::kInvalid, "machine {}: transition {} has no handler", definition.name, transition.name);
    }
    if (!seen.insert(transition.name).second) {
      return fail(ErrorKind::kInvalid, "machine {}: two transitions are named {}", definition.name, transition.name);
    }
  }
  if (auto good = check_name("end state", definition.end); !good) {
    return good.error().during("machine {}", definition.name);
  }
  if (seen.contains(definition.end)) {
    return fail(ErrorKind::kInvalid, "machine {}: the end state {} has the name of a transition", definition.name,
                definition.end);
  }
  return {};
}

}  // namespace slipway::fsm

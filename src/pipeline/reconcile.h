// The machine `reconcile`: the doctor's healing as a run, so that whoever owns the runs does it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "fsm/machine.h"
#include "pipeline/doctor.h"

namespace slipway::pipeline {

struct ReconcileRequest {};
inline void to_json(nlohmann::json& json, const ReconcileRequest&) { json = nlohmann::json::object(); }
inline void from_json(const nlohmann::json&, ReconcileRequest&) {}

struct ReconcileFinding {
  std::string rule{};
  std::string sentence{};
  bool healed = false;
  std::string why_not{};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ReconcileFinding, rule, sentence, healed, why_not)

struct ReconcileResponse {
  std::vector<ReconcileFinding> findings{};
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(ReconcileResponse, findings)

using ReconcileMachine = fsm::Machine<ReconcileRequest, ReconcileResponse>;

// `parts` must outlive the manager's runs.
[[nodiscard]] Result<ReconcileMachine> add_reconcile(fsm::Manager& manager, DoctorParts parts);

}  // namespace slipway::pipeline

#include "pipeline/reconcile.h"

#include <memory>
#include <utility>

namespace slipway::pipeline {

Result<ReconcileMachine> add_reconcile(fsm::Manager& manager, DoctorParts parts) {
  using namespace std::chrono_literals;
  using Run = fsm::Context<ReconcileRequest, ReconcileResponse>;
  using Outcome = fsm::Outcome<ReconcileResponse>;
  const auto shared = std::make_shared<const DoctorParts>(std::move(parts));
  return fsm::machine<ReconcileRequest, ReconcileResponse>(kReconcileMachine)
      .resource("pool")
      .start("heal",
             [shared](const Run& run) -> Outcome {
               auto treated = heal(*shared, run.log());
               if (!treated) return fsm::error(treated.error());
               ReconcileResponse response;
               for (auto& [ailment, healed, why_not] : *treated) {
                 response.findings.push_back(
                     {std::move(ailment.rule), std::move(ailment.sentence), healed, std::move(why_not)});
               }
               return fsm::next(std::move(response));
             },
             {.retry = fsm::exponential(3, 200ms, 5s)})
      .end("complete")
      .add_to(manager);
}

}  // namespace slipway::pipeline

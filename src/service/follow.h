// Starting work, and watching its run and the runs that it is the parent of until it has ended.
#pragma once

#include <functional>
#include <stop_token>

#include "base/error.h"
#include "fsm/manager.h"
#include "service/wire.h"

namespace slipway::service {

// Told of each event of the run and of its children, in order, from the thread that follows. Some may be missing when
// it is slow; the end never is.
using OnEvent = std::function<void(const fsm::RunEvent&)>;

// What is under way already is told first, as having begun. `events` is a subscription from before the run was started
// (or found). kCancelled by the stop; else as Manager::wait() has it.
[[nodiscard]] Result<fsm::RunResult> follow(fsm::Manager& manager, fsm::Subscription& events, fsm::RunVersion run,
                                            const OnEvent& on_event, std::stop_token stop);

// Starts it, or finds it under way; what is parked is taken up again, since it is asked for anew. kConflict when this
// process works with other settings than `work` wants, and when what is under way for that id is another request: to
// follow that one would be to answer for another thing.
[[nodiscard]] Result<fsm::Started> start_work(fsm::Manager& manager, const Work& work, const Settings& here);

}  // namespace slipway::service

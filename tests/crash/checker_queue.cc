// Limits and order of queues, as far as a trace can tell.
//
// A run has its place from before its first handler is entered until after its last one has returned, a back-off set
// apart. So between these two the trace shows it as a holder; that it may have been one a little longer is unseen.
#include <set>

#include "checker.h"

namespace slipway::crash {

void Checker::check_queues(const std::vector<Record>& life) {
  std::map<std::string, std::set<fsm::RunVersion>> holders;
  std::map<fsm::RunVersion, bool> begun;  // in an earlier life, or so far in this one
  for (const auto& [version, run] : runs_) begun[version] = run.begun_before || run.running_before;
  for (const auto& record : life) {
    const bool begins = record.kind == Record::Kind::kBegin;
    const auto found = runs_.find(record.version);
    if (found == runs_.end() || found->second.stored == nullptr) continue;
    const Known& run = found->second;
    const RunShape& shape = *run.shape;
    if (shape.queue.empty() || (!begins && record.kind != Record::Kind::kEnd)) continue;
    auto& inside = holders[shape.queue];
    if (begins) {
      inside.insert(record.version);
      const std::size_t owed = begun[record.version] ? 0 : owed_before(record.version, run, begun);
      begun[record.version] = true;
      const std::size_t limit = scenario_.limit_of(shape.queue);
      if (inside.size() > limit) {
        violation(record.version, "is number {} in {}, which has {} places", inside.size(), shape.queue, limit);
      } else if (inside.size() + owed > limit) {
        violation(record.version, "began in {} before {} runs that stood before it", shape.queue, owed);
      }
      continue;
    }
    const auto index = shape.find_try(record.arrival, record.retry);
    const bool goes_on = index && completes(shape.tries[*index].act) && *index + 1 < shape.tries.size();
    if (!goes_on || shape.cancel) inside.erase(record.version);
  }
}

// How many runs must have got their place before this one did, and have not begun. Those of the same priority with a
// lower version joined before it; of a higher priority only those that were there when this life began are known to
// have. Each such run still has its place, so this and the holders together are within the limit.
std::size_t Checker::owed_before(fsm::RunVersion version, const Known& run,
                                 const std::map<fsm::RunVersion, bool>& begun) const {
  // One that the last process died in, or that had its place, comes back before all others.
  if (!run.shape->queues_at_once() || run.story.interruptions > 0) return 0;
  std::size_t owed = 0;
  for (const auto& [other_version, other] : runs_) {
    const RunShape& shape = *other.shape;
    if (other_version == version || shape.queue != run.shape->queue || !shape.queues_at_once() || shape.cancel)
      continue;
    if (begun.at(other_version) || other.stored == nullptr) continue;
    const bool first_come = shape.priority == run.shape->priority && other_version < version;
    const bool preferred = shape.priority > run.shape->priority && other.known_before;
    if (first_come || preferred) ++owed;
  }
  return owed;
}

}  // namespace slipway::crash

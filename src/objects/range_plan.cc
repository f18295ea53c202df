#include "objects/range_plan.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace slipway::objects {

RangePlan::RangePlan(std::uint64_t size, const std::vector<ByteRange>& have) : size_(size) {
  for (const auto& range : have) {
    if (range.offset < size && range.length > 0) add(range.offset, std::min(size, range.offset + range.length));
  }
}

void RangePlan::add(std::uint64_t begin, std::uint64_t end) {
  auto after = have_.upper_bound(begin);
  if (after != have_.begin()) {
    if (const auto before = std::prev(after); before->second >= begin) {
      begin = before->first;
      end = std::max(end, before->second);
      done_ -= before->second - before->first;
      have_.erase(before);
    }
  }
  while (after != have_.end() && after->first <= end) {
    end = std::max(end, after->second);
    done_ -= after->second - after->first;
    after = have_.erase(after);
  }
  have_.emplace(begin, end);
  done_ += end - begin;
}

std::optional<RangePlan::Part> RangePlan::next(std::uint64_t most) {
  std::vector<Span> taken;
  for (const auto& [begin, end] : have_) taken.push_back({begin, end});
  for (const auto& [id, span] : parts_) taken.push_back(span);
  std::ranges::sort(taken, {}, &Span::begin);

  std::uint64_t at = 0;
  std::uint64_t gap_end = size_;
  for (const Span& span : taken) {
    if (span.begin > at) {
      gap_end = span.begin;
      break;
    }
    at = std::max(at, span.end);
  }
  if (at >= size_) return std::nullopt;
  const std::uint64_t end = std::min(gap_end, most < size_ - at ? at + most : size_);
  parts_[next_id_] = {at, end};
  return Part{next_id_++, {at, end - at}};
}

void RangePlan::advance(int id, std::uint64_t count) {
  Span& span = parts_.at(id);
  assert(count <= span.end - span.begin);
  if (count == 0) return;
  add(span.begin, span.begin + count);
  span.begin += count;
}

void RangePlan::finish(int id) { parts_.erase(id); }

std::uint64_t RangePlan::prefix() const {
  const auto first = have_.find(0);
  return first == have_.end() ? 0 : first->second;
}

std::vector<ByteRange> RangePlan::have() const {
  std::vector<ByteRange> out;
  for (const auto& [begin, end] : have_) out.push_back({begin, end - begin});
  return out;
}

}  // namespace slipway::objects

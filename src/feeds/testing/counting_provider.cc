#include "feeds/testing/counting_provider.h"

#include "base/number.h"

namespace slipway::feeds {

Urn counted_urn(int number) { return Urn::make("nvd", "cve", fmt::format("CVE-2000-{:05}", number)).value(); }

Record counted_record(int number) {
  return {.urn = counted_urn(number), .description = fmt::format("number {}", number), .details = Cve{.body = "{}"}};
}

Result<> CountingProvider::run(Intake& intake) {
  ++source_->runs;
  const auto begin = intake.begin({.tag = source_->tag, .whole = source_->whole});
  if (!begin) return fail(begin.error());
  if (begin->unchanged) return {};
  for (int number = parse_number<int>(begin->position).value_or(0) + 1; number <= source_->items; ++number) {
    if (source_->before) {
      if (auto ready = source_->before(number, intake); !ready) return ready;
    }
    const auto position = std::to_string(number);
    const bool bad = source_->is_bad && source_->is_bad(number);
    const int record = source_->offset + number;
    auto taken = bad ? intake.put_bad(counted_urn(record).text(), Error(ErrorKind::kCorrupt, "it is bad"), position)
                     : intake.put(counted_record(record), position);
    if (!taken) return taken;
  }
  return {};
}

}  // namespace slipway::feeds

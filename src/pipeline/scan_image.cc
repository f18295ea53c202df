#include "pipeline/scan_image.h"

#include <optional>
#include <utility>

#include "feeds/query/feed_reader.h"
#include "pipeline/checked_file.h"
#include "pipeline/hand_over.h"
#include "pipeline/scan_verdict.h"
#include "scan/inventory_json.h"
#include "scan/trivy/trivy_scan.h"
#include "sys/fault.h"

namespace slipway::pipeline {
namespace {

using namespace std::chrono_literals;

using Run = fsm::Context<ScanImageRequest, ScanImageResponse>;
using Outcome = fsm::Outcome<ScanImageResponse>;

// The same file and the same rules will be judged the same.
bool is_final(ErrorKind kind) {
  return kind == ErrorKind::kCorrupt || kind == ErrorKind::kRejected || kind == ErrorKind::kUnsupported ||
         kind == ErrorKind::kTimeout || kind == ErrorKind::kInvalid || kind == ErrorKind::kNotFound;
}

Outcome final_or_error(const Error& error) {
  return is_final(error.kind()) ? Outcome(fsm::abort(error)) : Outcome(fsm::error(error));
}

class ScanImage {
 public:
  ScanImage(fsm::Manager& manager, ScanParts parts) : manager_(manager), parts_(std::move(parts)) {}

  Outcome check_scanned(const Run& run) const;
  Outcome inventory(const Run& run) const;
  Outcome match(const Run& run) const;
  Outcome record(const Run& run) const;
  void forget(const Run& run) const { found_.drop(run.version()); }

 private:
  [[nodiscard]] catalog::Catalog& catalog() const { return *parts_.catalog; }

  Result<std::unique_ptr<feeds::FeedReader>> open_feeds() const {
    return feeds::FeedReader::open(parts_.feeds, manager_.clock());
  }
  // The verdict that was recorded of this very content.
  Result<std::optional<catalog::ScanVerdict>> before(const ScanImageRequest& request) const;
  // The inventory that was stored of this very content, if it is one that can be read.
  Result<std::optional<scan::Inventory>> stored(const ScanImageRequest& request) const;
  // Whether the feeds are those that a verdict rests on.
  bool same_data(const catalog::ScanVerdict& verdict) const;
  Result<> take_inventory(const Run& run) const;
  // What the engine says of the inventory, and of how old its data is.
  struct Said {
    scan::Report report{};
    scan::DataDates dates{};
  };
  Result<Said> ask_feeds(const Run& run, scan::Artifact artifact, const scan::Rules& rules) const;
  Result<Said> ask_trivy(const Run& run, scan::Artifact artifact, const scan::Rules& rules) const;
  // Advisories that are missing or too old end the run, or are a word in its answer.
  Outcome without_data(const Run& run, const Error& error) const;

  fsm::Manager& manager_;
  ScanParts parts_;
  mutable HandOver<catalog::Scan> found_;  // by `match`, for `record` right behind it
};

Result<std::optional<catalog::ScanVerdict>> ScanImage::before(const ScanImageRequest& request) const {
  auto verdict = catalog().find_scan(request.image_id);
  if (verdict && *verdict && (*verdict)->checksum != request.checksum) return std::nullopt;
  return verdict;
}

Result<std::optional<scan::Inventory>> ScanImage::stored(const ScanImageRequest& request) const {
  auto row = catalog().find_inventory(request.image_id);
  if (!row) return fail(std::move(row.error()));
  if (!*row || (*row)->checksum != request.checksum) return std::nullopt;
  auto inventory = scan::inventory_from_json((*row)->body);
  if (!inventory) return std::nullopt;  // of another version of this program: it is taken again
  return std::move(*inventory);
}

bool ScanImage::same_data(const catalog::ScanVerdict& verdict) const {
  if (verdict.engine.starts_with("trivy")) return true;  // when its data changes is its own business: scan again
  auto feeds = open_feeds();
  if (!feeds) return false;
  const auto scanner = scan::Scanner::open(**feeds, parts_.version);
  return scanner && dates_json(scanner->dates()) == verdict.data_dates;
}

Outcome ScanImage::check_scanned(const Run& run) const {
  const auto& request = run.request();
  if (request.scan.engine == "off") {
    return fsm::handoff(ScanImageResponse{.image_id = request.image_id, .note = "scanning is switched off"});
  }
  if (request.scan.engine != "builtin" && request.scan.engine != "trivy") {
    return fsm::abort(Error(ErrorKind::kUnsupported, fmt::format("there is no engine {}", request.scan.engine)));
  }
  if (const auto at = block_at(request.scan); !at) return fsm::abort(at.error());
  if (const auto rules = rules_of(request.scan); !rules) return fsm::abort(rules.error());
  const auto known = before(request);
  if (!known) return known.error().during("look for the verdict over {}", request.image_id);
  if (!*known || request.scan.again) return fsm::next(ScanImageResponse{.image_id = request.image_id});
  const auto& verdict = **known;
  const bool allow_now = verdict.blocked && !request.scan.allowed_by.empty();
  const bool by_trivy = verdict.engine.starts_with("trivy");
  const bool same_engine = by_trivy == (request.scan.engine == "trivy");
  const bool same_rules = verdict.policy == describe(request.scan, manager_.clock().now());
  // How old data may be is asked again and again.
  if (allow_now || request.scan.refuse_stale || !same_engine || !same_rules || !same_data(verdict)) {
    return fsm::next(ScanImageResponse{.image_id = request.image_id});
  }
  ScanImageResponse response{
      .image_id = request.image_id, .judged = true, .blocked = verdict.blocked, .findings = verdict.vuln_count};
  if (verdict.blocked) {
    auto findings = catalog().findings(request.image_id);
    if (!findings) return findings.error().during("look for the findings in {}", request.image_id);
    response.note = summary({verdict, std::move(*findings)});
  }
  return fsm::handoff(std::move(response));
}

Result<> ScanImage::take_inventory(const Run& run) const {
  const auto& request = run.request();
  scan::Inventory taken;
  archive::InspectOptions options;
  options.progress = [&run](std::uint64_t done, std::uint64_t total) { run.progress({done, total, "bytes listed"}); };
  const auto list = [&](const archive::ImageFile& image, std::stop_token stop) -> Result<> {
    auto listed = parts_.taker->take(image, request.rules.policy, options, std::move(stop));
    if (!listed) return fail(std::move(listed.error()));
    taken = std::move(listed->inventory);
    return {};
  };
  auto read = work_while_hashing({.path = request.local_path, .sha256 = request.checksum}, list, run.stop());
  if (!read) return fail(std::move(read.error()));
  if (auto fault = fault::check("pipeline.scan.inventory")) return fail(std::move(*fault));
  return catalog().store_inventory({.image_id = request.image_id,
                                    .checksum = request.checksum,
                                    .packages = taken.packages.size(),
                                    .body = scan::to_json(taken)});
}

Outcome ScanImage::inventory(const Run& run) const {
  const auto known = stored(run.request());
  if (!known) return known.error().during("look for the inventory of {}", run.request().image_id);
  if (*known) return fsm::next(run.response());
  if (auto taken = take_inventory(run); !taken) {
    const auto error = taken.error().during("list the packages of {}", run.request().image_id).error();
    return run.stop().stop_requested() ? Outcome(fsm::error(error)) : final_or_error(error);
  }
  return fsm::next(run.response());
}

Outcome ScanImage::without_data(const Run& run, const Error& error) const {
  if (run.request().scan.refuse_stale) return fsm::abort(error);
  run.log().warn("image {} is not scanned: {}", run.request().image_id, error.describe());
  return fsm::handoff(ScanImageResponse{.image_id = run.request().image_id, .note = error.message()});
}

Result<ScanImage::Said> ScanImage::ask_feeds(const Run& run, scan::Artifact artifact, const scan::Rules& rules) const {
  auto feeds = open_feeds();
  // Whatever is wrong with them: there is nothing to judge by.
  if (!feeds) return fail(Error(ErrorKind::kUnavailable, feeds.error().message()).with_hint(feeds.error().hint()));
  auto scanner = scan::Scanner::open(**feeds, parts_.version, scan::Detail::kVerdict, run.stop());
  if (!scanner) return fail(std::move(scanner.error()));
  auto report = scanner->judge(std::move(artifact), rules, data_rules_of(run.request().scan), manager_.clock().now());
  if (!report) return fail(std::move(report.error()));
  return Said{std::move(*report), scanner->dates()};
}

Result<ScanImage::Said> ScanImage::ask_trivy(const Run& run, scan::Artifact artifact, const scan::Rules& rules) const {
  auto report = scan::judge_with_trivy(std::move(artifact), parts_.trivy, rules,
                                       block_at(run.request().scan).value_or(std::nullopt),
                                       data_rules_of(run.request().scan), manager_.clock().now(), run.stop());
  if (!report) return fail(std::move(report.error()));
  return Said{std::move(*report), {}};
}

Outcome ScanImage::match(const Run& run) const {
  const auto& request = run.request();
  auto inventory = stored(request);
  if (!inventory) return inventory.error().during("read the inventory of {}", request.image_id);
  if (!*inventory) return fsm::go_to("inventory", run.response());
  const auto rules = rules_of(request.scan);
  if (!rules) return fsm::abort(rules.error());
  const auto known = before(request);
  if (!known) return known.error().during("look for the verdict over {}", request.image_id);

  scan::Artifact artifact{.name = request.image_id,
                          .checksum = request.checksum,
                          .size = request.size,
                          .inventory = std::move(**inventory)};
  auto said = request.scan.engine == "trivy" ? ask_trivy(run, std::move(artifact), *rules)
                                             : ask_feeds(run, std::move(artifact), *rules);
  // There is no database of feeds yet, or nothing in it that would help.
  if (!said && request.scan.engine == "builtin" && said.error().kind() == ErrorKind::kUnavailable) {
    return without_data(run, said.error());
  }
  if (!said) return run.stop().stop_requested() ? Outcome(fsm::error(said.error())) : final_or_error(said.error());
  said->report.policy = describe(request.scan, said->report.scanned_at);
  auto judged = judge(request.image_id, said->report, request.scan, said->dates, *known);
  ScanImageResponse response{.image_id = request.image_id,
                             .judged = true,
                             .blocked = judged.verdict.blocked,
                             .findings = judged.verdict.vuln_count,
                             .note = judged.verdict.blocked ? summary(judged) : ""};
  found_.put(run.version(), std::move(judged));
  return fsm::next(std::move(response));
}

Outcome ScanImage::record(const Run& run) const {
  const auto judged = found_.take(run.version());
  if (!judged) return fsm::go_to("match", ScanImageResponse{.image_id = run.request().image_id});
  if (auto fault = fault::check("pipeline.scan.record")) return fsm::error(std::move(*fault));
  auto recorded = catalog().record_scan(judged->verdict, judged->findings);
  if (!recorded) return recorded.error().during("record the verdict over {}", run.request().image_id);
  ScanImageResponse response = run.response();
  response.scanned = true;
  return fsm::next(std::move(response));
}

}  // namespace

Result<ScanImageMachine> add_scan_image(fsm::Manager& manager, ScanParts parts) {
  const auto machine = std::make_shared<const ScanImage>(manager, std::move(parts));
  const auto calling = [&machine](Outcome (ScanImage::*transition)(const Run&) const) {
    return [machine, transition](const Run& run) { return (machine.get()->*transition)(run); };
  };
  return fsm::machine<ScanImageRequest, ScanImageResponse>("scan-image")
      .resource("image")
      .start("check-scanned", calling(&ScanImage::check_scanned), {.retry = fsm::exponential(3, 200ms, 5s)})
      .to("inventory", calling(&ScanImage::inventory), {.retry = fsm::fixed(2, 1s), .timeout = 30min})
      .to("match", calling(&ScanImage::match), {.retry = fsm::exponential(3, 200ms, 5s)})
      .to("record", calling(&ScanImage::record), {.retry = fsm::exponential(5, 100ms, 10s)})
      .finalizer([machine](const Run& run, const fsm::Finishing&) -> Result<> {
        machine->forget(run);
        return {};
      })
      .end("complete")
      .add_to(manager);
}

}  // namespace slipway::pipeline

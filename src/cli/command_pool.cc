// `pool` and what is below it: the thin pool made, looked at, grown and destroyed.
#include <utility>

#include "cli/commands.h"
#include "cli/format.h"
#include "cli/pools.h"
#include "cli/text.h"
#include "cli/units.h"
#include "fsm/sqlite_run_store.h"
#include "volumes/thin/pool_setup.h"

namespace slipway::cli {
namespace {

constexpr double kPercent = 100;

// Whoever owns the runs is the only one that makes devices: nobody does while this is held.
Result<std::unique_ptr<fsm::RunStore>> hold_runs(const Session& session) {
  auto held = fsm::SqliteRunStore::open(session.settings.fsm_db_path, {.clock = &session.clock});
  if (!held && held.error().kind() == ErrorKind::kConflict) {
    return fail(Error(held.error()).with_hint("end it first: it works with the pools that were there when it began"));
  }
  return held;
}

Result<std::uint64_t> size_of(const Arguments& arguments, const std::string& option, std::uint64_t fallback) {
  const auto given = arguments.get(option);
  if (!given) return fallback;
  auto size = parse_size(*given);
  if (!size) return size.error().during("{}", option);
  return size;
}

std::string usage_text(const volumes::Usage& usage) {
  const double part =
      usage.total == 0 ? 0 : kPercent * static_cast<double>(usage.used) / static_cast<double>(usage.total);
  return fmt::format("{} of {} used ({:.1f}%)", format_bytes(usage.used), format_bytes(usage.total), part);
}

OrderedJson usage_json(const volumes::Usage& usage) { return {{"used", usage.used}, {"total", usage.total}}; }

// What is known of a pool that runs or not.
struct PoolView {
  PoolChoice choice{};
  std::optional<volumes::PoolStatus> status{};  // of a running one
  catalog::PoolContent content{};
};

Result<PoolView> look(const Session& session) {
  auto catalog = catalog::Catalog::open_reader(session.settings.sqlite_path.string(), session.clock);
  if (!catalog && catalog.error().kind() != ErrorKind::kNotFound) return fail(std::move(catalog.error()));
  auto choice = choose_pool(session.settings, catalog ? catalog->get() : nullptr);
  if (!choice) return fail(std::move(choice.error()));
  PoolView view{.choice = std::move(*choice)};
  auto pool = open_running_pool(session.settings, view.choice);
  if (!pool) return fail(std::move(pool.error()));
  if (*pool) {
    auto status = (*pool)->status();
    if (!status) return fail(std::move(status.error()));
    view.status = std::move(*status);
  }
  if (catalog) {
    auto content = (*catalog)->pool_content(view.choice.name);
    if (!content) return fail(std::move(content.error()));
    view.content = *content;
  }
  return view;
}

OrderedJson view_json(const PoolView& view) {
  const auto place = view.choice.place();
  OrderedJson json{{"name", view.choice.name},
                   {"backend", view.choice.thin ? "thin" : "file"},
                   {"running", view.choice.running},
                   {"volumes", view.content.volumes},
                   {"snapshots", view.content.snapshots},
                   {"active_snapshots", view.content.active_snapshots}};
  if (place) {
    json["data_path"] = place->data;
    json["metadata_path"] = place->metadata;
  }
  if (!view.status) return json;
  const auto& status = *view.status;
  json["place"] = status.place;
  json["data"] = usage_json(status.data);
  json["metadata"] = status.metadata ? usage_json(*status.metadata) : OrderedJson();
  json["transaction_id"] = status.transaction_id ? OrderedJson(*status.transaction_id) : OrderedJson();
  json["problems"] = status.problems;
  return json;
}

void print(Output& output, const PoolView& view) {
  Table table({{.title = ""}, {.title = "", .least = kWhole}});
  table.add({Cell("pool"), Cell(view.choice.name)});
  table.add({Cell("backend"), Cell(view.choice.thin ? "thin" : "file")});
  if (const auto place = view.choice.place()) {
    table.add({Cell("stands on"), Cell(fmt::format("{}, {}", place->data.string(), place->metadata.string()))});
  }
  if (const auto& status = view.status) {
    table.add({Cell("place"), Cell(status->place)});
    table.add({Cell("data"), Cell(usage_text(status->data))});
    if (status->metadata) table.add({Cell("metadata"), Cell(usage_text(*status->metadata))});
    if (status->transaction_id) table.add({Cell("transaction"), Cell(fmt::format("{}", *status->transaction_id))});
  }
  table.add({Cell("holds"), Cell(fmt::format("volumes: {}, snapshots: {}, of them active: {}", view.content.volumes,
                                             view.content.snapshots, view.content.active_snapshots))});
  if (view.status) {
    for (const auto& problem : view.status->problems) table.add({Cell("problem"), Cell(problem, Style::kRed)});
  } else {
    table.add({Cell("problem"), Cell(view.choice.record ? "it does not run; what needs it starts it"
                                                        : "there is no such pool; `slipway pool create` makes it",
                                     Style::kYellow)});
  }
  output.write_table(table);
}

CommandResult show(const Session& session) {
  auto view = look(session);
  if (!view) return fail(std::move(view.error()));
  if (session.output.json()) {
    session.output.write_json(view_json(*view));
  } else {
    print(session.output, *view);
  }
  return ExitCode::kDone;
}

Result<volumes::ThinPoolSpec> spec_of(const Session& session, const Arguments& arguments) {
  auto spec = default_pool(session.settings);
  if (arguments.has("--data") != arguments.has("--metadata")) {
    return fail(Error(ErrorKind::kInvalid, "--data and --metadata are given together, or neither")
                    .with_hint("each is a block device, or a file that is made"));
  }
  if (const auto data = arguments.get("--data")) {
    std::error_code unknown;
    spec.place.data = std::filesystem::absolute(*data, unknown);
    spec.place.metadata = std::filesystem::absolute(*arguments.get("--metadata"), unknown);
  }
  auto data_size = size_of(arguments, "--data-size", spec.data_size);
  if (!data_size) return fail(std::move(data_size.error()));
  auto metadata_size = size_of(arguments, "--metadata-size", spec.metadata_size);
  if (!metadata_size) return fail(std::move(metadata_size.error()));
  auto block_size = size_of(arguments, "--block-size", spec.block_size);
  if (!block_size) return fail(std::move(block_size.error()));
  spec.data_size = *data_size;
  spec.metadata_size = *metadata_size;
  spec.block_size = *block_size;
  return spec;
}

CommandResult create(const Session& session, const Arguments& arguments) {
  auto spec = spec_of(session, arguments);
  if (!spec) return bad_input(std::move(spec.error()));
  if (session.settings.volume_backend == "file") {
    return wrong_use("volume_backend is file: a thin pool would not be used", "set it to auto or thin");
  }
  auto runs = volumes::thin_pool_runs(spec->place.name);
  if (!runs) return fail(std::move(runs.error()));
  if (*runs) {
    return fail(Error(ErrorKind::kAlreadyExists, fmt::format("there is a pool {} already", spec->place.name))
                    .with_hint("slipway pool status shows it; another name is set with --dm-pool-name"));
  }
  auto held = hold_runs(session);
  if (!held) return fail(std::move(held.error()));
  auto catalog = catalog::Catalog::open(session.settings.sqlite_path.string(), session.clock);
  if (!catalog) return fail(std::move(catalog.error()));
  if (auto made = create_pool(*spec, **catalog); !made) return bad_input(std::move(made.error()));
  return show(session);
}

// The pool that `grow` and `destroy` are about: one that was made here.
Result<volumes::ThinPoolPlace> place_of(const Session& session) {
  auto choice = choose_pool(session);
  if (!choice) return fail(std::move(choice.error()));
  if (!choice->thin) {
    return fail(Error(ErrorKind::kNotFound, fmt::format("there is no thin pool {}", session.settings.dm_pool_name))
                    .with_hint("the pool of files needs no setting up: it is the folder volume_dir"));
  }
  auto place = choice->place();
  if (place) return std::move(*place);
  if (!choice->running && !choice->record) {
    return fail(Error(ErrorKind::kNotFound, fmt::format("there is no thin pool {}", choice->name))
                    .with_hint("`slipway pool create` makes one"));
  }
  return fail(
      Error(ErrorKind::kUnsupported, fmt::format("the pool {} was not made by `slipway pool create`", choice->name))
          .with_hint("whoever has set it up changes it"));
}

CommandResult grow(const Session& session, const Arguments& arguments) {
  if (!arguments.has("--data-size") && !arguments.has("--metadata-size")) {
    return wrong_use("nothing is to grow", "give --data-size, --metadata-size or both: the size it shall have then");
  }
  auto data_size = size_of(arguments, "--data-size", 0);
  if (!data_size) return bad_input(std::move(data_size.error()));
  auto metadata_size = size_of(arguments, "--metadata-size", 0);
  if (!metadata_size) return bad_input(std::move(metadata_size.error()));
  auto place = place_of(session);
  if (!place) return fail(std::move(place.error()));
  auto grown = volumes::grow_thin_pool(*place, {.data_size = *data_size, .metadata_size = *metadata_size});
  if (!grown) return bad_input(std::move(grown.error()));
  return show(session);
}

CommandResult destroy(const Session& session, const Arguments& arguments) {
  auto place = place_of(session);
  if (!place) return fail(std::move(place.error()));
  auto held = hold_runs(session);
  if (!held) return fail(std::move(held.error()));
  auto catalog = catalog::Catalog::open(session.settings.sqlite_path.string(), session.clock);
  if (!catalog) return fail(std::move(catalog.error()));
  auto content = (*catalog)->pool_content(place->name);
  if (!content) return fail(std::move(content.error()));
  if (content->active_snapshots > 0) {
    return fail(Error(ErrorKind::kConflict,
                      fmt::format("{} snapshots in the pool {} are active", content->active_snapshots, place->name))
                    .with_hint("slipway deactivate SNAPSHOT takes one down"));
  }
  if (content->volumes > 0 && !arguments.has("--force")) {
    return fail(Error(ErrorKind::kConflict, fmt::format("the pool {} holds {} volumes and {} snapshots", place->name,
                                                        content->volumes, content->snapshots))
                    .with_hint("remove the images (slipway rm), or give --force: all of them are lost then"));
  }
  if (auto gone = volumes::destroy_thin_pool(*place); !gone) return fail(std::move(gone.error()));
  if (auto forgotten = (*catalog)->forget_pool(place->name); !forgotten) return fail(std::move(forgotten.error()));
  if (session.output.json()) {
    session.output.write_json({{"name", place->name}, {"destroyed", true}});
  } else {
    session.output.note(fmt::format("Pool {} is destroyed.", place->name));
  }
  return ExitCode::kDone;
}

}  // namespace

CommandSpec pool_command() {
  return {.name = "pool",
          .summary = "The pool of devices; the same as pool status",
          .examples = {"slipway pool"},
          .run = [](const Session& session, const Arguments&) { return show(session); }};
}

CommandSpec pool_status_command() {
  return {.name = "pool status",
          .summary = "Show the pool of devices: what is used, and what is wrong with it",
          .examples = {"slipway pool status", "slipway pool status --json"},
          .run = [](const Session& session, const Arguments&) { return show(session); }};
}

CommandSpec pool_create_command() {
  return {
      .name = "pool create",
      .summary = "Make the thin pool, of sparse files or of given block devices",
      .description =
          "Without --data and --metadata it stands on two sparse files in volume_dir. Block devices must begin with "
          "4 KiB of zeros: what they hold may be somebody's. Needs root and a kernel with device-mapper. From then "
          "on images are unpacked there, unless volume_backend is file.",
      .options = {{.name = "--data",
                   .value = "PATH",
                   .help = "a block device, or a file that is made",
                   .completes = Completes::kFiles},
                  {.name = "--metadata",
                   .value = "PATH",
                   .help = "the same for what the pool knows of its devices",
                   .completes = Completes::kFiles},
                  {.name = "--data-size", .value = "SIZE", .help = "of a file (default: dm_data_size)"},
                  {.name = "--metadata-size", .value = "SIZE", .help = "of a file (default: dm_meta_size)"},
                  {.name = "--block-size", .value = "SIZE", .help = "what is shared and copied as one (64KiB)"}},
      .examples = {"slipway pool create --data-size 100GiB",
                   "slipway pool create --data /dev/vg/data --metadata /dev/vg/meta"},
      .run = create};
}

CommandSpec pool_grow_command() {
  return {.name = "pool grow",
          .summary = "Give the thin pool more room, while it is used",
          .description =
              "Sizes are what it shall have then. A pool of files grows its files; block devices are grown by their "
              "owner first.",
          .options = {{.name = "--data-size", .value = "SIZE", .help = "of all data"},
                      {.name = "--metadata-size", .value = "SIZE", .help = "of what it knows of its devices"}},
          .examples = {"slipway pool grow --data-size 200GiB", "slipway pool grow --metadata-size 64MiB"},
          .run = grow};
}

CommandSpec pool_destroy_command() {
  return {.name = "pool destroy",
          .summary = "Remove the thin pool with all that it holds",
          .description =
              "Refused while snapshots are active, and while it holds volumes unless --force is given. "
              "Downloaded images stay.",
          .options = {{.name = "--force", .help = "also when it holds volumes"}},
          .examples = {"slipway pool destroy"},
          .run = destroy};
}

}  // namespace slipway::cli

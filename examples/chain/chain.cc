// Two machines, one after the other: `fetch` counts the words of a text, `publish` puts the result into a file. Three
// of each, through a queue that lets one fetch in at a time. run.sh kills it half-way and starts it again.
//
//   chain FOLDER          starts what is not started yet, and waits for all
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "fsm/machine.h"
#include "fsm/manager.h"
#include "fsm/sqlite_run_store.h"

namespace {

using namespace slipway;
using namespace std::chrono_literals;

struct FetchRequest {
  std::string text;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FetchRequest, text)

struct FetchResponse {
  std::size_t words = 0;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FetchResponse, words)

struct PublishRequest {
  std::string folder;
  std::size_t words = 0;  // not known at start: comes from the fetch
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PublishRequest, folder, words)

struct PublishResponse {
  std::string path;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PublishResponse, path)

using Fetch = fsm::Context<FetchRequest, FetchResponse>;
using Publish = fsm::Context<PublishRequest, PublishResponse>;

void tell(const fsm::RunContext& run) {
  fmt::print("  {:<8} {:<8} {:<6}{}\n", run.machine(), run.id(), run.transition(), run.resumed() ? "  (resumed)" : "");
  std::fflush(stdout);
}

fsm::Outcome<FetchResponse> reach(const Fetch& run) {
  tell(run);
  return fsm::next(run.response());
}

fsm::Outcome<FetchResponse> count(const Fetch& run) {
  tell(run);
  std::this_thread::sleep_for(300ms);  // real work would take a while too
  std::istringstream text(run.request().text);
  FetchResponse response;
  for (std::string word; text >> word;) ++response.words;
  return fsm::next(response);
}

fsm::Outcome<PublishResponse> publish(const Publish& run) {
  tell(run);
  const std::string path = run.request().folder + "/" + run.id() + ".txt";
  std::ofstream(path) << run.request().words << " words\n";  // the same bytes, however often it runs
  return fsm::next(PublishResponse{path});
}

Result<> run(const std::string& folder) {
  auto store = fsm::SqliteRunStore::open(folder + "/chain.db");
  if (!store) return fail(std::move(store.error()));
  auto opened = fsm::Manager::open(std::move(*store), {.queues = {{"fetches", 1}}});
  if (!opened) return fail(std::move(opened.error()));
  auto& manager = **opened;
  auto fetching = fsm::machine<FetchRequest, FetchResponse>("fetch")
                      .start("reach", reach)
                      .to("count", count, {.timeout = 10s})
                      .end("fetched")
                      .add_to(manager);
  if (!fetching) return fail(std::move(fetching.error()));
  auto publishing = fsm::machine<PublishRequest, PublishResponse>("publish")
                        .follows(*fetching,
                                 [](const FetchResponse& fetched, PublishRequest given) {
                                   given.words = fetched.words;
                                   return given;
                                 })
                        .start("write", publish)
                        .end("published")
                        .add_to(manager);
  if (!publishing) return fail(std::move(publishing.error()));
  auto resumed = manager.resume();
  if (!resumed) return fail(std::move(resumed.error()));
  fmt::print("resumed {} runs\n", resumed->resumed);

  const std::vector<std::pair<std::string, std::string>> texts{
      {"haiku", "an old silent pond"}, {"motto", "durable by design"}, {"proverb", "measure twice cut once"}};
  for (const auto& [id, text] : texts) {
    if (manager.wait_latest("publish", id, manager.clock().now())) continue;  // published by an earlier process
    auto fetched = fetching->start(id, {text}, {.queue = "fetches"});
    if (!fetched) return fail(std::move(fetched.error()));
    auto published = publishing->start(id, {.folder = folder}, {.after = *fetched});
    if (!published) return fail(std::move(published.error()));
  }
  for (const auto& [id, text] : texts) {
    auto published = publishing->wait_latest(id);
    if (!published) return fail(std::move(published.error()));
    fmt::print("{} is published\n", id);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  const auto done = run(argc > 1 ? argv[1] : ".");
  if (!done) {
    fmt::print(stderr, "chain: {}\n", done.error().describe());
    return 1;
  }
  return 0;
}

// Providers under random commands, revocations, refusals of their sources, failures and SIGKILL. Whatever happens, the
// database tells a true story, and in the end each item was stored exactly once.
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "feeds/feed_store.h"
#include "feeds/macro_machine.h"
#include "feeds/testing/counting_provider.h"
#include "feeds/testing/table_view.h"
#include "sys/testing/child_process.h"
#include "sys/testing/sanitized.h"
#include "sys/testing/temp_dir.h"

namespace slipway::feeds {
namespace {

using namespace std::chrono_literals;

constexpr int kOffset = 10'000;  // between the numbers of two providers
const std::map<std::string, int> kItems = {{"a", 700}, {"b", 400}, {"c", 900}, {"d", 250}};

int offset_of(const std::string& id) { return kOffset * (id[0] - 'a' + 1); }

// What a child process says when something is not as it must be.
using Complain = std::function<void(const std::string&)>;

// A source that refuses, fails and dawdles at random, and knows which item must come next.
std::shared_ptr<CountingSource> troubled_source(const std::string& id, int next, std::uint32_t seed, bool troubled,
                                                const Complain& complain) {
  auto source = std::make_shared<CountingSource>();
  source->items = kItems.at(id);
  source->offset = offset_of(id);
  auto random = std::make_shared<std::mt19937>(seed);
  auto expected = std::make_shared<int>(next);
  source->before = [=](int number, Intake& intake) -> Result<> {
    if (number != *expected) complain(fmt::format("{} goes on with {}, not {}", id, number, *expected));
    if (troubled) {
      const auto dice = (*random)() % 400;
      if (dice == 0) return fail(intake.rate_limited(1ms, "too many requests"));
      if (dice == 1) return fail(ErrorKind::kUnavailable, "the source is away");
      if (dice < 40) std::this_thread::sleep_for(50us);
    }
    *expected = number + 1;
    return {};
  };
  return source;
}

void check_permits(const PermitBroker::Status& status, const Complain& complain) {
  int held = 0;
  int owed = 0;
  for (const auto& holder : status.holders) {
    held += holder.held;
    owed += holder.owed;
    if (holder.held < 0 || holder.owed < 0 || holder.owed > holder.held) complain("a holder's permits do not add up");
  }
  if (held - owed > status.slots) complain(fmt::format("{} permits are held of {}", held - owed, status.slots));
  if (status.free < 0 || (status.free > 0 && held + status.free > status.slots)) {
    complain(fmt::format("{} permits are free, {} held of {}", status.free, held, status.slots));
  }
}

void command_at_random(MacroMachine& macro, std::mt19937& random) {
  const std::string id(1, static_cast<char>('a' + random() % kItems.size()));
  // What the state does not allow is refused: that is no fault here.
  switch (random() % 9) {
    case 0: (void)macro.pause(id); break;
    case 1:
    case 2: (void)macro.resume(id); break;
    case 3: (void)macro.stop(id); break;
    case 4:
    case 5: (void)macro.start(id); break;
    case 6: (void)macro.broker().resize(static_cast<int>(random() % 4) + 1); break;
    case 7: macro.broker().withhold(static_cast<int>(random() % 3)); break;
    default: (void)macro.sync({}); break;
  }
}

// A process of its own: to the end when it is not troubled, else until it is killed.
int run_providers(const std::string& database, std::uint32_t seed, bool troubled,
                  const sys::ChildProcess::Voice& voice) {
  const Complain complain = [&voice](const std::string& what) { voice.say("BAD " + what); };
  auto store = FeedStore::open(database, sys::system_clock());
  if (!store) {
    complain(store.error().describe());
    return 1;
  }
  std::map<std::string, int> next;
  const auto rows = (*store)->list_providers();
  for (const auto& row : *rows)
    next[row.id] = row.outcome == Outcome::kCompleted ? 1 : static_cast<int>(row.processed) + 1;
  std::vector<Registration> providers;
  for (const auto& [id, items] : kItems) {
    const int first = next.contains(id) ? next[id] : 1;
    providers.push_back(
        {.config = {.id = id,
                    .type = "counting",
                    .dependencies = id == "d" ? std::vector<std::string>{"b"} : std::vector<std::string>{},
                    .permits = 2,
                    .batch_size = 7,
                    .max_retries = 1000,
                    .retry_delay = 1ms},
         .provider = std::make_unique<CountingProvider>(
             troubled_source(id, first, seed + static_cast<std::uint32_t>(id[0]), troubled, complain))});
  }
  auto macro = MacroMachine::open(**store, std::move(providers), {.permits = 3});
  if (!macro) {
    complain(macro.error().describe());
    return 1;
  }
  if (auto recovered = (*macro)->recover(); !recovered) complain(recovered.error().describe());
  voice.say("begun");
  if (!troubled) {
    for (const auto& [id, items] : kItems) (void)(*macro)->resume(id);
    for (int turn = 0; turn < 3; ++turn) {
      if (auto begun = (*macro)->sync({}); !begun) complain(begun.error().describe());
      if (auto rested = (*macro)->await_rest({}); !rested) complain(rested.error().describe());
    }
    return 0;
  }
  (void)(*macro)->sync({});
  for (std::mt19937 random(seed);;) {
    command_at_random(**macro, random);
    check_permits((*macro)->broker().status(), complain);
    std::this_thread::sleep_for(1ms);
  }
}

class ModelTest : public ::testing::Test {
 protected:
  // What holds at every instant, and so after a kill at any.
  void check(const std::string& when) {
    for (const auto& [id, items] : kItems) {
      const auto where = fmt::format(" FROM provider WHERE id = '{}'", id);
      if (tables_.number("SELECT count(*)" + where) == 0) continue;  // killed before it was registered
      const auto processed = tables_.number("SELECT processed" + where);
      const auto generation = tables_.number("SELECT generation" + where);
      const auto stored = fmt::format(" FROM record WHERE provider = '{}' AND generation = {}", id, generation);
      EXPECT_EQ(tables_.number("SELECT count(*)" + stored), processed) << id << " " << when;
      EXPECT_LE(processed, items) << id << " " << when;
      if (processed == 0) continue;
      const auto last = counted_urn(offset_of(id) + static_cast<int>(processed));
      EXPECT_EQ(tables_.texts(fmt::format("SELECT urn FROM checkpoint WHERE provider = '{}'", id)).at(0), last.text())
          << when;
      EXPECT_EQ(tables_.texts("SELECT max(name)" + stored).at(0), last.id()) << "all up to it, " << when;
      EXPECT_EQ(tables_.number(fmt::format("SELECT count(*) FROM provider WHERE id = '{}' AND state = 'TERMINATED' AND "
                                           "outcome = 'completed' AND processed <> {}",
                                           id, items)),
                0)
          << id << " " << when;
    }
  }

  // All that a child says; what it complains of fails the test.
  static void hear(sys::ChildProcess& child) {
    for (auto line = child.hear(); !line.empty(); line = child.hear()) EXPECT_FALSE(line.starts_with("BAD")) << line;
  }

  sys::TempDir dir_;
  std::string database_ = dir_.file("feeds.db");
  TableView tables_{database_};
};

TEST_F(ModelTest, EachItemIsStoredOnceWhateverHappens) {
  const auto given = ::testing::UnitTest::GetInstance()->random_seed();
  const auto seed = given != 0 ? static_cast<std::uint32_t>(given) : std::random_device{}();
  SCOPED_TRACE(fmt::format("--gtest_random_seed={}", seed));
  std::mt19937 random(seed);
  const int rounds = std::getenv("SLIPWAY_LONG") != nullptr ? 400 : sys::kSanitized ? 12 : 40;
  for (int round = 0; round < rounds; ++round) {
    const auto child_seed = static_cast<std::uint32_t>(random());
    sys::ChildProcess child([&](const auto& voice) { return run_providers(database_, child_seed, true, voice); });
    const auto first = child.hear();
    EXPECT_EQ(first, "begun");
    std::this_thread::sleep_for(std::chrono::microseconds(random() % (sys::kSanitized ? 200'000 : 60'000)));
    child.kill();
    hear(child);
    check(fmt::format("after kill {}", round));
    if (HasFailure()) return;
  }
  sys::ChildProcess last([&](const auto& voice) { return run_providers(database_, 1, false, voice); });
  hear(last);
  EXPECT_EQ(last.wait(), 0);
  check("in the end");
  for (const auto& [id, items] : kItems) {
    EXPECT_EQ(
        tables_.number(fmt::format("SELECT count(*) FROM record WHERE provider = '{}' AND gone_since IS NULL", id)),
        items)
        << id;
    EXPECT_EQ(tables_.texts(fmt::format("SELECT outcome FROM provider WHERE id = '{}'", id)).at(0), "completed") << id;
  }
}

}  // namespace
}  // namespace slipway::feeds

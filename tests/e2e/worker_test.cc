// The worker as a service manager and its users see it.
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/digest.h"
#include "e2e/workshop.h"
#include "sys/descriptor.h"

namespace slipway {
namespace {

using testing::HasSubstr;

class WorkerTest : public testing::Test {
 protected:
  std::unique_ptr<sys::Command> start_worker(sys::Variables more = {}) {
    auto variables = workshop_.variables();
    for (auto& [name, value] : more) variables[name] = std::move(value);
    variables["SLIPWAY_LOG_LEVEL"] = "info";
    return start_program(Workshop::program(), {"worker", "--poll-interval", "1s"}, variables);
  }

  // The image of the key as `list` has it; null when it is not there.
  Json image_of(const std::string& key) {
    const auto listed = workshop_.run({"list", "--json"});
    if (listed.code != 0) return nullptr;
    const auto list = listed.json();
    for (const auto& image : list.at("images")) {
      if (image.at("key") == "images/" + key) return image;
    }
    return nullptr;
  }
  std::string status_of(const std::string& key) {
    const auto image = image_of(key);
    return image.is_null() ? "" : image.at("status").get<std::string>();
  }

  // Until it holds. A worker that ends meanwhile is a failure.
  template <class Condition>
  static void await(sys::Command& worker, const Condition& condition) {
    while (!condition()) {
      ASSERT_TRUE(worker.running()) << worker.finish().err;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
  static sys::Ended end(sys::Command& worker, int signal = SIGTERM) {
    worker.signal(signal);
    return worker.finish();
  }

  Workshop workshop_{Place::kS3};
};

TEST_F(WorkerTest, WhatIsThereAndWhatComesIsProcessed) {
  const auto first = sample_image(100'000);
  workshop_.put("first.tar", first);
  const auto worker = start_worker();
  await(*worker, [&] { return status_of("first.tar") == "ready"; });
  workshop_.put("second.tar", sample_image(200'000));
  await(*worker, [&] { return status_of("second.tar") == "ready"; });
  const auto ended = end(*worker);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(workshop_.run({"doctor"}).code, 0);
}

TEST_F(WorkerTest, AChangedObjectIsFetchedAgainAndUnpackedOnceNothingStandsOnTheOld) {
  workshop_.put("x.tar", sample_image(100'000));
  const auto worker = start_worker();
  await(*worker, [&] { return status_of("x.tar") == "ready"; });
  const auto image = image_of("x.tar").at("image_id").get<std::string>();
  const auto changed = sample_image(300'000);
  workshop_.put("x.tar", changed);
  await(*worker, [&] { return image_of("x.tar").at("checksum") == sha256_hex(changed); });
  // What runs on the old snapshot is not pulled from under its feet.
  EXPECT_EQ(workshop_.run({"deactivate", "snap-" + image, "--delete", "--quiet"}).code, 0);
  EXPECT_EQ(workshop_.run({"fetch-and-create", "x.tar", "--quiet"}).code, 0);
  EXPECT_EQ(end(*worker).code, 0);
  EXPECT_EQ(workshop_.faults_of("x.tar", changed), "");
}

TEST_F(WorkerTest, OneThatFailsDoesNotKeepTheOthersAndIsNotTriedWithoutPause) {
  workshop_.put("bad.tar", std::string(10'000, 'x'));
  workshop_.put("good.tar", sample_image(100'000));
  const auto worker = start_worker();
  await(*worker, [&] { return status_of("good.tar") == "ready" && status_of("bad.tar") == "failed"; });
  workshop_.put("later.tar", sample_image(150'000));
  await(*worker, [&] { return status_of("later.tar") == "ready"; });
  const auto runs = workshop_.run({"runs", "--machine", "process-image", "--json"}).json();
  EXPECT_EQ(runs.at("runs").size(), 3U);  // polled again since, and the bad one was left alone
  EXPECT_EQ(end(*worker).code, 0);
}

TEST_F(WorkerTest, FeedsThatCannotBeOpenedDoNotKeepTheImages) {
  workshop_.put("x.tar", sample_image(100'000));
  const auto worker = start_worker({{"SLIPWAY_FEEDS_INTERVAL", "1h"}, {"SLIPWAY_FEEDS_DB_PATH", "/dev/null/feeds.db"}});
  await(*worker, [&] { return status_of("x.tar") == "ready"; });
  const auto ended = end(*worker);
  EXPECT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.err, HasSubstr("the feeds are not kept fresh"));
}

TEST_F(WorkerTest, ItOwnsTheFeedsForAsLongAsItRuns) {
  sys::Variables feeds{{"SLIPWAY_FEEDS_INTERVAL", "1h"}};
  for (const char* id : {"CVE", "CWE", "CAPEC", "ATTACK", "SSG", "ASVS", "CCE", "OSV", "DEBIAN", "ALPINE"}) {
    feeds[fmt::format("SLIPWAY_FEED_{}_SOURCE", id)] = "/nowhere/at/all";
  }
  const auto worker = start_worker(feeds);
  const auto owned = [&] { return workshop_.run({"feeds", "--json"}).json().at("owned").get<bool>(); };
  await(*worker, owned);
  EXPECT_EQ(end(*worker).code, 0);
  EXPECT_FALSE(owned());
}

TEST_F(WorkerTest, OtherCommandsHaveTheirWorkDoneByIt) {
  workshop_.put("x.tar", sample_image(100'000));
  const auto worker = start_worker();
  await(*worker, [&] { return status_of("x.tar") == "ready"; });
  const auto made = workshop_.run({"activate", "x.tar", "--name", "second", "--json"});
  ASSERT_EQ(made.code, 0) << made.err;
  EXPECT_TRUE(std::filesystem::exists(made.json().at("device_path").get<std::string>()));
  EXPECT_EQ(workshop_.run({"show", "x.tar", "--json"}).code, 0);
  EXPECT_EQ(workshop_.run({"doctor", "--fix"}).code, 0);
  EXPECT_EQ(workshop_.run({"deactivate", "second", "--delete", "--quiet"}).code, 0);
  EXPECT_FALSE(std::filesystem::exists(made.json().at("device_path").get<std::string>()));

  int sockets = 0;
  for (const auto& entry : std::filesystem::directory_iterator(workshop_.state())) {
    if (!entry.is_socket()) continue;
    ++sockets;
    struct stat info{};
    ASSERT_EQ(::stat(entry.path().c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777U, 0600U);
  }
  EXPECT_EQ(sockets, 1);

  const auto another = start_worker()->finish();
  EXPECT_EQ(another.code, 1);
  EXPECT_THAT(another.err, HasSubstr(std::to_string(worker->pid())));
  EXPECT_EQ(end(*worker).code, 0);
}

TEST_F(WorkerTest, EndedInTheMiddleOfADownloadTheNextOneGoesOn) {
  const auto bytes = sample_image(8 << 20);
  workshop_.put("x.tar", bytes);
  for (const int signal : {SIGTERM, SIGINT, SIGKILL}) {
    workshop_.s3().proxy().add({.method = "GET", .path = "x.tar", .times = 1000, .fault = net::StallAt{1000}});
    const auto worker = start_worker();
    await(*worker, [&] { return worker->err_so_far().find("worker of") != std::string::npos; });
    workshop_.s3().proxy().wait_for_stalls(1);
    const auto ended = end(*worker, signal);
    EXPECT_EQ(ended.code, signal == SIGKILL ? 128 + SIGKILL : 0) << ended.err;
    workshop_.s3().proxy().clear();
    workshop_.s3().proxy().release();
    EXPECT_EQ(workshop_.run({"runs", "--state", "finished", "--json"}).json().at("runs").size(), 0U);
  }
  const auto worker = start_worker();
  await(*worker, [&] { return workshop_.faults_of("x.tar", bytes).empty(); });
  EXPECT_EQ(end(*worker).code, 0);
  EXPECT_EQ(workshop_.faults_of("x.tar", bytes), "");
}

TEST_F(WorkerTest, TheServiceManagerHearsWhenItIsReadyAliveAndEnding) {
  const sys::TempDir folder;
  const auto path = folder.file("notify");
  const sys::Descriptor manager(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(manager.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  std::string heard;
  const auto hear = [&](const std::string& word) {
    char text[512];
    for (ssize_t got = 0; (got = ::recv(manager.get(), text, sizeof text, MSG_DONTWAIT)) > 0;) {
      heard.append(text, static_cast<std::size_t>(got)).append("\n");
    }
    return heard.find(word) != std::string::npos;
  };

  const auto worker = start_worker({{"NOTIFY_SOCKET", path}, {"WATCHDOG_USEC", "2000000"}});
  await(*worker, [&] { return hear("READY=1"); });
  await(*worker, [&] { return hear("WATCHDOG=1"); });
  EXPECT_EQ(end(*worker).code, 0);
  EXPECT_TRUE(hear("STOPPING=1")) << heard;
}

}  // namespace
}  // namespace slipway

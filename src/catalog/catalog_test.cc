#include "catalog/catalog.h"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "catalog/schema.h"
#include "catalog/testing/catalog_fixture.h"
#include "catalog/testing/old_catalogs.h"
#include "sys/fault.h"
#include "sys/testing/child_process.h"

namespace slipway::catalog {
namespace {

class OpenTest : public CatalogTest {};

TEST_F(OpenTest, MakesFoldersAndAPrivateFile) {
  const std::string path = dir_.file("deep/er/catalog.db");
  ASSERT_TRUE(Catalog::open(path, clock_));
  struct stat found{};
  ASSERT_EQ(::stat(path.c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
}

TEST_F(OpenTest, WhatIsStoredIsThereAgain) {
  unpack("a", 7);
  reopen();
  EXPECT_EQ(status("a"), Status::kUnpacked);
}

TEST_F(OpenTest, ACatalogOfANewerProgramIsRefusedAndNotChanged) {
  for (const char* newer : {"PRAGMA user_version = 7", "INSERT INTO schema_migrations VALUES (99, 0, 'from ahead')"}) {
    const std::string path = dir_.file("newer.db");
    ASSERT_TRUE(Catalog::open(path, clock_));
    {
      auto db = store::Database::open({.path = path}).value();
      ASSERT_TRUE(db.execute(newer));
    }
    const auto refused = Catalog::open(path, clock_);
    ASSERT_FALSE(refused) << newer;
    EXPECT_EQ(refused.error().kind(), ErrorKind::kUnsupported);
    EXPECT_NE(refused.error().message().find("versions up to 6"), std::string::npos) << refused.error().message();
    EXPECT_NE(refused.error().hint().find("newer program"), std::string::npos);
    EXPECT_FAILS(Catalog::open_reader(path, clock_), ErrorKind::kUnsupported, "versions up to 6");
    std::filesystem::remove(path);
  }
}

TEST_F(OpenTest, AnotherProgramsFileIsRefused) {
  const std::string path = dir_.file("other.db");
  {
    auto db = store::Database::open({.path = path}).value();
    ASSERT_TRUE(db.execute("CREATE TABLE schema_migrations (version TEXT)"));
  }
  EXPECT_FAILS(Catalog::open(path, clock_), ErrorKind::kUnsupported, "another program's");
  std::ofstream(dir_.file("text")) << std::string(5'000, 'x');
  EXPECT_FAILS(Catalog::open(dir_.file("text"), clock_), ErrorKind::kCorrupt, "text");
}

TEST_F(OpenTest, AReaderSeesWhatAWriterCommitsAndChangesNothing) {
  auto reader = Catalog::open_reader(path_, clock_).value();
  unpack("a", 7);
  EXPECT_EQ(reader->image_status("a").value().value().status, Status::kUnpacked);
  EXPECT_EQ(breaches(*reader), "");
  EXPECT_FAILS(reader->add_image(source_of("b")), ErrorKind::kPermission, "for reading only");
}

TEST_F(OpenTest, AReaderWithoutACatalogSaysThatThereIsNone) {
  EXPECT_FAILS(Catalog::open_reader(dir_.file("none.db"), clock_), ErrorKind::kNotFound, "none.db");
  EXPECT_FALSE(std::filesystem::exists(dir_.file("none.db")));
  std::ofstream(dir_.file("empty.db")).flush();
  EXPECT_FAILS(Catalog::open_reader(dir_.file("empty.db"), clock_), ErrorKind::kNotFound, "empty.db");
}

TEST_F(OpenTest, AReaderLeavesMigratingToOthers) {
  const std::string path = dir_.file("old.db");
  make_old_catalog(path, 2);
  EXPECT_FAILS(Catalog::open_reader(path, clock_), ErrorKind::kUnsupported, "has schema version 2");
}

TEST_F(OpenTest, ManyProcessesMayMakeItAtOnce) {
  const std::string path = dir_.file("new/catalog.db");
  const auto open_it = [&](const sys::ChildProcess::Voice& voice) {
    const auto catalog = Catalog::open(path, sys::system_clock());
    if (!catalog) voice.say(catalog.error().message());
    return catalog ? 0 : 1;
  };
  std::vector<std::unique_ptr<sys::ChildProcess>> children;
  for (int i = 0; i < 6; ++i) children.push_back(std::make_unique<sys::ChildProcess>(open_it));
  for (auto& child : children) {
    EXPECT_EQ(child->hear(), "");
    EXPECT_EQ(child->wait(), 0);
  }
}

TEST_F(OpenTest, AWriteThatFailsLeavesNothingAndTheNextOneWorks) {
  unpack("a", 7);
  for (const char* point : {"catalog.commit.before", "store.sync", "store.write"}) {
    {
      const fault::Scope fault(point, {.times = 1});
      const auto failed = catalog_->register_snapshot(snapshot_of("a", 7, 8, "snap"));
      ASSERT_FALSE(failed) << point;
      EXPECT_EQ(failed.error().kind(), ErrorKind::kIo) << failed.error().message();
      EXPECT_EQ(fault.acted(), 1);
    }
    EXPECT_FALSE(catalog_->find_snapshot("snap").value().has_value()) << point;
    EXPECT_EQ(catalog_->list_reservations()->size(), 1U) << point;
    EXPECT_EQ(status("a"), Status::kUnpacked);
  }
  activate("a", 7, 8, "snap");
}

TEST_F(OpenTest, AFullDiskIsSaidAndNothingIsLost) {
  unpack("a", 7);
  {
    const fault::Scope full("store.write", {.times = -1, .error = Error(ErrorKind::kNoSpace, "full")});
    EXPECT_FAILS(catalog_->store_image(downloaded("b")), ErrorKind::kNoSpace, "store image");
    EXPECT_FAILS(catalog_->acquire_lock("a", "run"), ErrorKind::kNoSpace, "lock image");
    EXPECT_EQ(status("a"), Status::kUnpacked);
  }
  ASSERT_TRUE(catalog_->store_image(downloaded("b")));
}

TEST_F(OpenTest, KilledInAnOperationAllOrNothingOfItIsThere) {
  unpack("a", 7);
  const char* points[] = {"catalog.commit.before", "store.write", "store.sync", "catalog.commit.after"};
  for (const char* point : points) {
    sys::ChildProcess child([&](const auto&) {
      auto catalog = Catalog::open(path_, sys::system_clock()).value();
      const fault::Scope kill(point, {.action = fault::Action::kKill});
      return catalog->register_snapshot(snapshot_of("a", 7, 8, "snap")) ? 0 : 1;
    });
    ASSERT_EQ(child.wait(), 128 + SIGKILL) << point;
    reopen();
    EXPECT_EQ(breaches(*catalog_), "") << point;
    const bool there = catalog_->find_snapshot("snap").value().has_value();
    EXPECT_EQ(status("a"), there ? Status::kReady : Status::kUnpacked) << point;
    if (point == std::string_view("catalog.commit.after")) {
      EXPECT_TRUE(there);
    }
  }
}

TEST_F(OpenTest, ReadersDoNotWaitForAWriter) {
  unpack("a", 7);
  auto other = store::Database::open({.path = path_}).value();
  ASSERT_TRUE(other.execute("BEGIN IMMEDIATE"));
  EXPECT_EQ(status("a"), Status::kUnpacked);  // readers do not wait
  ASSERT_TRUE(other.execute("COMMIT"));
  ASSERT_TRUE(catalog_->acquire_lock("a", "run"));
}

}  // namespace
}  // namespace slipway::catalog

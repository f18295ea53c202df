#include "cli/program.h"

#include <algorithm>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "catalog/types.h"
#include "cli/commands.h"
#include "cli/man.h"
#include "cli/testing/program_fixture.h"
#include "cli/testing/sample_state.h"
#include "fsm/run.h"
#include "sys/testing/child_process.h"

namespace slipway::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class ProgramTest : public ProgramFixture {
 protected:
  void make_state() { sample_ = make_sample_state(dir_.file("state")); }

  SampleState sample_;
};

TEST_F(ProgramTest, WrongUseIsExitCodeTwoWithAHint) {
  EXPECT_EQ(run({"lsit"}), 2);
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_THAT(err_, AllOf(StartsWith("slipway: there is no command lsit\n"),
                          HasSubstr("hint: did you mean `slipway list`?\n")));
  EXPECT_EQ(run({}), 2);
  EXPECT_THAT(err_, HasSubstr("Commands"));
  input_.environment.variables["SLIPWAY_MAX_FILES"] = "x";
  EXPECT_EQ(run({"list"}), 2);
  EXPECT_THAT(err_, HasSubstr("SLIPWAY_MAX_FILES"));
  EXPECT_EQ(run({"help"}), 0);  // help is there also when the settings are bad
  input_.environment.variables.erase("SLIPWAY_MAX_FILES");
  EXPECT_EQ(run({"--config", "not-there.yaml", "list"}), 2);
  EXPECT_THAT(err_, HasSubstr("not-there.yaml"));
}

TEST_F(ProgramTest, OnlyWrongUseIsExitCodeTwoAndOnlyAnInterruptionIs130) {
  std::optional<Failure> failure;
  const std::vector<CommandSpec> commands{
      {.name = "frob", .summary = "Frob", .run = [&](const Session&, const Arguments&) {
         return CommandResult(std::unexpected(*failure));
       }}};
  const auto code_of = [&](Failure with) {
    failure = std::move(with);
    return run({"frob"}, commands);
  };
  EXPECT_EQ(code_of(Error(ErrorKind::kInvalid, "the image is not one")), 1);
  EXPECT_EQ(code_of(Error(ErrorKind::kCancelled, "somebody cancelled it")), 1);
  EXPECT_EQ(code_of(wrong_use("no such thing").error()), 2);
  EXPECT_EQ(code_of(wrong_use("no such thing").error().during("frob").error()), 2);
  EXPECT_EQ(code_of(bad_input(Error(ErrorKind::kIo, "the disk is broken")).error()), 1);
  EXPECT_EQ(code_of(interrupted(Error(ErrorKind::kCancelled, "Ctrl-C")).error()), 130);
}

TEST_F(ProgramTest, WordsThatNoRunOrImageCanHaveAreWrongUse) {
  make_state();
  EXPECT_EQ(run({"runs", "show", "!"}), 2);
  EXPECT_EQ(run({"runs", "cancel", "!"}), 2);
  EXPECT_EQ(run({"runs", "--limit", "0"}), 2);
  EXPECT_EQ(run({"fetch-and-create", "a.tar"}), 2);  // no bucket is set
  EXPECT_EQ(run({"--s3-bucket", "file://" + dir_.path(), "fetch-and-create", "a.tar", "--image-id", "a/b"}), 2) << err_;
}

// Without the right to write anywhere. 77: this cannot be tried.
TEST_F(ProgramTest, LookingNeedsNoRightToWriteToTheStateFolder) {
  make_state();
  for (const auto& file : std::filesystem::directory_iterator(dir_.file("state"))) {
    (void)::chown(file.path().c_str(), 65534, 65534);
  }
  ::chmod(dir_.file("state").c_str(), 0555);
  ::chmod(dir_.path().c_str(), 0777);
  sys::ChildProcess looking([this](const sys::ChildProcess::Voice& voice) {
    if (::geteuid() == 0 && (::setgid(65534) != 0 || ::setuid(65534) != 0)) return 77;
    const std::vector<std::vector<std::string>> lines{
        {"list"}, {"show", sample_.ready}, {"runs"}, {"runs", "show", sample_.completed.to_string()}};
    for (const auto& words : lines) {
      if (run(words) == 0 && !out_.empty()) continue;
      voice.say(words[0] + ": " + err_);
      return 1;
    }
    return 0;
  });
  const auto complaint = looking.hear();
  const int code = looking.wait();
  ::chmod(dir_.file("state").c_str(), 0755);
  if (code == 77) GTEST_SKIP() << "cannot change to an unprivileged user";
  EXPECT_EQ(code, 0) << complaint;
}

TEST_F(ProgramTest, ADownloadDirThatIsAFileIsRefusedAtOnce) {
  std::ofstream(dir_.file("file")) << "x";
  for (const std::string where : {"file", "file/below"}) {
    EXPECT_EQ(
        run({"--s3-bucket", "file://" + dir_.path(), "--download-dir", dir_.file(where), "fetch-and-create", "a"}), 1);
    EXPECT_THAT(err_, AllOf(HasSubstr("download_dir is " + dir_.file(where)), HasSubstr("not a folder")));
  }
  EXPECT_FALSE(std::filesystem::exists(dir_.file("state/fsm.db")));
}

TEST_F(ProgramTest, KeysThatAreNotUtf8AreShownAndRefusedInWords) {
  std::filesystem::create_directories(dir_.file("bucket/images"));
  std::ofstream(dir_.file("bucket/images/a\xff.tar")) << "x";
  const std::string bucket = "file://" + dir_.file("bucket");
  const auto listed = json({"--s3-bucket", bucket, "list", "--remote"});
  EXPECT_EQ(listed.at("objects").at(0).at("key"), "images/a\\xff.tar");
  EXPECT_EQ(run({"--s3-bucket", bucket, "fetch-and-create", "a\xff.tar"}), 2);
  EXPECT_THAT(err_, AllOf(HasSubstr("a\\xff.tar is not UTF-8"), Not(HasSubstr("json"))));
}

TEST_F(ProgramTest, ErrorsAreObjectsWithJson) {
  EXPECT_EQ(run({"lsit", "--json"}), 2);
  const auto error = parse_json(out_)->at("error");
  EXPECT_EQ(error.at("kind"), "invalid");
  EXPECT_EQ(error.at("message"), "there is no command lsit");
  EXPECT_EQ(error.at("hint"), "did you mean `slipway list`?");
  EXPECT_THAT(err_, HasSubstr("there is no command lsit"));
  EXPECT_EQ(run({"show", "nothing", "--json"}), 1);
  EXPECT_TRUE(parse_json(out_)->contains("error"));
}

TEST_F(ProgramTest, ControlBytesInErrorsAreEscaped) {
  EXPECT_EQ(run({"show", "\x1b[2J"}), 1);
  EXPECT_THAT(err_, AllOf(HasSubstr("\\x1b[2J"), Not(HasSubstr("\x1b"))));
}

TEST_F(ProgramTest, HelpAndVersion) {
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_EQ(out_, "slipway 1.2.3\n");
  for (const auto& command : all_commands()) {
    if (command.hidden) continue;
    EXPECT_EQ(run({"help", command.name}), 0);
    EXPECT_THAT(out_, AllOf(HasSubstr(command.summary), HasSubstr("slipway " + command.name)));
  }
  EXPECT_EQ(run({"runs", "show", "--help"}), 0);
  EXPECT_THAT(out_, HasSubstr("slipway runs show VERSION"));
  EXPECT_EQ(run({"help", "settings"}), 0);
  for (const auto& spec : setting_specs()) EXPECT_THAT(out_, HasSubstr(spec.name));
  EXPECT_EQ(run({"help", "nope"}), 2);
  EXPECT_THAT(json({"help", "list"}).at("help"), HasSubstr("slipway list"));
  EXPECT_THAT(json({"list", "--help"}).at("help"), HasSubstr("slipway list"));
}

TEST_F(ProgramTest, AMissingCatalogIsAnEmptyList) {
  EXPECT_EQ(run({"list"}), 0);
  EXPECT_THAT(out_, IsEmpty());
  EXPECT_EQ(err_, "There are no images yet.\n");
  EXPECT_EQ(json({"list"}), (Json{{"images", Json::array()}}));
  EXPECT_EQ(run({"runs"}), 0);
  EXPECT_EQ(err_, "There are no runs yet.\n");
  EXPECT_EQ(json({"runs"}), (Json{{"runs", Json::array()}}));
  EXPECT_EQ(run({"list", "--quiet"}), 0);
  EXPECT_THAT(err_, IsEmpty());
  EXPECT_EQ(run({"runs", "show", "01ABC"}), 1);
  EXPECT_FALSE(std::filesystem::exists(dir_.file("state/catalog.db")));  // looking makes nothing
}

TEST_F(ProgramTest, ListShowsImagesWithStatusAndFindings) {
  make_state();
  EXPECT_EQ(run({"list"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("alpine-3.19"), HasSubstr("ready"), HasSubstr(std::string(64, 'a')),
                          HasSubstr("1 (critical)"), HasSubstr("not scanned"), Not(HasSubstr("\t"))));
  EXPECT_EQ(run({"list", "--status", "vulnerable"}), 0);
  EXPECT_THAT(out_, AllOf(HasSubstr("old-debian"), Not(HasSubstr("alpine"))));
  EXPECT_EQ(run({"list", "--status", "pending"}), 0);
  EXPECT_EQ(err_, "No image is pending.\n");

  const auto images = json({"list"}).at("images");
  ASSERT_EQ(images.size(), 3U);
  EXPECT_EQ(images[0].at("image_id"), "alpine-3.19");
  EXPECT_EQ(images[0].at("status"), "ready");
  EXPECT_EQ(images[0].at("size_bytes"), 3'276'800);
  EXPECT_EQ(images[0].at("downloaded_at"), "2025-11-12T12:00:00.000000Z");
  EXPECT_EQ(images[0].at("device_path"), "/dev/mapper/snap-alpine");
  EXPECT_EQ(images[1].at("scan").at("blocked"), true);
  EXPECT_EQ(images[2].at("status"), "failed");
  EXPECT_EQ(images[2].at("checksum"), nullptr);
  EXPECT_EQ(images[2].at("scan"), nullptr);
  EXPECT_EQ(images[2].at("failure"), "access denied");
}

TEST_F(ProgramTest, ShowHasEveryStage) {
  make_state();
  EXPECT_EQ(run({"show", "alpine"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("alpine-3.19  ready"), HasSubstr("sha256:aaaa"), HasSubstr("docker-save, 2 layers"),
                          HasSubstr("policy      standard"), HasSubstr("/dev/mapper/thin-7"), HasSubstr("snap-alpine"),
                          HasSubstr("bin/su"), HasSubstr(sample_.completed.to_string())));
  EXPECT_EQ(run({"show", "images/old-debian.tar"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("CVE-2014-0160"), HasSubstr("1.0.1g"), HasSubstr("not unpacked")));

  const auto image = json({"show", "alpine-3.19"});
  EXPECT_EQ(image.at("volume").at("device_path"), "/dev/mapper/thin-7");
  EXPECT_EQ(image.at("snapshots").at(0).at("active"), true);
  EXPECT_EQ(image.at("archive").at("files"), 80);
  EXPECT_EQ(image.at("policy_findings").at(0).at("rule"), "setuid");
  EXPECT_EQ(image.at("runs").at(0).at("version"), sample_.completed.to_string());
  EXPECT_EQ(image.at("lock"), nullptr);
  EXPECT_EQ(json({"show", "old-debian"}).at("findings").at(0).at("vulnerability"), "CVE-2014-0160");
  EXPECT_EQ(run({"show", "nothing"}), 1);
}

TEST_F(ProgramTest, ShowTellsWhatItKnowsWhenTheRunsCannotBeRead) {
  make_state();
  std::ofstream(dir_.file("state/fsm.db"), std::ios::trunc) << std::string(8192, 'x');
  EXPECT_EQ(run({"show", "alpine"}), 0);
  EXPECT_THAT(out_, HasSubstr("sha256:aaaa"));
  EXPECT_THAT(err_, AllOf(HasSubstr("its runs cannot be shown"), HasSubstr("fsm.db")));
  EXPECT_EQ(json({"show", "alpine-3.19"}).at("runs"), nullptr);
}

TEST_F(ProgramTest, RunsAreListedNewestFirstAndFiltered) {
  make_state();
  EXPECT_EQ(run({"runs"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("evil\\x1b[2J\\xff"), Not(HasSubstr("\x1b")), HasSubstr("access denied")));
  const auto all = json({"runs"}).at("runs");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].at("version"), sample_.running.to_string());
  EXPECT_EQ(all[0].at("id"), "evil\x1b[2J\\xff");
  EXPECT_EQ(all[0].at("transition"), "check-exists");
  EXPECT_EQ(all[0].at("finished_at"), nullptr);
  EXPECT_EQ(json({"runs", "--state", "running"}).at("runs").size(), 1U);
  EXPECT_EQ(json({"runs", "--ending", "aborted"}).at("runs").at(0).at("failure").at("kind"), "permission");
  EXPECT_EQ(json({"runs", "--id", "alpine-3.19"}).at("runs").size(), 1U);
  EXPECT_EQ(json({"runs", "--machine", "other"}).at("runs").size(), 0U);
  EXPECT_EQ(json({"runs", "--limit", "2"}).at("runs").size(), 2U);
  EXPECT_EQ(run({"runs", "--limit", "0"}), 2);
  EXPECT_EQ(run({"runs", "--limit", "many"}), 2);
  EXPECT_EQ(run({"runs", "--machine", "other"}), 0);
  EXPECT_EQ(err_, "No run fits.\n");
}

TEST_F(ProgramTest, OneRunIsShownWithItsHistory) {
  make_state();
  EXPECT_EQ(run({"runs", "show", sample_.errored.to_string()}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("aborted"), HasSubstr("access denied (check the credentials)"),
                          HasSubstr("check-exists > download > validate"), HasSubstr("errored")));
  const auto run_json = json({"runs", "show", sample_.completed.to_string()});
  EXPECT_EQ(run_json.at("ending"), "completed");
  EXPECT_EQ(run_json.at("request").at("key"), "images/x.tar");
  ASSERT_EQ(run_json.at("history").size(), 4U);
  EXPECT_EQ(run_json.at("history").at(2).at("transition"), "download");
  EXPECT_EQ(run_json.at("history").at(2).at("took_seconds"), 4.0);
}

TEST_F(ProgramTest, ARunIsNamedByAPrefixThatOnlyItHas) {
  make_state();
  const auto whole = sample_.completed.to_string();
  EXPECT_EQ(run({"runs", "show", whole.substr(0, 25)}), 0) << err_;
  std::string lower = whole;
  for (auto& c : lower) c = static_cast<char>(std::tolower(c));
  EXPECT_EQ(run({"runs", "show", lower}), 0) << err_;
  EXPECT_EQ(run({"runs", "show", whole.substr(0, 2)}), 1);
  EXPECT_THAT(err_, AllOf(HasSubstr("several"), HasSubstr(whole), HasSubstr(sample_.errored.to_string())));
  EXPECT_EQ(run({"runs", "show", "7ZZZZZZZZZZZZZZZZZZZZZZZZZ"}), 1);
  EXPECT_THAT(err_, HasSubstr("there is no run"));
  EXPECT_EQ(run({"runs", "show", "not a version"}), 2);
  EXPECT_EQ(run({"runs", "show", whole + "0"}), 2);
}

TEST_F(ProgramTest, ConfigShowsValuesAndOrigins) {
  EXPECT_EQ(run({"config", "--max-files", "5"}), 0) << err_;
  EXPECT_THAT(out_, AllOf(HasSubstr("flag --max-files"), HasSubstr("SLIPWAY_STATE_DIR"), HasSubstr("10GiB")));
  const auto all = json({"config", "--s3-anonymous", "yes"});
  EXPECT_EQ(all.at("settings").size(), setting_specs().size());
  EXPECT_THAT(all.at("files"), IsEmpty());
  const auto one = json({"config", "max_image_size"});
  EXPECT_EQ(one.at("value"), 10737418240);
  EXPECT_EQ(one.at("origin").at("kind"), "default");
  EXPECT_EQ(json({"config", "download_timeout"}).at("value"), 300.0);
  EXPECT_EQ(json({"config", "s3_bucket"}).at("value"), nullptr);
  EXPECT_EQ(run({"config", "s3_region"}), 0);
  EXPECT_EQ(out_, "us-east-1\n");
  EXPECT_EQ(run({"config", "s3_regoin"}), 2);
  EXPECT_THAT(err_, HasSubstr("did you mean s3_region?"));
}

TEST_F(ProgramTest, CompletionKnowsImagesAndRunsOfTheLinesStateFolder) {
  make_state();
  EXPECT_EQ(run({"__complete", "show", ""}), 0);
  EXPECT_EQ(out_, "alpine-3.19\tready\nold-debian\tvulnerable\nbroken\tfailed\n");
  EXPECT_EQ(run({"__complete", "runs", "show", sample_.errored.to_string().substr(0, 25)}), 0);
  EXPECT_THAT(out_, HasSubstr(sample_.errored.to_string() + "\tdownload-image broken aborted"));
  EXPECT_EQ(run({"__complete", "runs", "--machine", ""}), 0);
  EXPECT_EQ(out_, "download-image\t\n");
  EXPECT_EQ(run({"__complete", "--state-dir", dir_.file("other"), "show", ""}), 0);
  EXPECT_THAT(out_, IsEmpty());
  input_.environment.variables["SLIPWAY_NONSENSE"] = "1";  // no shell wants to hear of it
  EXPECT_EQ(run({"__complete", "sh"}), 0);
  EXPECT_THAT(out_, StartsWith("show\t"));
  EXPECT_THAT(err_, IsEmpty());
}

TEST_F(ProgramTest, ALockedOutCatalogIsAnErrorNotAnEmptyList) {
  std::ofstream(dir_.file("state/catalog.db")) << std::string(5000, 'x');
  EXPECT_EQ(run({"list"}), 1);
  EXPECT_THAT(err_, HasSubstr("catalog.db"));
}

TEST(Commands, OfferOnlyStatesThatExist) {
  const auto values = [](std::string_view command, std::string_view option) {
    const auto& options = find_command(all_commands(), command)->options;
    return std::ranges::find(options, option, &OptionSpec::name)->values;
  };
  const auto statuses = values("list", "--status");
  EXPECT_EQ(statuses.size(), 8U);
  for (const auto& name : statuses) EXPECT_TRUE(catalog::parse_status(name)) << name;
  const auto states = values("runs", "--state");
  EXPECT_EQ(states.size(), std::variant_size_v<fsm::RunState>);
  for (const auto& name : states) EXPECT_TRUE(fsm::is_state_name(name)) << name;
  const auto endings = values("runs", "--ending");
  EXPECT_EQ(endings.size(), 5U);
  for (const auto& name : endings) EXPECT_TRUE(fsm::parse_ending(name)) << name;
}

TEST(ManualPage, HasEveryCommandAndSetting) {
  const auto page = manual_page(all_commands(), "1.2.3");
  EXPECT_THAT(page, StartsWith(".TH SLIPWAY 1"));
  EXPECT_THAT(page, HasSubstr(".SH NAME\nslipway \\- "));
  for (const auto& command : all_commands()) {
    std::string name;  // as roff spells a hyphen
    for (const char c : command.name) name += c == '-' ? "\\-" : std::string(1, c);
    EXPECT_EQ(page.find(".SS \"" + name + "\"") == std::string::npos, command.hidden) << command.name;
  }
  for (const auto& spec : setting_specs()) EXPECT_THAT(page, HasSubstr("\\fB" + spec.name + "\\fR"));
}

}  // namespace
}  // namespace slipway::cli

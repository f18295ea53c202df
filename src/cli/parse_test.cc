#include "cli/parse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/commands.h"
#include "cli/completion.h"

namespace slipway::cli {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Words = std::vector<std::string>;

Result<CommandLine> parse(const Words& words) { return parse_command_line(words, all_commands()); }
std::string refusal(const Words& words) {
  auto line = parse(words);
  return line ? "no error" : line.error().describe();
}

TEST(ParseCommandLine, GlobalOptionsStandBeforeOrAfterTheCommand) {
  for (const auto& words : {Words{"--json", "--s3-bucket", "b", "list", "--status", "ready"},
                            Words{"list", "--status=ready", "--s3-bucket=b", "--json"}}) {
    const auto line = parse(words).value();
    EXPECT_EQ(line.command->name, "list");
    EXPECT_TRUE(line.json);
    EXPECT_EQ(line.arguments.get("--status"), "ready");
    ASSERT_EQ(line.settings.size(), 1U);
    EXPECT_EQ(line.settings[0].key, "s3_bucket");
    EXPECT_EQ(line.settings[0].value, "b");
    EXPECT_EQ(line.settings[0].origin.describe(), "flag --s3-bucket");
  }
}

TEST(ParseCommandLine, CommandsBelowOthersAreFound) {
  EXPECT_EQ(parse({"runs"})->command->name, "runs");
  const auto line = parse({"runs", "show", "01ABC", "--json"}).value();
  EXPECT_EQ(line.command->name, "runs show");
  EXPECT_EQ(line.arguments.at("VERSION"), "01ABC");
  EXPECT_TRUE(line.json);
}

TEST(ParseCommandLine, AnArgumentMayBeNamedLikeACommand) {
  EXPECT_EQ(parse({"show", "list"})->arguments.at("IMAGE"), "list");
  EXPECT_EQ(parse({"show", "show"})->arguments.at("IMAGE"), "show");
  EXPECT_EQ(parse({"runs", "show", "runs"})->arguments.at("VERSION"), "runs");
}

TEST(ParseCommandLine, ValuesAreTakenAsTheyAre) {
  EXPECT_EQ(parse({"show", "[a,b]"})->arguments.at("IMAGE"), "[a,b]");
  EXPECT_EQ(parse({"list", "--s3-prefix", "[x]"})->settings[0].value, "[x]");
  EXPECT_EQ(parse({"list", "--s3-prefix="})->settings[0].value, "");
  EXPECT_EQ(parse({"list", "--s3-prefix", ""})->settings[0].value, "");
  EXPECT_EQ(parse({"list", "--s3-prefix=a=b"})->settings[0].value, "a=b");
  EXPECT_EQ(parse({"show", "--", "--json"})->arguments.at("IMAGE"), "--json");
  EXPECT_FALSE(parse({"show", "--", "--json"})->json);
  EXPECT_EQ(parse({"show", "-"})->arguments.at("IMAGE"), "-");
}

TEST(ParseCommandLine, SetTakesAnyKey) {
  const auto line = parse({"config", "--set", "policy_setuid=allow", "--set=max_files=3"}).value();
  ASSERT_EQ(line.settings.size(), 2U);
  EXPECT_EQ(line.settings[0].key, "policy_setuid");
  EXPECT_EQ(line.settings[1].value, "3");
  EXPECT_THAT(refusal({"config", "--set", "x"}), HasSubstr("KEY=VALUE"));
}

TEST(ParseCommandLine, OlderSpellingsAreFlagsToo) {
  EXPECT_EQ(parse({"list", "--trivy-enabled", "false"})->settings[0].key, "trivy_enabled");
}

TEST(ParseCommandLine, CountsVerbose) {
  EXPECT_EQ(parse({"list", "-v", "--verbose"})->verbose, 2);
  EXPECT_EQ(parse({"list", "-vv"})->verbose, 2);
  EXPECT_EQ(parse({"list"})->verbose, 0);
}

TEST(ParseCommandLine, UnknownWordsAreNamedWithTheNearestRightOne) {
  EXPECT_THAT(refusal({"lst"}), AllOf(HasSubstr("no command lst"), HasSubstr("`slipway list`")));
  EXPECT_THAT(refusal({"list", "--statsu", "x"}), AllOf(HasSubstr("no option --statsu"), HasSubstr("--status")));
  EXPECT_THAT(refusal({"--s3-bukcet=x", "list"}), AllOf(HasSubstr("--s3-bukcet"), HasSubstr("--s3-bucket")));
  EXPECT_THAT(refusal({"runs", "shwo"}), AllOf(HasSubstr("no command runs shwo"), HasSubstr("runs show")));
  EXPECT_THAT(refusal({"list", "extra"}), HasSubstr("list does not take \"extra\""));
  EXPECT_THAT(refusal({"list", "-x"}), HasSubstr("no option -x"));
}

TEST(ParseCommandLine, MissingAndBadValuesAreNamed) {
  EXPECT_THAT(refusal({"show"}), HasSubstr("show needs IMAGE"));
  EXPECT_THAT(refusal({"list", "--status"}), HasSubstr("--status needs a value"));
  EXPECT_THAT(refusal({"list", "--status", "redy"}),
              AllOf(HasSubstr("--status cannot be \"redy\""), HasSubstr("did you mean ready?")));
  EXPECT_THAT(refusal({"completion", "csh"}), HasSubstr("bash, zsh, fish"));
}

TEST(ParseCommandLine, HelpNeedsNoArguments) {
  EXPECT_TRUE(parse({"show", "--help"})->help);
  EXPECT_TRUE(parse({"-h"})->help);
  EXPECT_EQ(parse({})->command, nullptr);
}

std::vector<std::string> offered(const Words& words, const CompletionSources& sources = {}) {
  std::vector<std::string> values;
  for (const auto& candidate : complete_words(words, all_commands(), sources).candidates)
    values.push_back(candidate.value);
  return values;
}

TEST(Complete, OffersCommandsAndThoseBelow) {
  EXPECT_THAT(offered({""}),
              AllOf(Contains("list"), Contains("runs"), Not(Contains("__complete")), Not(Contains("runs show"))));
  EXPECT_THAT(offered({"sh"}), ElementsAre("show"));
  EXPECT_THAT(offered({"runs", ""}), ElementsAre("show", "cancel", "retry"));
  EXPECT_THAT(offered({"--json", "li"}), ElementsAre("list"));
}

TEST(Complete, OffersOptionsOfTheCommandAndOfAll) {
  EXPECT_THAT(offered({"list", "--st"}), ElementsAre("--status", "--state-dir"));
  EXPECT_THAT(offered({"--js"}), ElementsAre("--json"));
}

TEST(Complete, OffersValues) {
  EXPECT_THAT(offered({"list", "--status", "r"}), ElementsAre("ready"));
  EXPECT_THAT(offered({"list", "--status", "=", "r"}), ElementsAre("ready"));
  EXPECT_THAT(offered({"list", "--status="}), Contains("--status=ready"));
  EXPECT_THAT(offered({"list", "--policy", ""}), ElementsAre("standard", "strict"));
  EXPECT_THAT(offered({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(offered({"config", "s3_b"}), ElementsAre("s3_bucket"));
  EXPECT_TRUE(complete_words(Words{"--config", ""}, all_commands(), {}).files);
  EXPECT_TRUE(complete_words(Words{"--state-dir", ""}, all_commands(), {}).folders);
}

TEST(Complete, AsksTheDatabasesForImagesAndRuns) {
  CompletionSources sources;
  sources.images = [](std::string_view) { return std::vector<Candidate>{{"alpine", "ready"}, {"debian", "failed"}}; };
  sources.runs = [](std::string_view) { return std::vector<Candidate>{{"01AAA"}}; };
  EXPECT_THAT(offered({"show", "a"}, sources), ElementsAre("alpine"));
  EXPECT_THAT(offered({"show", "alpine", ""}, sources), IsEmpty());
  EXPECT_THAT(offered({"runs", "show", ""}, sources), ElementsAre("01AAA"));
  EXPECT_THAT(offered({"runs", "--id", "de"}, sources), ElementsAre("debian"));
  EXPECT_THAT(offered({"show", "--", ""}, sources), ElementsAre("alpine", "debian"));
}

}  // namespace
}  // namespace slipway::cli

#include "objects/profile_file.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <vector>

#include "objects/uri.h"
#include "sys/system_error.h"

namespace slipway::objects {
namespace {

constexpr std::size_t kMaxFile = 1 << 20;

std::string_view trim(std::string_view text) {
  const auto blank = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

// A comment after a value must have a blank before it: secrets may hold a #.
std::string_view without_comment(std::string_view value) {
  for (std::size_t i = 1; i < value.size(); ++i) {
    if ((value[i] == '#' || value[i] == ';') && (value[i - 1] == ' ' || value[i - 1] == '\t'))
      return value.substr(0, i);
  }
  return value;
}

// Nothing when there is no such file.
Result<std::optional<ProfileFile>> read_profiles(const std::filesystem::path& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) return std::nullopt;
  if (error) return fail(sys::system_error("look at", path.string(), error.value()));
  if (size > kMaxFile) return fail(ErrorKind::kInvalid, "{} is too big for a file of profiles", path.string());
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) return fail(sys::system_error("read", path.string(), errno != 0 ? errno : EIO));
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  auto parsed = parse_profile_file(text);
  if (!parsed) return parsed.error().during("read {}", path.string());
  return std::optional(std::move(*parsed));
}

std::string value_of(const std::map<std::string, std::string>& section, const std::string& name) {
  const auto found = section.find(name);
  return found == section.end() ? "" : found->second;
}

// Nothing when the section has no keys of its own.
Result<std::optional<ResolvedCredentials>> from_section(const std::map<std::string, std::string>& section,
                                                        const std::string& origin) {
  Credentials credentials{.access_key_id = value_of(section, "aws_access_key_id"),
                          .secret_access_key = value_of(section, "aws_secret_access_key"),
                          .session_token = value_of(section, "aws_session_token")};
  const bool id = !credentials.access_key_id.empty();
  if (id != !credentials.secret_access_key.empty()) {
    return fail(ErrorKind::kInvalid, "{} has {} without {}", origin, id ? "aws_access_key_id" : "aws_secret_access_key",
                id ? "aws_secret_access_key" : "aws_access_key_id");
  }
  if (id) return std::optional(ResolvedCredentials{.credentials = std::move(credentials), .origin = origin});
  for (const char* other : {"role_arn", "credential_process", "sso_session", "sso_start_url"}) {
    if (section.contains(other)) {
      return fail(Error(ErrorKind::kUnsupported, fmt::format("{} uses {}, which is not supported", origin, other))
                      .with_hint("set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN instead, as "
                                 "`aws configure export-credentials --format env` prints them"));
    }
  }
  return std::nullopt;
}

}  // namespace

Result<ProfileFile> parse_profile_file(std::string_view text) {
  ProfileFile file;
  std::map<std::string, std::string>* section = nullptr;
  int number = 0;
  while (!text.empty()) {
    ++number;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view content = trim(line);
    if (content.empty() || content.front() == '#' || content.front() == ';') continue;
    if (content.front() == '[') {
      const std::size_t close = content.find(']');
      if (close == std::string_view::npos)
        return fail(ErrorKind::kInvalid, "line {} opens a section without ]", number);
      section = &file[std::string(trim(content.substr(1, close - 1)))];
      continue;
    }
    if (line.front() == ' ' || line.front() == '\t') continue;  // a setting within a setting (s3 =): not for us
    const std::size_t equals = content.find('=');
    if (equals == std::string_view::npos) {
      return fail(ErrorKind::kInvalid, "line {} is neither [section] nor name = value", number);
    }
    if (section == nullptr) return fail(ErrorKind::kInvalid, "line {} stands before any [section]", number);
    (*section)[lower(trim(content.substr(0, equals)))] = trim(without_comment(content.substr(equals + 1)));
  }
  return file;
}

Result<std::optional<ResolvedCredentials>> credentials_from_environment(const Environment& environment) {
  const auto id = environment("AWS_ACCESS_KEY_ID");
  const auto secret = environment("AWS_SECRET_ACCESS_KEY");
  if (!id && !secret) return std::nullopt;
  if (!id || !secret) {
    return fail(Error(ErrorKind::kInvalid,
                      fmt::format("{} is set, but {} is not", id ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                                  id ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID"))
                    .with_hint("set both, or none"));
  }
  return std::optional(ResolvedCredentials{.credentials = {*id, *secret, environment("AWS_SESSION_TOKEN").value_or("")},
                                           .origin = "the environment"});
}

Result<std::optional<ResolvedCredentials>> credentials_from_files(const Environment& environment,
                                                                  const std::filesystem::path& home) {
  const auto chosen = environment("AWS_PROFILE");
  const std::string profile = chosen.value_or("default");
  struct Place {
    const char* variable;
    const char* name;
    bool config;  // sections are called "profile NAME", but for the default one
  };
  bool known = false;
  for (const Place& place :
       {Place{"AWS_SHARED_CREDENTIALS_FILE", "credentials", false}, Place{"AWS_CONFIG_FILE", "config", true}}) {
    std::filesystem::path path = environment(place.variable).value_or("");
    if (path.empty() && !home.empty()) path = home / ".aws" / place.name;
    if (path.empty()) continue;
    auto file = read_profiles(path);
    if (!file) return fail(file.error());
    if (!*file) continue;
    auto section = (*file)->find(place.config && profile != "default" ? "profile " + profile : profile);
    if (section == (*file)->end() && place.config) section = (*file)->find("profile " + profile);
    if (section == (*file)->end()) continue;
    known = true;
    auto found = from_section(section->second, fmt::format("the profile {} of {}", shown(profile), path.string()));
    if (!found || *found) return found;
  }
  if (chosen && !known) {
    return fail(
        Error(ErrorKind::kInvalid, fmt::format("AWS_PROFILE is {}, and there is no such profile", shown(profile)))
            .with_hint("look at ~/.aws/credentials and ~/.aws/config, or unset AWS_PROFILE"));
  }
  return std::nullopt;
}

}  // namespace slipway::objects

#include "debian_tar.h"

#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tar_writer.h"

namespace slipway::bench {
namespace {

constexpr std::uint64_t kSize = std::uint64_t{1} << 30U;
constexpr std::uint64_t kFiles = 30'000;
constexpr unsigned kPackages = 500;
constexpr std::uint64_t kFilesInPackage = kFiles / kPackages;

// Nine of ten below 16 KiB, a few libraries and archives: what is left to a GiB has one file of its own, as the
// archive of locales is.
std::uint64_t file_size(Noise& noise) {
  const double kind = noise.share();
  const auto even = [&noise](double least, double most) {  // over the logarithm
    return static_cast<std::uint64_t>(least * std::pow(most / least, noise.share()));
  };
  if (kind < 0.92) return even(64, 16'384);
  if (kind < 0.9985) return even(16'384, 1'000'000);
  return even(1'000'000, 24'000'000);
}

// VFS_CAP_REVISION_2 with the effective bit, as setcap cap_net_raw=ep writes it.
std::string net_raw_capability() {
  std::string value(20, '\0');
  value[0] = 0x01;
  value[3] = 0x02;
  value[5] = 0x20;
  return value;
}

class Plan {
 public:
  void folder(std::string name, std::uint32_t uid = 0) {
    entries_.push_back({.name = std::move(name) + "/", .type = '5', .mode = 0755, .uid = uid, .gid = uid});
  }
  void link(char type, std::string name, std::string target) {
    entries_.push_back({.name = std::move(name), .type = type, .mode = 0777, .target = std::move(target)});
  }
  void file(TarEntry entry) {
    ++files_;
    entries_.push_back(std::move(entry));
  }
  void ordinary_file(std::string name, unsigned mode = 0644) {
    file({.name = std::move(name), .mode = mode, .size = file_size(sizes_)});
  }

  [[nodiscard]] std::uint64_t files() const { return files_; }
  [[nodiscard]] const std::vector<TarEntry>& entries() const { return entries_; }

 private:
  std::vector<TarEntry> entries_;
  std::uint64_t files_ = 0;
  Noise sizes_{30};
};

void add_skeleton(Plan& plan) {
  for (const auto* name : {"etc", "etc/alternatives", "usr", "usr/bin", "usr/lib", "usr/lib/x86_64-linux-gnu",
                           "usr/lib/python3", "usr/lib/python3/dist-packages", "usr/share", "usr/share/doc",
                           "usr/share/locale", "var", "var/lib", "var/lib/dpkg", "var/lib/dpkg/info", "var/cache"}) {
    plan.folder(name);
  }
  plan.link('2', "bin", "usr/bin");
  plan.link('2', "lib", "usr/lib");
}

void add_program(Plan& plan, unsigned number, const std::string& name) {
  const std::string program = "usr/bin/" + name;
  TarEntry entry{.name = program, .mode = number % 100 == 0 ? 04755U : 0755U, .size = 20'000 + number * 211};
  if (number % 100 == 50) entry.pax = {{"SCHILY.xattr.security.capability", net_raw_capability()}};
  plan.file(std::move(entry));
  if (number % 5 == 0) plan.link('1', program + "-alias", program);
  if (number % 4 == 0) plan.link('2', "etc/alternatives/" + name, "/" + program);
}

void add_documents(Plan& plan, const std::string& name) {
  const std::string folder = "usr/share/doc/" + name;
  plan.folder(folder);
  plan.ordinary_file(folder + "/copyright");
  plan.ordinary_file(folder + "/changelog.Debian.gz");
  for (const auto* ending : {"list", "md5sums", "postinst"}) {
    plan.ordinary_file(fmt::format("var/lib/dpkg/info/{}.{}", name, ending), 0755);
  }
}

void add_library(Plan& plan, const std::string& name) {
  const std::string library = "lib" + name + ".so.1";
  plan.ordinary_file("usr/lib/x86_64-linux-gnu/" + library + ".2.3");
  plan.link('2', "usr/lib/x86_64-linux-gnu/" + library, library + ".2.3");
}

void add_own_folder(Plan& plan, unsigned number, const std::string& name) {
  const std::uint32_t user = 100 + number % 30;
  plan.folder("var/cache/" + name, user);
  TarEntry entry{.name = "var/cache/" + name + "/state", .mode = 0640, .uid = user, .gid = user, .size = 3000};
  if (number % 50 == 0) entry.pax = {{"SCHILY.xattr.user.origin", "package " + name}};
  plan.file(std::move(entry));
}

// The rest of a package's files, seven to a folder, each folder below the one before, up to four deep.
void add_modules(Plan& plan, unsigned number, const std::string& name, std::uint64_t until) {
  const std::string_view folder_name = number % 10 == 0 ? "component_of_the_package" : "part";
  const std::string top = "usr/lib/python3/dist-packages/" + name;
  plan.folder(top);
  std::string folder = top;
  for (unsigned i = 0; plan.files() < until; ++i) {
    if (i % 28 == 0) folder = top;
    if (i % 7 == 0) plan.folder(folder += fmt::format("/{}_{}", folder_name, i / 7));
    plan.ordinary_file(fmt::format("{}/module_{}.py", folder, i));
  }
}

Plan make_plan() {
  Plan plan;
  add_skeleton(plan);
  for (unsigned number = 0; number < kPackages; ++number) {
    const std::string name = fmt::format("package{}", number * 7919 % 1000);
    add_program(plan, number, name);
    add_documents(plan, name);
    add_library(plan, name);
    if (number % 3 == 0) add_own_folder(plan, number, name);
    const bool last = number + 1 == kPackages;
    add_modules(plan, number, name, (number + 1) * kFilesInPackage - (last ? 1 : 0));
  }
  std::uint64_t used = kTarEnd + kTarBlock;
  for (const TarEntry& entry : plan.entries()) used += entry.size_in_tar();
  if (used > kSize) throw std::logic_error(fmt::format("the files are {} bytes too many", used - kSize));
  plan.file({.name = "usr/lib/locale-archive", .size = kSize - used});
  return plan;
}

}  // namespace

void write_debian_tar(const std::string& path) {
  const Plan plan = make_plan();
  TarWriter out(path);
  Noise noise(1);
  for (const TarEntry& entry : plan.entries()) out.add(entry, noise);
  out.end();
  out.close();
  if (plan.files() != kFiles || out.written() != kSize) {
    throw std::logic_error(fmt::format("{} has {} files, {} bytes", path, plan.files(), out.written()));
  }
}

void write_flat_tar(const std::string& path, std::uint64_t files) {
  TarWriter out(path);
  Noise noise(2);
  for (const auto* name : {"etc/", "usr/", "var/", "var/many/"})
    out.add({.name = name, .type = '5', .mode = 0755}, noise);
  for (std::uint64_t i = 0; i < files; ++i) {
    out.add({.name = fmt::format("var/many/file-{}.dat", i), .size = 100}, noise);
  }
  out.end();
  out.close();
}

}  // namespace slipway::bench

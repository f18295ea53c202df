#include "volumes/thin/thin_ls.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "sys/descriptor.h"
#include "sys/process.h"
#include "sys/system_error.h"
#include "volumes/thin/kernel_text.h"

namespace slipway::volumes {
namespace {

constexpr std::size_t kMost = 256U << 20;  // bytes: more than a line for each id that there can be

std::optional<std::string> program() {
  for (const auto* folder : {"/usr/sbin/", "/sbin/", "/usr/local/sbin/", "/usr/bin/"}) {
    auto path = std::string(folder) + "thin_ls";
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

Result<std::string> node_of(const std::string& number) {
  std::ifstream file("/sys/dev/block/" + number + "/uevent");
  std::string line;
  constexpr std::string_view kKey = "DEVNAME=";
  while (std::getline(file, line)) {
    if (line.starts_with(kKey)) return "/dev/" + line.substr(kKey.size());
  }
  return fail(ErrorKind::kNotFound, "the pool's metadata device {} has no name in /sys", number);
}

Result<std::string> read_all(int fd) {
  std::string text;
  std::array<char, 65536> buffer{};
  while (text.size() < kMost) {
    const auto got = ::read(fd, buffer.data(), buffer.size());
    if (got == 0) return text;
    if (got < 0 && errno != EINTR) return fail(sys::system_error("read", "what thin_ls says", errno));
    if (got > 0) text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return fail(ErrorKind::kCorrupt, "thin_ls does not come to an end");
}

// What it writes to both, and how it ended.
Result<std::pair<std::string, sys::ProcessEnd>> run(const sys::SpawnOptions& given) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return fail(sys::system_error("make", "a pipe", errno));
  const sys::Descriptor reader(ends[0]);
  sys::Descriptor writer(ends[1]);
  const sys::Descriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  auto options = given;
  options.descriptors = {{0, nothing.get()}, {1, writer.get()}, {2, writer.get()}};
  auto process = sys::Process::start(options);
  if (!process) return fail(std::move(process.error()));
  writer = sys::Descriptor();
  auto text = read_all(reader.get());
  if (!text) return fail(std::move(text.error()));
  return std::pair(std::move(*text), process->wait());
}

}  // namespace

Result<std::vector<DeviceId>> ids_in_held_metadata(const std::string& metadata) {
  const auto executable = program();
  if (!executable) {
    return fail(Error(ErrorKind::kUnsupported, "the program thin_ls, which lists a thin pool's devices, is not here")
                    .with_hint("install the package thin-provisioning-tools"));
  }
  auto node = node_of(metadata);
  if (!node) return fail(std::move(node.error()));
  auto done = run({.executable = *executable, .arguments = {"--metadata-snap", "--no-headers", "-o", "DEV", *node}});
  if (!done) return fail(std::move(done.error()));
  const auto& [text, end] = *done;
  if (end.signalled || end.code != 0) {
    return fail(ErrorKind::kIo, "thin_ls cannot read {}: {}", *node, text.substr(0, std::min(text.find('\n'), 200UL)));
  }
  auto ids = parse_id_list(text);
  if (!ids) return fail(ErrorKind::kUnsupported, "thin_ls writes something else than a list of ids");
  return std::move(*ids);
}

}  // namespace slipway::volumes

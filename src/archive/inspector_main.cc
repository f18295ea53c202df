#include <cerrno>
#include <csignal>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include <iconv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/image.h"
#include "archive/inspection_frames.h"
#include "archive/inspector.h"
#include "base/digest.h"
#include "sys/sandbox.h"

namespace slipway::archive {
namespace {

constexpr int kFile = 0;
constexpr int kAnswers = 1;
constexpr int kOrder = 3;
constexpr std::uint64_t kTicksPerWord = 16;  // a tick comes for each 128 KiB that are read
constexpr std::uint64_t kAddressSpace = 512ULL << 20;

// False: nobody listens any more.
bool send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(kAnswers, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

Result<std::string> receive_order() {
  std::string text;
  std::string piece(4096, '\0');
  for (;;) {
    const ssize_t got = ::read(kOrder, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(ErrorKind::kIo, "the order cannot be read");
    if (got == 0) break;
    text.append(piece, 0, static_cast<std::size_t>(got));
    if (text.size() > kMaxFrame) break;
  }
  if (text.size() < kFrameHead || frame_length(text) != text.size() - kFrameHead) {
    return fail(ErrorKind::kInvalid, "there is no order: this is a command that the program calls by itself");
  }
  return text.substr(kFrameHead);
}

Inspection summary(Survey seen) {
  Inspection out{.kind = seen.kind,
                 .layers = seen.layers.size(),
                 .entries = seen.entries,
                 .findings = std::move(seen.findings),
                 .findings_total = seen.findings_total};
  for (std::size_t i = 0; i < seen.tree.inode_count(); ++i) {
    const Inode& inode = seen.tree.inode(InodeId{static_cast<std::uint32_t>(i)});
    if (inode.links == 0 || inode.type != EntryType::kFile) continue;
    ++out.files;
    out.total_size += inode.size;
  }
  return out;
}

std::string inspect(const Order& order) {
  std::uint64_t ticks = 0;
  std::uint64_t before = 0;
  std::uint64_t passed = 0;
  const Tick tick = [&](std::uint64_t position) -> Result<> {
    passed += position >= before ? position - before : position;  // less: it is read once more
    before = position;
    if (++ticks % kTicksPerWord != 0) return {};
    if (!send(frame(Progress{passed}))) return fail(ErrorKind::kCancelled, "nobody listens");
    return {};
  };
  try {
    auto seen = survey({.fd = kFile, .size = order.size, .tick = tick}, order.policy);
    return seen ? frame(summary(std::move(*seen))) : frame(seen.error());
  } catch (const std::bad_alloc&) {
    return frame(Error(ErrorKind::kRejected,
                       fmt::format("reading the archive takes more than {} MiB of memory", kAddressSpace >> 20U)));
  } catch (const std::exception& e) {
    return frame(Error(ErrorKind::kInternal, e.what()));
  }
}

// The C library's conversions, which libarchive asks for, and OpenSSL open files when they are first used: too late
// inside.
void use_what_opens_files() {
  for (const auto& [to, from] : {std::pair{"ANSI_X3.4-1968", "UTF-8"}, std::pair{"UTF-8", "ANSI_X3.4-1968"}}) {
    const iconv_t conversion = ::iconv_open(to, from);
    const auto none = reinterpret_cast<iconv_t>(-1);  // NOLINT(performance-no-int-to-ptr): how iconv says it
    if (conversion != none) ::iconv_close(conversion);
  }
  static_cast<void>(sha256_hex(""));
}

}  // namespace

int inspector_main() {
  ::signal(SIGPIPE, SIG_IGN);
  auto body = receive_order();
  auto order = body ? parse_order(*body) : Result<Order>(fail(body.error()));
  if (!order) {
    send(frame(order.error()));
    return 1;
  }
  use_what_opens_files();
  const sys::SandboxOptions options{.address_space = kAddressSpace,
                                    .cpu_seconds = order->cpu_seconds,
                                    .output = kAnswers,
                                    .parent = static_cast<pid_t>(order->parent)};
  if (auto locked = sys::enter_sandbox(options); !locked) {
    send(frame(locked.error()));
    ::_exit(1);
  }
  ::_exit(send(inspect(*order)) ? 0 : 1);
}

}  // namespace slipway::archive

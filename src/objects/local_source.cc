#include "objects/local_source.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

#include "objects/local_folder.h"
#include "objects/uri.h"
#include "sys/mutex.h"
#include "sys/system_error.h"

namespace slipway::objects {
namespace {

constexpr std::size_t kPiece = 256 << 10;
constexpr std::size_t kThreads = 2;

Error replaced(const std::string& key) {
  return {ErrorKind::kConflict, fmt::format("the object {} was replaced meanwhile", shown(key))};
}

// Whether the open file is still what the key names, and unchanged.
bool still_the_same(int root, const OpenedFile& file) {
  struct stat status{};
  if (::fstat(file.descriptor.get(), &status) != 0 || info_of({}, status).etag != file.info.etag) return false;
  const auto again = open_below(root, file.info.key);
  return again && again->info.etag == file.info.etag;
}

Result<> read_range(int root, const RangeRequest& request, RangeReceiver& receiver, const std::stop_token& stop) {
  const auto file = open_below(root, request.key);
  if (!file) return fail(file.error());
  if ((!request.etag.empty() && file->info.etag != request.etag) || file->info.size != request.object_size) {
    return fail(replaced(request.key));
  }
  std::vector<std::byte> buffer(std::min<std::uint64_t>(kPiece, std::max<std::uint64_t>(request.length, 1)));
  for (std::uint64_t done = 0; done < request.length;) {
    if (stop.stop_requested()) return fail(ErrorKind::kCancelled, "stopped while reading {}", shown(request.key));
    const auto want = std::min<std::uint64_t>(buffer.size(), request.length - done);
    const ssize_t got = ::pread(file->descriptor.get(), buffer.data(), want, static_cast<off_t>(request.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(sys::system_error("read", request.key, errno));
    if (got == 0) return fail(replaced(request.key));  // shorter than it was
    done += static_cast<std::uint64_t>(got);
    // Before the last piece is handed out, so that nobody has all the bytes of a file that changed under them.
    if (done == request.length && !still_the_same(root, *file)) return fail(replaced(request.key));
    if (auto taken = receiver.bytes(std::span(buffer.data(), static_cast<std::size_t>(got))); !taken) return taken;
  }
  return {};
}

}  // namespace

// A few threads that read; made when there is first something to read.
class LocalSource::Readers {
 public:
  struct Job {
    RangeRequest request;
    std::shared_ptr<RangeReceiver> receiver;
    std::stop_token stop;
  };

  explicit Readers(int root) : root_(root) {}
  ~Readers() {
    {
      const sys::Lock lock(mutex_);
      ending_.request_stop();
      changed_.notify_all();
    }
    threads_.clear();
    for (Job& job : jobs_) job.receiver->done(fail(ErrorKind::kCancelled, "the source was closed"));
  }
  Readers(const Readers&) = delete;
  Readers& operator=(const Readers&) = delete;

  void add(Job job) SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    jobs_.push_back(std::move(job));
    if (idle_ == 0 && threads_.size() < kThreads) threads_.emplace_back([this] { work(); });
    changed_.notify_one();
  }

 private:
  void work() SLIPWAY_EXCLUDES(mutex_) {
    const sys::Lock lock(mutex_);
    while (!ending_.stop_requested()) {
      if (jobs_.empty()) {
        ++idle_;
        sys::Borrowed borrowed(mutex_);
        changed_.wait(borrowed.lock());
        --idle_;
        continue;
      }
      const Job job = std::move(jobs_.front());
      jobs_.pop_front();
      const sys::Unlock unlocked(mutex_);
      run(job);
    }
  }

  void run(const Job& job) {
    std::stop_source either;
    const std::stop_callback by_caller(job.stop, [&] { either.request_stop(); });
    const std::stop_callback by_owner(ending_.get_token(), [&] { either.request_stop(); });
    job.receiver->done(read_range(root_, job.request, *job.receiver, either.get_token()));
  }

  int root_;
  std::stop_source ending_;
  sys::Mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_ SLIPWAY_GUARDED_BY(mutex_);
  std::size_t idle_ SLIPWAY_GUARDED_BY(mutex_) = 0;
  std::vector<std::jthread> threads_;
};

Result<std::unique_ptr<LocalSource>> LocalSource::open(const std::filesystem::path& folder) {
  sys::Descriptor root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!root) return fail(sys::system_error("open the folder of the bucket", folder.string(), errno));
  return std::unique_ptr<LocalSource>(new LocalSource(folder.string(), std::move(root)));
}

LocalSource::LocalSource(std::string folder, sys::Descriptor root)
    : folder_(std::move(folder)), root_(std::move(root)), readers_(std::make_unique<Readers>(root_.get())) {}

LocalSource::~LocalSource() = default;

std::string LocalSource::describe() const { return "file://" + percent_encode(folder_, Slash::kKeep); }

Result<ObjectInfo> LocalSource::head(const std::string& key, std::stop_token /*stop*/) {
  if (auto checked = check_key(key); !checked) return fail(checked.error());
  auto file = open_below(root_.get(), key);
  if (!file) return file.error().during("look at {} in {}", shown(key), describe());
  return std::move(file->info);
}

Result<ObjectPage> LocalSource::list(const ListRequest& request, std::stop_token stop) {
  ObjectPage page;
  const std::size_t most = std::max<std::uint32_t>(1, request.max_keys);
  std::vector<std::pair<std::string, Error>> unreadable;  // by key, in order
  const FolderVisitor visitor{
      .object =
          [&](ObjectInfo info) {
            if (page.objects.size() == most) {
              page.next = page.objects.back().key;
              return false;
            }
            page.objects.push_back(std::move(info));
            return true;
          },
      .unreadable = [&](const std::string& key, const Error& why) { unreadable.emplace_back(key, why); }};
  auto walked = walk_below(root_.get(), request.prefix, request.after, visitor, stop);
  if (!walked) return walked.error().during("list {}", describe());
  for (auto& [key, why] : unreadable) {
    if (page.next.empty() || key < page.next) page.unreadable.push_back(std::move(why));  // else the next page's
  }
  return page;
}

void LocalSource::read(RangeRequest request, std::shared_ptr<RangeReceiver> receiver, std::stop_token stop) {
  if (auto checked = check_range(request); !checked) return receiver->done(std::move(checked));
  readers_->add({std::move(request), std::move(receiver), std::move(stop)});
}

}  // namespace slipway::objects

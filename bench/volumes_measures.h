// What benchmarks of volumes measure. Every failure throws.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "report.h"

namespace slipway::bench {

inline constexpr std::uint64_t kVolumeSize = 10ULL << 30;  // bytes: what an image's volume has when nothing else is set
inline constexpr const char* kFillArgument = "fill-volume";  // tells the program to be the Extractor's child

// A scratch folder with the images in it, as a bucket has them, and what can be done on this machine.
struct VolumesBench {
  std::string folder;
  std::string bucket;       // "file://…"
  std::string www;          // the folder of all buckets
  std::string debian;       // the tar of write_debian_tar()
  std::string flat;         // that of write_flat_tar(), 100,000 files
  std::string no_mounting;  // why file systems cannot be mounted here; empty: they can
  std::string sharing;      // a folder where files can share blocks
  std::string no_sharing;   // why there is none; empty: there is

  [[nodiscard]] std::string file(const std::string& name) const { return folder + "/" + name; }
};

inline constexpr const char* kImagesBucket = "machines";
inline constexpr const char* kDebianKey = "debian.tar";
inline constexpr const char* kFlatKey = "flat.tar";

// The tables of the measures, by what they take.
[[nodiscard]] std::vector<Measure> measure_filling(const VolumesBench& bench);
[[nodiscard]] std::vector<Measure> measure_pipeline(const VolumesBench& bench);
[[nodiscard]] std::vector<Measure> measure_activating(const VolumesBench& bench);
[[nodiscard]] std::vector<Measure> measure_unpacking_memory(const VolumesBench& bench);

// `mkfs.ext4 && mount -o loop && tar -xpf && sync && umount`, into `volume`, a new file.
void loop_mount_commands(const VolumesBench& bench, const std::string& tar, const std::string& volume);

// One of several ways to the same end; gives the seconds it took, and leaves nothing.
struct Contestant {
  std::string name;
  std::function<double()> run;
  std::vector<double> seconds{};

  [[nodiscard]] double median_seconds() const { return median(seconds); }
};

// Turn about, each first in its turn: what one leaves for the other (a busy disk, a warm cache) evens out. Before each,
// all that was written is synced, and `input` is read into the page cache.
void take_turns(std::string_view what, const std::string& input, int rounds, std::vector<Contestant>& contestants);

// The program's words for these settings and this image; more are to be added behind.
[[nodiscard]] std::vector<std::string> slipway_words(const std::string& state, const std::string& bucket,
                                                     const std::vector<std::string>& more);

}  // namespace slipway::bench

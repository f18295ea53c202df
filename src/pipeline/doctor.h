// Whether the catalog, the pool, the runs and the folder of images agree, and how to make them.
//
// What a run is under way for is nobody else's business: it is left out, here and when healing. What carries no
// reservation of ours is somebody else's: it is told of, never touched.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "fsm/run.h"
#include "volumes/pool.h"

namespace slipway::pipeline {

// Rules, short and stable:
//
//   catalog-*                  the catalog breaks its own rules: catalog/consistency.h
//   pool                       what the pool says of itself
//   pool-not-running           a thin pool that is to be started; nothing is known of its devices
//   pool-transaction           a thin pool's transaction id is not the one that is recorded: another program works with
//                              the pool
//   pool-lost                  nothing of what is recorded in the pool is in it: another pool, or its disk is not there
//   volume-damaged             a volume's device has not the size that it was made with
//   volume-without-device      a volume's device is not in the pool
//   snapshot-without-device    a snapshot's device is not in the pool
//   snapshot-not-active        recorded as active, and its device is not (after a reboot)
//   device-active              active, and recorded as inactive: nobody's
//   device-without-row         ours, and neither a volume nor a snapshot
//   device-to-delete           it was in use when it was to be deleted
//   device-of-others           not ours
//   id-without-device          reserved for something that was never made
//   leftover                   something half-made in the pool
//   lock-of-dead-run           an image locked by a run that has ended
//   file-without-image         in the folder of images, and no image's: what is left of a download, or a whole image
//   image-without-file         downloaded, and its file is gone: the next fetch gets it again
struct Ailment {
  // What healing does about it.
  enum class Cure : std::uint8_t {
    kNone,  // it takes a person
    kForgetVolume,
    kForgetSnapshot,
    kNoteInactive,
    kDeactivate,
    kDiscard,
    kReleaseId,
    kRemoveLeftovers,
    kBreakLock,
    kRemoveFile,
    kNoteTransaction,
  };

  std::string rule{};
  std::string sentence{};
  Cure cure = Cure::kNone;
  std::string advice{};  // where there is no cure
  // What the cure is about.
  volumes::DeviceSpec device{};
  std::string subject{};  // an image's id, a snapshot's name, a path, a lock's holder
};

struct DoctorParts {
  catalog::Catalog* catalog = nullptr;
  volumes::Pool* pool = nullptr;
  // The runs that fit, newest first.
  std::function<Result<std::vector<fsm::RunRecord>>(const fsm::RunFilter&)> runs{};
  std::filesystem::path images{};
  // False: only what a crash or a reboot leaves, which costs little: active devices, ids without a row, what is
  // half-made, locks.
  bool thorough = true;
  // False: rows whose devices are missing are told of, and not forgotten. Nobody has looked yet whether the right disk
  // is mounted.
  bool may_forget = true;
};

[[nodiscard]] Result<std::vector<Ailment>> examine(const DoctorParts& parts);

// The one that may change all of this (the owner of the runs) heals what can be healed. What could not be is told with
// the reason, and does not keep the rest from being healed.
struct Treatment {
  Ailment ailment{};
  bool healed = false;
  std::string why_not{};
};
inline constexpr const char* kReconcileMachine = "reconcile";

[[nodiscard]] Result<std::vector<Treatment>> heal(const DoctorParts& parts, const Logger& log);

}  // namespace slipway::pipeline

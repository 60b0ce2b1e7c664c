// admission.hpp: decides which units of a batch run at once, so that the threads and the memory of the process suffice.
//
// Units begin in their order. A unit that begins holds the bytes of its input files; its reader, which knows the size
// of the image before it allocates any, asks for the rest. That is an estimate. A unit that runs out of memory beside
// others is therefore repeated while no other runs, and fails only if it fails then.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "output.hpp"

namespace onepass::cli {

class Admission;

/// What one unit may use while it runs, and its order among the units that run at once.
class UnitShare {
 public:
  /// The share of a unit that runs without others.
  explicit UnitShare(uint32_t threads) : threads_(threads) {}
  /// To be passed to Admission::begin().
  UnitShare() = default;
  UnitShare(const UnitShare&) = delete;
  UnitShare& operator=(const UnitShare&) = delete;

  /// CPU threads for the unit; 0: all. The number may change when need_memory() returns.
  [[nodiscard]] uint32_t threads() const { return threads_; }

  /// Blocks until the memory for an image whose reading takes `bytes` is free.
  void need_memory(uint64_t bytes);

  /// Blocks until every earlier unit has ended or called let_later_pass(). For state that passes from unit to unit.
  /// Errors: kOutOfMemory if an earlier unit has to be repeated, for which this one must release its memory first.
  [[nodiscard]] Result<void> wait_for_earlier();
  void let_later_pass();

 private:
  friend class Admission;
  enum class State { kRuns, kWaitsForMemory, kWaitsForEarlier, kWaitsToBeAlone };

  Admission* admission_ = nullptr;
  size_t unit_ = 0;
  uint32_t threads_ = 0;
  uint64_t held_ = 0;  // bytes
  State state_ = State::kRuns;
  bool sized_ = false;        // the reader has asked for memory
  bool accompanied_ = false;  // another unit ran meanwhile
  bool alone_ = false;        // no other unit may begin
  bool passed_ = false;
};

struct AdmissionLimits {
  uint32_t threads = 1;        ///< Of the process.
  uint64_t memory = 0;         ///< Bytes, of the process.
  uint32_t memory_factor = 1;  ///< Peak of a unit's memory as a multiple of the memory that reading takes.
};

/// The most units that run at once.
[[nodiscard]] size_t most_at_once(size_t units, const AdmissionLimits& limits);

/// Threads: any number of calls at once, with different shares.
class Admission {
 public:
  Admission(std::span<const Unit> units, const AdmissionLimits& limits);

  /// Blocks until the next unit may run, and returns its position among `units`; units.size() if there is none.
  size_t begin(UnitShare& share);

  /// Whether a unit that ran out of memory may be repeated: if others ran beside it. Then blocks until none does.
  bool begin_alone(UnitShare& share);

  void end(UnitShare& share);

  /// No further unit begins.
  void stop();

 private:
  friend class UnitShare;
  using State = UnitShare::State;

  void weigh_next();
  [[nodiscard]] bool may_begin() const;
  [[nodiscard]] bool may_hold(const UnitShare& share, uint64_t bytes) const;
  [[nodiscard]] bool may_be_alone(const UnitShare& share) const;
  [[nodiscard]] uint32_t threads_for(uint64_t bytes) const;

  std::span<const Unit> units_;
  AdmissionLimits limits_;
  size_t most_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<UnitShare*> active_;
  size_t next_ = 0;
  uint64_t next_bytes_ = 0;  // of the input files of unit next_
  bool next_alone_ = false;  // they have no size: pipes, devices
  bool stopped_ = false;
};

}  // namespace onepass::cli

// admission.cpp: every decision is a function of the shares of the units that run; each change wakes
// all waiting threads, which decide again.
//
// No unit waits for ever. The earliest unit waits for memory only while another unit runs. If all units wait, it gets
// the memory although the sum then exceeds the limit.
#include "admission.hpp"

#include <algorithm>

#include "path_of.hpp"

namespace onepass::cli {
namespace {

namespace fs = std::filesystem;

// Share of the limit that units get; the rest is for the program itself, stacks and fragmentation.
constexpr uint64_t share_of_units(uint64_t memory) { return memory / 4 * 3; }

// A unit needs at least this much of the limit: a thread's stack alone takes 8 MiB.
constexpr uint64_t kLeastPerUnit = uint64_t{64} << 20;

// Bytes of an image per byte of its compressed file, for a first guess.
constexpr uint64_t kInflation = 8;

}  // namespace

size_t most_at_once(size_t units, const AdmissionLimits& limits) {
  const uint64_t fit = std::max<uint64_t>(limits.memory / kLeastPerUnit, 1);
  return static_cast<size_t>(std::min<uint64_t>({units, std::max(limits.threads, 1U), fit}));
}

Admission::Admission(std::span<const Unit> units, const AdmissionLimits& limits)
    : units_(units), limits_(limits), most_(most_at_once(units.size(), limits)) {
  limits_.memory = share_of_units(limits.memory);
  active_.reserve(most_);
  weigh_next();
}

void Admission::weigh_next() {
  next_bytes_ = 0;
  next_alone_ = false;
  if (next_ == units_.size()) return;
  for (const std::string& input : units_[next_].inputs) {
    std::error_code error;
    const fs::file_status status = fs::status(path_of(input), error);
    if (!fs::exists(status)) continue;  // reading it will say why
    if (!fs::is_regular_file(status)) next_alone_ = true;
    const uint64_t bytes = next_alone_ ? 0 : fs::file_size(path_of(input), error);
    if (!error) next_bytes_ += bytes;
  }
}

bool Admission::may_begin() const {
  if (active_.empty()) return true;
  if (active_.size() >= most_ || next_alone_) return false;
  uint64_t held = next_bytes_;
  for (const UnitShare* other : active_) {
    if (other->alone_ || other->state_ == State::kWaitsToBeAlone) return false;
    held += other->held_;
  }
  return held <= limits_.memory;
}

bool Admission::may_hold(const UnitShare& share, uint64_t bytes) const {
  bool all_wait = true;
  uint64_t held = bytes;
  for (const UnitShare* other : active_) {
    if (other == &share || other->state_ == State::kWaitsToBeAlone) continue;
    const bool asks = !other->sized_ || other->state_ == State::kWaitsForMemory;
    if (asks && other->unit_ < share.unit_) return false;
    if (other->state_ == State::kRuns) all_wait = false;
    held += other->held_;
  }
  return all_wait || held <= limits_.memory;
}

bool Admission::may_be_alone(const UnitShare& share) const {
  return std::all_of(active_.begin(), active_.end(), [&](const UnitShare* other) {
    return other == &share || (other->state_ == State::kWaitsToBeAlone && other->unit_ > share.unit_);
  });
}

// All threads are for the units that fit into memory at once, if all need `bytes`.
uint32_t Admission::threads_for(uint64_t bytes) const {
  const uint64_t fit = std::max<uint64_t>(limits_.memory / std::max<uint64_t>(bytes, 1), 1);
  const uint64_t left = active_.size() + (units_.size() - next_);
  const auto at_once = static_cast<uint32_t>(std::min<uint64_t>({fit, most_, left}));
  return (limits_.threads + at_once - 1) / at_once;
}

size_t Admission::begin(UnitShare& share) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return stopped_ || next_ == units_.size() || may_begin(); });
  if (stopped_ || next_ == units_.size()) return units_.size();
  share.admission_ = this;
  share.unit_ = next_++;
  share.held_ = std::min(next_bytes_, limits_.memory);
  share.alone_ = next_alone_;
  active_.push_back(&share);
  share.threads_ = share.alone_ ? limits_.threads : threads_for(next_bytes_ * kInflation);
  if (active_.size() > 1) {
    for (UnitShare* each : active_) each->accompanied_ = true;
  }
  weigh_next();
  changed_.notify_all();
  return share.unit_;
}

bool Admission::begin_alone(UnitShare& share) {
  std::unique_lock lock(mutex_);
  if (!share.accompanied_) return false;
  share.state_ = State::kWaitsToBeAlone;
  share.held_ = 0;
  changed_.notify_all();
  changed_.wait(lock, [&] { return may_be_alone(share); });
  share.state_ = State::kRuns;
  share.held_ = limits_.memory;
  share.threads_ = limits_.threads;
  share.sized_ = share.alone_ = true;
  share.accompanied_ = false;
  return true;
}

void Admission::end(UnitShare& share) {
  const std::lock_guard lock(mutex_);
  std::erase(active_, &share);
  changed_.notify_all();
}

void Admission::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void UnitShare::need_memory(uint64_t bytes) {
  if (admission_ == nullptr) return;
  Admission& all = *admission_;
  std::unique_lock lock(all.mutex_);
  const uint64_t most = all.limits_.memory;
  const uint64_t peak = bytes > most / all.limits_.memory_factor ? most : bytes * all.limits_.memory_factor;
  if (alone_ || (sized_ && peak <= held_)) return;
  state_ = State::kWaitsForMemory;
  all.changed_.notify_all();
  all.changed_.wait(lock, [&] { return all.may_hold(*this, peak); });
  state_ = State::kRuns;
  sized_ = true;
  held_ = std::max(held_, peak);
  threads_ = all.threads_for(held_);
  all.changed_.notify_all();
}

Result<void> UnitShare::wait_for_earlier() {
  if (admission_ == nullptr) return {};
  Admission& all = *admission_;
  std::unique_lock lock(all.mutex_);
  const auto earlier = [&](bool repeated) {
    return std::any_of(all.active_.begin(), all.active_.end(), [&](const UnitShare* other) {
      if (other->unit_ >= unit_ || other->passed_) return false;
      return !repeated || other->state_ == State::kWaitsToBeAlone;
    });
  };
  state_ = State::kWaitsForEarlier;
  all.changed_.notify_all();
  all.changed_.wait(lock, [&] { return !earlier(false) || earlier(true); });
  state_ = State::kRuns;
  if (earlier(true)) return Error{ErrorCode::kOutOfMemory, "out of memory (see --max-memory)", ""};
  return {};
}

void UnitShare::let_later_pass() {
  if (admission_ == nullptr) return;
  const std::lock_guard lock(admission_->mutex_);
  passed_ = true;
  admission_->changed_.notify_all();
}

}  // namespace onepass::cli

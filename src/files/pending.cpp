// pending.cpp: a signal handler can walk the registry at any time: it is a linked list of slots that
// only grows at its head, and the state of a slot tells whether its name may be used. A slot is filled before the file
// is created and freed after the file is gone, so that no file is ever unregistered.
#include "files/pending.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>
#include <thread>

#include "files/system.hpp"
#include "onepass/files.hpp"

namespace onepass::files {

// One pending name. Slots are reused, never freed, because a signal handler may be reading them.
struct Slot {
  enum State : int { kFree, kBusy, kFile, kDirectory };
  static constexpr size_t kNameSize = 256;  // NAME_MAX of Linux, terminator included
  std::atomic<int> state{kFree};
  std::atomic<int> directory{-1};
  std::array<char, kNameSize> name{};
  Slot* next = nullptr;
};
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<Slot*>::is_always_lock_free);

namespace {

std::atomic<Slot*> g_slots{nullptr};

// Threads that create a file right now, and whether they may. A thread is counted before it looks whether it may, and
// the handler forbids it before it looks at the count: one of the two sees the other.
std::atomic<int> g_creating{0};
std::atomic<bool> g_stopped{false};

// Claims a free slot or adds one; its state is kBusy.
Slot* take_slot() {
  for (Slot* slot = g_slots.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
    int expected = Slot::kFree;
    if (slot->state.compare_exchange_strong(expected, Slot::kBusy, std::memory_order_acq_rel)) return slot;
  }
  Slot* slot = new (std::nothrow) Slot;
  if (slot == nullptr) return nullptr;
  slot->state.store(Slot::kBusy, std::memory_order_relaxed);
  slot->next = g_slots.load(std::memory_order_relaxed);
  while (!g_slots.compare_exchange_weak(slot->next, slot, std::memory_order_release, std::memory_order_relaxed)) {
  }
  return slot;
}

void discard(Slot::State kind) {
  for (const Slot* slot = g_slots.load(std::memory_order_acquire); slot != nullptr; slot = slot->next) {
    if (slot->state.load(std::memory_order_acquire) != kind) continue;
    system::remove(slot->directory.load(), slot->name.data(), kind == Slot::kDirectory);
  }
}

}  // namespace

bool PendingName::set(int directory, const std::string& name) {
  if (name.size() + 1 > Slot::kNameSize) return false;
  if (slot_ == nullptr) slot_ = take_slot();
  if (slot_ == nullptr) return false;
  slot_->state.store(Slot::kBusy);
  slot_->directory.store(directory);
  std::memcpy(slot_->name.data(), name.c_str(), name.size() + 1);
  slot_->state.store(kind_ == Kind::kFile ? Slot::kFile : Slot::kDirectory, std::memory_order_release);
  return true;
}

void PendingName::remove() {
  if (slot_ == nullptr) return;
  system::remove(slot_->directory.load(), slot_->name.data(), kind_ == Kind::kDirectory);
  clear();
}

void PendingName::clear() {
  if (slot_ != nullptr) slot_->state.store(Slot::kFree, std::memory_order_release);
  slot_ = nullptr;
}

const char* PendingName::name() const { return slot_->name.data(); }

Creation::Creation() {
  g_creating.fetch_add(1);
  if (!g_stopped.load()) return;
  g_creating.fetch_sub(1);
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

Creation::~Creation() { g_creating.fetch_sub(1); }

void stop_creating_files() noexcept {
  const int saved = errno;
  g_stopped.store(true);
  // The handler may have interrupted a thread that creates a file: its name is registered.
  for (int waited = 0; waited < 100 && g_creating.load() != 0; ++waited) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  errno = saved;
}

std::string random_name(const char* extension) {
  static constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::array<std::byte, 12> numbers{};
  system::random(numbers);
  std::string name = ".onepass-";
  for (const std::byte number : numbers) name += kDigits[std::to_integer<size_t>(number) % kDigits.size()];
  return name + extension;
}

void discard_pending_files() noexcept {
  const int saved = errno;
  discard(Slot::kFile);
  discard(Slot::kDirectory);  // which are empty now
  errno = saved;
}

}  // namespace onepass::files

// interrupt.cpp: see interrupt.hpp. The handler calls only async-signal-safe functions.
#include "interrupt.hpp"

#include <array>
#include <atomic>

#include "system.hpp"

namespace onepass::cli {
namespace {

std::atomic<bool> g_bar_visible{false};

// kIdle, kCommitting, or the number of a signal that arrived during a commit and is still to be handled.
constexpr int kIdle = 0;
constexpr int kCommitting = -1;
std::atomic<int> g_commit{kIdle};

extern "C" void on_signal(int signal) {
  int state = kCommitting;
  if (g_commit.compare_exchange_strong(state, signal) || state > 0) return;
  files::discard_pending_files();
  if (g_bar_visible.load()) {
    constexpr std::array<char, 4> kWipe{'\r', '\x1b', '[', 'K'};
    system::write_in_handler(kWipe);
  }
  system::end_by_signal(signal);
}

}  // namespace

void handle_signals() {
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
  system::on_interrupts(on_signal);
}

void set_bar_visible(bool visible) { g_bar_visible.store(visible); }

Result<void> commit_files(files::FileSet& set) {
  g_commit.store(kCommitting);
  Result<void> done = set.commit();
  if (const int signal = g_commit.exchange(kIdle); signal > 0) on_signal(signal);
  return done;
}

}  // namespace onepass::cli

// interrupt.cpp: the handler calls only async-signal-safe functions.
#include "interrupt.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

#include "system.hpp"

namespace onepass::cli {
namespace {

std::atomic<bool> g_bar_visible{false};

// Commits that rename files right now, and the signal that waits for their end; 0: none.
std::atomic<int> g_commits{0};
std::atomic<int> g_signal{0};

[[noreturn]] void end_program(int signal) {
  files::stop_creating_files();
  files::discard_pending_files();
  if (g_bar_visible.load()) {
    constexpr std::array<char, 4> kWipe{'\r', '\x1b', '[', 'K'};
    system::write_in_handler(kWipe);
  }
  system::end_by_signal(signal);
}

// The signal is stored before commits are counted, and a commit is counted before it looks for a signal. So either the
// handler sees the commit, or the commit sees the signal.
extern "C" void on_signal(int signal) {
  int none = 0;
  g_signal.compare_exchange_strong(none, signal);
  if (g_commits.load() == 0) end_program(signal);
}

// Ends a commit. The last one ends the program if a signal waits; others wait for it.
void leave_commit() {
  const bool last = g_commits.fetch_sub(1) == 1;
  const int signal = g_signal.load();
  if (signal == 0) return;
  if (last) end_program(signal);
  for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

}  // namespace

void handle_signals() {
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
  system::on_interrupts(on_signal);
}

void set_bar_visible(bool visible) { g_bar_visible.store(visible); }

Result<void> commit_files(files::FileSet& set) {
  g_commits.fetch_add(1);
  if (g_signal.load() != 0) leave_commit();
  Result<void> done = set.commit();
  leave_commit();
  return done;
}

}  // namespace onepass::cli

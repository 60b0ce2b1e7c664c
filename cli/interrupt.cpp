// interrupt.cpp: see interrupt.hpp. The handler calls only async-signal-safe functions.
#include "interrupt.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

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
    [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, kWipe.data(), kWipe.size());
  }
  ::_exit(128 + signal);
}

}  // namespace

void handle_signals() {
  static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);
  struct sigaction action {};
  action.sa_handler = on_signal;
  sigfillset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) {
    struct sigaction before {};
    // nohup, and shells that start a background job, set some of these to be ignored; they stay ignored.
    if (::sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN)
      ::sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

void set_bar_visible(bool visible) { g_bar_visible.store(visible); }

Result<void> commit_files(files::FileSet& set) {
  g_commit.store(kCommitting);
  Result<void> done = set.commit();
  if (const int signal = g_commit.exchange(kIdle); signal > 0) on_signal(signal);
  return done;
}

}  // namespace onepass::cli

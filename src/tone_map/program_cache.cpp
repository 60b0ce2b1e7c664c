// program_cache.cpp: the programs of the process that were asked for last. A fit takes milliseconds, and everything
// that it depends on is in program_key().
#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <utility>

#include "tone_map/program.hpp"

namespace onepass::tone_map {
namespace {

struct Kept {
  std::string key;
  std::shared_ptr<const Program> program;
};
using Entries = std::array<Kept, kKeptPrograms>;  // the last used first

/// A mutex that no thread waits for. std::mutex has a constructor in MinGW-w64.
class TryMutex {
 public:
  bool try_lock() { return !locked_.test_and_set(std::memory_order_acquire); }
  void unlock() { locked_.clear(std::memory_order_release); }

 private:
  std::atomic_flag locked_;
};

// Without constructors and destructors: calls may come before and after those of static objects, and from threads that
// run while the process ends.
constinit TryMutex g_mutex;
constinit Entries* g_entries = nullptr;  // made by the first call

/// The lock is held for a search among few entries. A call that does not get it at once makes its program anew: a child
/// of fork() may inherit a locked mutex without the thread that would unlock it.
std::unique_lock<TryMutex> try_to_lock() { return std::unique_lock(g_mutex, std::try_to_lock); }

/// The program of `key`, whose entry becomes the first; null if there is none.
std::shared_ptr<const Program> use(const std::string& key) {
  if (g_entries == nullptr) return nullptr;
  const auto found = std::find_if(g_entries->begin(), g_entries->end(), [&](const Kept& k) { return k.key == key; });
  if (found == g_entries->end()) return nullptr;
  std::rotate(g_entries->begin(), found, found + 1);
  return g_entries->front().program;
}

}  // namespace

std::shared_ptr<const Program> find_program(const ToneMapOptions& options) {
  std::string key = program_key(options);
  if (const auto lock = try_to_lock()) {
    if (auto known = use(key)) return known;
  }
  auto made = std::make_shared<const Program>(make_program(options));
  Kept last;  // destroyed after the lock
  if (const auto lock = try_to_lock()) {
    if (auto known = use(key)) return known;  // of another thread
    if (g_entries == nullptr) g_entries = new Entries;
    std::rotate(g_entries->begin(), g_entries->end() - 1, g_entries->end());
    last = std::exchange(g_entries->front(), Kept{std::move(key), made});
  }
  return made;
}

}  // namespace onepass::tone_map

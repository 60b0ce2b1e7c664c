// pending.hpp: names that must not outlive the process: temporary files and directories, for a signal handler to
// delete.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

namespace onepass::files {

/// A name in an open directory that discard_pending_files() deletes, from set() to clear(). Has no owner's pointer in
/// it that could dangle: a handler that looks at it at any moment sees a name that may be deleted, or nothing.
class PendingName {
 public:
  enum class Kind { kFile, kDirectory };

  explicit PendingName(Kind kind) : kind_(kind) {}
  PendingName(const PendingName&) = delete;
  PendingName& operator=(const PendingName&) = delete;
  ~PendingName() { clear(); }

  /// Enters `name` of the directory open as `directory`, which stays open until clear(), before it is created. False:
  /// out of memory, or the name is too long.
  [[nodiscard]] bool set(int directory, const std::string& name);

  /// Deletes it, if it is there.
  void remove();

  /// Forgets it: it is gone, or shall stay.
  void clear();

  [[nodiscard]] bool is_set() const { return slot_ != nullptr; }
  [[nodiscard]] const char* name() const;

 private:
  Kind kind_;
  struct Slot* slot_ = nullptr;
};

/// ".onepass-" and 12 random characters and `extension`.
std::string random_name(const char* extension);

}  // namespace onepass::files

// pending.hpp: registers temporary files and directories that must not outlive the process, so that a signal handler
// can delete them.
#pragma once

#include <atomic>
#include <cstddef>
#include <string>

namespace onepass::files {

/// A name in an open directory that discard_pending_files() deletes, from set() to clear(). The registry holds no
/// pointer to this object: at any moment a signal handler sees a name that may be deleted, or none.
class PendingName {
 public:
  enum class Kind { kFile, kDirectory };

  explicit PendingName(Kind kind) : kind_(kind) {}
  PendingName(const PendingName&) = delete;
  PendingName& operator=(const PendingName&) = delete;
  ~PendingName() { clear(); }

  /// Registers `name` in the open directory `directory`, which stays open until clear(). Call it before the name is
  /// created. False: out of memory, or the name is too long.
  [[nodiscard]] bool set(int directory, const std::string& name);

  /// Deletes the file or directory, if it exists, and unregisters it.
  void remove();

  /// Unregisters the name, of a file that is gone or shall stay.
  void clear();

  [[nodiscard]] bool is_set() const { return slot_ != nullptr; }
  [[nodiscard]] const char* name() const;

 private:
  Kind kind_;
  struct Slot* slot_ = nullptr;
};

/// Stands where a thread creates or renames a file or directory whose name is registered. The constructor does not
/// return after stop_creating_files().
class Creation {
 public:
  Creation();
  Creation(const Creation&) = delete;
  Creation& operator=(const Creation&) = delete;
  ~Creation();
};

/// ".onepass-", 12 random characters and `extension`.
std::string random_name(const char* extension);

}  // namespace onepass::files

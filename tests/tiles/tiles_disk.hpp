// tiles_disk.hpp: calls of the C library that change files, replaced in the test's executable: they fail on request,
// and they are recorded, so that the state of a disk after a power failure can be made.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

namespace tiles_disk {

/// Calls that fail.
struct Faults {
  bool no_exchange = false;  ///< renameat2() knows no RENAME_EXCHANGE.
  int failing_rename = 0;    ///< The number of the rename or exchange that fails with EIO; 0: none.
  int syncfs_error = 0;      ///< What syncfs() fails with; 0: nothing.
};
inline Faults faults;

/// Allocations of this many bytes fail, apart from the first ones; 0: none does.
inline std::atomic<size_t> failing_allocation{0};
inline std::atomic<int> allocations_left{0};

/// Names of the calls that change or sync the file system, in order, since record_names(true).
void record_names(bool on);
std::vector<std::string> names();

/// What happens below a directory until end(). One object at a time.
class Recorder {
 public:
  /// The state of the directory is on disk at the beginning.
  explicit Recorder(const std::filesystem::path& root);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void end();
  [[nodiscard]] size_t calls() const;
  /// Whether the creation of a directory and a rename were among them.
  [[nodiscard]] bool knows_directories() const;

  /// Replaces the directory by what a disk may hold if the power fails after `calls` calls.
  ///
  /// Names: a beginning of all changes of names, at least those before the last syncfs() or fsync() of a directory, as
  /// journals of file systems keep them. Contents: all writes before the last syncfs() or sync of the file; of the
  /// others any, also parts, also zeros in their place.
  void fail_power(size_t calls, std::mt19937_64& random) const;
};

}  // namespace tiles_disk

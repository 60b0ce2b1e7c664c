// report.hpp: results as a CSV file: one row per measurement, with machine and method in comment lines above.
#pragma once

#include <cstdint>

#include <fstream>
#include <string>
#include <vector>

#include "onepass/result.hpp"
#include "statistics.hpp"

namespace onepass::bench {

/// One measurement. Empty text and 0 stand for "does not apply".
struct Row {
  std::string name;    ///< Of the benchmark.
  std::string engine;  ///< "vulkan" or "cpu".
  std::string format;
  uint32_t width = 0;
  uint32_t height = 0;
  uint32_t slices = 1;
  std::string reduction;
  std::string footprint;
  std::string path;      ///< Technique or baseline: "single_dispatch", "per_level", "speed_of_light", "memcpy"...
  std::string mode;      ///< "cold throughput", "cold isolated", "warm throughput"; "host"; "repeated" on the CPU.
  Times times;           ///< Microseconds.
  uint64_t bytes = 0;    ///< The least that can be read and written.
  double reference = 0;  ///< Microseconds of the reference in the same rounds, such as speed of light or memcpy.
  uint32_t threads = 0;
  Times ratios;  ///< Of the time to the reference's, round by round, where recorded.

  [[nodiscard]] double gigabytes_per_second() const;
  [[nodiscard]] double ratio() const;  ///< Median of `ratios`, else median over the reference's median.
};

/// The header of a file.
struct Machine {
  std::string cpu;
  std::string gpu;
  std::string driver;
  std::string commit;
  std::string date;
};

/// "Intel(R) Xeon(R) ..., 16 threads", from the operating system.
[[nodiscard]] std::string cpu_description();

/// "2026-01-31", UTC.
[[nodiscard]] std::string today();

class Report {
 public:
  /// Begins a file. Rows that are added without a file are dropped.
  /// Errors: kIo.
  Result<void> open(const std::string& path, const Machine& machine);

  /// Writes the row at once, so that an interrupted run keeps its results.
  void add(const Row& row);

  /// Notes that an output was wrong or a measurement failed.
  void fail() { ++failures_; }

  [[nodiscard]] int failures() const { return failures_; }

  /// Errors: kIo when something could not be written.
  Result<void> close();

 private:
  std::string path_;
  std::ofstream file_;
  int failures_ = 0;
};

}  // namespace onepass::bench

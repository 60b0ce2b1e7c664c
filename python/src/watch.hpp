// watch.hpp: runs the work of a call without the GIL, with progress reports and a reaction to Ctrl+C.
#pragma once

#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>

#include "onepass/progress.hpp"
#include "onepass/result.hpp"

namespace onepass::python {

namespace py = pybind11;

/// Belongs to one object. run() lets one call at a time work with it.
class Watch {
 public:
  /// Runs `work` without the GIL and throws its error as a Failure.
  ///
  /// Calls that touch fewer than kShort bytes and report no progress run on the calling thread. Others run on a thread
  /// of their own, while the calling thread lets Python handle signals and calls `report` with the fraction done, every
  /// 50 ms. If a signal handler or `report` raises, or `report` returns False, work that uses progress() is cancelled;
  /// other work completes. The exception is raised afterwards.
  void run(uint64_t bytes, const py::object& report, const std::function<Result<void>()>& work);

  /// The callback for the tuning of an engine.
  Progress progress();

 private:
  void run_watched(const py::object& report, const std::function<Result<void>()>& work);

  static constexpr uint64_t kShort = uint64_t{32} << 20;

  std::mutex busy_;
  std::atomic<double> fraction_ = 0;
  std::atomic<bool> stop_ = false;
};

}  // namespace onepass::python

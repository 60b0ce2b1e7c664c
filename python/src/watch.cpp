// watch.cpp: see watch.hpp.
#include "watch.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <optional>
#include <string>
#include <thread>

#include "errors.hpp"

namespace onepass::python {

Progress Watch::progress() {
  return [this](double fraction) {
    fraction_.store(fraction, std::memory_order_relaxed);
    return !stop_.load(std::memory_order_relaxed);
  };
}

void Watch::run(uint64_t bytes, const py::object& report, const std::function<Result<void>()>& work) {
  if (!report.is_none() && PyCallable_Check(report.ptr()) == 0) {
    fail(ErrorCode::kInvalidArgument,
         std::string("is of type ") + Py_TYPE(report.ptr())->tp_name + ", expected a function", "progress");
  }
  if (bytes >= kShort || !report.is_none()) {
    run_watched(report, work);
    return;
  }
  const py::gil_scoped_release unlocked;
  const std::lock_guard lock(busy_);
  stop_.store(false, std::memory_order_relaxed);
  check(work());
}

void Watch::run_watched(const py::object& report, const std::function<Result<void>()>& work) {
  Result<void> result;
  std::exception_ptr failure;
  std::mutex mutex;
  std::condition_variable finished;
  bool done = false;  // guarded by mutex

  std::thread worker([&] {
    try {
      const std::lock_guard lock(busy_);
      stop_.store(false, std::memory_order_relaxed);
      fraction_.store(0, std::memory_order_relaxed);
      result = work();
    } catch (...) {
      failure = std::current_exception();
    }
    const std::lock_guard lock(mutex);
    done = true;
    finished.notify_one();
  });

  std::optional<py::error_already_set> raised;
  bool stopped = false;
  double last = 0;
  while (true) {
    {
      const py::gil_scoped_release unlocked;
      std::unique_lock lock(mutex);
      if (finished.wait_for(lock, std::chrono::milliseconds(50), [&] { return done; })) break;
    }
    if (stopped) {
      stop_.store(true, std::memory_order_relaxed);  // again: the worker may have waited for busy_ until now
      continue;
    }
    try {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
      const double fraction = fraction_.load(std::memory_order_relaxed);
      if (!report.is_none() && fraction > last) {
        last = fraction;
        stopped = report(fraction).is(py::bool_(false));
      }
    } catch (py::error_already_set& error) {
      raised.emplace(std::move(error));
      stopped = true;
    }
    if (stopped) stop_.store(true, std::memory_order_relaxed);
  }
  {
    const py::gil_scoped_release unlocked;
    worker.join();
  }
  if (raised) throw py::error_already_set(std::move(*raised));
  if (failure) std::rethrow_exception(failure);
  check(result);
  if (!report.is_none() && !stopped) report(1.0);
}

}  // namespace onepass::python

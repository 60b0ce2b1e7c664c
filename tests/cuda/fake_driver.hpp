// fake_driver.hpp: a CUDA driver without a GPU: memory is host memory, and a launch runs the kernel's text, compiled
// for the host, by tests/cuda/workgroups.hpp. So the whole engine is tested where there is no device: constants,
// parameters, launches, errors.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "cuda/driver.hpp"
#include "tests/cuda/workgroups.hpp"

namespace onepass::testing {

/// A kernel that is compiled for the host, which its constructor registers under its name.
struct HostKernel {
  HostKernel(const char* name, size_t parameter_bytes,
             std::function<std::string(const void* parameter, const Workgroups& groups)> run);

  std::string name;
  size_t parameter_bytes = 0;
  std::function<std::string(const void* parameter, const Workgroups& groups)> run;
};

/// Called for a mistake of the library that no status tells it. Defined by what the driver is part of: a test fails,
/// the driver as a library (fake_library.cpp) ends the process.
void report_misuse(const std::string& what);

/// The driver's state, one per process.
struct FakeDriver {
  static FakeDriver& get();
  /// The functions for the library.
  static const cuda::Driver& table();

  std::map<std::string, int> calls;     ///< By name in the library of the driver.
  std::map<std::string, int> failures;  ///< The result of the next call of a function, which then does nothing else.
  std::vector<std::string> loaded;      ///< First lines of PTX: the kernel's name and its constants.
  std::map<uintptr_t, size_t> memory;   ///< Allocated ranges.
  std::vector<cuda::Context> contexts;  ///< The stack of current contexts.
  std::vector<cuda::Stream> streams;    ///< Of all launches.
  int retained = 0;                     ///< Retained primary contexts.
  int modules = 0;                      ///< Loaded ones.
  int compute_major = 9;
  uint32_t seed = 1;  ///< Of the order of invocations; each launch takes the next.
};

}  // namespace onepass::testing

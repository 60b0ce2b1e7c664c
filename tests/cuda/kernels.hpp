// kernels.hpp: the kernels of samples/shaders in CUDA C++, compiled for the host. Constants are bytes, because
// shader_setup.h names their structs in the language of the host, and the kernels in that of the shaders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace onepass::testing {

/// The parameters of a launch, in the order of the kernel's struct.
struct Launch {
  std::array<uint32_t, 3> groups{1, 1, 1};
  uint32_t invocations = 256;
  std::vector<std::byte> constants;
  std::vector<void*> pointers;
  std::vector<uint32_t> numbers;

  template <typename T>
  void set_constants(const T& value) {
    constants.resize(sizeof value);
    std::memcpy(constants.data(), &value, sizeof value);
  }
};

struct CudaKernel {
  std::string name;
  /// Runs it on the host, in an order that depends on `seed`. Returns the error of run_workgroups().
  std::function<std::string(const Launch& launch, uint32_t seed)> run;
};

CudaKernel pyramid_kernel();         ///< Pointers: source, levels 1 and up, counters, kept. Numbers: the widths.
CudaKernel mean_kernel();            ///< The same without numbers, of four components.
CudaKernel tile_reduction_kernel();  ///< Pointers: source, target.
CudaKernel tile_reduction_64_kernel();
CudaKernel luminance_kernel();  ///< Pointers: source, words, results. Numbers: the width.
CudaKernel tone_map_kernel();   ///< Pointers: source, target, program, cubics, metered. Numbers: width, height.
CudaKernel fourier_kernel();    ///< Pointers: values, table. Numbers: lines.

}  // namespace onepass::testing

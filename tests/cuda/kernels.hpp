// kernels.hpp: the kernels of samples/shaders in CUDA C++, on the host and on a device. Constants are bytes, because
// shader_setup.h names their structs in the language of the host, and the kernels in that of the shaders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace onepass::testing {

/// The parameters of a launch, in the order of the kernel's struct.
struct Launch {
  std::array<uint32_t, 3> groups{1, 1, 1};
  uint32_t invocations = 256;
  std::vector<std::byte> constants;
  std::vector<std::span<std::byte>> buffers;  ///< In host memory.
  std::vector<void*> pointers;                ///< The buffers where the kernel runs.
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
  /// The parameter of the kernel on a device.
  std::function<std::vector<std::byte>(const Launch& launch)> parameters;
};

/// The bytes of a vector, or of a single object.
template <typename T>
std::span<std::byte> bytes_of(std::vector<T>& values) {
  return std::as_writable_bytes(std::span(values));
}
template <typename T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

CudaKernel pyramid_kernel();         ///< Buffers: source, levels 1 and up, counters, kept. Numbers: the widths.
CudaKernel mean_kernel();            ///< The same without numbers, of four components.
CudaKernel tile_reduction_kernel();  ///< Buffers: source, target.
CudaKernel tile_reduction_64_kernel();
CudaKernel luminance_kernel();    ///< Buffers: source, words, results. Numbers: the width.
CudaKernel tone_map_kernel();     ///< Buffers: source, target, program, cubics, metered. Numbers: width, height.
CudaKernel depth_query_kernel();  ///< Buffers: levels 0 and up, rectangles, hidden. Numbers: width, height, count.
CudaKernel fourier_kernel();      ///< Buffers: values, table. Numbers: lines.
CudaKernel blocks_kernel();       ///< Buffers: source, blocks. Numbers: width, height. 64 invocations.

}  // namespace onepass::testing

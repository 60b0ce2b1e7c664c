// host_kernel.hpp: for a program text that includes a kernel of samples/shaders before it: the functions of
// OnepassWorkgroup, and what makes a CudaKernel of the kernel.
#pragma once

#include "tests/cuda/kernels.hpp"
#include "tests/cuda/workgroups.hpp"

inline uint OnepassWorkgroup::invocation() { return onepass::testing::running_invocation(); }
inline onepass_uint3 OnepassWorkgroup::group() {
  const auto group = onepass::testing::running_group();
  return onepass_uint3(group[0], group[1], group[2]);
}
inline void OnepassWorkgroup::barrier() { onepass::testing::wait_for_group(); }
inline uint OnepassWorkgroup::shuffle(uint value, uint lane) { return onepass::testing::shuffle_word(value, lane); }
inline bool OnepassWorkgroup::all(bool value) { return onepass::testing::all_of_subgroup(value); }

namespace onepass::testing {

template <typename T>
T constants_of(const Launch& launch) {
  T out{};
  if (launch.constants.size() == sizeof out) std::memcpy(&out, launch.constants.data(), sizeof out);
  return out;
}

/// `kernel` takes what `parameters` makes of a launch.
template <typename Parameters>
CudaKernel host_kernel(const char* name, Parameters (*parameters)(const Launch&), void (*kernel)(Parameters)) {
  return {.name = name,
          .run =
              [parameters, kernel](const Launch& launch, uint32_t seed) {
                Launch here = launch;
                here.pointers.clear();
                for (const std::span<std::byte> buffer : launch.buffers) here.pointers.push_back(buffer.data());
                const Parameters values = parameters(here);
                return run_workgroups({.count = launch.groups, .invocations = launch.invocations, .seed = seed},
                                      [&] { kernel(values); });
              },
          .parameters =
              [parameters](const Launch& launch) {
                const Parameters values = parameters(launch);
                std::vector<std::byte> bytes(sizeof values);
                std::memcpy(bytes.data(), static_cast<const void*>(&values), sizeof values);
                return bytes;
              }};
}

}  // namespace onepass::testing

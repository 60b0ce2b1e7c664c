// cuda_impl.hpp: private members of cuda::Pyramid, and what tests set.
#pragma once

#include <vector>

#include "cuda/images.hpp"
#include "cuda/kernel.hpp"
#include "onepass/cuda/pyramid.hpp"
#include "pyramid/dispatch_plan.hpp"
#include "pyramid/pyramid_cuda_params.h"

namespace onepass::cuda {

/// Parameters that only tests set. Results change at most within the rounding contract.
struct PyramidTestTuning {
  uint32_t stage_depth = 0;   ///< Most levels of a 2:1 stage, 3 to 6; 0: six.
  uint32_t delay = 0;         ///< Idle iterations that delay a third of the blocks.
  bool publishes = true;      ///< Self-validating words, where the stages allow them; false: fences.
  bool last_to_start = true;  ///< Last-to-start mode, with them.
};

/// Pyramid::create() with these parameters.
Result<Pyramid> create_pyramid(const Device& device, const PyramidOptions& options, const ImageMemory& memory,
                               const PyramidTuning& tuning, const PyramidTestTuning& test);

struct ONEPASS_INTERNAL Pyramid::Impl {
  Device device;
  PyramidOptions options;  // the caller's; layout.options has alpha
  pyramid::DispatchLayout layout;
  Stored source, target;
  std::shared_ptr<const Kernel> chain;  // of the only launch, or the first one
  std::shared_ptr<const Kernel> later;  // of the second; null: there is none

  explicit Impl(const Device& d) : device(d) {}
};

/// The parameter of the kernels: the struct of pyramid.cu.
struct PyramidParameters {
  pyramid::PyramidParams params;
  DeviceRows source;
  DeviceRows levels[CUDA_PYRAMID_LEVELS];
  DeviceAddress counters;
  DeviceAddress kept;
  DeviceAddress mailbox;
};
static_assert(sizeof(PyramidParameters) == 128 + 16 * 32 + 24 && sizeof(DeviceRows) == 32);

struct ONEPASS_INTERNAL PyramidBinding::Impl {
  std::shared_ptr<const Pyramid::Impl> pyramid;  // keeps the device alive
  std::optional<OwnMemory> own_scratch;
  DeviceAddress scratch = 0;
  PyramidParameters parameters{};

  explicit Impl(std::shared_ptr<const Pyramid::Impl> p) : pyramid(std::move(p)) {}
};

}  // namespace onepass::cuda

// cuda_impl.hpp: private members of cuda::ToneMap and cuda::ToneMapBinding.
#pragma once

#include <optional>

#include "cuda/images.hpp"
#include "cuda/kernel.hpp"
#include "onepass/cuda/tone_map.hpp"
#include "tone_map/kernel_program.hpp"

namespace onepass::cuda {

/// The parameter of the kernel: the struct of tone_map.cu.
struct ToneMapParameters {
  tone_map::ToneMapProgram program;
  DeviceRows source;
  DeviceRows target;
  DeviceAddress cubics;
  DeviceAddress exposures;  // 0: none
  uint64_t exposure_stride;
  tone_map::uint2 size;
  float exposure;
  uint32_t unused[3];
};
static_assert(sizeof(ToneMapParameters) == 448);

struct ONEPASS_INTERNAL ToneMap::Impl {
  Device device;
  ToneMapOptions options;  // the caller's
  ToneMapDispatchPlan plan;
  Stored source, target;
  tone_map::ToneMapProgram program{};
  std::optional<OwnMemory> cubics;
  std::shared_ptr<const Kernel> kernel;  // shared by tone maps with the same constants

  explicit Impl(const Device& d) : device(d) {}
};

struct ONEPASS_INTERNAL ToneMapBinding::Impl {
  std::shared_ptr<const ToneMap::Impl> map;  // keeps the device and the curves alive
  ToneMapParameters parameters{};

  explicit Impl(std::shared_ptr<const ToneMap::Impl> m) : map(std::move(m)) {}
};

}  // namespace onepass::cuda

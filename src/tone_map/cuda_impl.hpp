// cuda_impl.hpp: private members of cuda::ToneMap and cuda::ToneMapBinding.
#pragma once

#include <cstddef>
#include <optional>

#include "cuda/images.hpp"
#include "cuda/kernel.hpp"
#include "onepass/cuda/tone_map.hpp"
#include "tone_map/kernel_program.hpp"
#include "tone_map/local_exposure.hpp"

namespace onepass::cuda {

/// The parameter of the kernel: the struct of tone_map.cu.
struct ToneMapParameters {
  tone_map::ToneMapProgram program;
  DeviceRows source;
  DeviceRows target;
  DeviceAddress cubics;
  DeviceAddress exposures;  // 0: none
  uint64_t exposure_stride;
  DeviceAddress nodes;
  tone_map::uint2 size;
  float exposure;
  tone_map::LocalParams local;
  uint32_t unused[2];
};
static_assert(sizeof(ToneMapParameters) == 480 && offsetof(ToneMapParameters, local) == 444);

/// The parameter of the kernel that makes the grid of local exposure: the struct of local_exposure.cu.
struct LocalGridParameters {
  tone_map::LocalGridParams params;
  uint32_t unused;
  DeviceRows source;
  DeviceAddress counters, raw, nodes;
};
static_assert(sizeof(LocalGridParameters) == 24 + 32 + 24);

struct ONEPASS_INTERNAL ToneMap::Impl {
  Device device;
  ToneMapOptions options;  // the caller's
  ToneMapDispatchPlan plan;
  Stored source, target;
  tone_map::ToneMapProgram program{};
  std::optional<OwnMemory> cubics;
  std::shared_ptr<const Kernel> kernel;  // shared by tone maps with the same constants
  std::shared_ptr<const Kernel> grid;    // of local exposure, or null
  tone_map::LocalPlan local;

  explicit Impl(const Device& d) : device(d) {}
};

struct ONEPASS_INTERNAL ToneMapBinding::Impl {
  std::shared_ptr<const ToneMap::Impl> map;  // keeps the device and the curves alive
  ToneMapParameters parameters{};
  LocalGridParameters grid{};
  std::optional<OwnMemory> own_scratch;

  explicit Impl(std::shared_ptr<const ToneMap::Impl> m) : map(std::move(m)) {}
};

}  // namespace onepass::cuda

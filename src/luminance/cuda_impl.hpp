// cuda_impl.hpp: private members of cuda::Meter and cuda::MeterBinding, and what tests set.
#pragma once

#include <optional>

#include "cuda/images.hpp"
#include "cuda/kernel.hpp"
#include "luminance/params.hpp"
#include "onepass/cuda/luminance.hpp"

namespace onepass::cuda {

/// Meter::create() with `groups` blocks per slice, or the nearest number that is possible; 0: as without it.
Result<Meter> create_meter(const Device& device, const MeterOptions& options, const MeterMemory& memory,
                           uint32_t groups);

struct ONEPASS_INTERNAL Meter::Impl {
  Device device;
  MeterOptions options;  // the caller's
  MeterDispatchPlan plan;
  Stored source, mask;
  luminance::LuminanceParams params{};
  std::shared_ptr<const Kernel> kernel;  // shared by meters with the same constants

  explicit Impl(const Device& d) : device(d) {}
};

/// The parameter of the kernel: the struct of luminance.cu.
struct MeterParameters {
  luminance::LuminanceParams params;
  DeviceRows source;
  DeviceRows mask;
  DeviceAddress words;
  DeviceAddress results;
};
static_assert(sizeof(MeterParameters) == 128 + 2 * 32 + 16);

struct ONEPASS_INTERNAL MeterBinding::Impl {
  std::shared_ptr<const Meter::Impl> meter;  // keeps the device alive
  std::optional<OwnMemory> own_results, own_scratch;
  MeterParameters parameters{};

  explicit Impl(std::shared_ptr<const Meter::Impl> m) : meter(std::move(m)) {}
};

}  // namespace onepass::cuda

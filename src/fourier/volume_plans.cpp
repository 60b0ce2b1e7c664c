// volume_plans.cpp: validates operations on volumes, chooses domains, and divides a deconvolution into tiles.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "fourier/volume_plans.hpp"
#include "image/error.hpp"

namespace onepass {
namespace {

std::string text(VolumeSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height) + "x" + std::to_string(size.planes);
}

Result<void> check_volume_size(const char* field, VolumeSize size) {
  for (const uint32_t extent : {size.width, size.height, size.planes}) {
    if (extent == 0 || extent > kMaxTransformSize) {
      return invalid(std::string(field) + ": " + text(size) + " is not within 1 and " +
                     std::to_string(kMaxTransformSize));
    }
  }
  return {};
}

Result<void> check_type(const char* field, VoxelType type) {
  if (voxel_info(type).bytes == 0) return invalid(std::string(field) + ": no such type of voxels");
  if (type == VoxelType::kUint64) return invalid(std::string(field) + ": uint64 holds labels, not numbers");
  return {};
}

Result<VolumePoint> resolve_origin(const std::optional<VolumePoint>& given, VolumeSize kernel) {
  const VolumePoint at = given.value_or(VolumePoint{kernel.width / 2, kernel.height / 2, kernel.planes / 2});
  if (at.x < kernel.width && at.y < kernel.height && at.z < kernel.planes) return at;
  return invalid("kernel_origin: " + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) +
                 " is outside of " + text(kernel));
}

/// Elements are counted in 32 bits along lines.
Result<void> check_domain(const cpu::VolumeDomain& domain) {
  if (domain.work() <= ~uint32_t{0}) return {};
  return invalid("size: needs a domain of " + text(domain.size) + ", more than an operation takes");
}

/// One axis of a deconvolution, divided into `tiles`.
struct TileAxis {
  uint32_t tiles = 1;
  uint32_t tile = 1;
  uint32_t measured = 1;
  uint32_t estimate = 1;
  uint32_t domain = 1;
};

/// All divisions of an axis whose tiles differ in size, coarsest first.
std::vector<TileAxis> divisions(uint32_t size, uint32_t kernel, uint32_t halo) {
  std::vector<TileAxis> all;
  for (uint32_t tiles = 1; tiles <= size; ++tiles) {
    TileAxis axis = {.tile = div_up(size, tiles)};
    if (!all.empty() && axis.tile == all.back().tile) continue;
    axis.tiles = div_up(size, axis.tile);
    const uint64_t wanted = uint64_t{axis.tile} + (axis.tiles == 1 ? 0 : 2 * uint64_t{halo});
    axis.measured = static_cast<uint32_t>(std::min<uint64_t>(size, wanted));
    axis.estimate = axis.measured + kernel - 1;
    if (axis.estimate > kMaxTransformSize) continue;
    axis.domain = next_smooth_size(axis.estimate);
    if (axis.domain <= kMaxTransformSize) all.push_back(axis);
  }
  return all;
}

uint64_t voxels(VolumeSize size) { return uint64_t{size.width} * size.height * size.planes; }

void set_tiles(VolumeDeconvolutionPlan& plan, const TileAxis& x, const TileAxis& y, const TileAxis& z) {
  plan.tiles = {x.tiles, y.tiles, z.tiles};
  plan.tile = {x.tile, y.tile, z.tile};
  plan.measured = {x.measured, y.measured, z.measured};
  plan.estimate = {x.estimate, y.estimate, z.estimate};
  plan.domain = {x.domain, y.domain, z.domain};
}

/// Bytes of a tile: work memory and kernel, estimates, the voxels and a plane of the result unless they are in memory,
/// the weights of the kernel and their sums, scratch memory.
uint64_t bytes_of(const VolumeDeconvolutionPlan& plan) {
  const VolumeDeconvolutionOptions& o = plan.options;
  const VolumeSize& k = o.kernel_size;
  const uint64_t estimates = o.acceleration == DeconvolutionAcceleration::kNone ? 1 : 2;
  const uint64_t copies = plan.access == VolumeAccess::kMemory
                              ? 0
                              : voxels(plan.measured) * voxel_info(o.source).bytes +
                                    uint64_t{plan.tile.width} * plan.tile.height * voxel_info(o.target).bytes;
  return cpu::deconvolution_domain(plan).bytes() + estimates * sizeof(float) * voxels(plan.estimate) + copies +
         voxels(k) * sizeof(float) +
         (uint64_t{k.width} + 1) * (uint64_t{k.height} + 1) * (uint64_t{k.planes} + 1) * sizeof(double) +
         cpu::deconvolution_domain(plan).scratch_bytes();
}

/// Chooses the division that transforms the fewest voxels within the memory.
Result<void> choose_tiles(VolumeDeconvolutionPlan& plan) {
  const VolumeDeconvolutionOptions& o = plan.options;
  const auto along_x = divisions(o.size.width, o.kernel_size.width, o.halo->width);
  const auto along_y = divisions(o.size.height, o.kernel_size.height, o.halo->height);
  const auto along_z = divisions(o.size.planes, o.kernel_size.planes, o.halo->planes);
  double least = INFINITY;
  uint64_t smallest = ~uint64_t{0};
  VolumeDeconvolutionPlan best = plan;
  for (const TileAxis& z : along_z) {
    for (const TileAxis& y : along_y) {
      for (const TileAxis& x : along_x) {
        const double cost = static_cast<double>(voxels({x.domain, y.domain, z.domain})) *
                            static_cast<double>(voxels({x.tiles, y.tiles, z.tiles}));
        if (cost >= least) continue;
        set_tiles(plan, x, y, z);
        const uint64_t bytes = bytes_of(plan);
        smallest = std::min(smallest, bytes);
        if (bytes > o.max_bytes || !check_domain(cpu::deconvolution_domain(plan))) continue;
        least = cost;
        best = plan;
        break;  // more tiles along x cost more
      }
    }
  }
  plan = best;
  if (std::isfinite(least)) return {};
  return invalid("max_bytes: " + std::to_string(o.max_bytes) +
                 (smallest == ~uint64_t{0} ? ", and the domain has at most 65535 voxels an axis"
                                           : ", the smallest tiles need " + std::to_string(smallest)));
}

}  // namespace

namespace cpu {

VolumeDomain deconvolution_domain(const VolumeDeconvolutionPlan& plan) {
  return {.size = plan.domain, .planes = plan.estimate.planes};
}

VolumeDomain convolution_domain(const VolumeConvolutionPlan& plan) {
  return {.size = {plan.x.domain, plan.y.domain, plan.z.domain},
          .planes = std::max({plan.options.size.planes, plan.z.result_size, plan.z.kernel_size})};
}

}  // namespace cpu

Result<VolumeTransformPlan> plan_volume_transform(const VolumeTransformOptions& options) {
  auto checked = check_volume_size("size", options.size);
  if (checked) checked = check_enumerators("signal", options.signal, "norm", options.norm);
  if (!checked) return checked.error();
  VolumeTransformPlan plan{.options = options, .spectrum_size = options.size};
  if (options.signal == Signal::kReal) plan.spectrum_size.width = options.size.width / 2 + 1;
  plan.spectrum_bytes = voxels(plan.spectrum_size) * 2 * sizeof(float);
  return plan;
}

Result<VolumeConvolutionPlan> plan_volume_convolution(const VolumeConvolutionOptions& options) {
  const VolumeConvolutionOptions& o = options;
  auto checked = check_volume_size("size", o.size);
  if (checked) checked = check_volume_size("kernel_size", o.kernel_size);
  if (checked) checked = check_enumerators("boundary", o.boundary, "mode", o.mode, "scale", o.scale);
  if (checked) checked = check_type("source", o.source);
  if (checked) checked = check_type("target", o.target);
  if (checked) checked = check_type("kernel", o.kernel);
  if (!checked) return checked.error();
  const auto origin = resolve_origin(o.kernel_origin, o.kernel_size);
  if (!origin) return origin.error();
  const VolumeSize &n = o.size, &k = o.kernel_size;
  const bool larger = k.width > n.width || k.height > n.height || k.planes > n.planes;
  const bool smaller = k.width < n.width || k.height < n.height || k.planes < n.planes;
  if (o.mode == ConvolutionMode::kValid && larger && smaller) {
    return invalid("mode: valid, but the kernel of " + text(k) + " neither fits the volume of " + text(n) +
                   " nor holds it");
  }
  VolumeConvolutionPlan plan{.options = options};
  plan.options.kernel_origin = *origin;
  plan.x = plan_convolution_axis(n.width, k.width, origin->x, o.boundary, o.mode);
  plan.y = plan_convolution_axis(n.height, k.height, origin->y, o.boundary, o.mode);
  plan.z = plan_convolution_axis(n.planes, k.planes, origin->z, o.boundary, o.mode);
  if (plan.x.domain == 0 || plan.y.domain == 0 || plan.z.domain == 0) {
    return invalid("kernel_size: " + text(k) + " and the volume of " + text(n) + " need more than " +
                   std::to_string(kMaxTransformSize) + " voxels an axis");
  }
  plan.result_size = {plan.x.result_size, plan.y.result_size, plan.z.result_size};
  const cpu::VolumeDomain domain = cpu::convolution_domain(plan);
  if (auto fits = check_domain(domain); !fits) return fits.error();
  plan.memory_bytes = domain.bytes() + domain.scratch_bytes() + voxels(k) * sizeof(float);
  return plan;
}

Result<VolumeDeconvolutionPlan> plan_volume_deconvolution(const VolumeDeconvolutionOptions& options,
                                                          VolumeAccess access) {
  VolumeDeconvolutionPlan plan{.options = options, .access = access};
  VolumeDeconvolutionOptions& o = plan.options;
  auto checked = check_volume_size("size", o.size);
  if (checked) checked = check_volume_size("kernel_size", o.kernel_size);
  if (checked) checked = check_enumerators("acceleration", o.acceleration, "start", o.start);
  if (checked) checked = check_type("source", o.source);
  if (checked) checked = check_type("target", o.target);
  if (checked) checked = check_type("kernel", o.kernel);
  if (!checked) return checked.error();
  if (o.iterations == 0 || o.iterations > 10000) {
    return invalid("iterations: " + std::to_string(o.iterations) + " is not within 1 and 10000");
  }
  if (!(o.background >= 0) || !std::isfinite(o.background)) {
    return invalid("background: " + number_text(o.background) + " is not a number from 0 on");
  }
  const auto origin = resolve_origin(o.kernel_origin, o.kernel_size);
  if (!origin) return origin.error();
  o.kernel_origin = *origin;
  const VolumeSize& k = o.kernel_size;
  if (!o.halo) o.halo = VolumeSize{div_up(k.width, 2U), div_up(k.height, 2U), div_up(k.planes, 2U)};
  if (auto chosen = choose_tiles(plan); !chosen) return chosen.error();
  plan.memory_bytes = bytes_of(plan);
  plan.thread_bytes = cpu::deconvolution_domain(plan).scratch_bytes();
  return plan;
}

}  // namespace onepass

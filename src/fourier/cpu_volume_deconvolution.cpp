// cpu_volume_deconvolution.cpp: Richardson-Lucy on a volume, tile by tile. Values of a tile are scaled by a power of 2
// to a brightest voxel in [1, 2): the small constants below need that.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <new>
#include <optional>

#include "fourier/cpu_volume_passes.hpp"
#include "fourier/edge_shares.hpp"
#include "fourier/volume_kernel.hpp"
#include "fourier/volume_plans.hpp"
#include "fourier/voxel_rows.hpp"

namespace onepass::cpu {
namespace {

constexpr float kLeastEstimate = 1e-6F;  ///< Products cannot leave 0.
constexpr float kLeastBlur = 1e-7F;      ///< Divisor.

/// The tile of a volume: its result and what it reads, in voxels of the volume.
struct VolumeTile {
  VolumePoint first;
  VolumeSize size;
  VolumePoint measured;  ///< First voxel that it reads; VolumeDeconvolutionPlan::measured has their number.
};

/// Deconvolves tiles of one plan.
class TileDeconvolver {
 public:
  TileDeconvolver(const VolumeDeconvolutionPlan& plan, const std::vector<float>& weights, const VolumeTuning& tuning,
                  ProgressWatch& watch);

  /// Estimates a tile from the voxels that it reads.
  void estimate(const VolumeView& measured);
  /// The tile's voxels of plane `z` of its result.
  void store_plane(const VolumeTile& tile, uint32_t z, std::byte* rows, size_t row_stride);

 private:
  void load_weights(const std::vector<float>& weights);
  void normalise(const VolumeView& measured);
  void load_measured(const VolumeView& measured, uint32_t z, uint32_t y, float* values) const;
  void start_row(const VolumeView& measured, uint32_t z, uint32_t y, float* values);
  void divide_row(const VolumeView& measured, uint32_t z, uint32_t y, float* blurred, uint32_t slot);
  void correct_row(uint32_t z, uint32_t y, uint32_t iteration, float* correction, uint32_t slot);
  [[nodiscard]] float* row_of(const RawMemory& memory, uint32_t z, uint32_t y) const {
    return reinterpret_cast<float*>(memory.data()) + (size_t{z} * plan_.estimate.height + y) * plan_.estimate.width;
  }
  [[nodiscard]] bool moves() const { return plan_.options.acceleration == DeconvolutionAcceleration::kMomentum; }

  const VolumeDeconvolutionPlan& plan_;
  VolumePoint margin_;  ///< The first measured voxel in the estimate.
  VolumePasses passes_;
  VolumePasses::Box estimate_box_;
  VolumePasses::Box measured_box_;
  EdgeShares shares_;
  RawMemory estimate_;
  RawMemory moved_;                       ///< kMomentum: from where the iteration starts.
  std::vector<std::vector<float>> rows_;  ///< Per slot.
  int32_t exponent_ = 0;                  ///< Values are in units of 2^exponent.
  float background_ = 0;                  ///< In this unit.
  double share_;                          ///< A tile's part of the progress.
};

TileDeconvolver::TileDeconvolver(const VolumeDeconvolutionPlan& plan, const std::vector<float>& weights,
                                 const VolumeTuning& tuning, ProgressWatch& watch)
    : plan_(plan),
      margin_{plan.options.kernel_size.width - 1 - plan.options.kernel_origin->x,
              plan.options.kernel_size.height - 1 - plan.options.kernel_origin->y,
              plan.options.kernel_size.planes - 1 - plan.options.kernel_origin->z},
      passes_(deconvolution_domain(plan), tuning.threads, &watch),
      estimate_box_(passes_.box({plan.estimate.width}, {plan.estimate.height}, {plan.estimate.planes})),
      measured_box_(passes_.box({plan.measured.width, static_cast<int32_t>(margin_.x)},
                                {plan.measured.height, static_cast<int32_t>(margin_.y)},
                                {plan.measured.planes, static_cast<int32_t>(margin_.z)})),
      shares_(weights, plan.options.kernel_size, plan.measured),
      rows_(passes_.slots()),
      share_(1.0 / plan.tiles.width / plan.tiles.height / plan.tiles.planes) {
  const size_t bytes = sizeof(float) * plan.estimate.width * plan.estimate.height * plan.estimate.planes;
  estimate_.allocate(bytes);
  if (moves()) moved_.allocate(bytes);
  for (auto& row : rows_) row.resize(std::max(plan.estimate.width, plan.measured.width));
  load_weights(weights);
}

void TileDeconvolver::load_weights(const std::vector<float>& weights) {
  const VolumeSize& size = plan_.options.kernel_size;
  const VolumePoint& origin = *plan_.options.kernel_origin;
  const VolumePasses::Box box =
      passes_.box({size.width, -static_cast<int32_t>(origin.x)}, {size.height, -static_cast<int32_t>(origin.y)},
                  {size.planes, -static_cast<int32_t>(origin.z)});
  const auto load = [&](uint32_t z, uint32_t y, float* values, uint32_t /*slot*/) {
    std::copy_n(weights.data() + (size_t{z} * size.height + y) * size.width, size.width, values);
  };
  passes_.forward(box, load, 0);
  passes_.keep_kernel(box, 1);
}

/// A row of the volume: NaN and less than 0 become 0, Inf the largest float.
void TileDeconvolver::load_measured(const VolumeView& measured, uint32_t z, uint32_t y, float* values) const {
  load_voxels(plan_.options.source, voxel_row(measured, y, z), plan_.measured.width, values);
  const float factor = std::ldexp(1.0F, -exponent_);
  for (uint32_t x = 0; x < plan_.measured.width; ++x) {
    const float value = values[x] > 0.0F ? values[x] : 0.0F;
    values[x] = std::min(value, std::numeric_limits<float>::max()) * factor;
  }
}

/// Chooses the unit of a tile.
void TileDeconvolver::normalise(const VolumeView& measured) {
  exponent_ = 0;
  std::vector<float> brightest(plan_.measured.planes);
  passes_.run(plan_.measured.planes, 0, [&](size_t z, uint32_t slot) {
    float* row = rows_[slot].data();
    for (uint32_t y = 0; y < plan_.measured.height; ++y) {
      load_measured(measured, static_cast<uint32_t>(z), y, row);
      brightest[z] = std::max(brightest[z], *std::max_element(row, row + plan_.measured.width));
    }
  });
  const float most = *std::max_element(brightest.begin(), brightest.end());
  exponent_ = std::clamp(static_cast<int32_t>(std::bit_cast<uint32_t>(most) >> 23) - 127, -126, 126);
  background_ = std::ldexp(plan_.options.background, -exponent_);
}

/// A row of the first estimate: a constant, or the volume without background, its edges repeated into the margins.
void TileDeconvolver::start_row(const VolumeView& measured, uint32_t z, uint32_t y, float* values) {
  float* out = row_of(estimate_, z, y);
  if (plan_.options.start == DeconvolutionStart::kConstant) {
    shares_.inverse_row(z, y, out);  // 0: nothing measured corrects the voxel, which would keep the constant
    for (uint32_t x = 0; x < plan_.estimate.width; ++x) out[x] = out[x] > 0.0F ? 1.0F : kLeastEstimate;
  } else {
    const auto nearest = [](uint32_t at, uint32_t first, uint32_t n) {
      return at < first ? 0 : std::min(at - first, n - 1);
    };
    float* inside = out + margin_.x;
    load_measured(measured, nearest(z, margin_.z, plan_.measured.planes), nearest(y, margin_.y, plan_.measured.height),
                  inside);
    for (uint32_t x = 0; x < plan_.measured.width; ++x) inside[x] = std::max(inside[x] - background_, kLeastEstimate);
    std::fill_n(out, margin_.x, inside[0]);
    std::fill(inside + plan_.measured.width, out + plan_.estimate.width, inside[plan_.measured.width - 1]);
  }
  std::copy_n(out, plan_.estimate.width, values);
  if (moves()) std::copy_n(out, plan_.estimate.width, row_of(moved_, z, y));
}

/// The ratio of the volume to the blurred estimate.
void TileDeconvolver::divide_row(const VolumeView& measured, uint32_t z, uint32_t y, float* blurred, uint32_t slot) {
  float* row = rows_[slot].data();
  load_measured(measured, z, y, row);
  for (uint32_t x = 0; x < plan_.measured.width; ++x) {
    blurred[x] = row[x] / std::max(blurred[x] + background_, kLeastBlur);
  }
}

/// Corrects a row of the estimate after iteration 1, 2, ... and leaves in `correction` where the next one starts.
void TileDeconvolver::correct_row(uint32_t z, uint32_t y, uint32_t iteration, float* correction, uint32_t slot) {
  const uint32_t width = plan_.estimate.width;
  float* factors = rows_[slot].data();
  shares_.inverse_row(z, y, factors);
  for (uint32_t x = 0; x < width; ++x) {
    factors[x] = factors[x] > 0.0F ? std::max(correction[x], 0.0F) * factors[x] : 1.0F;
  }
  float* estimate = row_of(estimate_, z, y);
  if (!moves()) {
    for (uint32_t x = 0; x < width; ++x) correction[x] = estimate[x] *= factors[x];
    return;
  }
  // The step from a constant to the first estimate is no direction.
  const bool arbitrary = iteration == 1 && plan_.options.start == DeconvolutionStart::kConstant;
  const float momentum = arbitrary ? 0.0F : static_cast<float>(iteration) / static_cast<float>(iteration + 3);
  float* moved = row_of(moved_, z, y);
  for (uint32_t x = 0; x < width; ++x) {
    const float next = moved[x] * factors[x];
    correction[x] = moved[x] = std::max(next + momentum * (next - estimate[x]), kLeastEstimate);
    estimate[x] = next;
  }
}

void TileDeconvolver::estimate(const VolumeView& measured) {
  const uint32_t iterations = plan_.options.iterations;
  const double pass = share_ / (4.0 * iterations + 1);
  normalise(measured);
  passes_.forward(
      estimate_box_,
      [&](uint32_t z, uint32_t y, float* values, uint32_t /*slot*/) { start_row(measured, z, y, values); }, pass);
  for (uint32_t i = 1; i <= iterations && !passes_.is_cancelled(); ++i) {
    passes_.multiply(estimate_box_, measured_box_, false, pass);
    passes_.change(
        measured_box_,
        [&](uint32_t z, uint32_t y, float* values, uint32_t slot) { divide_row(measured, z, y, values, slot); }, pass);
    passes_.multiply(measured_box_, estimate_box_, true, pass);
    const auto correct = [&](uint32_t z, uint32_t y, float* values, uint32_t slot) {
      correct_row(z, y, i, values, slot);
    };
    if (i < iterations) {
      passes_.change(estimate_box_, correct, pass);
    } else {
      passes_.inverse(estimate_box_, correct, pass);
    }
  }
}

void TileDeconvolver::store_plane(const VolumeTile& tile, uint32_t z, std::byte* rows, size_t row_stride) {
  const VolumePoint skipped = {margin_.x + tile.first.x - tile.measured.x, margin_.y + tile.first.y - tile.measured.y,
                               margin_.z + tile.first.z - tile.measured.z};
  const float unit = std::ldexp(1.0F, exponent_);
  passes_.run(tile.size.height, 0, [&](size_t y, uint32_t /*slot*/) {
    float* row = row_of(estimate_, skipped.z + z, skipped.y + static_cast<uint32_t>(y)) + skipped.x;
    for (uint32_t x = 0; x < tile.size.width; ++x) row[x] *= unit;
    store_voxels(plan_.options.target, row, tile.size.width, rows + y * row_stride);
  });
}

/// Tile number (x, y, z). All tiles read the same number of voxels: those at the edges of the volume more on one side.
VolumeTile tile_at(const VolumeDeconvolutionPlan& plan, uint32_t x, uint32_t y, uint32_t z) {
  const VolumeDeconvolutionOptions& o = plan.options;
  VolumeTile tile;
  const auto along = [](uint32_t number, uint32_t extent, uint32_t whole, uint32_t halo, uint32_t measured,
                        uint32_t& first, uint32_t& size, uint32_t& begin) {
    first = number * extent;
    size = std::min(extent, whole - first);
    begin = std::min(first < halo ? 0 : first - halo, whole - measured);
  };
  along(x, plan.tile.width, o.size.width, o.halo->width, plan.measured.width, tile.first.x, tile.size.width,
        tile.measured.x);
  along(y, plan.tile.height, o.size.height, o.halo->height, plan.measured.height, tile.first.y, tile.size.height,
        tile.measured.y);
  along(z, plan.tile.planes, o.size.planes, o.halo->planes, plan.measured.planes, tile.first.z, tile.size.planes,
        tile.measured.z);
  return tile;
}

/// Calls function(tile) for all tiles, until an error.
template <class Function>
Result<void> each_tile(const VolumeDeconvolutionPlan& plan, const Function& function) {
  for (uint32_t z = 0; z < plan.tiles.planes; ++z) {
    for (uint32_t y = 0; y < plan.tiles.height; ++y) {
      for (uint32_t x = 0; x < plan.tiles.width; ++x) {
        if (auto done = function(tile_at(plan, x, y, z)); !done) return done;
      }
    }
  }
  return {};
}

Result<void> cancelled() { return Error{ErrorCode::kCancelled, "cancelled while the volume was deconvolved", ""}; }

/// Plans, checks the kernel and calls function(plan, tiles, watch).
template <class Function>
Result<void> with_tiles(const VolumeDeconvolutionPlan& plan, const VolumeView& kernel, const VolumeTuning& tuning,
                        const Function& function) {
  const auto weights = volume_weights(kernel, plan.options.kernel, plan.options.kernel_size, true, false);
  if (!weights) return weights.error();
  ProgressWatch watch(tuning.progress);
  TileDeconvolver tiles(plan, *weights, tuning, watch);
  if (auto done = function(tiles, watch); !done) return done;
  if (!watch.finish()) return cancelled();
  return {};
}

}  // namespace

Result<void> deconvolve_volume(const VolumeDeconvolutionOptions& options, const VolumeView& source,
                               const VolumeView& kernel, const MutableVolumeView& target,
                               const VolumeTuning& tuning) try {
  const auto plan = plan_volume_deconvolution(options);
  if (!plan) return plan.error();
  auto checked = check_volume_view("source", source, options.source, options.size);
  if (checked) {
    checked = check_volume_view("target", {target.data, target.row_stride, target.plane_stride}, options.target,
                                options.size);
  }
  if (!checked) return checked;
  const size_t voxel = voxel_info(options.source).bytes;
  const size_t result = voxel_info(options.target).bytes;
  return with_tiles(*plan, kernel, tuning, [&](TileDeconvolver& tiles, ProgressWatch& watch) {
    return each_tile(*plan, [&](const VolumeTile& tile) -> Result<void> {
      tiles.estimate({voxel_row(source, tile.measured.y, tile.measured.z) + tile.measured.x * voxel, source.row_stride,
                      source.plane_stride});
      if (watch.is_cancelled()) return cancelled();
      for (uint32_t z = 0; z < tile.size.planes; ++z) {
        std::byte* rows = voxel_row(target, tile.first.y, tile.first.z + z) + tile.first.x * result;
        tiles.store_plane(tile, z, rows, target.row_stride);
        if (watch.is_cancelled()) return cancelled();
      }
      return {};
    });
  });
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory to deconvolve a volume", ""};
}

Result<void> deconvolve_volume(const VolumeDeconvolutionOptions& options, const VolumeReader& read,
                               const VolumeView& kernel, const VolumeWriter& write, const VolumeTuning& tuning) try {
  const auto plan = plan_volume_deconvolution(options, VolumeAccess::kFunctions);
  if (!plan) return plan.error();
  const VolumeSize& size = plan->measured;
  const size_t row_bytes = size_t{size.width} * voxel_info(options.source).bytes;
  const size_t result_bytes = size_t{plan->tile.width} * voxel_info(options.target).bytes;
  RawMemory voxels;
  voxels.allocate(row_bytes * size.height * size.planes);
  std::vector<std::byte> rows(result_bytes * plan->tile.height);
  return with_tiles(*plan, kernel, tuning, [&](TileDeconvolver& tiles, ProgressWatch& watch) {
    return each_tile(*plan, [&](const VolumeTile& tile) -> Result<void> {
      const MutableVolumeView box = {voxels.data(), row_bytes, row_bytes * size.height};
      if (auto done = read(tile.measured, size, box); !done) return done;
      tiles.estimate({box.data, box.row_stride, box.plane_stride});
      if (watch.is_cancelled()) return cancelled();
      for (uint32_t z = 0; z < tile.size.planes; ++z) {
        tiles.store_plane(tile, z, rows.data(), result_bytes);
        if (watch.is_cancelled()) return cancelled();
        const VolumePoint first = {tile.first.x, tile.first.y, tile.first.z + z};
        const VolumeSize plane = {tile.size.width, tile.size.height, 1};
        if (auto done = write(first, plane, {rows.data(), result_bytes, rows.size()}); !done) return done;
      }
      return {};
    });
  });
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory to deconvolve a volume", ""};
}

}  // namespace onepass::cpu

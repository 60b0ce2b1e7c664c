// cpu_custom.cpp: the levels of a reduction of the caller's own, without the element's type. Level by level; a task is
// a band of rows. The taps of a level are those of onepass_taps in shaders/onepass/pyramid_levels.glsl, with the same
// operations on floats.
#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "cpu/progress_watch.hpp"
#include "cpu/workers.hpp"
#include "image/div_up.hpp"
#include "image/error.hpp"
#include "onepass/pyramid_custom.hpp"

namespace onepass::cpu {
namespace {

constexpr uint32_t kMaxExtent = 65535;
constexpr uint32_t kTaskTexels = 4096;  // of a task, at least one row: functions of the caller take long

/// Weights of three texels with the covering footprint: polyphase, see Footprint::kCovering.
void cover(AxisTaps& taps, uint32_t fine, uint32_t coarse, uint32_t i) {
  const float left = static_cast<float>(coarse - i) / static_cast<float>(fine);
  const float right = static_cast<float>(i + 1) / static_cast<float>(fine);
  taps.weight = {left, 1.0F - left - right, right};
}

/// The edge footprint: the last texel takes the remainder, and the last finer texel may stand for more base texels than
/// the others.
void extend_edge(AxisTaps& taps, uint32_t size, uint32_t level, uint32_t fine, uint32_t coarse, uint32_t i) {
  const bool last = i + 1 == coarse && fine > 1;
  const auto block = static_cast<float>(uint32_t{1} << level);
  const auto remainder = static_cast<float>(size - ((fine - 1) << level));
  const float whole = static_cast<float>(size) - static_cast<float>(2 * i) * block;
  if (last && fine - 2 * i == 3) {
    taps.weight = {block / whole, block / whole, remainder / whole};
  } else {
    const float second = last ? remainder / whole : 0.5F;
    taps.at[2] = taps.at[1];
    taps.weight = {1.0F - second, 0.5F * second, 0.5F * second};
  }
}

/// Taps of all texels of level `level` + 1 along an axis of base size `size`.
std::vector<AxisTaps> taps_of(Footprint footprint, uint32_t size, uint32_t level) {
  const uint32_t fine = std::max(1U, size >> level);
  const uint32_t coarse = std::max(1U, size >> (level + 1));
  std::vector<AxisTaps> all(coarse);
  for (uint32_t i = 0; i < coarse; ++i) {
    AxisTaps& taps = all[i];
    for (uint32_t t = 0; t < 3; ++t) taps.at[t] = std::min(2 * i + t, fine - 1);
    taps.weight = {0.5F, 0.5F, 0.0F};
    taps.three = footprint == Footprint::kEdge || (footprint == Footprint::kCovering && fine % 2 == 1 && fine > 1);
    if (!taps.three) continue;
    if (footprint == Footprint::kCovering) {
      cover(taps, fine, coarse, i);
    } else {
      extend_edge(taps, size, level, fine, coarse, i);
    }
  }
  return all;
}

}  // namespace

Result<uint32_t> count_custom_levels(const CustomPyramidOptions& options, bool in_order) {
  const auto [width, height] = options.size;
  if (width == 0 || height == 0 || width > kMaxExtent || height > kMaxExtent) {
    return invalid("size: " + std::to_string(width) + "x" + std::to_string(height) + " is not within 1 to 65535");
  }
  if (options.slices == 0) return invalid("slices: 0, but a pyramid has at least one");
  const uint32_t full = full_level_count(options.size);
  if (options.levels > full) {
    return invalid("levels: " + std::to_string(options.levels) + ", but a " + std::to_string(width) + "x" +
                   std::to_string(height) + " base has at most " + std::to_string(full));
  }
  if (options.footprint != Footprint::kAligned && options.footprint != Footprint::kCovering &&
      options.footprint != Footprint::kEdge) {
    return invalid("footprint: a reduction of your own is defined for aligned, covering and edge");
  }
  if (in_order && options.footprint != Footprint::kAligned) {
    return invalid("footprint: four texels in order are those of aligned; others also have three texels per axis");
  }
  return options.levels == 0 ? full : options.levels;
}

Result<void> for_each_custom_rows(const CustomPyramidOptions& options, bool in_order, const PyramidTuning& tuning,
                                  const std::function<void(const CustomPyramidRows&)>& make) try {
  const auto levels = count_custom_levels(options, in_order);
  if (!levels) return levels.error();
  Workers workers(tuning.threads);
  ProgressWatch watch(tuning.progress);
  double rows_of_all = 0;  // weighed by their width
  const auto texels = [&](uint32_t n) {
    const Extent size = level_size(options.size, n);
    return static_cast<double>(size.width) * size.height;
  };
  for (uint32_t n = 1; n < *levels; ++n) rows_of_all += texels(n);
  for (uint32_t n = 1; n < *levels && !watch.is_cancelled(); ++n) {
    const std::vector<AxisTaps> x = taps_of(options.footprint, options.size.width, n - 1);
    const std::vector<AxisTaps> y = taps_of(options.footprint, options.size.height, n - 1);
    const Extent size = level_size(options.size, n);
    const uint32_t height = std::max(1U, kTaskTexels / size.width);  // of a band
    const uint32_t bands = div_up(size.height, height);
    const double share = texels(n) / rows_of_all / bands / options.slices;
    workers.run(size_t{bands} * options.slices, [&](size_t task, uint32_t /*slot*/) {
      if (watch.is_cancelled()) return;
      const auto band = static_cast<uint32_t>(task % bands);
      make({.level = n,
            .slice = static_cast<uint32_t>(task / bands),
            .begin = band * height,
            .end = std::min(size.height, (band + 1) * height),
            .size = size,
            .finer = level_size(options.size, n - 1),
            .x = x.data(),
            .y = y.data()});
      watch.add(share);
    });
  }
  if (!watch.finish()) return Error{ErrorCode::kCancelled, "the caller has cancelled the pyramid", {}};
  return {};
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "no memory for a pyramid", {}};
}

}  // namespace onepass::cpu

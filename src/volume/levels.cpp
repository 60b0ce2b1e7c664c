// levels.cpp: VolumeLevels: which planes and rows are reduced, and by which thread.
#include "volume/levels.hpp"

#include <algorithm>
#include <cstring>

#include "image/div_up.hpp"

namespace onepass::volume {
namespace {

constexpr size_t kTaskBytes = size_t{1} << 16;  ///< Finer bytes of a task.

/// Base voxels of cell `i` along an axis.
uint64_t extent_of(uint64_t cell, uint32_t i, uint32_t size) { return std::min(cell, size - cell * i); }

}  // namespace

VolumeLevels::VolumeLevels(const VolumeOptions& options, const VolumePart& part, const VolumePlan& plan,
                           cpu::Workers& workers, const cpu::VolumeSink& sink)
    : options_(options),
      part_(part),
      workers_(workers),
      sink_(sink),
      voxel_bytes_(voxel_info(options.type).bytes),
      is_mean_(options.reduction == Reduction::kMean),
      levels_(plan.sizes.size()),
      scratch_(workers.slots()) {
  allocate(plan, *sums_of(options, part));
  for (Bytes& scratch : scratch_) scratch.resize(plan.thread_bytes);
}

void VolumeLevels::allocate(const VolumePlan& plan, const std::vector<Element>& sums) {
  for (size_t n = part_.first_level; n < levels_.size(); ++n) {
    Level& level = levels_[n];
    level.size = plan.sizes[n];
    level.cell = cell_of(options_, n);
    level.element_bytes = plan.unrounded_bytes[n];
    const uint64_t elements = plane_elements(options_, level.size);
    const uint32_t kept = kept_planes(options_, n);
    if (n == part_.first_level) {
      if (kept > 1) level.kept[0].resize(elements * level.element_bytes);
      continue;
    }
    level.step = options_.steps[n - 1];
    for (uint32_t slot = 0; slot < held_planes(options_, part_, n); ++slot) {
      level.kept[slot].resize(elements * level.element_bytes);
    }
    if (is_mean_) level.voxels.resize(elements * voxel_bytes_);
    level.rows = is_mean_ ? mean_rows(n == 1 ? element_of(options_.type) : sums[n - 1], sums[n], options_.type)
                          : (options_.reduction == Reduction::kMode ? mode_rows(options_.type)
                                                                    : extreme_rows(options_.reduction, options_.type));
  }
}

size_t VolumeLevels::row_bytes(const Level& level) const {
  return size_t{level.size.width} * options_.channels * level.element_bytes;
}

void VolumeLevels::copy_to_wait(const Plane& plane) {
  Level& first = levels_[part_.first_level];
  const size_t bytes = row_bytes(first);
  for (uint32_t y = 0; y < first.size.height; ++y) {
    std::memcpy(first.kept[0].data() + y * bytes, plane.data + y * plane.row_stride, bytes);
  }
}

Result<void> VolumeLevels::take(const std::byte* planes, size_t row_stride, size_t plane_stride, uint32_t count) {
  const Level& first = levels_[part_.first_level];
  const size_t next = part_.first_level + 1;
  const bool halves = levels_[next].step.z == 2;
  for (uint32_t i = 0; i < count;) {
    const Plane plane = {planes + i * plane_stride, row_stride};
    const uint32_t z = planes_;
    const bool is_last = z + 1 == first.size.planes;
    Result<void> made;
    if (!halves) {
      made = make_plane(next, z, {plane}, 1);
    } else if (z % 2 == 1) {
      made = make_plane(next, z / 2, {Plane{first.kept[0].data(), row_bytes(first)}, plane}, 2);
    } else if (is_last) {
      made = make_plane(next, z / 2, {plane}, 1);
    } else if (i + 1 < count) {
      made = make_plane(next, z / 2, {plane, Plane{plane.data + plane_stride, row_stride}}, 2);
      ++planes_;
      ++i;
    } else {
      copy_to_wait(plane);
    }
    if (!made) return made;
    ++planes_;
    ++i;
  }
  return {};
}

Result<void> VolumeLevels::make_plane(size_t n, uint32_t z, const std::array<Plane, 2>& finer, uint32_t finer_count) {
  make_rows(n, z, finer, finer_count);
  const Level& level = levels_[n];
  const uint32_t slots = kept_planes(options_, n);
  const size_t slot = slots == 2 ? z % 2 : 0;
  const Bytes& voxels = is_mean_ ? level.voxels : level.kept[slot];
  const bool is_last = n + 1 == levels_.size();
  cpu::VolumePlane out = {static_cast<uint32_t>(n),
                          z,
                          level.size.width,
                          level.size.height,
                          voxels.data(),
                          size_t{level.size.width} * options_.channels * voxel_bytes_};
  if (is_last && part_.keep_unrounded) {
    out.unrounded = level.kept[slot].data();
    out.unrounded_row_stride = row_bytes(level);
  }
  if (auto taken = sink_(out); !taken) return taken;
  if (is_last) return {};
  const auto kept = [&](size_t index) { return Plane{level.kept[index].data(), row_bytes(level)}; };
  if (slots == 1) return make_plane(n + 1, z, {kept(0)}, 1);
  if (z % 2 == 1) return make_plane(n + 1, z / 2, {kept(0), kept(1)}, 2);
  if (z + 1 == level.size.planes) return make_plane(n + 1, z / 2, {kept(0)}, 1);
  return {};
}

void VolumeLevels::make_rows(size_t n, uint32_t z, const std::array<Plane, 2>& finer, uint32_t finer_count) {
  Level& level = levels_[n];
  const Level& before = levels_[n - 1];
  const size_t finer_bytes = size_t{before.size.width} * options_.channels * before.element_bytes;
  const size_t slot = kept_planes(options_, n) == 2 ? z % 2 : 0;
  const size_t rows_bytes = finer_bytes * level.step.y * finer_count;
  const auto group = static_cast<uint32_t>(std::max<size_t>(1, kTaskBytes / rows_bytes));  // rows of a task
  workers_.run(div_up(level.size.height, group), [&](size_t task, uint32_t thread) {
    const auto first = static_cast<uint32_t>(task) * group;
    const uint32_t end = first + std::min(group, level.size.height - first);
    const size_t voxel_row = size_t{level.size.width} * options_.channels * voxel_bytes_;
    for (uint32_t y = first; y < end; ++y) {
      RowFold fold;
      const uint32_t finer_y = y * level.step.y;
      const uint32_t finer_rows = std::min(level.step.y, before.size.height - finer_y);
      fold.row_count = finer_rows * finer_count;
      fold.elements = size_t{before.size.width} * options_.channels;
      for (uint32_t row = 0; row < fold.row_count; ++row) {
        const Plane& plane = finer[row / finer_rows];
        fold.rows[row] = plane.data + (finer_y + row % finer_rows) * plane.row_stride;
      }
      if (!level.kept[slot].empty()) fold.out = level.kept[slot].data() + y * row_bytes(level);
      make_row(level, z, fold, is_mean_ ? level.voxels.data() + y * voxel_row : nullptr, scratch_[thread].data(), y);
    }
  });
}

void VolumeLevels::make_row(const Level& level, uint32_t z, RowFold& fold, std::byte* voxels, std::byte* scratch,
                            uint32_t y) const {
  std::byte* wide = scratch;
  if (options_.channels > 1 && level.step.x == 2) scratch += round_up(fold.elements * level.element_bytes, size_t{64});
  std::byte* out = fold.out != nullptr ? fold.out : scratch;
  if (level.step.x == 1) {
    fold.out = out;
    level.rows.elements(fold);
  } else if (options_.channels == 1) {
    fold.out = out;
    level.rows.pairs(fold);
  } else {
    fold.out = wide;
    level.rows.elements(fold);
    level.rows.halve(wide, fold.elements / options_.channels, options_.channels, out);
  }
  if (is_mean_) round_row(level, z, y, out, voxels);
}

void VolumeLevels::round_row(const Level& level, uint32_t z, uint32_t y, const std::byte* sums,
                             std::byte* voxels) const {
  const Cell& cell = level.cell;
  const uint64_t plane = extent_of(cell.y, y, options_.size.height) * extent_of(cell.z, z, options_.size.planes);
  const uint32_t last = level.size.width - 1;
  const size_t before = size_t{last} * options_.channels;  // elements of full cells
  const uint64_t full = std::min<uint64_t>(cell.x, options_.size.width);
  const uint64_t end = extent_of(cell.x, last, options_.size.width);
  if (end == full) return level.rows.round(sums, before + options_.channels, full * plane, voxels);
  level.rows.round(sums, before, full * plane, voxels);
  level.rows.round(sums + before * level.element_bytes, options_.channels, end * plane, voxels + before * voxel_bytes_);
}

}  // namespace onepass::volume

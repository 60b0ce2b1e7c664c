// volume_plan.hpp: what plan_volume() and the stream compute alike.
#pragma once

#include <string>
#include <vector>

#include "onepass/result.hpp"
#include "onepass/volume_stream.hpp"
#include "volume/rows.hpp"

namespace onepass::volume {

/// "640x480x100"
std::string size_text(VolumeSize size);

/// Numbers in a plane of a level.
uint64_t plane_elements(const VolumeOptions& options, VolumeSize size);

/// Planes of a level that a stream keeps for the next one: 1 or 2 by its step in z, 0 of the last level.
uint32_t kept_planes(const VolumeOptions& options, size_t level);

/// Planes of unrounded numbers that a stream holds of a level that it makes: those for the next level, for the sink,
/// and the one that is being made where its numbers are voxels.
uint32_t held_planes(const VolumeOptions& options, const VolumePart& part, size_t level);

/// Bytes of a thread's rows: one of the finer width where channels are interleaved and x is halved, one of sums where a
/// level keeps none.
uint64_t scratch_bytes(const VolumeOptions& options, const VolumePart& part, const VolumePlan& plan);

/// The element of each level's sums, level 0 left out: that of the whole volume. Errors: kUnsupported.
Result<std::vector<Element>> sums_of(const VolumeOptions& options, const VolumePart& part);

/// Base voxels of a cell per axis, away from borders.
struct Cell {
  uint64_t x = 1;
  uint64_t y = 1;
  uint64_t z = 1;
};
Cell cell_of(const VolumeOptions& options, size_t level);

}  // namespace onepass::volume

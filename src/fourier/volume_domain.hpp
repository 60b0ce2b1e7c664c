// volume_domain.hpp: the memory layout of a volume that is transformed on the CPU.
//
//     plane of work memory    | strip 0: ky = 0 .. H-1 | strip 1 | ... |    a strip: 16 adjacent kx, an element per row
//     work memory             | plane 0 | plane 1 | ... | zeros | discarded |
//     kernel                  | strip 0: | ky = 0: kz = 0 .. D-1 | ky = 1 | ... | strip 1 | ... |
#pragma once

#include <algorithm>
#include <cstdint>

#include "fourier/line_plan.hpp"
#include "image/div_up.hpp"
#include "onepass/volume_stream.hpp"

namespace onepass::cpu {

/// Sizes in elements of 128 bytes.
struct VolumeDomain {
  VolumeSize size;
  uint32_t planes = 1;  ///< The most planes that a pass reads or writes; others of the domain repeat them or are zero.

  [[nodiscard]] uint32_t strips() const { return div_up(size.width / 2 + 1, kLanes); }
  [[nodiscard]] uint64_t strip() const { return size.height; }
  /// An odd number: the elements of a line along z then fall into all sets of a cache.
  [[nodiscard]] uint64_t plane() const { return strips() * strip() | 1U; }
  [[nodiscard]] uint64_t work() const { return (uint64_t{planes} + 2) * plane(); }
  [[nodiscard]] uint64_t kernel() const { return uint64_t{strips()} * size.height * size.planes; }
  /// Bytes of work memory and kernel.
  [[nodiscard]] uint64_t bytes() const { return (work() + kernel()) * kElementFloats * sizeof(float); }
  /// Floats of a row, with room for whole blocks of 16.
  [[nodiscard]] size_t row() const { return round_up(size_t{size.width}, size_t{kLanes}) + 2 * size_t{kLanes}; }
  /// Bytes of a thread: lines, LineJob::scratch and 32 rows, if no size needs Bluestein's algorithm.
  [[nodiscard]] uint64_t scratch_bytes() const {
    const uint64_t longest = std::max<uint64_t>(row(), size.planes);
    const uint64_t pass = std::max({uint64_t{size.width}, 2 * uint64_t{size.height}, uint64_t{size.planes}});
    return (longest + pass + row()) * kElementFloats * sizeof(float);
  }
};

}  // namespace onepass::cpu

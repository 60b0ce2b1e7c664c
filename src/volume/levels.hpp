// levels.hpp: VolumeLevels: makes the levels of a volume from planes of the base that arrive in order.
//
//     base      plane 0, 1 | 2, 3 | 4, 5 | ...   one plane is copied where it arrives without its neighbour
//     level 1     slot 0   | slot 1 |  slot 0    sums (means) or voxels of the two planes that level 2 needs
//     level 2            slot 0     |   ...
//
// A coarse row is made from up to four finer rows at once (rows.hpp), so that the finer planes are read once. Means
// keep exact sums of base voxels between levels and round a copy of them; the others keep voxels.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "cpu/workers.hpp"
#include "volume/volume_plan.hpp"

namespace onepass::volume {

class VolumeLevels {
 public:
  /// `options`, `part` and `plan` have been checked; the references outlive the object. May throw std::bad_alloc.
  VolumeLevels(const VolumeOptions& options, const VolumePart& part, const VolumePlan& plan, cpu::Workers& workers,
               const cpu::VolumeSink& sink);

  /// Takes `count` further planes of part.first_level. Returns the sink's error. May throw std::bad_alloc.
  Result<void> take(const std::byte* planes, size_t row_stride, size_t plane_stride, uint32_t count);

 private:
  using Bytes = cpu::AlignedVector<std::byte>;

  /// A plane of a level as the next level reads it.
  struct Plane {
    const std::byte* data = nullptr;
    size_t row_stride = 0;
  };

  struct Level {
    VolumeSize size;
    VolumeStep step;              ///< From the finer level.
    Cell cell;                    ///< Base voxels.
    RowFunctions rows;            ///< How it is made.
    size_t element_bytes = 0;     ///< Of its kept planes: sums or voxels.
    std::array<Bytes, 2> kept{};  ///< Planes for the next level or the sink. The first level: a plane that waits.
    Bytes voxels;                 ///< A finished plane, where the kept one has sums.
  };

  /// Makes plane z of level n from one or two planes of the finer level, then the planes that it completes.
  Result<void> make_plane(size_t n, uint32_t z, const std::array<Plane, 2>& finer, uint32_t finer_count);
  void make_rows(size_t n, uint32_t z, const std::array<Plane, 2>& finer, uint32_t finer_count);
  void make_row(const Level& level, uint32_t z, RowFold& fold, std::byte* voxels, std::byte* scratch, uint32_t y) const;
  void round_row(const Level& level, uint32_t z, uint32_t y, const std::byte* sums, std::byte* voxels) const;
  void allocate(const VolumePlan& plan, const std::vector<Element>& sums);
  void copy_to_wait(const Plane& plane);
  [[nodiscard]] size_t row_bytes(const Level& level) const;

  const VolumeOptions& options_;
  const VolumePart& part_;
  cpu::Workers& workers_;
  const cpu::VolumeSink& sink_;
  size_t voxel_bytes_;  ///< Of a channel.
  bool is_mean_;
  uint32_t planes_ = 0;         ///< That have come.
  std::vector<Level> levels_;   ///< Those before part_.first_level are not used.
  std::vector<Bytes> scratch_;  ///< Of each thread.
};

}  // namespace onepass::volume

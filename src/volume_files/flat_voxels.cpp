// flat_voxels.cpp: one read for all rows of a plane where file and caller have them side by side, else one per row.
#include "volume_files/flat_voxels.hpp"

#include "files/pixels.hpp"

namespace onepass::volumes {

Result<void> read_flat_voxels(const std::string& name, const tiles::InputHandle& file, uint64_t offset,
                              const VolumeHeader& header, bool swapped, const VolumeBox& box, std::byte* out,
                              size_t row_stride, size_t plane_stride) {
  const size_t voxel = voxel_info(header.type).bytes;
  const size_t row_bytes = box.size.width * voxel;
  const bool dense = box.size.width == header.size.width && row_stride == row_bytes;
  const uint32_t step = dense ? box.size.height : 1;
  for (uint32_t z = 0; z < box.size.planes; ++z) {
    for (uint32_t y = 0; y < box.size.height; y += step) {
      const uint64_t first = (uint64_t{box.z + z} * header.size.height + box.y + y) * header.size.width + box.x;
      const std::span<std::byte> rows(out + z * plane_stride + y * row_stride, row_bytes * step);
      if (auto done = file.read(name, offset + first * voxel, rows); !done) return done;
      if (swapped && voxel > 1) files::reverse_bytes(rows, voxel);
    }
  }
  return {};
}

}  // namespace onepass::volumes

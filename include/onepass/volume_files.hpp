// volume_files.hpp: pyramids of volumes (3-D images) in files: OME-Zarr from OME-Zarr, TIFF stacks, NIfTI, numbered
// pictures and raw voxels (target onepass::files). The volume need not fit into memory.
//
//     onepass::volumes::VolumeFileOptions options{.input = {.path = "brain.zarr"}, .output = "pyramid.zarr"};
//     auto report = onepass::volumes::make_volume(options);
//     if (!report) return report.error();
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "onepass/export.h"
#include "onepass/reduction.hpp"
#include "onepass/result.hpp"
#include "onepass/volume_stream.hpp"

/// Pyramids of volumes in files.
namespace onepass::volumes {

/// The volume to read.
struct VolumeInput {
  /// OME-Zarr (a directory; Zarr 2 or 3), an OME-TIFF, ImageJ or plain stack of TIFF pages, or NIfTI-1 and -2.
  /// Empty if `planes` is set.
  std::filesystem::path path{};

  /// Voxels without a header: "XxYxZ:FORMAT[:be][+OFFSET]". FORMAT is uint8, int8, uint16, int16, uint32, int32,
  /// uint64, float16 or float32. x varies fastest. Little-endian; ":be" is big-endian; OFFSET is the number of bytes
  /// before the first voxel. Empty: the file has a header.
  std::string raw{};

  /// The name of files of one plane each, with {z} for a number: "plane_{z}.tif". The planes are all files of such a
  /// name, in the order of their numbers, which have no gaps.
  std::string planes{};

  /// The extents of a voxel in micrometres, in place of what the file states.
  std::optional<VoxelSize> voxel{};
};

}  // namespace onepass::volumes

// volume_source.hpp: a volume in files, read box by box, so that it need not fit into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "onepass/result.hpp"
#include "onepass/volume_files.hpp"
#include "onepass/volume_stream.hpp"
#include "tiles/file_io.hpp"
#include "tiles/worker_pool.hpp"

namespace onepass::volumes {

/// Times and channels of a set of volumes of one size. Volume (t, c) has the index t * channels + c.
struct VolumeSet {
  uint32_t times = 1;
  uint32_t channels = 1;
  bool has_time_axis = false;     ///< Outputs have an axis t, also if there is one time.
  bool has_channel_axis = false;  ///< The same of c.
  [[nodiscard]] uint32_t count() const { return times * channels; }
};

/// The metadata of a volume that outputs pass on.
struct VolumeMetadata {
  std::string name;
  std::optional<VoxelSize> voxel;            ///< In `unit`; none if the source does not state it.
  VoxelSize origin{.x = 0, .y = 0, .z = 0};  ///< Centre of voxel (0, 0, 0), in `unit`.
  std::string unit;                          ///< Of length, as in OME-NGFF: "micrometer"; empty: not stated.
  double time_step = 1;                      ///< Between two times, in `time_unit`.
  std::string time_unit;                     ///< "second"; empty: not stated.
  std::vector<std::string> channel_names;    ///< One per channel, or none.
  /// JSON texts of OME-NGFF, empty if the source has none: channels with colours and windows; properties of labels.
  std::string omero;
  std::string image_label;
};

/// What a source states before voxels are read.
struct VolumeHeader {
  VolumeSize size;  ///< Of each volume of the set.
  VoxelType type = VoxelType::kUint8;
  VolumeSet set;
  VolumeMetadata metadata;
  /// Voxels that are stored and decoded together: a chunk, a shard's inner chunk, the strip of a plane. Boxes that are
  /// made of whole blocks read every voxel once.
  VolumeSize block{1, 1, 1};
};

/// A box of voxels.
struct VolumeBox {
  uint32_t x = 0, y = 0, z = 0;  ///< Its first voxel.
  VolumeSize size;               ///< Inside the volume; at least one voxel.
};

/// Delivers boxes of voxels, in any order. A source is used by one thread at a time; it may decode on its pool
/// meanwhile.
class VolumeSource {
 public:
  virtual ~VolumeSource() = default;
  VolumeSource(const VolumeSource&) = delete;
  VolumeSource& operator=(const VolumeSource&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const VolumeHeader& header() const { return header_; }

  /// Bytes that reading a box of this size holds besides the voxels of the caller.
  [[nodiscard]] virtual uint64_t memory_bytes(VolumeSize box) const = 0;

  /// Copies a box of the volume with this index of the set to `out`, in the byte order of the machine: rows are
  /// `row_stride` bytes apart, planes `plane_stride`.
  /// Errors: kIo, kBadData, kOutOfMemory, with the file as context.
  virtual Result<void> read(uint32_t index, const VolumeBox& box, std::byte* out, size_t row_stride,
                            size_t plane_stride) = 0;

 protected:
  VolumeSource() = default;

  std::string name_;
  VolumeHeader header_;
};
using VolumeSourcePtr = std::unique_ptr<VolumeSource>;

/// Opens the volume that `input` names; the type follows from the content, from input.raw, or from input.planes.
/// Errors: kNotFound, kIo, kBadData, kUnsupported, kInvalidArgument, kOutOfMemory.
/// `site`: where input.path is, if that is an address of the web.
Result<VolumeSourcePtr> open_volume(const VolumeInput& input, tiles::WorkerPool& pool,
                                    const remote::SitePtr& site = nullptr);

// One function per type.
Result<VolumeSourcePtr> open_raw_volume(const std::filesystem::path& path, const std::string& description);
Result<VolumeSourcePtr> open_zarr_volume(const std::filesystem::path& root, tiles::WorkerPool& pool,
                                         const remote::SitePtr& site = nullptr);
/// `file`: open, of this machine or remote.
Result<VolumeSourcePtr> open_tiff_volume(const std::filesystem::path& path, tiles::InputHandle file,
                                         tiles::WorkerPool& pool);
Result<VolumeSourcePtr> open_nifti_volume(const std::filesystem::path& path);
Result<VolumeSourcePtr> open_plane_files(const std::string& pattern, tiles::WorkerPool& pool);

}  // namespace onepass::volumes

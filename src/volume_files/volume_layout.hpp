// volume_layout.hpp: what an output consists of: its levels, chunks and files; decided by the options and the source's
// header, before anything is read or written.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "volume_files/axes.hpp"
#include "volume_files/volume_source.hpp"

namespace onepass::volumes {

/// One level of the output: an array of files of `shard` voxels, each of which holds chunks.
struct LevelLayout {
  VolumeSize size;
  VolumeSize chunk;
  VolumeSize shard;  ///< A multiple of the chunk; the chunk's size: one chunk per file.
  Factors factors;   ///< Voxels of the base per voxel.
};

struct VolumeLayout {
  VolumeFileOptions options;  ///< With defaults resolved.
  VolumeHeader header;
  std::vector<VolumeStep> steps;
  std::vector<LevelLayout> levels;
  std::filesystem::path work;  ///< The directory of the unfinished output.
  std::filesystem::path root;  ///< The unfinished output itself.
  remote::SitePtr site{};      ///< Of the input, if that is behind HTTP.
  std::string deconvolution;   ///< All that decides the deconvolved voxels; empty: voxels are those of the input.

  [[nodiscard]] uint32_t voxel_bytes() const { return voxel_info(header.type).bytes; }
  [[nodiscard]] uint32_t last_level() const { return static_cast<uint32_t>(levels.size()) - 1; }

  /// Files hold several chunks (codec sharding_indexed).
  [[nodiscard]] bool has_shards() const { return options.shard_size != options.chunk; }
};

/// Refuses options that contradict each other, whatever the input is. Errors: kInvalidArgument.
Result<void> check_volume_options(const VolumeFileOptions& options);

/// Decides steps, levels and chunks. Errors: kInvalidArgument, kUnsupported.
Result<VolumeLayout> plan_layout(const VolumeFileOptions& options, const VolumeHeader& header);

/// Field and value of all that decides the bytes of an output: runs with equal ones continue each other.
std::vector<std::pair<std::string, std::string>> identity_fields(const VolumeLayout& layout);

/// The method that the metadata of outputs state.
inline constexpr const char* kVolumeMethod = "onepass volume";

}  // namespace onepass::volumes

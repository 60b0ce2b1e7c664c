// volume_layout.cpp: defaults and limits of the options of make_volume().
#include "volume_files/volume_layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

#include "onepass/tiles.hpp"
#include "tiles/output.hpp"
#include "tiles/system.hpp"
#include "volume_files/chunk_codec.hpp"

namespace onepass::volumes {
namespace {

using tiles::text_of;

constexpr uint32_t kUsualChunk = 64;
constexpr uint32_t kUsualShardChunks = 4;  // per axis
constexpr uint32_t kMostChunk = 4096;
constexpr uint64_t kMostChunkBytes = uint64_t{1} << 30;
constexpr uint32_t kMostShardChunks = 64;  // per axis: an index of 4 MiB
constexpr size_t kMostLevels = 32;

Error layout_error(std::string message) { return {ErrorCode::kInvalidArgument, std::move(message), ""}; }

Result<void> check_voxel(const std::optional<VoxelSize>& voxel) {
  if (!voxel) return {};
  const auto& [x, y, z] = *voxel;
  if (std::min({x, y, z}) > 0 && std::isfinite(x) && std::isfinite(y) && std::isfinite(z)) return {};
  return layout_error(text_of("voxel: ", x, "x", y, "x", z, " is not positive and finite"));
}

bool is_set(const VolumeSize& size) { return size != VolumeSize{}; }

Result<void> check_chunks(const VolumeFileOptions& o) {
  const auto chunk_fits = [](uint32_t extent) { return extent >= 1 && extent <= kMostChunk; };
  if (is_set(o.chunk) && !(chunk_fits(o.chunk.width) && chunk_fits(o.chunk.height) && chunk_fits(o.chunk.planes))) {
    return layout_error(text_of("chunk: ", axes_text(o.chunk), " is not 1 to ", kMostChunk, " per axis"));
  }
  if (is_set(o.shard_size) && o.zarr_version == 2) {
    return layout_error(text_of("shard_size: ", axes_text(o.shard_size), ", but Zarr 2 has one chunk per file"));
  }
  return {};
}

Result<void> check_deconvolution(const VolumeFileOptions& o) {
  if (!o.deconvolution) return {};
  const VolumeInput& kernel = o.deconvolution->kernel;
  if (kernel.path.empty() == kernel.planes.empty()) {
    return layout_error("deconvolution: either a file of the point spread function or names of its planes are needed");
  }
  if (!kernel.planes.empty() && !kernel.raw.empty()) {
    return layout_error("deconvolution: raw describes one file, not those that planes names");
  }
  if (auto fine = check_voxel(kernel.voxel); !fine) return fine;
  if (o.shard.count == 0 && o.merge == 0) return {};
  return layout_error(text_of(o.merge > 0 ? "merge" : "shard",
                              ": every shard would deconvolve the whole volume; deconvolve it in a run without shards, "
                              "and make the pyramid of its level 0 with them"));
}

Result<void> check_volume_shards(const VolumeFileOptions& o) {
  if (o.shard.count > kMostVolumeShards || (o.shard.count > 0 && o.shard.index >= o.shard.count)) {
    return layout_error(text_of("shard: ", o.shard.index, "/", o.shard.count, " is not 0/N to (N-1)/N with N up to ",
                                kMostVolumeShards));
  }
  if (o.merge > kMostVolumeShards) {
    return layout_error(text_of("merge: ", o.merge, " is not 1 to ", kMostVolumeShards));
  }
  if (o.shard.count > 0 && o.merge > 0) return layout_error("merge: a run makes a shard or merges, not both");
  if (o.resume && (o.shard.count > 0 || o.merge > 0)) {
    return layout_error("resume: a shard or merge that was interrupted is just run again");
  }
  return {};
}

/// 64 per axis; of few planes no more than there are, rounded up to a power of two, and a wider chunk of about as many
/// voxels.
VolumeSize usual_chunk(const VolumeSize& size) {
  const uint32_t planes = std::min(kUsualChunk, std::bit_ceil(size.planes));
  const uint32_t edge = kUsualChunk << (std::bit_width(kUsualChunk / planes) - 1) / 2;
  return {edge, edge, planes};
}

Result<void> resolve_chunks(VolumeLayout& layout) {
  VolumeFileOptions& o = layout.options;
  if (!is_set(o.chunk)) o.chunk = usual_chunk(layout.header.size);
  const uint64_t bytes = product(o.chunk) * layout.voxel_bytes();
  if (bytes > kMostChunkBytes) {
    return layout_error(text_of("chunk: ", axes_text(o.chunk), " has ", bytes, " bytes, more than ", kMostChunkBytes));
  }
  if (!is_set(o.shard_size)) {
    const uint32_t chunks = o.zarr_version == 2 ? 1 : kUsualShardChunks;
    o.shard_size = per_axis([&](uint32_t chunk) { return chunk * chunks; }, o.chunk);
  }
  const VolumeSize rest = per_axis([](uint32_t s, uint32_t c) { return s % c; }, o.shard_size, o.chunk);
  const VolumeSize chunks = parts_of(o.shard_size, o.chunk);
  if (is_set(rest) || chunks.width * chunks.height * chunks.planes == 0) {
    return layout_error(
        text_of("shard_size: ", axes_text(o.shard_size), " is not a multiple of the chunk ", axes_text(o.chunk)));
  }
  if (std::max({chunks.width, chunks.height, chunks.planes}) > kMostShardChunks) {
    return layout_error(
        text_of("shard_size: ", axes_text(o.shard_size), " has more than ", kMostShardChunks, " chunks per axis"));
  }
  return {};
}

/// The wanted step, without the axes that have one voxel.
VolumeStep useful_step(const VolumeStep& wanted, const VolumeSize& size) {
  return {size.width > 1 ? wanted.x : 1, size.height > 1 ? wanted.y : 1, size.planes > 1 ? wanted.z : 1};
}

/// A step along an axis that has more voxels than a chunk.
bool shortens(const VolumeStep& step, const VolumeSize& size, const VolumeSize& chunk) {
  return (step.x > 1 && size.width > chunk.width) || (step.y > 1 && size.height > chunk.height) ||
         (step.z > 1 && size.planes > chunk.planes);
}

/// Steps as the options name them, the last one repeated.
std::vector<VolumeStep> repeated_steps(const VolumeFileOptions& o, VolumeSize size) {
  std::vector<VolumeStep> steps;
  while (steps.size() + 1 < kMostLevels) {
    const VolumeStep step = useful_step(o.steps[std::min(steps.size(), o.steps.size() - 1)], size);
    if (o.levels == 0 && !shortens(step, size, o.chunk)) break;
    if (o.levels != 0 && (steps.size() + 1 == o.levels || step == VolumeStep{1, 1, 1})) break;
    steps.push_back(step);
    size = parts_of(size, {step.x, step.y, step.z});
  }
  return steps;
}

Result<std::vector<VolumeStep>> steps_of(const VolumeLayout& layout) {
  const VolumeFileOptions& o = layout.options;
  const VolumeSize& size = layout.header.size;
  for (size_t n = 0; n < o.steps.size(); ++n) {
    const auto [x, y, z] = o.steps[n];
    if (std::min({x, y, z}) < 1 || std::max({x, y, z}) > 2 || x * y * z == 1) {
      return layout_error(text_of("steps: ", x, "x", y, "x", z, " is not 1 or 2 per axis, with one 2 or more"));
    }
  }
  if (!o.steps.empty()) return repeated_steps(o, size);
  const VoxelSize voxel = layout.header.metadata.voxel.value_or(VoxelSize{});
  const uint32_t largest = o.levels > 0 ? 1 : std::max({o.chunk.width, o.chunk.height, o.chunk.planes});
  std::vector<VolumeStep> steps = isotropic_steps(size, voxel, largest);
  if (o.levels > 0 && steps.size() >= o.levels) steps.resize(o.levels - 1);
  return steps;
}

Result<void> check_reduction(const VolumeLayout& layout) {
  if (layout.steps.empty()) return {};
  const auto plan = plan_volume({.size = layout.header.size,
                                 .type = layout.header.type,
                                 .reduction = layout.options.reduction,
                                 .steps = layout.steps});
  if (plan) return {};
  Error error = plan.error();
  if (layout.options.reduction == Reduction::kMean && layout.header.type == VoxelType::kUint64) {
    error.message = "reduction: mean, but uint64 has labels, of which there is no mean; choose mode";
  }
  return error;
}

}  // namespace

Result<void> check_volume_options(const VolumeFileOptions& o) {
  if (o.output.extension() != ".zarr") {
    return layout_error(text_of("output: '", o.output.string(), "' does not end in .zarr"));
  }
  if (o.input.path.empty() == o.input.planes.empty()) {
    return layout_error("input: either a file or names of planes are needed");
  }
  if (!o.input.planes.empty() && !o.input.raw.empty()) {
    return layout_error("raw: describes one file, not those that planes names");
  }
  if (auto fine = check_voxel(o.input.voxel); !fine) return fine;
  if (tiles::reduction_name(o.reduction) == nullptr) return layout_error("reduction: choose mean, min, max or mode");
  if (o.zarr_version != 2 && o.zarr_version != 3) {
    return layout_error(text_of("zarr_version: ", o.zarr_version, " is neither 2 nor 3"));
  }
  if (o.levels > kMostLevels) return layout_error(text_of("levels: ", o.levels, " is more than ", kMostLevels));
  if (auto fine = check_codec(o.compression); !fine) return fine;
  if (auto fine = check_chunks(o); !fine) return fine;
  if (auto fine = check_deconvolution(o); !fine) return fine;
  return check_volume_shards(o);
}

Result<VolumeLayout> plan_layout(const VolumeFileOptions& options, const VolumeHeader& header) {
  VolumeLayout layout{.options = options, .header = header};
  if (auto fine = resolve_chunks(layout); !fine) return fine.error();
  auto steps = steps_of(layout);
  if (!steps) return steps.error();
  layout.steps = std::move(*steps);
  const size_t count = layout.steps.size() + 1;
  if (options.levels > count) {
    return layout_error(text_of("levels: ", options.levels, " is more than the ", count, " that the steps make of ",
                                axes_text(header.size)));
  }
  if (auto fine = check_reduction(layout); !fine) return fine.error();
  const VolumeFileOptions& o = layout.options;
  VolumeSize size = header.size;
  for (size_t n = 0; n < count; ++n) {
    // A small level has smaller files, so that their indexes are no larger than needed.
    const auto shard_of = [](uint32_t extent, uint32_t chunk, uint32_t shard) {
      return std::min<uint64_t>(shard, (uint64_t{extent} + chunk - 1) / chunk * chunk);
    };
    layout.levels.push_back(
        {size, o.chunk, per_axis(shard_of, size, o.chunk, o.shard_size), factors_of(std::span(layout.steps).first(n))});
    if (n + 1 < count) size = parts_of(size, {layout.steps[n].x, layout.steps[n].y, layout.steps[n].z});
  }
  layout.work = tiles::unfinished_path(options.output);
  layout.root = layout.work / "image";
  return layout;
}

std::vector<std::pair<std::string, std::string>> identity_fields(const VolumeLayout& layout) {
  const VolumeFileOptions& o = layout.options;
  const VolumeHeader& header = layout.header;
  std::filesystem::path file = o.input.path;
  std::error_code none;
  for (const char* metadata : {"zarr.json", ".zattrs"}) {
    if (std::filesystem::exists(o.input.path / metadata, none)) file = o.input.path / metadata;
  }
  const tiles::system::Status status = tiles::system::status(file).value_or(tiles::system::Status{});
  std::string name = o.input.planes.empty() ? o.input.path.string() : o.input.planes;
  std::replace(name.begin(), name.end(), '\n', '?');
  std::string steps;
  for (const auto& [x, y, z] : layout.steps) steps += text_of(x, y, z, " ");
  const VoxelSize voxel = header.metadata.voxel.value_or(VoxelSize{0, 0, 0});
  std::vector<std::pair<std::string, std::string>> fields = {
      {"version", ONEPASS_VERSION},
      {"input", name},
      {"raw", o.input.raw},
      {"bytes", text_of(layout.site ? layout.site->identity.size : status.size)},
      {"time", layout.site ? layout.site->identity.version : text_of(status.seconds, ".", status.nanoseconds)},
      {"size", axes_text(header.size)},
      {"type", std::string(voxel_info(header.type).name)},
      {"set", text_of(header.set.times, "x", header.set.channels)},
      {"voxel", text_of(voxel.x, "x", voxel.y, "x", voxel.z)},
      {"levels", text_of(layout.levels.size())},
      {"steps", steps},
      {"reduction", tiles::reduction_name(o.reduction)},
      {"zarr_version", text_of(o.zarr_version)},
      {"chunk", axes_text(o.chunk)},
      {"shard_size", axes_text(o.shard_size)},
      {"compression", codec_name(o.compression)}};
  if (!layout.deconvolution.empty()) fields.emplace_back("deconvolution", layout.deconvolution);
  return fields;
}

}  // namespace onepass::volumes

// block_plan.cpp: the sizes of blocks, by memory.
#include "volume_files/block_plan.hpp"

#include <algorithm>

namespace onepass::volumes {
namespace {

using tiles::text_of;

std::span<const VolumeStep> steps_between(const VolumeLayout& layout, uint32_t first, uint32_t last) {
  return std::span(layout.steps).subspan(first, last - first);
}

/// Memory of a block: a slab of planes, one chunk deep, of each level that is read or written, and the stream.
uint64_t block_bytes(const VolumeLayout& layout, const Pass& pass) {
  const VolumeSize& whole = layout.levels[pass.first_level].size;
  const VolumeSize size = per_axis([](uint32_t b, uint32_t w) { return std::min(b, w); }, pass.block, whole);
  uint64_t bytes = 0;
  for (uint32_t level = pass.first_level; level <= pass.last_level; ++level) {
    const Factors f = factors_of(steps_between(layout, pass.first_level, level));
    const VolumeSize part =
        parts_of(size, {static_cast<uint32_t>(f.x), static_cast<uint32_t>(f.y), static_cast<uint32_t>(f.z)});
    const uint32_t number = level == pass.first_level ? unrounded_bytes(layout, level) : layout.voxel_bytes();
    bytes += uint64_t{part.width} * part.height * std::min(part.planes, layout.levels[level].chunk.planes) * number;
  }
  if (pass.last_level == pass.first_level) return bytes;
  const auto plan = plan_volume(stream_options(layout, pass, {0, 0, 0, size}), stream_part(layout, pass));
  return bytes + (plan ? plan->stream_bytes : 0);
}

/// `wide`, `high`: a block of so many smallest ones along x and y.
Pass pass_of(const VolumeLayout& layout, uint32_t first, uint32_t last, uint32_t wide = 1, uint32_t high = 1) {
  constexpr VolumeSize kLargest = {1U << 31, 1U << 31, 1U << 31};
  Pass pass{.first_level = first, .last_level = last};
  const Factors f = factors_of(steps_between(layout, first, last));
  pass.block = scaled(layout.options.shard_size, {f.x * wide, f.y * high, f.z}, kLargest);
  pass.counts = parts_of(layout.levels[first].size, pass.block);
  pass.bytes = block_bytes(layout, pass);
  return pass;
}

uint64_t voxels_of(const VolumeLayout& layout, const Pass& pass) {
  return product(per_axis([](uint32_t b, uint32_t w) { return std::min(b, w); }, pass.block,
                          layout.levels[pass.first_level].size));
}

/// How often a voxel of the base is decoded along an axis, if it is stored in parts of `part` voxels: strips as wide as
/// the volume are decoded for every block.
double decodings(uint32_t size, uint32_t block, uint32_t part) {
  if (block >= size || block % part == 0) return 1;
  return std::min(double{1} * block + part, double{1} * size) / block;
}

/// What a pass costs besides encoding, in units of reading its voxels once: voxels that are decoded several times, and
/// unrounded numbers that are written and read.
double cost_of(const VolumeLayout& layout, const Pass& pass) {
  double cost = 1;
  if (pass.first_level == 0) {
    const VolumeSize& size = layout.header.size;
    const VolumeSize& part = layout.header.block;
    cost *=
        decodings(size.width, pass.block.width, part.width) * decodings(size.height, pass.block.height, part.height);
  }
  if (pass.last_level == layout.last_level()) return cost;
  const Factors f = factors_of(steps_between(layout, pass.first_level, pass.last_level));
  return cost +
         2.0 * unrounded_bytes(layout, pass.last_level) / (layout.voxel_bytes() * static_cast<double>(f.x * f.y * f.z));
}

/// The cheapest pass whose blocks take at most half of the limit: decoders, encoders and the allocator need memory,
/// too. The smallest blocks may take more of it.
Result<Pass> best_pass(const VolumeLayout& layout, uint32_t first) {
  const uint64_t most = layout.options.max_bytes;
  const uint32_t next = std::min(first + 1, layout.last_level());
  const Pass smallest = pass_of(layout, first, next);
  if (smallest.bytes > most) {
    return Error{ErrorCode::kOutOfMemory,
                 text_of("blocks of ", axes_text(smallest.block), " voxels need ", smallest.bytes >> 20,
                         " MiB, more than the limit of ", most >> 20, " MiB; smaller ",
                         layout.has_shards() ? "files of chunks (shard_size)" : "chunks", " need less"),
                 ""};
  }
  Pass best = smallest;
  for (uint32_t last = next; last <= layout.last_level(); ++last) {
    const Pass narrow = pass_of(layout, first, last);
    if (narrow.bytes > most / 2 || (last > next && voxels_of(layout, narrow) > block_limits.voxels)) break;
    for (uint32_t high = 1; high < 2 * narrow.counts.height; high *= 2) {
      for (uint32_t wide = 1; wide < 2 * narrow.counts.width; wide *= 2) {
        const Pass pass = pass_of(layout, first, last, wide, high);
        if (pass.bytes <= most / 2 && cost_of(layout, pass) < cost_of(layout, best)) best = pass;
      }
    }
  }
  return best;
}

}  // namespace

uint32_t unrounded_bytes(const VolumeLayout& layout, uint32_t level) {
  if (layout.steps.empty()) return layout.voxel_bytes();
  const auto plan = plan_volume({.size = layout.header.size,
                                 .type = layout.header.type,
                                 .reduction = layout.options.reduction,
                                 .steps = layout.steps});
  return plan ? plan->unrounded_bytes[level] : layout.voxel_bytes();
}

VolumeOptions stream_options(const VolumeLayout& layout, const Pass& pass, const VolumeBox& box) {
  const Factors& f = layout.levels[pass.first_level].factors;
  const VolumeSize& base = layout.header.size;
  const VolumeSize before = scaled({box.x, box.y, box.z}, f, base);
  const VolumeSize rest = per_axis([](uint32_t size, uint32_t begin) { return size - begin; }, base, before);
  const auto steps = std::span(layout.steps).first(pass.last_level);
  return {.size = scaled(box.size, f, rest),
          .type = layout.header.type,
          .reduction = layout.options.reduction,
          .steps = {steps.begin(), steps.end()}};
}

VolumePart stream_part(const VolumeLayout& layout, const Pass& pass) {
  return {.first_level = pass.first_level,
          .keep_unrounded = pass.last_level < layout.last_level(),
          .whole = layout.header.size};
}

Result<std::vector<Pass>> plan_passes(const VolumeLayout& layout) {
  std::vector<Pass> passes;
  uint32_t level = 0;
  do {
    auto pass = best_pass(layout, level);
    if (!pass) return pass.error();
    passes.push_back(*pass);
    level = pass->last_level;
    const double blocks = static_cast<double>(product(pass->counts)) * layout.header.set.count();
    if (blocks < 0x1p31) continue;
    return Error{ErrorCode::kInvalidArgument,
                 text_of(layout.has_shards() ? "shard_size: " : "chunk: ",
                         axes_text(layout.has_shards() ? layout.options.shard_size : layout.options.chunk),
                         " makes more than 2^31 blocks of ", axes_text(layout.header.size)),
                 ""};
  } while (level < layout.last_level());
  return passes;
}

uint32_t block_count(const VolumeLayout& layout, const Pass& pass) {
  return static_cast<uint32_t>(product(pass.counts) * layout.header.set.count());
}

Block block_at(const VolumeLayout& layout, const Pass& pass, uint32_t number) {
  Block block{.number = number};
  const VolumeSize& n = pass.counts;
  const VolumeSize at = {number % n.width, number / n.width % n.height, number / n.width / n.height % n.planes};
  block.volume = number / n.width / n.height / n.planes;
  block.box = {at.width * pass.block.width, at.height * pass.block.height, at.planes * pass.block.planes, {}};
  const auto extent = [](uint32_t size, uint32_t begin, uint32_t most) { return std::min(size - begin, most); };
  block.box.size = per_axis(extent, layout.levels[pass.first_level].size,
                            VolumeSize{block.box.x, block.box.y, block.box.z}, pass.block);
  return block;
}

VolumeBox box_of_level(const VolumeLayout& layout, const Pass& pass, const Block& block, uint32_t level) {
  const Factors f = factors_of(steps_between(layout, pass.first_level, level));
  const VolumeSize step = {static_cast<uint32_t>(f.x), static_cast<uint32_t>(f.y), static_cast<uint32_t>(f.z)};
  const VolumeBox& box = block.box;
  return {box.x / step.width, box.y / step.height, box.z / step.planes, parts_of(box.size, step)};
}

}  // namespace onepass::volumes

// block_maker.cpp: reads slabs, streams them and hands complete rows of chunks to the writer.
#include "volume_files/block_maker.hpp"

#include <algorithm>
#include <cstring>

namespace onepass::volumes {

BlockMaker::BlockMaker(const VolumeLayout& layout, const Pass& pass, tiles::WorkerPool& pool, ChunkWriter& writer)
    : layout_(layout), pass_(pass), pool_(pool), writer_(writer), planes_(pass.last_level - pass.first_level + 1) {}

// Sizes the slabs for a block. Blocks at borders are smaller: the memory stays.
void BlockMaker::prepare(const Block& block) {
  for (uint32_t level = pass_.first_level; level <= pass_.last_level; ++level) {
    Planes& planes = planes_[level - pass_.first_level];
    planes.box = box_of_level(layout_, pass_, block, level);
    const bool is_first = level == pass_.first_level;
    planes.row_bytes = planes.box.size.width * (is_first ? unrounded_bytes(layout_, level) : layout_.voxel_bytes());
    const uint32_t depth = std::min(planes.box.size.planes, layout_.levels[level].chunk.planes);
    planes.data.resize(std::max(planes.data.size(), planes.plane_bytes() * depth));
  }
}

// Writes the collected planes of a level, the first of which is plane z of the block.
Result<void> BlockMaker::write(const Block& block, uint32_t level, uint32_t z, uint32_t count) {
  const Planes& planes = planes_[level - pass_.first_level];
  VolumeBox box = planes.box;
  box.z += z;
  box.size.planes = count;
  return writer_.write(block.volume, level, {planes.data.data(), planes.row_bytes, planes.plane_bytes(), box});
}

// Collects a plane of the stream.
Result<void> BlockMaker::take(const Block& block, const cpu::VolumePlane& plane) {
  Planes& planes = planes_[plane.level - pass_.first_level];
  const uint32_t depth = layout_.levels[plane.level].chunk.planes;
  const uint32_t slot = plane.z % depth;
  std::memcpy(planes.data.data() + slot * planes.plane_bytes(), plane.data, planes.plane_bytes());
  if (plane.unrounded != nullptr) {
    const auto* from = static_cast<const std::byte*>(plane.unrounded);
    if (auto done = kept_.add(from, plane.unrounded_row_stride * plane.height); !done) return done;
  }
  if (slot + 1 < depth && plane.z + 1 < planes.box.size.planes) return {};
  return write(block, plane.level, plane.z - slot, slot + 1);
}

// Reads slab after slab of the first level.
Result<void> BlockMaker::reduce(const Block& block, const ReadBox& read, const Advance& advance,
                                const std::function<Result<void>(const Planes&, uint32_t)>& push) {
  Planes& planes = planes_[0];
  const uint32_t depth = layout_.levels[pass_.first_level].chunk.planes;
  for (uint32_t z = 0; z < planes.box.size.planes; z += depth) {
    VolumeBox box = planes.box;
    box.z += z;
    box.size.planes = std::min(depth, planes.box.size.planes - z);
    Result<void> done = read(block.volume, box, planes.data.data(), planes.row_bytes, planes.plane_bytes());
    if (done && pass_.writes_first_level()) done = write(block, pass_.first_level, z, box.size.planes);
    if (done) done = push(planes, box.size.planes);
    if (done) done = advance(product(box.size));
    if (!done) return done;
  }
  return {};
}

Result<void> BlockMaker::make(const Block& block, const ReadBox& read, const Advance& advance) {
  prepare(block);
  writer_.begin_block();
  if (pass_.last_level == pass_.first_level) {
    return reduce(block, read, advance, [](const Planes& /*planes*/, uint32_t /*count*/) { return Result<void>(); });
  }
  const VolumePart part = stream_part(layout_, pass_);
  if (part.keep_unrounded) {
    if (auto done = kept_.open(layout_, pass_, block.number); !done) return done;
  }
  auto stream = cpu::VolumeStream::create_part(stream_options(layout_, pass_, block.box), part,
                                               [&](const cpu::VolumePlane& plane) { return take(block, plane); },
                                               {.threads = pool_.threads()});
  if (!stream) return stream.error();
  const auto push = [&](const Planes& planes, uint32_t count) {
    return stream->push(planes.data.data(), planes.row_bytes, planes.plane_bytes(), count);
  };
  if (auto done = reduce(block, read, advance, push); !done) return done;
  if (!part.keep_unrounded) return {};
  kept_bytes_ += kept_.bytes_written();
  return kept_.finish();
}

}  // namespace onepass::volumes

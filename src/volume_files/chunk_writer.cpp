// chunk_writer.cpp: gathers and encodes chunks, appends them to shards.
#include "volume_files/chunk_writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>

#include "files/writers.hpp"
#include "tiles/file_io.hpp"
#include "tiles/system.hpp"
#include "volume_files/chunk_codec.hpp"
#include "volume_files/crc32c.hpp"
#include "volume_files/zarr_paths.hpp"

namespace onepass::volumes {
namespace {

using tiles::Bytes;

constexpr uint64_t kBatchBytes = uint64_t{32} << 20;  // of chunks that are encoded before they are appended, at most
constexpr uint64_t kMissing = UINT64_MAX;

size_t batch_of(const VolumeLayout& layout, uint32_t threads) {
  const uint64_t chunk = product(layout.options.chunk) * layout.voxel_bytes();
  return std::max<size_t>(2 * size_t{threads}, std::min(kBatchBytes, layout.options.max_bytes / 16) / chunk);
}

bool is_zero(std::span<const std::byte> bytes) {
  return bytes[0] == std::byte{0} && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

Result<void> make_parent(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  if (error) return tiles::write_error(path.parent_path(), error.value());
  return {};
}

}  // namespace

ChunkWriter::ChunkWriter(const VolumeLayout& layout, tiles::WorkerPool& pool) : layout_(layout), pool_(pool) {}

uint64_t ChunkWriter::memory_bytes(const VolumeLayout& layout, uint32_t threads) {
  const uint64_t chunk = product(layout.options.chunk) * layout.voxel_bytes();
  const uint64_t per_thread = 1 + codec_chunks(layout.options.compression);
  return (batch_of(layout, threads) + per_thread * threads) * chunk;
}

// The chunks of a slab, those of one shard one after the other.
std::vector<ChunkWriter::ChunkPlace> ChunkWriter::places_of(const LevelLayout& level, const Slab& slab) const {
  const VolumeSize& chunk = level.chunk;
  const VolumeSize inner = parts_of(level.shard, chunk);
  const VolumeSize first = {slab.box.x / chunk.width, slab.box.y / chunk.height, slab.box.z / chunk.planes};
  const VolumeSize count = parts_of(slab.box.size, chunk);
  std::vector<ChunkPlace> places;
  places.reserve(size_t{count.width} * count.height);
  for (uint32_t y = 0; y < count.height; ++y) {
    for (uint32_t x = 0; x < count.width; ++x) {
      ChunkPlace place{.chunk = {first.width + x, first.height + y, first.planes}};
      const auto number = [](uint32_t c, uint32_t n) { return c / n; };
      const auto rest = [](uint32_t c, uint32_t n) { return c % n; };
      place.shard = per_axis(number, place.chunk, inner);
      const VolumeSize in_shard = per_axis(rest, place.chunk, inner);
      place.inner = (in_shard.planes * inner.height + in_shard.height) * inner.width + in_shard.width;
      places.push_back(place);
    }
  }
  std::stable_sort(places.begin(), places.end(), [](const ChunkPlace& a, const ChunkPlace& b) {
    return std::pair(a.shard.height, a.shard.width) < std::pair(b.shard.height, b.shard.width);
  });
  return places;
}

// A chunk of full size; what lies beyond the volume is 0. `out` is empty if all of it is 0.
void ChunkWriter::encode(const LevelLayout& level, const Slab& slab, const VolumeSize& chunk, Bytes& out) const {
  thread_local Bytes voxels;  // kept, because fresh pages cost as much as a copy
  thread_local Bytes buffer;
  const size_t voxel = layout_.voxel_bytes();
  const VolumeSize& full = level.chunk;
  const uint32_t x = chunk.width * full.width - slab.box.x;  // in the slab
  const uint32_t y = chunk.height * full.height - slab.box.y;
  const uint32_t width = std::min(full.width, slab.box.size.width - x);
  const uint32_t height = std::min(full.height, slab.box.size.height - y);
  voxels.resize(product(full) * voxel);
  if (width < full.width || height < full.height || slab.box.size.planes < full.planes) {
    std::memset(voxels.data(), 0, voxels.size());
  }
  for (uint32_t z = 0; z < slab.box.size.planes; ++z) {
    const std::byte* from = slab.data + z * slab.plane_stride + y * slab.row_stride + x * voxel;
    std::byte* to = voxels.data() + size_t{z} * full.height * full.width * voxel;
    for (uint32_t row = 0; row < height; ++row, from += slab.row_stride, to += full.width * voxel) {
      std::memcpy(to, from, width * voxel);
    }
  }
  out.clear();
  if (is_zero(voxels)) return;
  const auto encoded = encode_chunk(layout_.options.compression, voxels, voxel, buffer);
  out.assign(encoded.begin(), encoded.end());
}

Result<void> ChunkWriter::write(uint32_t volume, uint32_t level, const Slab& slab) {
  const LevelLayout& grid = layout_.levels[level];
  const std::vector<ChunkPlace> places = places_of(grid, slab);
  if (!layout_.has_shards()) return write_files(volume, level, slab, places);
  const size_t batch = batch_of(layout_, pool_.threads());
  for (size_t first = 0; first < places.size(); first += batch) {
    const size_t count = std::min(batch, places.size() - first);
    encoded_.resize(std::max(encoded_.size(), count));
    pool_.run(count, [&](size_t i) { encode(grid, slab, places[first + i].chunk, encoded_[i]); });
    const std::span<const Bytes> encoded = std::span(encoded_).first(count);
    if (auto done = append(volume, level, std::span(places).subspan(first, count), encoded); !done) return done;
  }
  return finish_shards(level, slab.box);
}

// Chunks in files of their own.
Result<void> ChunkWriter::write_files(uint32_t volume, uint32_t level, const Slab& slab,
                                      const std::vector<ChunkPlace>& places) {
  for (const ChunkPlace& place : places) {
    if (place.chunk.width != places.front().chunk.width) continue;  // one directory for each y
    if (auto done = make_parent(chunk_path(layout_, volume, level, place.chunk)); !done) return done;
  }
  std::mutex mutex;
  std::optional<Error> failure;
  pool_.run(places.size(), [&](size_t i) {
    thread_local Bytes bytes;
    encode(layout_.levels[level], slab, places[i].chunk, bytes);
    if (bytes.empty()) return;
    bytes_ += bytes.size();
    const auto done = tiles::write_file(chunk_path(layout_, volume, level, places[i].chunk), bytes);
    if (done) return;
    const std::scoped_lock lock(mutex);
    if (!failure) failure = done.error();
  });
  if (failure) return *failure;
  return {};
}

// Appends pieces to the file of a shard, which the first call makes.
Result<void> ChunkWriter::append_pieces(OpenShard& shard, std::span<const Bytes> pieces) {
  const bool is_new = shard.end == 0;
  if (is_new) {
    if (auto done = make_parent(shard.path); !done) return done;
  }
  files::Handle file = tiles::system::open_file(
      shard.path, is_new ? tiles::system::Access::kReplace : tiles::system::Access::kReadWrite);
  if (!file.valid()) return tiles::write_error(shard.path, errno);
  for (const Bytes& piece : pieces) {
    if (const int number = tiles::write_fully(file.number(), piece, shard.end); number != 0) {
      return tiles::write_error(shard.path, number);
    }
    shard.end += piece.size();
    bytes_ += piece.size();
  }
  if (!file.close()) return tiles::write_error(shard.path, errno);
  return {};
}

// Appends encoded chunks; those of a shard are neighbours.
Result<void> ChunkWriter::append(uint32_t volume, uint32_t level, std::span<const ChunkPlace> places,
                                 std::span<const Bytes> encoded) {
  const VolumeSize inner = parts_of(layout_.levels[level].shard, layout_.levels[level].chunk);
  for (size_t i = 0; i < encoded.size();) {
    const VolumeSize& at = places[i].shard;
    OpenShard& shard = open_[{level, at.planes, at.height, at.width}];
    if (shard.index.empty()) {
      shard.path = chunk_path(layout_, volume, level, at);
      shard.index.assign(2 * product(inner), kMissing);
    }
    const size_t first = i;
    uint64_t end = shard.end;
    for (; i < encoded.size() && places[i].shard == at; ++i) {
      if (encoded[i].empty()) continue;
      shard.index[2 * places[i].inner] = end;
      shard.index[2 * places[i].inner + 1] = encoded[i].size();
      end += encoded[i].size();
    }
    if (end == shard.end) continue;
    if (auto done = append_pieces(shard, encoded.subspan(first, i - first)); !done) return done;
  }
  return {};
}

// Completes the shards whose last chunks were those of a slab.
Result<void> ChunkWriter::finish_shards(uint32_t level, const VolumeBox& box) {
  const LevelLayout& grid = layout_.levels[level];
  const uint32_t end = box.z + box.size.planes;
  if (end % grid.shard.planes != 0 && end != grid.size.planes) return {};
  const auto first = open_.lower_bound({level, 0, 0, 0});
  const auto last = open_.lower_bound({level + 1, 0, 0, 0});
  for (auto shard = first; shard != last; ++shard) {
    if (auto done = finish(shard->second); !done) return done;
  }
  open_.erase(first, last);
  return {};
}

// Appends the index of a shard.
Result<void> ChunkWriter::finish(OpenShard& shard) {
  if (shard.end == 0) return {};  // all chunks are missing
  const auto index = std::as_bytes(std::span(shard.index));
  const uint32_t crc = crc32c_of(index);
  Bytes bytes(index.begin(), index.end());
  const auto checksum = std::as_bytes(std::span(&crc, 1));
  bytes.insert(bytes.end(), checksum.begin(), checksum.end());
  return append_pieces(shard, std::span(&bytes, 1));
}

}  // namespace onepass::volumes

// kept_level.cpp: files of unrounded numbers.
#include "volume_files/kept_level.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "files/writers.hpp"
#include "tiles/file_io.hpp"
#include "tiles/system.hpp"
#include "volume_files/zarr_paths.hpp"

namespace onepass::volumes {

Result<void> KeptWriter::open(const VolumeLayout& layout, const Pass& pass, uint32_t number) {
  path_ = kept_path(layout, pass, number);
  end_ = 0;
  std::error_code error;
  std::filesystem::create_directories(path_.parent_path(), error);
  if (error) return tiles::write_error(path_.parent_path(), error.value());
  file_ = tiles::system::open_file(path_, tiles::system::Access::kReplace);
  if (!file_.valid()) return tiles::write_error(path_, errno);
  return {};
}

Result<void> KeptWriter::add(const std::byte* plane, size_t bytes) {
  if (const int number = tiles::write_fully(file_.number(), {plane, bytes}, end_); number != 0) {
    return tiles::write_error(path_, number);
  }
  end_ += bytes;
  return {};
}

Result<void> KeptWriter::finish() {
  if (!file_.close()) return tiles::write_error(path_, errno);
  return {};
}

Result<void> KeptReader::read(uint32_t volume, const VolumeBox& box, std::byte* out, size_t row_stride,
                              size_t plane_stride) {
  const size_t number = unrounded_bytes(layout_, pass_.last_level);
  const uint64_t per_volume = product(pass_.counts);
  for (uint64_t i = volume * per_volume; i < (volume + 1) * per_volume; ++i) {
    const Block block = block_at(layout_, pass_, static_cast<uint32_t>(i));
    const VolumeBox there = box_of_level(layout_, pass_, block, pass_.last_level);
    VolumeBox common = {std::max(box.x, there.x), std::max(box.y, there.y), std::max(box.z, there.z), {}};
    const auto extent = [](uint32_t a, uint32_t a_size, uint32_t b, uint32_t b_size, uint32_t begin) {
      const uint32_t end = std::min(a + a_size, b + b_size);
      return end > begin ? end - begin : 0;
    };
    common.size = {extent(box.x, box.size.width, there.x, there.size.width, common.x),
                   extent(box.y, box.size.height, there.y, there.size.height, common.y),
                   extent(box.z, box.size.planes, there.z, there.size.planes, common.z)};
    if (product(common.size) == 0) continue;
    std::byte* to = out + (common.z - box.z) * plane_stride + (common.y - box.y) * row_stride;
    if (auto done = read_block(block, common, to + (common.x - box.x) * number, row_stride, plane_stride); !done) {
      return done;
    }
  }
  return {};
}

// Reads a part of one block.
Result<void> KeptReader::read_block(const Block& block, const VolumeBox& box, std::byte* out, size_t row_stride,
                                    size_t plane_stride) {
  const std::filesystem::path path = kept_path(layout_, pass_, block.number);
  auto file = tiles::open_input(path);
  if (!file) return file.error();
  const VolumeBox there = box_of_level(layout_, pass_, block, pass_.last_level);
  const size_t number = unrounded_bytes(layout_, pass_.last_level);
  const size_t row_bytes = there.size.width * number;
  rows_.resize(row_bytes * box.size.height);
  for (uint32_t z = 0; z < box.size.planes; ++z) {
    const uint64_t first = uint64_t{box.z - there.z + z} * there.size.height + (box.y - there.y);
    const int failed = tiles::read_fully(file->handle.number(), rows_.data(), rows_.size(), first * row_bytes);
    if (failed < 0) return files::file_error(path, ErrorCode::kBadData, "is shorter than it was written");
    if (failed > 0) return files::file_error(path, ErrorCode::kIo, std::string("cannot read it: ") + strerror(failed));
    for (uint32_t y = 0; y < box.size.height; ++y) {
      std::memcpy(out + z * plane_stride + y * row_stride, rows_.data() + y * row_bytes + (box.x - there.x) * number,
                  box.size.width * number);
    }
  }
  return {};
}

}  // namespace onepass::volumes

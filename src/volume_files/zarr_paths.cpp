// zarr_paths.cpp: paths, and the list of files of a block.
#include "volume_files/zarr_paths.hpp"

#include "tiles/compress.hpp"
#include "tiles/file_io.hpp"
#include "tiles/system.hpp"

namespace onepass::volumes {

using tiles::text_of;

bool has_time_axis(const VolumeLayout& layout) {
  return layout.header.set.has_time_axis || layout.header.set.times > 1;
}

bool has_channel_axis(const VolumeLayout& layout) {
  return layout.header.set.has_channel_axis || layout.header.set.channels > 1;
}

std::filesystem::path chunk_path(const VolumeLayout& layout, uint32_t volume, uint32_t level, const VolumeSize& place) {
  const VolumeSet& set = layout.header.set;
  std::filesystem::path path = layout.root / text_of(level);
  if (layout.options.zarr_version == 3) path /= "c";
  if (has_time_axis(layout)) path /= text_of(volume / set.channels);
  if (has_channel_axis(layout)) path /= text_of(volume % set.channels);
  return path / text_of(place.planes, "/", place.height, "/", place.width);
}

std::filesystem::path kept_path(const VolumeLayout& layout, const Pass& pass, uint32_t number) {
  return layout.work / text_of("kept_", pass.last_level) / text_of(number);
}

std::string files_text(const VolumeLayout& layout, const Pass& pass, const Block& block) {
  uint64_t files = 0;
  uint64_t bytes = 0;
  uint32_t crc = 0;
  const auto add = [&](const std::filesystem::path& path, const std::string& name) {
    const auto status = tiles::system::status(path);
    if (!status || status->kind != tiles::system::Kind::kFile) return;
    ++files;
    bytes += status->size;
    crc = tiles::crc32_of(crc, tiles::bytes_of(text_of(name, " ", status->size, "\n")));
  };
  for (uint32_t level = pass.writes_first_level() ? pass.first_level : pass.first_level + 1; level <= pass.last_level;
       ++level) {
    const VolumeBox box = box_of_level(layout, pass, block, level);
    const VolumeSize& shard = layout.levels[level].shard;
    const VolumeSize first = {box.x / shard.width, box.y / shard.height, box.z / shard.planes};
    const VolumeSize count = parts_of(box.size, shard);
    for (uint32_t z = 0; z < count.planes; ++z) {
      for (uint32_t y = 0; y < count.height; ++y) {
        for (uint32_t x = 0; x < count.width; ++x) {
          const VolumeSize place = {first.width + x, first.height + y, first.planes + z};
          add(chunk_path(layout, block.volume, level, place), text_of(level, " ", axes_text(place)));
        }
      }
    }
  }
  if (pass.last_level < layout.last_level()) add(kept_path(layout, pass, block.number), "kept");
  return text_of(files, " ", bytes, " ", crc);
}

}  // namespace onepass::volumes

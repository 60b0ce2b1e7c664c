// source_raw.cpp: voxels without a header, described by a text.
#include <algorithm>
#include <charconv>
#include <cstring>
#include <string_view>

#include "files/pixels.hpp"
#include "tiles/file_io.hpp"
#include "tiles/text.hpp"
#include "volume_files/volume_source.hpp"

namespace onepass::volumes {
namespace {

struct RawDescription {
  VolumeSize size;
  VoxelType type = VoxelType::kUint8;
  bool big_endian = false;
  uint64_t offset = 0;
};

/// Reads a number from the front of `text`.
template <typename T>
bool take_raw_number(std::string_view& text, T& value) {
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc()) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return true;
}

bool take_raw(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Reads the name of a type, up to ":", "+" or the end.
bool take_voxel_type(std::string_view& text, VoxelType& type) {
  const std::string_view word = text.substr(0, std::min(text.find_first_of(":+"), text.size()));
  for (uint32_t i = 0; voxel_info(static_cast<VoxelType>(i)).bytes != 0; ++i) {
    if (voxel_info(static_cast<VoxelType>(i)).name != word) continue;
    type = static_cast<VoxelType>(i);
    text.remove_prefix(word.size());
    return true;
  }
  return false;
}

bool parse_raw_description(std::string_view text, RawDescription& out) {
  if (!take_raw_number(text, out.size.width) || !take_raw(text, "x") || !take_raw_number(text, out.size.height) ||
      !take_raw(text, "x") || !take_raw_number(text, out.size.planes) || !take_raw(text, ":")) {
    return false;
  }
  if (!take_voxel_type(text, out.type)) return false;
  out.big_endian = take_raw(text, ":be");
  if (!out.big_endian) take_raw(text, ":le");
  if (take_raw(text, "+") && !take_raw_number(text, out.offset)) return false;
  constexpr uint32_t kMostExtent = 1U << 31;
  const auto fits = [&](uint32_t extent) { return extent > 0 && extent <= kMostExtent; };
  return text.empty() && fits(out.size.width) && fits(out.size.height) && fits(out.size.planes) &&
         out.offset < uint64_t{1} << 62;
}

class RawVolume final : public VolumeSource {
 public:
  RawVolume(const std::filesystem::path& path, const RawDescription& description, tiles::InputHandle file)
      : file_(std::move(file)), offset_(description.offset), big_endian_(description.big_endian) {
    name_ = path.string();
    header_.size = description.size;
    header_.type = description.type;
    header_.metadata.name = path.stem().string();
  }

  [[nodiscard]] uint64_t memory_bytes(VolumeSize /*box*/) const override { return 0; }

  Result<void> read(uint32_t /*index*/, const VolumeBox& box, std::byte* out, size_t row_stride,
                    size_t plane_stride) override {
    const size_t voxel = voxel_info(header_.type).bytes;
    const VolumeSize& size = header_.size;
    const size_t row_bytes = box.size.width * voxel;
    // Whole rows of the volume lie side by side in the file and, without gaps, in `out`.
    const bool whole_rows = box.size.width == size.width && row_stride == row_bytes;
    const uint32_t rows_at_once = whole_rows ? box.size.height : 1;
    for (uint32_t z = 0; z < box.size.planes; ++z) {
      for (uint32_t y = 0; y < box.size.height; y += rows_at_once) {
        const uint64_t first = (uint64_t{box.z + z} * size.height + box.y + y) * size.width + box.x;
        const std::span<std::byte> rows(out + z * plane_stride + y * row_stride, row_bytes * rows_at_once);
        const int done = tiles::read_fully(file_.handle.number(), rows.data(), rows.size(), offset_ + first * voxel);
        if (done < 0) return Error{ErrorCode::kBadData, "truncated while it was read", name_};
        if (done > 0) return Error{ErrorCode::kIo, std::string("cannot read it: ") + std::strerror(done), name_};
        if (big_endian_) files::reverse_bytes(rows, voxel);
      }
    }
    return {};
  }

 private:
  tiles::InputHandle file_;
  uint64_t offset_;
  bool big_endian_;
};

}  // namespace

Result<VolumeSourcePtr> open_raw_volume(const std::filesystem::path& path, const std::string& description) {
  RawDescription d;
  if (!parse_raw_description(description, d)) {
    return Error{ErrorCode::kInvalidArgument,
                 "raw: '" + description +
                     "' is not XxYxZ:FORMAT[:be][+OFFSET], with FORMAT uint8, int8, uint16, int16, uint32, int32, "
                     "uint64, float16 or float32",
                 ""};
  }
  auto file = tiles::open_input(path);
  if (!file) return file.error();
  const uint64_t voxel = voxel_info(d.type).bytes;
  const uint64_t plane = uint64_t{d.size.width} * d.size.height;
  if (file->size < d.offset || (file->size - d.offset) / voxel / plane < d.size.planes) {
    return Error{ErrorCode::kBadData,
                 tiles::text_of("has ", file->size, " bytes; ", description, " needs ", d.offset, " + ", plane, " * ",
                                d.size.planes, " * ", voxel),
                 path.string()};
  }
  return VolumeSourcePtr(std::make_unique<RawVolume>(path, d, std::move(*file)));
}

}  // namespace onepass::volumes

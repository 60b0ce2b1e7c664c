// source_memory.cpp: rows of a file that onepass::files reads as a whole: WebP, TGA, HDR, PFM, KTX2, CMYK, and TIFF and
// OpenEXR of kinds that are not read by rows.
#include <cstring>

#include "files/pixels.hpp"
#include "tiles/row_source.hpp"

namespace onepass::tiles {
namespace {

class MemoryRows final : public RowSource {
 public:
  MemoryRows(const std::filesystem::path& path, files::ImageFile file) : file_(std::move(file)) {
    name_ = path.string();
    const ImageView base = file_.base();
    const FormatInfo& info = format_info(base.format);
    size_ = base.size;
    tags_.warnings = file_.warnings;
    tags_.orientation = orientation();
    if (file_.pixel_aspect_ratio != 1) {
      tags_.warnings.push_back("its pixel aspect ratio is " + std::to_string(file_.pixel_aspect_ratio) +
                               ", which is not passed on");
    }
    if (file_.says_primaries && !same_chromaticities(file_.primaries, kRec709Chromaticities)) {
      tags_.primaries = file_.primaries;
    }
    // Four channels without alpha are three with a filler.
    const bool filler = info.channels == 4 && file_.alpha == AlphaAssociation::kNone && file_.stored_channels <= 3;
    layout_.channels = filler ? 3 : info.channels;
    layout_.colour = info.channels >= 3;
    layout_.alpha = layout_.channels == 4 ? file_.alpha : AlphaAssociation::kNone;
    transfer_ = info.type == ChannelType::kSrgb ? Transfer::kSrgb : Transfer::kLinear;
    const uint32_t bytes = info.bytes_per_texel / info.channels;
    if (info.packed || info.depth) {
      layout_.sample = Sample::kF32;
    } else if (info.type == ChannelType::kFloat) {
      layout_.sample = bytes == 2 ? Sample::kF16 : Sample::kF32;
    } else {
      layout_.sample = bytes == 1 ? Sample::kU8 : Sample::kU16;
    }
  }

  [[nodiscard]] uint64_t memory_bytes() const override { return file_.levels.front().size_in_bytes(); }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    const ImageView base = file_.base();
    const FormatInfo& info = format_info(base.format);
    const bool decode = info.packed || info.depth;
    const size_t pixel = layout_.pixel_bytes();
    std::vector<float> texels(decode ? size_t{4} * size_.width : 0);
    for (; rows > 0; --rows, ++y_, out += stride) {
      const auto* from = base.row(y_);
      size_t step = info.bytes_per_texel;
      if (decode) {
        decode_row(base.format, from, size_.width, texels.data());
        from = reinterpret_cast<const std::byte*>(texels.data());
        step = 4 * sizeof(float);
      }
      for (size_t x = 0; x < size_.width; ++x) std::memcpy(out + x * pixel, from + x * step, pixel);
    }
    return {};
  }

  Result<void> skip(uint32_t rows) override {
    y_ += rows;
    return {};
  }

 private:
  // KTXorientation names the directions of rows and columns.
  [[nodiscard]] uint32_t orientation() const {
    if (file_.type != files::Type::kKtx2) return file_.exif_orientation;
    const bool left = file_.ktx_orientation.starts_with('l');
    const bool up = file_.ktx_orientation.ends_with('u');
    return left ? (up ? 3 : 2) : up ? 4 : 1;
  }

  files::ImageFile file_;
  uint32_t y_ = 0;
};

}  // namespace

Result<SourcePtr> open_memory_rows(const std::filesystem::path& path, uint64_t max_bytes, uint32_t threads) {
  auto file = files::read(path, {.max_bytes = max_bytes, .threads = threads});
  if (!file) return file.error();
  if (file->levels.front().slices() != 1) {
    return Error{ErrorCode::kUnsupported,
                 "has " + std::to_string(file->levels.front().slices()) + " slices; tiles are made of one",
                 path.string()};
  }
  return SourcePtr(std::make_unique<MemoryRows>(path, std::move(*file)));
}

}  // namespace onepass::tiles

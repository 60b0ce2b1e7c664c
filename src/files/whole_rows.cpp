// whole_rows.cpp: rows of a picture that is read as a whole: KTX2, WebP, and kinds of other types that have no rows.
#include <cstring>
#include <vector>

#include "files/pixels.hpp"
#include "files/row_reader.hpp"

namespace onepass::files {
namespace {

class WholeRows final : public RowReader {
 public:
  explicit WholeRows(ImageFile file) : file_(std::move(file)) {
    const ImageView base = file_.base();
    const FormatInfo& info = format_info(base.format);
    header_.size = base.size;
    header_.stored_channels = file_.stored_channels;
    header_.stored_bits = file_.stored_bits;
    header_.orientation = orientation();
    header_.warnings = file_.warnings;
    header_.pixel_aspect_ratio = file_.pixel_aspect_ratio;
    header_.colors.numbers = true;
    if (file_.says_primaries) header_.colors.primaries = file_.primaries;
    header_.decoded = true;
    header_.linear = info.type != ChannelType::kSrgb;
    // Four channels without alpha are three with a filler.
    PixelLayout& layout = header_.layout;
    const bool filler = info.channels == 4 && file_.alpha == AlphaAssociation::kNone && file_.stored_channels <= 3;
    layout.channels = filler ? 3 : info.channels;
    layout.colour = info.channels >= 3;
    layout.alpha = layout.channels == 4 ? file_.alpha : AlphaAssociation::kNone;
    const uint32_t bytes = info.bytes_per_texel / info.channels;
    if (is_packed()) {
      layout.sample = Sample::kF32;
    } else if (info.type == ChannelType::kFloat) {
      layout.sample = bytes == 2 ? Sample::kF16 : Sample::kF32;
    } else {
      layout.sample = bytes == 1 ? Sample::kU8 : Sample::kU16;
    }
  }

  [[nodiscard]] uint64_t memory_bytes() const override { return file_.levels.front().size_in_bytes(); }

  Result<void> read(uint32_t rows, std::byte* out, size_t stride) override {
    const ImageView base = file_.base();
    const size_t pixel = header_.layout.pixel_bytes();
    std::vector<float> texels(is_packed() ? size_t{4} * base.size.width : 0);
    for (; rows > 0; --rows, ++y_, out += stride) {
      const auto* from = base.row(y_);
      size_t step = format_info(base.format).bytes_per_texel;
      if (is_packed()) {
        decode_row(base.format, from, base.size.width, texels.data());
        from = reinterpret_cast<const std::byte*>(texels.data());
        step = 4 * sizeof(float);
      }
      for (size_t x = 0; x < base.size.width; ++x) std::memcpy(out + x * pixel, from + x * step, pixel);
    }
    return {};
  }

  bool skip(uint32_t rows) override {
    y_ += rows;
    return true;
  }

 private:
  // Formats whose texels are decoded to floats.
  [[nodiscard]] bool is_packed() const {
    const FormatInfo& info = format_info(file_.base().format);
    return info.packed || info.depth;
  }

  // KTXorientation names the directions of rows and columns.
  [[nodiscard]] uint32_t orientation() const {
    if (file_.type != Type::kKtx2) return file_.exif_orientation;
    const bool left = file_.ktx_orientation.starts_with('l');
    const bool up = file_.ktx_orientation.ends_with('u');
    return left ? (up ? 3 : 2) : up ? 4 : 1;
  }

  ImageFile file_;
  uint32_t y_ = 0;
};

}  // namespace

Result<std::unique_ptr<RowReader>> open_whole_rows(const Source& source, const RowOptions& options) {
  auto file = read_source(source, {.max_bytes = options.max_bytes, .threads = options.threads});
  if (!file) return file.error();
  if (const uint32_t slices = file->levels.front().slices(); slices != 1) {
    return source.unsupported("has " + std::to_string(slices) + " slices; rows are those of one picture");
  }
  return std::unique_ptr<RowReader>(std::make_unique<WholeRows>(std::move(*file)));
}

}  // namespace onepass::files

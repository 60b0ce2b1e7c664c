// image_of_rows.cpp: a whole image from rows: their samples become texels of an image, then its light or sRGB values.
#include <algorithm>
#include <cstring>

#include "files/pixels.hpp"
#include "files/row_reader.hpp"

namespace onepass::files {
namespace {

constexpr uint64_t kSmallBytes = 8192;  // the list of levels, warnings, texts of headers

// Makes texels of four channels in place: `from`, which ends where the texels end, has fewer channels, so that no pixel
// is overwritten before it is read. Grey is repeated; without alpha the fourth channel is `opaque`.
template <class Sample>
void spread(const PixelLayout& layout, uint32_t width, Sample opaque, const Sample* from, Sample* to) {
  const uint32_t channels = layout.channels;
  for (uint32_t x = 0; x < width; ++x, from += channels, to += 4) {
    const Sample first = from[0];
    const Sample second = layout.colour ? from[1] : first;
    const Sample third = layout.colour ? from[2] : first;
    const Sample alpha = layout.has_alpha() ? from[channels - 1] : opaque;
    to[0] = first;
    to[1] = second;
    to[2] = third;
    to[3] = alpha;
  }
}

Result<void> read_spread(RowReader& rows, const MutableImageView& image) {
  const PixelLayout& layout = rows.header().layout;
  const uint32_t width = image.size.width;
  const size_t unused = width * (size_t{4} * sample_bytes(layout.sample)) - rows.row_bytes();
  for (uint32_t y = 0; y < image.size.height; ++y) {
    std::byte* to = image.row(y);
    std::byte* from = to + unused;
    if (auto done = rows.read(1, from, 0); !done) return done;
    if (layout.sample == Sample::kU8) {
      spread(layout, width, uint8_t{255}, reinterpret_cast<uint8_t*>(from), reinterpret_cast<uint8_t*>(to));
    } else if (layout.sample == Sample::kU16) {
      spread(layout, width, uint16_t{65535}, reinterpret_cast<uint16_t*>(from), reinterpret_cast<uint16_t*>(to));
    } else {
      spread(layout, width, 1.0F, reinterpret_cast<float*>(from), reinterpret_cast<float*>(to));
    }
  }
  return {};
}

}  // namespace

Result<ImageFile> image_of_rows(RowReader& rows, const Source& source, const ReadOptions& options, Type type,
                                std::string_view label) {
  const PictureHeader& header = rows.header();
  const PixelLayout& layout = header.layout;
  const auto [width, height] = header.size;
  const bool gray = layout.channels == 1;
  const uint32_t channels = gray ? 1 : 4;
  Encoding encoding = encoding_of(header.colors, options, gray);
  if (header.linear && options.color != Color::kSrgb) {
    encoding.linear = true;
    encoding.srgb = false;
  }
  const bool decoded =
      is_float(layout.sample) ? !encoding.linear : becomes_float(encoding, 8 * sample_bytes(layout.sample));
  const Format format = layout.sample == Sample::kU8    ? unorm8_format(gray, encoding.linear || decoded)
                        : layout.sample == Sample::kU16 ? unorm16_format(channels)
                                                        : float_format(channels);
  uint64_t bytes = image_bytes(format, width, height) + rows.memory_bytes() + kSmallBytes;
  if (decoded) {  // a second image; a row of floats, or tables of all values
    bytes +=
        image_bytes(float_format(channels), width, height) + std::max(uint64_t{16} * width, 3 * sizeof(float) * 65536);
  }
  if (auto fine = check_memory(source, options, bytes,
                               std::string(label) + ": an image of " + size_text(width, height) + " pixels");
      !fine) {
    return fine.error();
  }
  Result<Image> image = create_image(source, format, header.size);
  if (!image) return image.error();
  const MutableImageView view = image->view();
  auto done = layout.channels == channels ? rows.read(height, view.row(0), view.row_stride) : read_spread(rows, view);
  if (!done) return done.error();
  if (decoded && is_float(layout.sample)) {
    image = decode_floats(source, *image, encoding);
  } else if (decoded) {
    image = decode_wide(source, *image, encoding);
  } else {
    recode(*image, encoding);
  }
  if (!image) return image.error();
  ImageFile file;
  file.warnings = header.warnings;
  add_level(file, type, std::move(*image));
  describe(file, header);
  describe(file, std::move(encoding));
  return file;
}

}  // namespace onepass::files

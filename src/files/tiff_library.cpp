// tiff_library.cpp: libtiff's RGBA interface, and SGI LogLuv as XYZ floats.
// Source: G. W. Larson, "LogLuv encoding for full-gamut, high-dynamic range images", 1998.
#include "files/tiff_library.hpp"

#include <array>
#include <cstring>
#include <vector>

#include "files/pixels.hpp"

namespace onepass::files {
namespace {

bool is_log(uint16_t photometric) { return photometric == PHOTOMETRIC_LOGL || photometric == PHOTOMETRIC_LOGLUV; }

Error failed(const Source& source, const TiffMessages& messages) { return source.bad(messages.error()); }

// Red, green and blue of BT.709 from CIE X, Y and Z, where X = Y = Z is white, as in the definition of the encoding.
void xyz_to_rgb(const float* xyz, float* rgb) {
  constexpr float kMatrix[3][3] = {{2.690F, -1.276F, -0.414F}, {-1.022F, 1.978F, 0.044F}, {0.061F, -0.224F, 1.163F}};
  for (size_t c = 0; c < 3; ++c) rgb[c] = kMatrix[c][0] * xyz[0] + kMatrix[c][1] * xyz[1] + kMatrix[c][2] * xyz[2];
}

Result<void> read_log(const Source& source, TIFF* tiff, TiffMessages& messages, Image& image) {
  const uint32_t samples = format_info(image.format()).channels == 1 ? 1 : 3;
  std::vector<float> row(size_t{samples} * image.size().width);
  for (uint32_t y = 0; y < image.size().height; ++y) {
    if (TIFFReadScanline(tiff, row.data(), y, 0) < 0) return failed(source, messages);
    auto* to = reinterpret_cast<float*>(image.view().row(y));
    if (samples == 1) {
      std::memcpy(to, row.data(), row.size() * sizeof(float));
      continue;
    }
    for (uint32_t x = 0; x < image.size().width; ++x, to += 4) {
      xyz_to_rgb(row.data() + size_t{3} * x, to);
      to[3] = 1;
    }
  }
  return {};
}

}  // namespace

bool libtiff_converts(TIFF* tiff) {
  uint16_t photometric = 0;
  if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric) == 0) return false;
  const uint16_t compression = tag16(tiff, TIFFTAG_COMPRESSION);
  if (TIFFIsCODECConfigured(compression) == 0) return false;
  if (is_log(photometric)) return compression == COMPRESSION_SGILOG || compression == COMPRESSION_SGILOG24;
  return photometric == PHOTOMETRIC_YCBCR && compression != COMPRESSION_JPEG && compression != COMPRESSION_OJPEG;
}

Result<Image> read_converted(const Source& source, const ReadOptions& options, TIFF* tiff, TiffMessages& messages,
                             uint64_t tag_bytes) {
  constexpr uint64_t kBestRatio = 65536;  // of any compression
  const uint16_t photometric = tag16(tiff, TIFFTAG_PHOTOMETRIC);
  const bool log = is_log(photometric);
  Extent size;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &size.width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &size.height);
  if (auto fine = check_size(source, size.width, size.height); !fine) return fine.error();
  const uint64_t pixels = uint64_t{size.width} * size.height;
  if (auto fine = check_plausible(source, size.width, size.height, pixels, kBestRatio); !fine) return fine.error();
  if (log && TIFFIsTiled(tiff) != 0) return source.unsupported("TIFF: LogLuv in tiles is not read");
  const Format format = !log                              ? Format::kRGBA8Srgb
                        : photometric == PHOTOMETRIC_LOGL ? Format::kR32Sfloat
                                                          : Format::kRGBA32Sfloat;
  if (log) TIFFSetField(tiff, TIFFTAG_SGILOGDATAFMT, SGILOGDATAFMT_FLOAT);
  std::array<char, 1024> text{};
  if (!log && TIFFRGBAImageOK(tiff, text.data()) == 0) {
    return source.unsupported("TIFF: PhotometricInterpretation is " + std::to_string(photometric) +
                              ", which libtiff does not convert: " + text.data());
  }
  const uint64_t block = TIFFIsTiled(tiff) != 0 ? TIFFTileSize64(tiff) : TIFFStripSize64(tiff);
  const uint64_t bytes =
      image_bytes(format, size.width, size.height) + tag_bytes + 4 * block + 64 * uint64_t{size.width};
  if (auto fine =
          check_memory(source, options, bytes, "TIFF: an image of " + size_text(size.width, size.height) + " pixels");
      !fine) {
    return fine.error();
  }
  Result<Image> image = create_image(source, format, size);
  if (!image) return image;
  messages.clear();
  if (log) {
    if (auto done = read_log(source, tiff, messages, *image); !done) return done.error();
    return image;
  }
  // Words of libtiff are bytes R, G, B and A on this machine. The stored orientation is asked for, so that nothing
  // turns.
  const int done = TIFFReadRGBAImageOriented(tiff, size.width, size.height, reinterpret_cast<uint32_t*>(image->data()),
                                             tag16(tiff, TIFFTAG_ORIENTATION), 1);
  if (done == 0 || messages.made_up()) return failed(source, messages);
  return image;
}

}  // namespace onepass::files

// tiff_pixels.cpp: see tiff_pixels.hpp.
// Sources: Adobe, "TIFF Revision 6.0", 1992; OGC 19-008r4, "GeoTIFF Standard", 2019; GDAL, "GTiff -- GeoTIFF File
// Format" (tags 42112 and 42113).
#include "tiles/tiff_pixels.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "files/tiff_layout.hpp"
#include "image/error.hpp"

namespace onepass::tiles {
namespace {

constexpr uint32_t kMaxTile = 65536;
constexpr uint64_t kMaxBlock = uint64_t{1} << 30;

constexpr uint32_t kGeoKeys = 34735;
constexpr uint32_t kGdalNodata = 42113;
// ModelPixelScale, ModelTiepoint, ModelTransformation, GeoKeyDirectory, GeoDoubleParams, GeoAsciiParams, GDAL_METADATA,
// GDAL_NODATA.
constexpr std::array<uint32_t, 8> kGeoTags = {33550, 33922, 34264, kGeoKeys, 34736, 34737, 42112, kGdalNodata};

template <typename T>
T tag(TIFF* tiff, uint32_t number) {
  T value{};
  TIFFGetFieldDefaulted(tiff, number, &value);
  return value;
}

Result<void> check_samples(const std::string& name, const TiffPixels& p) {
  const auto refuse = [&](const std::string& text) {
    return Error{ErrorCode::kUnsupported, "TIFF: " + text + ", which is not read by rows", name};
  };
  const std::string bits = "BitsPerSample is " + std::to_string(p.bits);
  const bool integer = p.format == SAMPLEFORMAT_UINT || p.format == SAMPLEFORMAT_INT || p.format == SAMPLEFORMAT_VOID;
  const bool floating = p.format == SAMPLEFORMAT_IEEEFP;
  if (!integer && !floating) return refuse("SampleFormat is " + std::to_string(p.format));
  if (floating && p.bits != 16 && p.bits != 24 && p.bits != 32 && p.bits != 64) return refuse(bits + " of floats");
  if (integer && p.bits != 8 && p.bits != 16 && p.bits != 32) {
    if (p.bits == 0 || p.bits > 16 || p.format == SAMPLEFORMAT_INT) return refuse(bits);
  }
  switch (p.photometric) {
    case PHOTOMETRIC_MINISBLACK:
      return {};
    case PHOTOMETRIC_MINISWHITE:
      if (p.bits <= 16 && integer && p.format != SAMPLEFORMAT_INT && p.samples == 1) return {};
      return refuse("PhotometricInterpretation is 0 (MinIsWhite) with " + bits);
    case PHOTOMETRIC_RGB:
      if (p.samples >= 3) return {};
      return refuse("PhotometricInterpretation is 2 (RGB) with SamplesPerPixel " + std::to_string(p.samples));
    case PHOTOMETRIC_PALETTE:
      if (p.samples == 1 && p.bits <= 8) return {};
      return refuse("PhotometricInterpretation is 3 (palette) with " + bits + " and SamplesPerPixel " +
                    std::to_string(p.samples));
    case PHOTOMETRIC_YCBCR:
      if (p.compression == COMPRESSION_JPEG && p.samples == 3 && p.bits == 8 && !p.planes) return {};
      return refuse("PhotometricInterpretation is 6 (YCbCr) with Compression " + std::to_string(p.compression));
    default:
      return refuse("PhotometricInterpretation is " + std::to_string(p.photometric));
  }
}

Result<void> find_blocks(const std::string& name, TIFF* tiff, TiffPixels& p) {
  const auto bad = [&](const std::string& text) { return Error{ErrorCode::kBadData, "TIFF: " + text, name}; };
  p.tiled = TIFFIsTiled(tiff) != 0;
  if (p.tiled) {
    p.block_width = tag<uint32_t>(tiff, TIFFTAG_TILEWIDTH);
    p.block_height = tag<uint32_t>(tiff, TIFFTAG_TILELENGTH);
    if (p.block_width == 0 || p.block_height == 0 || p.block_width > kMaxTile || p.block_height > kMaxTile) {
      return bad("tiles are " + std::to_string(p.block_width) + "x" + std::to_string(p.block_height) + ", not 1 to " +
                 std::to_string(kMaxTile));
    }
  } else {
    p.block_width = p.width;
    p.block_height = std::min(tag<uint32_t>(tiff, TIFFTAG_ROWSPERSTRIP), p.height);
    if (p.block_height == 0) return bad("RowsPerStrip is 0");
  }
  const uint64_t row = (uint64_t{p.block_width} * p.block_samples() * p.bits + 7) / 8;
  if (p.tiled && row * p.block_height > kMaxBlock) {
    return bad("a tile has " + std::to_string(row * p.block_height) + " bytes, more than 2^30");
  }
  if (row > kMaxBlock) return bad("a row of a strip has " + std::to_string(row) + " bytes, more than 2^30");
  return {};
}

}  // namespace

Result<TiffPixels> tiff_pixels(const std::string& name, TIFF* tiff) {
  const auto bad = [&](const std::string& text) { return Error{ErrorCode::kBadData, "TIFF: " + text, name}; };
  TiffPixels p;
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &p.width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &p.height);
  if (p.width == 0 || p.height == 0) {
    return bad("the image is " + size_text({p.width, p.height}) + " pixels");
  }
  if (p.width > kMaxEdge || p.height > kMaxEdge) return bad("the image has more than 2^31 - 1 columns or rows");
  p.samples = tag<uint16_t>(tiff, TIFFTAG_SAMPLESPERPIXEL);
  p.bits = tag<uint16_t>(tiff, TIFFTAG_BITSPERSAMPLE);
  p.format = tag<uint16_t>(tiff, TIFFTAG_SAMPLEFORMAT);
  p.compression = tag<uint16_t>(tiff, TIFFTAG_COMPRESSION);
  p.planes = tag<uint16_t>(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE && p.samples > 1;
  if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &p.photometric) == 0) {
    return bad("the tag PhotometricInterpretation is missing");
  }
  if (p.samples == 0) return bad("SamplesPerPixel is 0");
  if (auto fine = check_samples(name, p); !fine) return fine.error();
  if (TIFFIsCODECConfigured(p.compression) == 0) {
    return Error{ErrorCode::kUnsupported,
                 "TIFF: Compression is " + std::to_string(p.compression) + ", which this build of libtiff lacks", name};
  }
  if (p.photometric == PHOTOMETRIC_PALETTE) {
    auto palette = files::tiff_palette({.name = name}, tiff, p.bits);
    if (!palette) return palette.error();
    p.palette = std::move(*palette);
  }
  if (auto fine = find_blocks(name, tiff, p); !fine) return fine.error();
  return p;
}

PixelLayout row_layout(const TiffPixels& p, TIFF* tiff) {
  PixelLayout layout;
  const bool is_int = p.format == SAMPLEFORMAT_INT;
  if (p.format == SAMPLEFORMAT_IEEEFP) {
    layout.sample = p.bits == 16 ? Sample::kF16 : Sample::kF32;
  } else {
    layout.sample = p.bits <= 8    ? (is_int ? Sample::kI8 : Sample::kU8)
                    : p.bits <= 16 ? (is_int ? Sample::kI16 : Sample::kU16)
                                   : (is_int ? Sample::kI32 : Sample::kU32);
  }
  layout.channels = p.row_channels();
  layout.colour = p.photometric == PHOTOMETRIC_RGB || p.photometric == PHOTOMETRIC_YCBCR || !p.palette.empty();
  uint16_t count = 0;
  uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
  const uint32_t colours = layout.colour ? 3 : 1;
  if (count > 0 && kinds != nullptr && layout.channels == colours + 1) {
    if (kinds[0] == EXTRASAMPLE_ASSOCALPHA) layout.alpha = AlphaAssociation::kPremultiplied;
    if (kinds[0] == EXTRASAMPLE_UNASSALPHA) layout.alpha = AlphaAssociation::kStraight;
  }
  return layout;
}

void unpack_pixels(const TiffPixels& p, const std::byte* from, uint32_t count, std::byte* to, size_t pixel_bytes) {
  const size_t samples = size_t{count} * p.block_samples();
  const size_t bytes = p.block_samples() * files::tiff_sample_bytes(p.bits);
  std::vector<std::byte> unpacked;
  if (p.bits != 8 && p.bits != 16 && p.bits != 32) {
    unpacked.resize(samples * files::tiff_sample_bytes(p.bits));
    files::unpack_tiff_samples(p.bits, !p.palette.empty(), from, samples, unpacked.data());
    from = unpacked.data();
  }
  if (!p.palette.empty()) {
    for (uint32_t x = 0; x < count; ++x) {
      std::memcpy(to + x * pixel_bytes, &p.palette[size_t{3} * std::to_integer<size_t>(from[x])], 3);
    }
    return;
  }
  if (bytes == pixel_bytes) {
    std::memcpy(to, from, bytes * count);
  } else if (bytes == 1) {
    for (uint32_t x = 0; x < count; ++x) to[x * pixel_bytes] = from[x];
  } else {
    for (uint32_t x = 0; x < count; ++x) std::memcpy(to + x * pixel_bytes, from + x * bytes, bytes);
  }
  if (p.photometric != PHOTOMETRIC_MINISWHITE) return;
  for (uint32_t x = 0; x < count; ++x) {  // one sample of 8 or 16 bits
    for (size_t i = 0; i < bytes; ++i) to[x * pixel_bytes + i] = ~to[x * pixel_bytes + i];
  }
}

PictureTags tiff_picture_tags(TIFF* tiff) {
  PictureTags out;
  uint32_t count = 0;
  void* data = nullptr;
  float x = 0;
  float y = 0;
  const bool has_x = TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x) != 0;
  if (has_x && TIFFGetField(tiff, TIFFTAG_YRESOLUTION, &y) != 0 && x > 0 && y > 0) {
    out.resolution = Resolution{x, y, tag<uint16_t>(tiff, TIFFTAG_RESOLUTIONUNIT)};
  }
  for (const uint32_t number : kGeoTags) {
    const TIFFField* field = TIFFFindField(tiff, number, TIFF_ANY);
    if (field == nullptr || TIFFFieldPassCount(field) == 0 || TIFFGetField(tiff, number, &count, &data) == 0) continue;
    const auto type = TIFFFieldDataType(field);
    const auto bytes = static_cast<size_t>(count) * static_cast<size_t>(TIFFDataWidth(type));
    if (bytes == 0 || data == nullptr) continue;
    const auto* first = static_cast<const std::byte*>(data);
    out.geo.push_back({static_cast<uint16_t>(number), static_cast<uint16_t>(type), count, {first, first + bytes}});
  }
  out.nodata = files::tiff_nodata(tiff);
  out.colors = files::tiff_colors(tiff, out.warnings);
  out.colors.numbers = true;
  out.icc = std::exchange(out.colors.icc, {});
  const auto turned = tag<uint16_t>(tiff, TIFFTAG_ORIENTATION);
  if (turned > 1 && turned <= 8 && out.geo.empty()) out.orientation = turned;
  if (turned > 1 && !out.geo.empty()) {
    out.warnings.push_back("Orientation is " + std::to_string(turned) +
                           ", which is not applied, because GeoTIFF tags place the rows as they are stored");
  }
  return out;
}

bool holds_measurements(const PictureTags& tags, const TiffPixels& pixels) {
  const bool rgb = pixels.photometric != PHOTOMETRIC_MINISBLACK;
  return !rgb && std::any_of(tags.geo.begin(), tags.geo.end(), [](const CopiedTag& t) { return t.tag == kGeoKeys; });
}

}  // namespace onepass::tiles

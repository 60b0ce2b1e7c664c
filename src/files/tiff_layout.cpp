// tiff_layout.cpp: pixel formats, alpha, blocks and palettes of TIFF directories. Everything that is not tested is
// refused by the name of its tag; samples of 1 to 64 bits are unpacked to 8, 16 or 32.
// Sources: Adobe, "TIFF Revision 6.0", 1992; Adobe, "Adobe Photoshop TIFF Technical Notes", 2002, and "TIFF Technical
// Note 3", 2005 (floats of 16 and 24 bits).
#include "files/tiff_layout.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "files/tiff_tags.hpp"
#include "image/div_up.hpp"

namespace onepass::files {
namespace {

constexpr uint64_t kMaxBlock = uint64_t{1} << 30;  // bytes of a tile, or of a row of a strip

uint32_t tag32(TIFF* tiff, uint32_t tag) {
  uint32_t value = 0;
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

struct Named {
  uint16_t value;
  std::string_view name;
};

template <size_t kCount>
std::string named(const std::array<Named, kCount>& names, uint16_t value) {
  const auto* found = std::find_if(names.begin(), names.end(), [&](const Named& n) { return n.value == value; });
  return std::to_string(value) + (found == names.end() ? "" : " (" + std::string(found->name) + ")");
}

std::string photometric_name(uint16_t value) {
  static constexpr std::array<Named, 13> kNames = {{{PHOTOMETRIC_MINISWHITE, "MinIsWhite"},
                                                    {PHOTOMETRIC_MINISBLACK, "MinIsBlack"},
                                                    {PHOTOMETRIC_RGB, "RGB"},
                                                    {PHOTOMETRIC_PALETTE, "palette"},
                                                    {PHOTOMETRIC_MASK, "transparency mask"},
                                                    {PHOTOMETRIC_SEPARATED, "CMYK"},
                                                    {PHOTOMETRIC_YCBCR, "YCbCr"},
                                                    {PHOTOMETRIC_CIELAB, "CIE L*a*b*"},
                                                    {PHOTOMETRIC_ICCLAB, "ICC L*a*b*"},
                                                    {PHOTOMETRIC_ITULAB, "ITU L*a*b*"},
                                                    {PHOTOMETRIC_CFA, "colour filter array"},
                                                    {PHOTOMETRIC_LOGL, "LogL"},
                                                    {PHOTOMETRIC_LOGLUV, "LogLuv"}}};
  return named(kNames, value);
}

// Whether libtiff decodes it and, for whole images, whether it is one of those that are tested.
Result<void> check_compression(const Source& source, uint16_t value, bool whole) {
  static constexpr std::array<Named, 13> kNames = {{{COMPRESSION_NONE, "none"},
                                                    {COMPRESSION_CCITTRLE, "CCITT RLE"},
                                                    {COMPRESSION_CCITTFAX3, "CCITT T.4"},
                                                    {COMPRESSION_CCITTFAX4, "CCITT T.6"},
                                                    {COMPRESSION_LZW, "LZW"},
                                                    {COMPRESSION_JPEG, "JPEG"},
                                                    {COMPRESSION_ADOBE_DEFLATE, "deflate"},
                                                    {COMPRESSION_CCITTRLEW, "CCITT RLE of words"},
                                                    {COMPRESSION_PACKBITS, "PackBits"},
                                                    {COMPRESSION_DEFLATE, "deflate"},
                                                    {COMPRESSION_LZMA, "LZMA"},
                                                    {COMPRESSION_ZSTD, "Zstandard"},
                                                    {COMPRESSION_WEBP, "WebP"}}};
  static constexpr std::array<Named, 8> kOthers = {{{COMPRESSION_OJPEG, "JPEG of TIFF 6.0"},
                                                    {COMPRESSION_NEXT, "NeXT"},
                                                    {COMPRESSION_THUNDERSCAN, "ThunderScan"},
                                                    {COMPRESSION_PIXARLOG, "PixarLog"},
                                                    {COMPRESSION_SGILOG, "SGI LogLuv"},
                                                    {COMPRESSION_SGILOG24, "SGI LogLuv, 24 bits"},
                                                    {COMPRESSION_JBIG, "JBIG"},
                                                    {COMPRESSION_LERC, "LERC"}}};
  const bool known = std::any_of(kNames.begin(), kNames.end(), [&](const Named& n) { return n.value == value; });
  const bool decoded = TIFFIsCODECConfigured(value) != 0;
  if (!known && (whole || !decoded)) {
    return source.unsupported("TIFF: Compression is " + named(kOthers, value) + ", which is not read");
  }
  if (decoded) return {};
  return source.unsupported("TIFF: Compression is " + named(kNames, value) + ", which this build of libtiff lacks");
}

// The type of samples after unpacking.
Result<Sample> sample_type(const Source& source, uint32_t bits, uint16_t format) {
  static constexpr std::array<Named, 6> kNames = {{{SAMPLEFORMAT_UINT, "unsigned integers"},
                                                   {SAMPLEFORMAT_INT, "signed integers"},
                                                   {SAMPLEFORMAT_IEEEFP, "floats"},
                                                   {SAMPLEFORMAT_VOID, "undefined"},
                                                   {SAMPLEFORMAT_COMPLEXINT, "complex integers"},
                                                   {SAMPLEFORMAT_COMPLEXIEEEFP, "complex floats"}}};
  const bool floats = format == SAMPLEFORMAT_IEEEFP;
  if (floats && bits == 16) return Sample::kF16;
  if (floats && (bits == 24 || bits == 32 || bits == 64)) return Sample::kF32;
  const bool integers = format == SAMPLEFORMAT_INT;
  if (integers && bits == 8) return Sample::kI8;
  if (integers && bits == 16) return Sample::kI16;
  if (integers && bits == 32) return Sample::kI32;
  if (format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID) {
    if (bits >= 1 && bits <= 8) return Sample::kU8;
    if (bits > 8 && bits <= 16) return Sample::kU16;
    if (bits == 32) return Sample::kU32;
  } else if (!floats && !integers) {
    return source.unsupported("TIFF: SampleFormat is " + named(kNames, format) + "; integers and floats are possible");
  }
  return source.unsupported(
      "TIFF: BitsPerSample is " + std::to_string(bits) + " with SampleFormat " + named(kNames, format) +
      "; 1 to 16 and 32 of unsigned integers, 8, 16 and 32 of signed ones, 16, 24, 32 and 64 of floats are possible");
}

Error bad_samples(const Source& source, const TiffPage& page) {
  return source.unsupported("TIFF: SamplesPerPixel is " + std::to_string(page.samples) +
                            " with PhotometricInterpretation " + photometric_name(page.photometric) +
                            ", which is not read");
}

// Number of samples that are colours, by PhotometricInterpretation.
Result<uint32_t> colour_count(const Source& source, const TiffPage& page, TIFF* tiff) {
  const Error other = source.unsupported("TIFF: PhotometricInterpretation is " + photometric_name(page.photometric) +
                                         " with Compression " + std::to_string(page.compression) + ", BitsPerSample " +
                                         std::to_string(page.bits) + ", which is not read");
  switch (page.photometric) {
    case PHOTOMETRIC_MINISWHITE:
      return is_float(page.sample) || is_signed(page.sample) ? Result<uint32_t>(other) : 1U;
    case PHOTOMETRIC_MINISBLACK:
      return 1U;
    case PHOTOMETRIC_RGB:
      return page.samples < 3 ? Result<uint32_t>(bad_samples(source, page)) : 3U;
    case PHOTOMETRIC_PALETTE:
      if (page.samples != 1) return bad_samples(source, page);
      return page.sample != Sample::kU8 ? Result<uint32_t>(other) : 3U;
    case PHOTOMETRIC_SEPARATED:
      if (const uint16_t inks = tag16(tiff, TIFFTAG_INKSET); inks != INKSET_CMYK) {
        return source.unsupported("TIFF: InkSet is " + std::to_string(inks) + ", not 1 (CMYK)");
      }
      if (page.samples < 4) return bad_samples(source, page);
      return page.sample != Sample::kU8 && page.sample != Sample::kU16 ? Result<uint32_t>(other) : 4U;
    case PHOTOMETRIC_CIELAB:
      if ((page.bits != 8 && page.bits != 16) || is_float(page.sample) || is_signed(page.sample)) return other;
      return page.samples < 3 ? Result<uint32_t>(bad_samples(source, page)) : 3U;
    case PHOTOMETRIC_YCBCR:  // converted to RGB by libjpeg
      if (page.compression != COMPRESSION_JPEG || page.planes) return other;
      return page.samples != 3 ? Result<uint32_t>(bad_samples(source, page)) : 3U;
    default:
      return other;
  }
}

std::string left_out(uint32_t count, uint32_t samples) {
  return std::to_string(count) + " of " + std::to_string(samples) + " samples of a pixel are left out";
}

// Finds the alpha sample and its association, by the rules of OpenImageIO: the sample that ExtraSamples names as alpha;
// without the tag the fourth sample of RGB, associated; no other sample. libtiff reports a tag of zeros if there is
// none.
Result<void> find_alpha(const Source& source, TIFF* tiff, const TiffPage& page, TiffChannels& channels,
                        std::vector<std::string>& warnings) {
  if (page.photometric == PHOTOMETRIC_PALETTE || page.samples <= channels.colours) return {};
  if (channels.inks()) {
    warnings.push_back(left_out(page.samples - channels.colours, page.samples));
    return {};
  }
  uint16_t count = 0;
  uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
  const uint32_t extra = page.samples - channels.colours;
  for (uint32_t i = 0; i < std::min<uint32_t>(count, extra) && channels.alpha < 0; ++i) {
    if (kinds[i] != EXTRASAMPLE_ASSOCALPHA && kinds[i] != EXTRASAMPLE_UNASSALPHA) continue;
    channels.alpha = static_cast<int>(page.samples - count + i);
    channels.association =
        kinds[i] == EXTRASAMPLE_ASSOCALPHA ? AlphaAssociation::kPremultiplied : AlphaAssociation::kStraight;
  }
  if (!TiffTags(source).has(TIFFTAG_EXTRASAMPLES) && channels.colours == 3 && extra == 1) {
    channels.alpha = 3;
    channels.association = AlphaAssociation::kPremultiplied;
  }
  const bool flagged = channels.alpha >= 0;
  if (!flagged && channels.colours == 1 && extra >= 2) {
    if (page.samples > 4) {
      return source.unsupported("TIFF: SamplesPerPixel is " + std::to_string(page.samples) +
                                ", none of them alpha by ExtraSamples; up to 4 are possible");
    }
    channels.colours = 3;
    warnings.push_back("PhotometricInterpretation is " + photometric_name(page.photometric) + " with " +
                       std::to_string(page.samples) + " samples: the first three are taken as red, green and blue");
  }
  if (!flagged && channels.colours < page.samples) channels.alpha = static_cast<int>(channels.colours);
  const uint32_t left = page.samples - channels.colours - (channels.alpha >= 0 ? 1 : 0);
  if (left > 0) warnings.push_back(left_out(left, page.samples));
  return {};
}

Result<void> find_blocks(const Source& source, TIFF* tiff, TiffPage& page) {
  page.tiled = TIFFIsTiled(tiff) != 0;
  const std::string what = page.tiled ? "tile" : "strip";
  if (page.tiled) {
    page.block_width = tag32(tiff, TIFFTAG_TILEWIDTH);
    page.block_height = tag32(tiff, TIFFTAG_TILELENGTH);
  } else {
    page.block_width = page.size.width;
    page.block_height = std::min(tag32(tiff, TIFFTAG_ROWSPERSTRIP), page.size.height);
  }
  // check_tiff_tags() has checked tags with integers only; libtiff also reads other types.
  const bool large = page.tiled && (page.block_width > kMaxTile || page.block_height > kMaxTile);
  if (page.block_width == 0 || page.block_height == 0 || large) {
    return source.bad("TIFF: a tile or strip has " + size_text(page.block_width, page.block_height) + " pixels");
  }
  const uint64_t bytes = page.tiled ? page.block_bytes() : page.block_row_bytes();
  if (bytes > kMaxBlock) {
    return source.bad("TIFF: a " + std::string(page.tiled ? "tile" : "row of a strip") + " has " +
                      std::to_string(bytes) + " bytes, more than 2^30");
  }
  // JPEG stores whole blocks only, so that libtiff may need more bytes.
  const uint64_t wanted = page.tiled ? TIFFTileSize64(tiff) : TIFFVStripSize64(tiff, page.block_height);
  if (wanted == page.block_bytes()) return {};
  return source.bad("TIFF: a " + what + " of " + size_text(page.block_width, page.block_height) + " takes " +
                    std::to_string(wanted) + " bytes, not " + std::to_string(page.block_bytes()));
}

// 1 sign bit, 7 bits of exponent with bias 63, 16 bits of mantissa.
// Source: TIFF Technical Note 3.
float float_of_24(uint32_t bits) {
  const uint32_t sign = bits >> 23 << 31;
  const uint32_t exponent = bits >> 16 & 0x7F;
  const uint32_t mantissa = bits & 0xFFFF;
  if (exponent == 0) {
    const float tiny = static_cast<float>(mantissa) * 0x1p-78F;  // below 2^-62, exact
    return std::bit_cast<float>(std::bit_cast<uint32_t>(tiny) | sign);
  }
  const uint32_t wide = exponent == 0x7F ? 0xFF : exponent + 64;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 7);
}

template <typename T>
void unpack_fields(uint32_t bits, bool indices, const std::byte* from, size_t count, std::byte* to) {
  constexpr uint32_t kRange = std::numeric_limits<T>::max();
  const uint32_t most = (1U << bits) - 1;
  uint32_t window = 0;
  uint32_t held = 0;
  for (size_t i = 0; i < count; ++i) {
    for (; held < bits; held += 8) window = window << 8 | std::to_integer<uint32_t>(*from++);
    held -= bits;
    const uint32_t code = window >> held & most;
    const auto value = static_cast<T>(indices ? code : (code * kRange + most / 2) / most);
    std::memcpy(to + i * sizeof(T), &value, sizeof(T));
  }
}

// Bytes of a sample of `bits` bits after unpacking.
constexpr size_t unpacked_bytes(uint32_t bits) { return bits <= 8 ? 1 : bits <= 16 ? 2 : 4; }

// Unpacks stored samples of a row to 8, 16 or 32 bits in the byte order of this machine. Fields of 1 to 7 and 9 to 15
// bits, of which the first has the highest bits, are scaled to the range of 8 and 16 bits unless they are `indices` of
// a palette. Floats of 24 and 64 bits become 32.
void unpack_samples(uint32_t bits, bool indices, const std::byte* from, size_t count, std::byte* to) {
  if (bits < 8) return unpack_fields<uint8_t>(bits, indices, from, count, to);
  if (bits > 8 && bits < 16) return unpack_fields<uint16_t>(bits, indices, from, count, to);
  if (bits == 24) {
    for (size_t i = 0; i < count; ++i) {
      uint32_t stored = 0;
      std::memcpy(&stored, from + 3 * i, 3);
      const float value = float_of_24(stored);
      std::memcpy(to + 4 * i, &value, 4);
    }
  } else if (bits == 64) {
    for (size_t i = 0; i < count; ++i) {
      double stored = 0;
      std::memcpy(&stored, from + 8 * i, 8);
      const auto value = static_cast<float>(stored);
      std::memcpy(to + 4 * i, &value, 4);
    }
  } else {
    std::memcpy(to, from, count * unpacked_bytes(bits));
  }
}

// Red, green and blue of each index, 8 bits each. ColorMap has 16 bits; old programs stored 8-bit values.
Result<std::vector<uint8_t>> palette_of(const Source& source, TIFF* tiff, uint32_t bits) {
  std::array<uint16_t*, 3> maps{};
  if (TIFFGetField(tiff, TIFFTAG_COLORMAP, &maps[0], &maps[1], &maps[2]) == 0 || maps[0] == nullptr ||
      maps[1] == nullptr || maps[2] == nullptr) {
    return source.bad("TIFF: the tag ColorMap is missing or too short for " + std::to_string(bits) + " bits");
  }
  const size_t count = size_t{1} << bits;
  bool wide = false;
  for (const uint16_t* map : maps) wide = wide || std::any_of(map, map + count, [](uint16_t v) { return v > 255; });
  std::vector<uint8_t> palette(3 * count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t c = 0; c < 3; ++c) {
      const uint32_t value = maps[c][i];
      palette[3 * i + c] = static_cast<uint8_t>(wide ? (value * 255 + 32767) / 65535 : value);
    }
  }
  return palette;
}

template <typename T>
void invert(uint32_t count, std::byte* to, size_t pixel_bytes) {
  for (uint32_t x = 0; x < count; ++x, to += pixel_bytes) {
    T value;
    std::memcpy(&value, to, sizeof(T));
    value = static_cast<T>(~value);
    std::memcpy(to, &value, sizeof(T));
  }
}

}  // namespace

Result<TiffPage> tiff_page(const Source& source, TIFF* tiff) {
  TiffPage page;
  page.size = {tag32(tiff, TIFFTAG_IMAGEWIDTH), tag32(tiff, TIFFTAG_IMAGELENGTH)};
  if (auto fine = check_size(source, page.size.width, page.size.height); !fine) return fine.error();
  page.bits = tag16(tiff, TIFFTAG_BITSPERSAMPLE);
  page.samples = tag16(tiff, TIFFTAG_SAMPLESPERPIXEL);
  page.compression = tag16(tiff, TIFFTAG_COMPRESSION);
  page.planes = page.samples > 1 && tag16(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
  if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &page.photometric) == 0) {
    return source.bad("TIFF: the tag PhotometricInterpretation is missing");
  }
  if (page.samples == 0) return source.bad("TIFF: SamplesPerPixel is 0");
  if (auto fine = check_compression(source, page.compression, false); !fine) return fine.error();
  const Result<Sample> sample = sample_type(source, page.bits, tag16(tiff, TIFFTAG_SAMPLEFORMAT));
  if (!sample) return sample.error();
  page.sample = *sample;
  const bool indices = page.photometric == PHOTOMETRIC_PALETTE && page.samples == 1;
  if (indices && page.sample == Sample::kI8) page.sample = Sample::kU8;
  if (indices && page.sample == Sample::kU8) {
    auto palette = palette_of(source, tiff, page.bits);
    if (!palette) return palette.error();
    page.palette = std::move(*palette);
  }
  if (auto fine = find_blocks(source, tiff, page); !fine) return fine.error();
  return page;
}

Result<void> check_tiff_compression(const Source& source, const TiffPage& page) {
  return check_compression(source, page.compression, true);
}

Result<TiffChannels> tiff_channels(const Source& source, TIFF* tiff, const TiffPage& page,
                                   std::vector<std::string>& warnings) {
  TiffChannels channels;
  const Result<uint32_t> colours = colour_count(source, page, tiff);
  if (!colours) return colours.error();
  channels.colours = *colours;
  if (auto fine = find_alpha(source, tiff, page, channels, warnings); !fine) return fine.error();
  return channels;
}

AlphaAssociation tiff_alpha(TIFF* tiff, uint32_t samples, uint32_t colours) {
  uint16_t count = 0;
  uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
  if (count == 0 || kinds == nullptr || samples != colours + 1) return AlphaAssociation::kNone;
  if (kinds[0] == EXTRASAMPLE_ASSOCALPHA) return AlphaAssociation::kPremultiplied;
  return kinds[0] == EXTRASAMPLE_UNASSALPHA ? AlphaAssociation::kStraight : AlphaAssociation::kNone;
}

void unpack_tiff_pixels(const TiffPage& page, const std::byte* from, uint32_t count, std::byte* to, size_t pixel_bytes,
                        uint32_t plane) {
  const size_t samples = size_t{count} * page.block_samples();
  const size_t sample = unpacked_bytes(page.bits);
  const size_t bytes = page.block_samples() * sample;
  std::vector<std::byte> unpacked;
  if (page.bits != 8 && page.bits != 16 && page.bits != 32) {
    unpacked.resize(samples * sample);
    unpack_samples(page.bits, !page.palette.empty(), from, samples, unpacked.data());
    from = unpacked.data();
  }
  if (!page.palette.empty()) {
    for (uint32_t x = 0; x < count; ++x) {
      std::memcpy(to + x * pixel_bytes, &page.palette[size_t{3} * std::to_integer<size_t>(from[x])], 3);
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
  if (!page.inverted() || plane != 0) return;
  if (sample == 1) return invert<uint8_t>(count, to, pixel_bytes);
  if (sample == 2) return invert<uint16_t>(count, to, pixel_bytes);
  invert<uint32_t>(count, to, pixel_bytes);
}

std::string tiff_nodata(TIFF* tiff) {
  constexpr uint32_t kGdalNodata = 42113;  // a tag of GDAL: the value of missing texels, as text
  const TIFFField* field = TIFFFindField(tiff, kGdalNodata, TIFF_ANY);
  uint32_t count = 0;
  const char* text = nullptr;
  if (field == nullptr || TIFFFieldPassCount(field) == 0 || TIFFFieldDataType(field) != TIFF_ASCII) return "";
  if (TIFFGetField(tiff, kGdalNodata, &count, &text) == 0 || text == nullptr) return "";
  std::string out(text, count);
  while (!out.empty() && (out.back() == '\0' || out.back() == ' ')) out.pop_back();
  return out;
}

uint32_t tiff_further_pages(TIFF* tiff) {
  uint32_t pages = 0;
  const tdir_t first = TIFFCurrentDirectory(tiff);
  while (TIFFReadDirectory(tiff) != 0) {
    uint32_t kind = 0;
    TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &kind);
    if ((kind & FILETYPE_REDUCEDIMAGE) == 0) ++pages;
  }
  TIFFSetDirectory(tiff, first);
  return pages;
}

ColorTags tiff_colors(TIFF* tiff, std::vector<std::string>& warnings) {
  ColorTags tags;
  uint32_t size = 0;
  const void* profile = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_ICCPROFILE, &size, &profile) != 0 && profile != nullptr) {
    const auto* first = static_cast<const std::byte*>(profile);
    tags.icc.assign(first, first + size);
  }
  const float* corners = nullptr;
  if (TIFFGetField(tiff, TIFFTAG_PRIMARYCHROMATICITIES, &corners) != 0 && corners != nullptr) {
    Chromaticities primaries = kRec709Chromaticities;
    primaries.red = {corners[0], corners[1]};
    primaries.green = {corners[2], corners[3]};
    primaries.blue = {corners[4], corners[5]};
    const float* white = nullptr;
    if (TIFFGetField(tiff, TIFFTAG_WHITEPOINT, &white) != 0 && white != nullptr) primaries.white = {white[0], white[1]};
    tags.primaries = primaries;
  }
  std::array<const uint16_t*, 3> curves{};
  if (tags.icc.empty() && TIFFGetField(tiff, TIFFTAG_TRANSFERFUNCTION, &curves[0], &curves[1], &curves[2]) != 0) {
    warnings.emplace_back("its TransferFunction is not applied");
  }
  return tags;
}

}  // namespace onepass::files

// tiff_layout.cpp: pixel formats, alpha, blocks and palettes of TIFF directories; see tiff_layout.hpp.
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

constexpr uint32_t kMaxTile = 65536;

uint16_t tag16(TIFF* tiff, uint32_t tag) {
  uint16_t value = 0;
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

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

Result<void> check_compression(const Source& source, uint16_t value) {
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
  if (!known) return source.unsupported("TIFF: Compression is " + named(kOthers, value) + ", which is not read");
  if (TIFFIsCODECConfigured(value) != 0) return {};
  return source.unsupported("TIFF: Compression is " + named(kNames, value) + ", which this build of libtiff lacks");
}

Result<TiffSample> sample_type(const Source& source, TiffLayout& layout, uint16_t format) {
  static constexpr std::array<Named, 6> kNames = {{{SAMPLEFORMAT_UINT, "unsigned integers"},
                                                   {SAMPLEFORMAT_INT, "signed integers"},
                                                   {SAMPLEFORMAT_IEEEFP, "floats"},
                                                   {SAMPLEFORMAT_VOID, "undefined"},
                                                   {SAMPLEFORMAT_COMPLEXINT, "complex integers"},
                                                   {SAMPLEFORMAT_COMPLEXIEEEFP, "complex floats"}}};
  const uint32_t bits = layout.bits;
  layout.floats = format == SAMPLEFORMAT_IEEEFP;
  if (layout.floats && bits == 16) return TiffSample::kHalf;
  if (layout.floats && (bits == 24 || bits == 32 || bits == 64)) return TiffSample::kFloat;
  layout.is_signed = format == SAMPLEFORMAT_INT;
  if (layout.is_signed && (bits == 8 || bits == 16 || bits == 32)) return TiffSample::kFloat;
  if (format == SAMPLEFORMAT_UINT || format == SAMPLEFORMAT_VOID) {
    if (bits >= 1 && bits <= 8) return TiffSample::kCode8;
    if (bits > 8 && bits <= 16) return TiffSample::kCode16;
    if (bits == 32) return TiffSample::kCode32;
  } else if (!layout.floats && !layout.is_signed) {
    return source.unsupported("TIFF: SampleFormat is " + named(kNames, format) + "; integers and floats are possible");
  }
  return source.unsupported(
      "TIFF: BitsPerSample is " + std::to_string(bits) + " with SampleFormat " + named(kNames, format) +
      "; 1 to 16 and 32 of unsigned integers, 8, 16 and 32 of signed ones, 16, 24, 32 and 64 of floats are possible");
}

Error bad_samples(const Source& source, const TiffLayout& layout) {
  return source.unsupported("TIFF: SamplesPerPixel is " + std::to_string(layout.samples) +
                            " with PhotometricInterpretation " + photometric_name(layout.photometric) +
                            ", which is not read");
}

// Number of samples that are colours, by PhotometricInterpretation.
Result<uint32_t> colour_count(const Source& source, const TiffLayout& layout, TIFF* tiff) {
  const Error other = source.unsupported("TIFF: PhotometricInterpretation is " + photometric_name(layout.photometric) +
                                         " with Compression " + std::to_string(layout.compression) +
                                         ", BitsPerSample " + std::to_string(layout.bits) + ", which is not read");
  switch (layout.photometric) {
    case PHOTOMETRIC_MINISWHITE:
      return layout.sample == TiffSample::kFloat || layout.floats ? Result<uint32_t>(other) : 1U;
    case PHOTOMETRIC_MINISBLACK:
      return 1U;
    case PHOTOMETRIC_RGB:
      return layout.samples < 3 ? Result<uint32_t>(bad_samples(source, layout)) : 3U;
    case PHOTOMETRIC_PALETTE:
      if (layout.samples != 1) return bad_samples(source, layout);
      return layout.sample != TiffSample::kCode8 ? Result<uint32_t>(other) : 3U;
    case PHOTOMETRIC_SEPARATED:
      if (const uint16_t inks = tag16(tiff, TIFFTAG_INKSET); inks != INKSET_CMYK) {
        return source.unsupported("TIFF: InkSet is " + std::to_string(inks) + ", not 1 (CMYK)");
      }
      if (layout.samples < 4) return bad_samples(source, layout);
      return layout.sample != TiffSample::kCode8 && layout.sample != TiffSample::kCode16 ? Result<uint32_t>(other) : 4U;
    case PHOTOMETRIC_CIELAB:
      if (layout.is_signed || (layout.bits != 8 && layout.bits != 16) || layout.floats) return other;
      return layout.samples < 3 ? Result<uint32_t>(bad_samples(source, layout)) : 3U;
    case PHOTOMETRIC_YCBCR:  // converted to RGB by libjpeg
      if (layout.compression != COMPRESSION_JPEG || layout.planes) return other;
      return layout.samples != 3 ? Result<uint32_t>(bad_samples(source, layout)) : 3U;
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
Result<void> find_alpha(const Source& source, TIFF* tiff, TiffLayout& layout, std::vector<std::string>& warnings) {
  if (layout.photometric == PHOTOMETRIC_PALETTE || layout.samples <= layout.colours) return {};
  if (layout.inks()) {
    warnings.push_back(left_out(layout.samples - layout.colours, layout.samples));
    return {};
  }
  uint16_t count = 0;
  uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_EXTRASAMPLES, &count, &kinds);
  const uint32_t extra = layout.samples - layout.colours;
  for (uint32_t i = 0; i < std::min<uint32_t>(count, extra) && layout.alpha < 0; ++i) {
    if (kinds[i] != EXTRASAMPLE_ASSOCALPHA && kinds[i] != EXTRASAMPLE_UNASSALPHA) continue;
    layout.alpha = static_cast<int>(layout.samples - count + i);
    layout.association =
        kinds[i] == EXTRASAMPLE_ASSOCALPHA ? AlphaAssociation::kPremultiplied : AlphaAssociation::kStraight;
  }
  if (!TiffTags(source).has(TIFFTAG_EXTRASAMPLES) && layout.colours == 3 && extra == 1) {
    layout.alpha = 3;
    layout.association = AlphaAssociation::kPremultiplied;
  }
  const bool flagged = layout.alpha >= 0;
  if (!flagged && layout.colours == 1 && extra >= 2) {
    if (layout.samples > 4) {
      return source.unsupported("TIFF: SamplesPerPixel is " + std::to_string(layout.samples) +
                                ", none of them alpha by ExtraSamples; up to 4 are possible");
    }
    layout.colours = 3;
    warnings.push_back("PhotometricInterpretation is " + photometric_name(layout.photometric) + " with " +
                       std::to_string(layout.samples) + " samples: the first three are taken as red, green and blue");
  }
  if (!flagged && layout.colours < layout.samples) layout.alpha = static_cast<int>(layout.colours);
  const uint32_t left = layout.samples - layout.colours - (layout.alpha >= 0 ? 1 : 0);
  if (left > 0) warnings.push_back(left_out(left, layout.samples));
  return {};
}

Result<void> find_blocks(const Source& source, TIFF* tiff, TiffLayout& layout) {
  layout.tiled = TIFFIsTiled(tiff) != 0;
  if (layout.tiled) {
    layout.block_width = tag32(tiff, TIFFTAG_TILEWIDTH);
    layout.block_height = tag32(tiff, TIFFTAG_TILELENGTH);
  } else {
    layout.block_width = layout.width;
    layout.block_height = std::min(tag32(tiff, TIFFTAG_ROWSPERSTRIP), layout.height);
  }
  // check_tiff_tags() has checked tags with integers only; libtiff also reads other types.
  if (layout.block_width == 0 || layout.block_height == 0 || layout.block_width > kMaxTile ||
      layout.block_height > kMaxTile) {
    return source.bad("TIFF: a tile or strip has " + size_text(layout.block_width, layout.block_height) + " pixels");
  }
  const uint64_t row = div_up(uint64_t{layout.block_width} * layout.block_samples() * layout.bits, 8);
  layout.block_bytes = row * layout.block_height;
  // JPEG stores whole blocks only, so that libtiff may need more bytes.
  const uint64_t wanted = layout.tiled ? TIFFTileSize64(tiff) : TIFFVStripSize64(tiff, layout.block_height);
  if (wanted != layout.block_bytes) {
    return source.bad("TIFF: a " + std::string(layout.tiled ? "tile" : "strip") + " of " +
                      size_text(layout.block_width, layout.block_height) + " takes " + std::to_string(wanted) +
                      " bytes, not " + std::to_string(layout.block_bytes));
  }
  return {};
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

}  // namespace

Result<std::vector<uint8_t>> tiff_palette(const Source& source, TIFF* tiff, uint32_t bits) {
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

Result<TiffLayout> tiff_layout(const Source& source, TIFF* tiff, std::vector<std::string>& warnings) {
  TiffLayout layout;
  layout.width = tag32(tiff, TIFFTAG_IMAGEWIDTH);
  layout.height = tag32(tiff, TIFFTAG_IMAGELENGTH);
  if (auto fine = check_size(source, layout.width, layout.height); !fine) return fine.error();
  layout.bits = tag16(tiff, TIFFTAG_BITSPERSAMPLE);
  layout.samples = tag16(tiff, TIFFTAG_SAMPLESPERPIXEL);
  layout.compression = tag16(tiff, TIFFTAG_COMPRESSION);
  layout.planes = layout.samples > 1 && tag16(tiff, TIFFTAG_PLANARCONFIG) == PLANARCONFIG_SEPARATE;
  if (TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &layout.photometric) == 0) {
    return source.bad("TIFF: the tag PhotometricInterpretation is missing");
  }
  if (layout.samples == 0) return source.bad("TIFF: SamplesPerPixel is 0");
  if (auto fine = check_compression(source, layout.compression); !fine) return fine.error();
  const Result<TiffSample> sample = sample_type(source, layout, tag16(tiff, TIFFTAG_SAMPLEFORMAT));
  if (!sample) return sample.error();
  layout.sample = *sample;
  const Result<uint32_t> colours = colour_count(source, layout, tiff);
  if (!colours) return colours.error();
  layout.colours = *colours;
  if (layout.compression == COMPRESSION_JPEG && !layout.planes) {
    TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
  if (auto fine = find_alpha(source, tiff, layout, warnings); !fine) return fine.error();
  if (layout.photometric == PHOTOMETRIC_PALETTE) {
    auto palette = tiff_palette(source, tiff, layout.bits);
    if (!palette) return palette.error();
    layout.palette = std::move(*palette);
  }
  if (auto fine = find_blocks(source, tiff, layout); !fine) return fine.error();
  return layout;
}

void unpack_tiff_samples(uint32_t bits, bool indices, const std::byte* from, size_t count, std::byte* to) {
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
    std::memcpy(to, from, count * tiff_sample_bytes(bits));
  }
}

std::string tiff_nodata(TIFF* tiff) {
  constexpr uint32_t kGdalNodata = 42113;
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

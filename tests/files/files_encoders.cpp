// files_encoders.cpp: writes TIFF samples of any width from doubles, high bits first where they are not whole bytes,
// and fills the parts of blocks outside of the image with copies of its border for JPEG.
#include "tests/files/files_encoders.hpp"

#include <Imath/half.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <stdexcept>

#ifdef ONEPASS_HAS_TIFF
#include <tiffio.h>
#endif
#ifdef ONEPASS_HAS_WEBP
#include <webp/encode.h>
#endif
#ifdef ONEPASS_HAS_LCMS
#include <lcms2.h>
#endif

namespace files_test {

#ifdef ONEPASS_HAS_TIFF

namespace {

void require(bool fine, const char* what) {
  if (!fine) throw std::runtime_error(what);
}

template <typename T>
void append(Bytes& bytes, T value) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), first, first + sizeof(T));
}

// TIFF Technical Note 3: 1 bit sign, 7 bits exponent with bias 63, 16 bits mantissa.
uint32_t float24(double value) {
  if (value == 0) return 0;
  int exponent = 0;
  const double fraction = std::frexp(std::abs(value), &exponent);  // 0.5 to 1
  const auto mantissa = static_cast<uint32_t>(std::ldexp(fraction * 2 - 1, 16));
  return (value < 0 ? 1U << 23 : 0U) | static_cast<uint32_t>(exponent - 1 + 63) << 16 | mantissa;
}

void append_sample(Bytes& bytes, const TiffSpec& spec, double value) {
  if (spec.sample_format == 3) {
    if (spec.bits == 16) return append(bytes, half(static_cast<float>(value)).bits());
    if (spec.bits == 32) return append(bytes, static_cast<float>(value));
    if (spec.bits == 64) return append(bytes, value);
    const uint32_t bits = float24(value);
    for (const int shift : {0, 8, 16}) bytes.push_back(static_cast<std::byte>(bits >> shift & 255));
    return;
  }
  const auto code = static_cast<uint32_t>(static_cast<int64_t>(value));
  if (spec.bits == 8) return append(bytes, static_cast<uint8_t>(code));
  if (spec.bits == 16) return append(bytes, static_cast<uint16_t>(code));
  append(bytes, code);
}

// Packs a row as libtiff expects it: samples of whole bytes in native byte order, others from the highest bit down.
Bytes pack_row(const TiffSpec& spec, const std::vector<double>& row) {
  Bytes bytes;
  if (spec.bits % 8 == 0) {
    for (const double value : row) append_sample(bytes, spec, value);
    return bytes;
  }
  bytes.resize((row.size() * spec.bits + 7) / 8);
  size_t at = 0;
  for (const double value : row) {
    for (int bit = spec.bits - 1; bit >= 0; --bit, ++at) {
      if ((static_cast<uint32_t>(value) >> bit & 1U) != 0) bytes[at / 8] |= static_cast<std::byte>(128U >> at % 8);
    }
  }
  return bytes;
}

// Samples of one row of a strip or tile. Outside the image: 0, or copies of the border for JPEG, which mixes
// neighbours.
std::vector<double> samples_of(const TiffSpec& spec, uint32_t x0, uint32_t width, uint32_t y, uint16_t plane) {
  std::vector<double> row;
  for (uint32_t x = x0; x < x0 + width; ++x) {
    for (uint16_t s = spec.planes ? plane : 0; s < (spec.planes ? plane + 1 : spec.samples); ++s) {
      const bool inside = x < spec.width && y < spec.height;
      const uint32_t column = std::min(x, spec.width - 1);
      const double value =
          spec.values.at((size_t{std::min(y, spec.height - 1)} * spec.width + column) * spec.samples + s);
      row.push_back(inside || spec.compression == COMPRESSION_JPEG ? value : 0.0);
    }
  }
  return row;
}

void write_blocks(TIFF* tiff, const TiffSpec& spec) {
  const uint32_t block_width = spec.tile_width != 0 ? spec.tile_width : spec.width;
  const uint32_t block_height =
      spec.tile_height != 0 ? spec.tile_height : (spec.strip_rows != 0 ? spec.strip_rows : spec.height);
  for (uint16_t plane = 0; plane < (spec.planes ? spec.samples : 1); ++plane) {
    for (uint32_t y0 = 0; y0 < spec.height; y0 += block_height) {
      for (uint32_t x0 = 0; x0 < spec.width; x0 += block_width) {
        Bytes block;
        const uint32_t rows = spec.tile_width != 0 ? block_height : std::min(block_height, spec.height - y0);
        for (uint32_t y = y0; y < y0 + rows; ++y) {
          const Bytes row = pack_row(spec, samples_of(spec, x0, block_width, y, plane));
          block.insert(block.end(), row.begin(), row.end());
        }
        const auto size = static_cast<tmsize_t>(block.size());
        const tmsize_t done =
            spec.tile_width != 0
                ? TIFFWriteEncodedTile(tiff, TIFFComputeTile(tiff, x0, y0, 0, plane), block.data(), size)
                : TIFFWriteEncodedStrip(tiff, TIFFComputeStrip(tiff, y0, plane), block.data(), size);
        require(done >= 0, "libtiff: write");
      }
    }
  }
}

void set_tags(TIFF* tiff, const TiffSpec& spec) {
  TIFFSetField(tiff, TIFFTAG_SUBFILETYPE, spec.subfile_type);
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, spec.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, spec.height);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, spec.samples);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, spec.bits);
  TIFFSetField(tiff, TIFFTAG_SAMPLEFORMAT, spec.sample_format);
  if (!spec.no_photometric) TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, spec.photometric);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, spec.planes ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, spec.compression);
  if (spec.predictor != 1) TIFFSetField(tiff, TIFFTAG_PREDICTOR, spec.predictor);
  if (spec.compression == COMPRESSION_JPEG) {
    TIFFSetField(tiff, TIFFTAG_JPEGQUALITY, 100);
    if (spec.photometric == PHOTOMETRIC_YCBCR) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  } else if (spec.photometric == PHOTOMETRIC_YCBCR) {
    TIFFSetField(tiff, TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
  }
  if (spec.tile_width != 0) {
    TIFFSetField(tiff, TIFFTAG_TILEWIDTH, spec.tile_width);
    TIFFSetField(tiff, TIFFTAG_TILELENGTH, spec.tile_height);
  } else {
    TIFFSetField(tiff, TIFFTAG_ROWSPERSTRIP, spec.strip_rows != 0 ? spec.strip_rows : spec.height);
  }
  if (!spec.extra.empty()) {
    TIFFSetField(tiff, TIFFTAG_EXTRASAMPLES, static_cast<int>(spec.extra.size()), spec.extra.data());
  }
  TIFFSetField(tiff, TIFFTAG_ORIENTATION, spec.orientation);
  if (!spec.primaries.empty()) {
    TIFFSetField(tiff, TIFFTAG_PRIMARYCHROMATICITIES, spec.primaries.data());
    TIFFSetField(tiff, TIFFTAG_WHITEPOINT, spec.white.data());
  }
  if (spec.transfer_gamma > 0) {
    std::vector<uint16_t> curve(size_t{1} << spec.bits);
    for (size_t i = 0; i < curve.size(); ++i) {
      const double code = static_cast<double>(i) / static_cast<double>(curve.size() - 1);
      curve[i] = static_cast<uint16_t>(std::lround(65535 * std::pow(code, spec.transfer_gamma)));
    }
    TIFFSetField(tiff, TIFFTAG_TRANSFERFUNCTION, curve.data(), curve.data(), curve.data());
  }
  if (spec.resolution > 0) {
    TIFFSetField(tiff, TIFFTAG_XRESOLUTION, spec.resolution);
    TIFFSetField(tiff, TIFFTAG_YRESOLUTION, spec.resolution);
    TIFFSetField(tiff, TIFFTAG_RESOLUTIONUNIT, RESUNIT_INCH);
  }
  if (spec.ink_set != 0) TIFFSetField(tiff, TIFFTAG_INKSET, spec.ink_set);
  if (!spec.palette.empty()) {
    const size_t count = spec.palette.size() / 3;
    TIFFSetField(tiff, TIFFTAG_COLORMAP, &spec.palette[0], &spec.palette[count], &spec.palette[2 * count]);
  }
  if (!spec.profile.empty()) {
    TIFFSetField(tiff, TIFFTAG_ICCPROFILE, static_cast<uint32_t>(spec.profile.size()), spec.profile.data());
  }
}

using Handle = std::unique_ptr<TIFF, decltype(&TIFFClose)>;

// Keeps libtiff's messages about odd specs out of the test output.
void be_silent() {
  TIFFSetWarningHandler(nullptr);
  TIFFSetErrorHandler(nullptr);
}

}  // namespace

Bytes make_tiff(const TiffSpec& spec) {
  be_silent();
  const TempDirectory directory;
  const std::string path = (directory / "x.tif").string();
  {
    const Handle tiff(TIFFOpen(path.c_str(), spec.mode.c_str()), &TIFFClose);
    require(tiff != nullptr, "libtiff: open");
    for (uint32_t page = 0; page < spec.pages; ++page) {
      set_tags(tiff.get(), spec);
      write_blocks(tiff.get(), spec);
      require(TIFFWriteDirectory(tiff.get()) != 0, "libtiff: directory");
    }
  }
  return load(path);
}

TiffContent parse_tiff(const std::filesystem::path& path) {
  be_silent();
  const Handle tiff(TIFFOpen(path.string().c_str(), "r"), &TIFFClose);
  require(tiff != nullptr, "libtiff: open");
  TiffContent content;
  const auto get = [&](uint32_t tag, auto* value) { TIFFGetFieldDefaulted(tiff.get(), tag, value); };
  get(TIFFTAG_IMAGEWIDTH, &content.width);
  get(TIFFTAG_IMAGELENGTH, &content.height);
  get(TIFFTAG_SAMPLESPERPIXEL, &content.samples);
  get(TIFFTAG_BITSPERSAMPLE, &content.bits);
  get(TIFFTAG_SAMPLEFORMAT, &content.sample_format);
  get(TIFFTAG_PHOTOMETRIC, &content.photometric);
  get(TIFFTAG_COMPRESSION, &content.compression);
  if (TIFFGetField(tiff.get(), TIFFTAG_PREDICTOR, &content.predictor) == 0) content.predictor = 1;
  content.big = TIFFIsBigTIFF(tiff.get()) != 0;
  uint16_t count = 0;
  uint16_t* kinds = nullptr;
  TIFFGetFieldDefaulted(tiff.get(), TIFFTAG_EXTRASAMPLES, &count, &kinds);
  content.extra.assign(kinds, kinds + count);
  uint32_t size = 0;
  const std::byte* profile = nullptr;
  if (TIFFGetField(tiff.get(), TIFFTAG_ICCPROFILE, &size, &profile) != 0) {
    content.profile.assign(profile, profile + size);
  }
  const float* numbers = nullptr;
  if (TIFFGetField(tiff.get(), TIFFTAG_PRIMARYCHROMATICITIES, &numbers) != 0) {
    content.primaries.assign(numbers, numbers + 6);
    TIFFGetField(tiff.get(), TIFFTAG_WHITEPOINT, &numbers);
    content.primaries.insert(content.primaries.end(), numbers, numbers + 2);
  }
  const size_t pixel = size_t{content.samples} * content.bits / 8;
  content.pixels.resize(pixel * content.width * content.height);
  const bool tiled = TIFFIsTiled(tiff.get()) != 0;
  if (tiled) {
    get(TIFFTAG_TILEWIDTH, &content.tile_width);
    get(TIFFTAG_TILELENGTH, &content.tile_height);
    content.strips = TIFFNumberOfTiles(tiff.get());
    Bytes tile(static_cast<size_t>(TIFFTileSize(tiff.get())));
    for (uint32_t y = 0; y < content.height; ++y) {
      for (uint32_t x = 0; x < content.width; ++x) {
        if (x % content.tile_width == 0) {
          require(TIFFReadTile(tiff.get(), tile.data(), x, y, 0, 0) >= 0, "libtiff: tile");
        }
        const size_t in_tile = (size_t{y % content.tile_height} * content.tile_width + x % content.tile_width) * pixel;
        std::memcpy(&content.pixels[(size_t{y} * content.width + x) * pixel], &tile[in_tile], pixel);
      }
    }
  } else {
    content.strips = TIFFNumberOfStrips(tiff.get());
    for (uint32_t y = 0; y < content.height; ++y) {
      require(TIFFReadScanline(tiff.get(), &content.pixels[y * pixel * content.width], y) >= 0, "libtiff: row");
    }
  }
  return content;
}

size_t tiff_entry(const Bytes& bytes, uint16_t tag) {
  const auto number16 = [&](size_t at) {
    return std::to_integer<uint32_t>(bytes.at(at)) | std::to_integer<uint32_t>(bytes.at(at + 1)) << 8;
  };
  const size_t directory = get32(bytes, 4);
  for (size_t i = 0; i < number16(directory); ++i) {
    const size_t entry = directory + 2 + 12 * i;
    if (number16(entry) == tag) return entry + 8;
  }
  return 0;
}

#endif

#ifdef ONEPASS_HAS_WEBP

Bytes make_webp(uint32_t width, uint32_t height, const std::vector<uint8_t>& rgba, std::optional<float> quality) {
  WebPConfig config;
  WebPPicture picture;
  if (WebPConfigInit(&config) == 0 || WebPPictureInit(&picture) == 0) throw std::runtime_error("libwebp");
  config.lossless = quality ? 0 : 1;
  config.exact = 1;
  config.quality = quality.value_or(70);
  picture.use_argb = quality ? 0 : 1;
  picture.width = static_cast<int>(width);
  picture.height = static_cast<int>(height);
  WebPMemoryWriter writer;
  WebPMemoryWriterInit(&writer);
  picture.writer = &WebPMemoryWrite;
  picture.custom_ptr = &writer;
  const bool fine = WebPPictureImportRGBA(&picture, rgba.data(), static_cast<int>(4 * width)) != 0 &&
                    WebPEncode(&config, &picture) != 0;
  const auto* first = reinterpret_cast<const std::byte*>(writer.mem);
  Bytes bytes(first, first + (fine ? writer.size : 0));
  WebPPictureFree(&picture);
  WebPMemoryWriterClear(&writer);
  if (!fine) throw std::runtime_error("libwebp");
  return bytes;
}

Bytes webp_with_chunks(const Bytes& plain, uint32_t width, uint32_t height, uint8_t flags,
                       const std::vector<std::pair<std::string, Bytes>>& before,
                       const std::vector<std::pair<std::string, Bytes>>& after) {
  Bytes out = bytes_of("RIFF....WEBP");
  const auto add = [&](const std::string& name, const Bytes& content) {
    const Bytes text = bytes_of(name);
    out.insert(out.end(), text.begin(), text.end());
    put32(out, static_cast<uint32_t>(content.size()));
    out.insert(out.end(), content.begin(), content.end());
    if (content.size() % 2 != 0) out.push_back(std::byte{0});
  };
  Bytes header(10);
  header[0] = static_cast<std::byte>(flags);
  for (size_t i = 0; i < 3; ++i) {
    header[4 + i] = static_cast<std::byte>((width - 1) >> (8 * i));
    header[7 + i] = static_cast<std::byte>((height - 1) >> (8 * i));
  }
  add("VP8X", header);
  for (const auto& [name, content] : before) add(name, content);
  // If `plain` already has a VP8X chunk, only its pixel chunks are copied.
  const size_t first = std::memcmp(&plain[12], "VP8X", 4) == 0 ? 30 : 12;
  out.insert(out.end(), plain.begin() + static_cast<std::ptrdiff_t>(first), plain.end());
  for (const auto& [name, content] : after) add(name, content);
  set32(out, 4, static_cast<uint32_t>(out.size() - 8));
  return out;
}

#endif

Bytes make_dds(const DdsSpec& spec) {
  Bytes file = bytes_of("DDS ");
  for (const uint32_t word : {124U, 0x1007U, spec.height, spec.width, 0U, 1U, spec.levels}) put32(file, word);
  for (int i = 0; i < 11; ++i) put32(file, 0);
  put32(file, 32);
  put32(file, spec.pixel_flags);
  for (size_t i = 0; i < 4; ++i)
    file.push_back(i < spec.four_cc.size() ? static_cast<std::byte>(spec.four_cc[i]) : std::byte{0});
  put32(file, spec.bits);
  for (const uint32_t mask : spec.masks) put32(file, mask);
  for (const uint32_t word : {0x1000U, spec.caps2, 0U, 0U, 0U}) put32(file, word);
  if (spec.dxgi != 0) {
    for (const uint32_t word : {spec.dxgi, spec.dimension, spec.misc, spec.layers, spec.alpha_mode}) put32(file, word);
  }
  file.insert(file.end(), spec.pixels.begin(), spec.pixels.end());
  return file;
}

Bytes make_tga(const TgaSpec& spec) {
  Bytes out;
  const auto put8 = [&](uint32_t value) { out.push_back(static_cast<std::byte>(value)); };
  const auto put16 = [&](uint32_t value) {
    put8(value & 255);
    put8(value >> 8);
  };
  const size_t entry = (spec.palette_bits + 7U) / 8;
  put8(static_cast<uint32_t>(spec.identification.size()));
  put8(spec.palette.empty() ? 0 : 1);
  put8(spec.type);
  put16(spec.palette_first);
  put16(entry == 0 ? 0 : static_cast<uint32_t>(spec.palette.size() / entry));
  put8(spec.palette_bits);
  put16(0);
  put16(0);
  put16(spec.width);
  put16(spec.height);
  put8(spec.bits);
  put8(spec.descriptor);
  for (const char c : spec.identification) put8(static_cast<uint8_t>(c));
  for (const uint8_t byte : spec.palette) put8(byte);
  for (const uint8_t byte : spec.pixels) put8(byte);
  const auto extension = static_cast<uint32_t>(out.size());
  if (spec.attributes) {
    put16(495);
    out.resize(extension + 478);
    put16(spec.gamma[0]);
    put16(spec.gamma[1]);
    out.resize(extension + 494);
    put8(*spec.attributes);
  }
  if (spec.footer || spec.attributes) {
    put32(out, spec.attributes ? extension : 0);
    put32(out, 0);
    const Bytes text = bytes_of(std::string_view("TRUEVISION-XFILE.\0", 18));
    out.insert(out.end(), text.begin(), text.end());
  }
  return out;
}

#ifdef ONEPASS_HAS_LCMS

Bytes make_ink_profile(double darkest) {
  const auto sample = [](const cmsUInt16Number in[], cmsUInt16Number out[], void* cargo) -> cmsInt32Number {
    const double lowest = *static_cast<const double*>(cargo);
    out[0] = static_cast<cmsUInt16Number>(std::lround((100 - (100 - lowest) * in[3] / 65535.0) * 655.35));
    out[1] = out[2] = 0x8080;  // a* = b* = 0
    return TRUE;
  };
  cmsHPROFILE profile = cmsCreateProfilePlaceholder(nullptr);
  cmsSetProfileVersion(profile, 4.3);
  cmsSetDeviceClass(profile, cmsSigInputClass);  // input class: black is full ink
  cmsSetColorSpace(profile, cmsSigCmykData);
  cmsSetPCS(profile, cmsSigLabData);
  cmsSetHeaderRenderingIntent(profile, INTENT_RELATIVE_COLORIMETRIC);
  cmsPipeline* pipeline = cmsPipelineAlloc(nullptr, 4, 3);
  cmsStage* table = cmsStageAllocCLut16bit(nullptr, 5, 4, 3, nullptr);
  cmsStageSampleCLut16bit(table, sample, &darkest, 0);
  cmsPipelineInsertStage(pipeline, cmsAT_BEGIN, cmsStageAllocToneCurves(nullptr, 4, nullptr));
  cmsPipelineInsertStage(pipeline, cmsAT_END, table);
  cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocToneCurves(nullptr, 3, nullptr));
  cmsUInt32Number size = 0;
  bool fine = cmsWriteTag(profile, cmsSigAToB0Tag, pipeline) && cmsWriteTag(profile, cmsSigAToB1Tag, pipeline);
  cmsWriteTag(profile, cmsSigMediaWhitePointTag, cmsD50_XYZ());
  fine = fine && cmsSaveProfileToMem(profile, nullptr, &size);
  Bytes bytes(size);
  fine = fine && cmsSaveProfileToMem(profile, bytes.data(), &size);
  cmsPipelineFree(pipeline);
  cmsCloseProfile(profile);
  if (!fine) throw std::runtime_error("Little CMS");
  return bytes;
}

Bytes make_rgb_profile(double gamma, const onepass::Chromaticities& primaries) {
  cmsToneCurve* curve = cmsBuildGamma(nullptr, gamma);
  cmsToneCurve* curves[] = {curve, curve, curve};
  const cmsCIExyY white{primaries.white[0], primaries.white[1], 1};
  const cmsCIExyYTRIPLE corners{{primaries.red[0], primaries.red[1], 1},
                                {primaries.green[0], primaries.green[1], 1},
                                {primaries.blue[0], primaries.blue[1], 1}};
  cmsHPROFILE profile = cmsCreateRGBProfile(&white, &corners, curves);
  cmsFreeToneCurve(curve);
  cmsUInt32Number size = 0;
  bool fine = cmsSaveProfileToMem(profile, nullptr, &size) != 0;
  Bytes bytes(size);
  fine = fine && cmsSaveProfileToMem(profile, bytes.data(), &size) != 0;
  cmsCloseProfile(profile);
  if (!fine) throw std::runtime_error("Little CMS");
  return bytes;
}

#endif

}  // namespace files_test

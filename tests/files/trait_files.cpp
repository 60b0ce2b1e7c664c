// trait_files.cpp: each add_*() function makes the files of one type with one statement each, by patching chunks,
// segments or tags of a common picture.
// Sources: PNG specification, third edition, section 11; Exif 2.32, section 4.6; TIFF 6.0; KTX 2.0 and the Khronos Data
// Format Specification 1.3; G. Ward, "Radiance file formats"; ITU-T H.273; SMPTE ST 2084.
#include "tests/files/trait_files.hpp"

#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfStandardAttributes.h>

#include <cstddef>
#include <cstdio>
// jpeglib.h needs FILE and size_t declared before it.
#include <jpeglib.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>

namespace files_test {
namespace {

using onepass::AlphaAssociation;
using onepass::Chromaticities;
using onepass::files::Type;

constexpr uint8_t kColours[6][3] = {{250, 40, 20},   {30, 200, 60},  {10, 60, 220},
                                    {128, 128, 128}, {240, 220, 30}, {60, 20, 90}};
constexpr uint32_t kWidth = kTraitWidth;
constexpr uint32_t kHeight = kTraitHeight;

// Interleaved samples; the fourth is kTraitAlpha.
std::vector<uint8_t> samples(uint32_t channels) {
  std::vector<uint8_t> out;
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kWidth; ++x) {
      for (uint32_t c = 0; c < channels; ++c) {
        out.push_back(c < 3 ? static_cast<uint8_t>(trait_code(x, y, c)) : kTraitAlpha);
      }
    }
  }
  return out;
}

double plain(double code) { return code / 255; }

double pq(double code) {
  const double power = std::pow(code / 255, 32.0 / 2523);
  return 10000.0 / 203 * std::pow(std::max(power - 0.8359375, 0.0) / (18.8515625 - 18.6875 * power), 8192.0 / 1305);
}

void append(Bytes& bytes, std::string_view text) {
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
}
void append(Bytes& bytes, const Bytes& more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

Bytes bytes_of_samples(const std::vector<uint8_t>& numbers) {
  Bytes out;
  for (const uint8_t number : numbers) out.push_back(static_cast<std::byte>(number));
  return out;
}

std::vector<uint8_t> to_numbers(const Bytes& bytes) {
  std::vector<uint8_t> out;
  for (const std::byte byte : bytes) out.push_back(std::to_integer<uint8_t>(byte));
  return out;
}

// Big-endian numbers.
Bytes numbers32(std::initializer_list<uint32_t> values) {
  Bytes bytes;
  for (const uint32_t value : values) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(value >> shift & 255));
  }
  return bytes;
}

// EXIF metadata with an orientation.
Bytes exif(uint32_t orientation) {
  Bytes bytes;
  append(bytes, std::string_view("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18));
  put32(bytes, orientation);
  put32(bytes, 0);
  return bytes;
}

// PNG -----------------------------------------------------------------------------------------------------------------

PngSpec png_spec(bool wide = false, bool alpha = false) {
  PngSpec spec{.width = kWidth, .height = kHeight, .bits = wide ? 16 : 8, .colour_type = alpha ? 6 : 2};
  for (const uint8_t sample : samples(alpha ? 4 : 3)) spec.samples.push_back(sample * (wide ? 257U : 1U));
  return spec;
}

// A PNG with a chunk before its pixels, or behind them.
Bytes png(std::string_view name, const Bytes& data, bool behind = false) {
  Bytes bytes = make_png(png_spec());
  Bytes chunk = numbers32({static_cast<uint32_t>(data.size())});
  append(chunk, name);
  append(chunk, data);
  chunk.resize(chunk.size() + 4);
  bytes.insert(behind ? bytes.end() - 12 : bytes.begin() + 33, chunk.begin(), chunk.end());
  repair_png_checksums(bytes);
  return bytes;
}

Bytes png_with_gamma(int gamma, bool wide, bool interlaced) {
  PngSpec spec = png_spec(wide);
  spec.gamma = gamma;
  spec.interlaced = interlaced;
  return make_png(spec);
}

Bytes code_points(int primaries, int transfer) {
  return {static_cast<std::byte>(primaries), static_cast<std::byte>(transfer), std::byte{0}, std::byte{1}};
}

// The contents of iCCP: the profile in one stored block of zlib.
[[maybe_unused]] Bytes png_profile(const Bytes& profile) {
  Bytes data;
  append(data, std::string_view("icc\0\0\x78\x01\x01", 8));
  const auto size = static_cast<uint32_t>(profile.size());
  for (const uint32_t half : {size, ~size}) {
    data.push_back(static_cast<std::byte>(half & 255));
    data.push_back(static_cast<std::byte>(half >> 8 & 255));
  }
  append(data, profile);
  uint32_t a = 1, b = 0;  // Adler-32
  for (const std::byte byte : profile) {
    a = (a + std::to_integer<uint32_t>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  append(data, numbers32({b << 16 | a}));
  return data;
}

void add_png(std::vector<TraitFile>& all) {
  const auto add = [&](TraitFile file) {
    file.type = Type::kPng;
    all.push_back(std::move(file));
  };
  for (uint32_t n = 1; n <= 8; ++n) {
    add({.trait = Trait::kOrientation, .name = "o.png", .file = png("eXIf", exif(n)), .orientation = n});
    add({.trait = Trait::kOrientation, .name = "behind.png", .file = png("eXIf", exif(n), true), .orientation = n});
  }
  const Bytes chrm = numbers32({31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000});
  const Chromaticities p3 = onepass::kDisplayP3Chromaticities;
  const auto gamma18 = [](double code) { return std::pow(code / 255, 1.8); };
  add({.trait = Trait::kPrimaries, .name = "chrm.png", .file = png("cHRM", chrm), .primaries = p3});
  add({.trait = Trait::kPrimaries, .name = "cicp.png", .file = png("cICP", code_points(12, 13)), .primaries = p3});
  add({.trait = Trait::kTransfer, .name = "gamma.png", .file = png_with_gamma(55556, false, false), .light = gamma18});
  add({.trait = Trait::kTransfer, .name = "gamma16.png", .file = png_with_gamma(55556, true, false), .light = gamma18});
  add({.trait = Trait::kTransfer, .name = "gamma16i.png", .file = png_with_gamma(55556, true, true), .light = gamma18});
  add({.trait = Trait::kTransfer, .name = "gamma1.png", .file = png_with_gamma(100000, false, false), .light = plain});
  add({.trait = Trait::kTransfer, .name = "linear.png", .file = png("cICP", code_points(1, 8)), .light = plain});
  add({.trait = Trait::kTransfer,
       .name = "pq.png",
       .file = png("cICP", code_points(9, 16)),
       .light = pq,
       .primaries = onepass::kRec2020Chromaticities});
#ifdef ONEPASS_HAS_LCMS
  add({.trait = Trait::kProfile,
       .name = "icc.png",
       .file = png("iCCP", png_profile(make_rgb_profile(1.8, p3))),
       .light = gamma18,
       .primaries = p3});
#endif
  add({.trait = Trait::kAlpha,
       .name = "alpha.png",
       .file = make_png(png_spec(false, true)),
       .alpha = AlphaAssociation::kStraight});
  Bytes dots = numbers32({11811, 11811});
  dots.push_back(std::byte{1});  // per metre
  add({.trait = Trait::kResolution, .name = "phys.png", .file = png("pHYs", dots), .resolution = 300});
  add({.trait = Trait::kFurther, .name = "apng.png", .file = png("acTL", numbers32({3, 0})), .warning = "3 frames"});
}

// JPEG ----------------------------------------------------------------------------------------------------------------

Bytes jpeg(const Bytes& app1 = {}) { return make_jpeg(kWidth, kHeight, 3, samples(3), to_numbers(app1)); }

// A JPEG with a further segment behind SOI and JFIF.
Bytes jpeg_with(uint8_t marker, const Bytes& data) {
  Bytes bytes = jpeg();
  Bytes segment = {std::byte{0xFF}, std::byte{marker}, static_cast<std::byte>((data.size() + 2) >> 8),
                   static_cast<std::byte>((data.size() + 2) & 255)};
  append(segment, data);
  bytes.insert(bytes.begin() + 20, segment.begin(), segment.end());
  return bytes;
}

Bytes icc_segment(const Bytes& profile) {
  Bytes data;
  append(data, std::string_view("ICC_PROFILE\0\x01\x01", 14));
  append(data, profile);
  return data;
}

// The picture as inverted inks without black, whose values are those of red, green and blue.
Bytes jpeg_of_inks(bool adobe) {
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  errors.error_exit = [](j_common_ptr) { throw std::runtime_error("libjpeg"); };
  jpeg_create_compress(&state);
  unsigned char* memory = nullptr;
  unsigned long size = 0;  // NOLINT: libjpeg's type
  jpeg_mem_dest(&state, &memory, &size);
  state.image_width = kWidth;
  state.image_height = kHeight;
  state.input_components = 4;
  state.in_color_space = JCS_CMYK;
  jpeg_set_defaults(&state);
  jpeg_set_quality(&state, 100, TRUE);
  state.write_Adobe_marker = adobe ? TRUE : FALSE;
  jpeg_start_compress(&state, TRUE);
  std::vector<uint8_t> inks = samples(4);
  for (size_t i = 3; i < inks.size(); i += 4) inks[i] = 255;
  while (state.next_scanline < kHeight) {
    JSAMPROW row = inks.data() + size_t{4} * kWidth * state.next_scanline;
    jpeg_write_scanlines(&state, &row, 1);
  }
  jpeg_finish_compress(&state);
  const auto* first = reinterpret_cast<const std::byte*>(memory);
  Bytes bytes(first, first + size);
  jpeg_destroy_compress(&state);
  std::free(memory);
  return bytes;
}

void add_jpeg(std::vector<TraitFile>& all) {
  const auto add = [&](TraitFile file) {
    file.type = Type::kJpeg;
    all.push_back(std::move(file));
  };
  for (uint32_t n = 1; n <= 8; ++n) {
    Bytes metadata;
    append(metadata, std::string_view("Exif\0\0", 6));
    append(metadata, exif(n));
    add({.trait = Trait::kOrientation, .name = "o.jpg", .file = jpeg(metadata), .orientation = n});
  }
  add({.trait = Trait::kProfile,
       .name = "broken.jpg",
       .file = jpeg_with(0xE2, icc_segment(Bytes(200))),
       .warning = "ICC profile"});
#ifdef ONEPASS_HAS_LCMS
  for (const double gamma : {1.8, 1.0}) {
    add({.trait = Trait::kProfile,
         .name = "icc.jpg",
         .file = jpeg_with(0xE2, icc_segment(make_rgb_profile(gamma, onepass::kDisplayP3Chromaticities))),
         .light = [gamma](double code) { return std::pow(code / 255, gamma); },
         .primaries = onepass::kDisplayP3Chromaticities});
  }
#endif
  for (const bool adobe : {true, false}) {
    add({.trait = Trait::kInks,
         .name = adobe ? "adobe.jpg" : "inks.jpg",
         .file = jpeg_of_inks(adobe),
         .warning = "CMYK was turned into RGB as (1 - C)(1 - K)"});
  }
  Bytes dense = jpeg();
  dense[13] = std::byte{1};  // pixels per inch
  dense[14] = dense[16] = std::byte{1};
  dense[15] = dense[17] = std::byte{44};
  add({.trait = Trait::kResolution, .name = "dense.jpg", .file = dense, .resolution = 300});
  Bytes gains;
  append(gains, std::string_view("http://ns.adobe.com/xap/1.0/\0<x "
                                 "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"/>",
                                 85));
  Bytes pictures;
  append(pictures, std::string_view("MPF\0II*\0\x08\0\0\0\0\0", 14));
  add({.trait = Trait::kFurther, .name = "gain.jpg", .file = jpeg(gains), .warning = "gain map"});
  add({.trait = Trait::kFurther, .name = "mpf.jpg", .file = jpeg_with(0xE2, pictures), .warning = "MPF"});
}

// OpenEXR -------------------------------------------------------------------------------------------------------------

ExrSpec exr() {
  const auto channel = [](const char* name, uint32_t c) {
    return ExrSpec::Channel{
        name, ExrSpec::Type::kFloat, [c](int x, int y, int /*level*/) {
          return srgb_decode(trait_code(static_cast<uint32_t>(x), static_cast<uint32_t>(y), c) / 255);
        }};
  };
  ExrSpec spec;
  spec.data = spec.display = {0, 0, kWidth - 1, kHeight - 1};
  spec.channels = {channel("R", 0), channel("G", 1), channel("B", 2)};
  return spec;
}

Bytes exr_bytes(const ExrSpec& spec) {
  const TempDirectory directory;
  make_exr(directory / "x.exr", spec);
  return load(directory / "x.exr");
}

void add_exr(std::vector<TraitFile>& all) {
  const auto add = [&](TraitFile file) {
    file.type = Type::kExr;
    all.push_back(std::move(file));
  };
  ExrSpec wide = exr();
  wide.edit = [](Imf::Header& header) {
    Imf::addChromaticities(header,
                           Imf::Chromaticities({0.68F, 0.32F}, {0.265F, 0.69F}, {0.15F, 0.06F}, {0.3127F, 0.329F}));
  };
  add({.trait = Trait::kPrimaries,
       .name = "p3.exr",
       .file = exr_bytes(wide),
       .primaries = onepass::kDisplayP3Chromaticities});
  ExrSpec premultiplied = exr();
  premultiplied.channels.push_back({"A", ExrSpec::Type::kFloat, [](int, int, int) { return kTraitAlpha / 255.0; }});
  add({.trait = Trait::kAlpha,
       .name = "alpha.exr",
       .file = exr_bytes(premultiplied),
       .alpha = AlphaAssociation::kPremultiplied});
  ExrSpec window = exr();
  window.display = {-8, 0, 40, 20};
  add({.trait = Trait::kWindow, .name = "window.exr", .file = exr_bytes(window), .tiles_warning = "displayWindow"});
  ExrSpec squeezed = exr();
  squeezed.edit = [](Imf::Header& header) { header.pixelAspectRatio() = 2; };
  add({.trait = Trait::kWindow,
       .name = "aspect.exr",
       .file = exr_bytes(squeezed),
       .tiles_warning = "pixel aspect ratio"});
  ExrSpec dense = exr();
  dense.edit = [](Imf::Header& header) { Imf::addXDensity(header, 300); };
  add({.trait = Trait::kResolution, .name = "dense.exr", .file = exr_bytes(dense), .resolution = 300});
  const TempDirectory directory;
  ExrSpec first = exr();
  ExrSpec second = exr();
  first.part = "beauty";
  second.part = "depth";
  make_multipart_exr(directory / "x.exr", {first, second});
  add({.trait = Trait::kFurther,
       .name = "parts.exr",
       .file = load(directory / "x.exr"),
       .tiles_warning = "one of its 2 parts"});
}

// TIFF ----------------------------------------------------------------------------------------------------------------

#ifdef ONEPASS_HAS_TIFF

TiffSpec tiff(uint16_t channels = 3) {
  TiffSpec spec{.width = kWidth, .height = kHeight, .samples = channels, .photometric = 2};
  for (const uint8_t sample : samples(channels)) spec.values.push_back(sample);
  return spec;
}

void add_tiff(std::vector<TraitFile>& all) {
  const auto add = [&](TraitFile file) {
    file.type = Type::kTiff;
    all.push_back(std::move(file));
  };
  for (uint32_t n = 1; n <= 8; ++n) {
    TiffSpec turned = tiff();
    turned.orientation = static_cast<uint16_t>(n);
    add({.trait = Trait::kOrientation, .name = "o.tif", .file = make_tiff(turned), .orientation = n});
  }
  TiffSpec wide = tiff();
  wide.primaries = {0.68F, 0.32F, 0.265F, 0.69F, 0.15F, 0.06F};
  wide.white = {0.3127F, 0.329F};
  add({.trait = Trait::kPrimaries,
       .name = "p3.tif",
       .file = make_tiff(wide),
       .primaries = onepass::kDisplayP3Chromaticities});
  TiffSpec curved = tiff();
  curved.transfer_gamma = 1.8;
  add({.trait = Trait::kTransfer, .name = "curve.tif", .file = make_tiff(curved), .warning = "TransferFunction"});
#ifdef ONEPASS_HAS_LCMS
  for (const double gamma : {1.8, 1.0}) {
    TiffSpec profiled = tiff();
    profiled.profile = make_rgb_profile(gamma, onepass::kDisplayP3Chromaticities);
    add({.trait = Trait::kProfile,
         .name = "icc.tif",
         .file = make_tiff(profiled),
         .light = [gamma](double code) { return std::pow(code / 255, gamma); },
         .primaries = onepass::kDisplayP3Chromaticities});
  }
#endif
  for (const uint16_t kind : Numbers{1, 2}) {
    TiffSpec translucent = tiff(4);
    translucent.extra = {kind};
    add({.trait = Trait::kAlpha,
         .name = "alpha.tif",
         .file = make_tiff(translucent),
         .alpha = kind == 1 ? AlphaAssociation::kPremultiplied : AlphaAssociation::kStraight});
  }
  TiffSpec inks = tiff(4);
  inks.photometric = 5;
  for (size_t i = 0; i < inks.values.size(); ++i) inks.values[i] = i % 4 == 3 ? 0 : 255 - inks.values[i];
  add({.trait = Trait::kInks,
       .name = "inks.tif",
       .file = make_tiff(inks),
       .warning = "CMYK was turned into RGB as (1 - C)(1 - K)"});
  TiffSpec dense = tiff();
  dense.resolution = 300;
  add({.trait = Trait::kResolution, .name = "dense.tif", .file = make_tiff(dense), .resolution = 300});
  TiffSpec pages = tiff();
  pages.pages = 3;
  add({.trait = Trait::kFurther, .name = "pages.tif", .file = make_tiff(pages), .warning = "2 more are left out"});
}

#endif

// WebP ----------------------------------------------------------------------------------------------------------------

#ifdef ONEPASS_HAS_WEBP

void add_webp(std::vector<TraitFile>& all) {
  const auto add = [&](TraitFile file) {
    file.type = Type::kWebp;
    all.push_back(std::move(file));
  };
  std::vector<uint8_t> opaque = samples(4);
  for (size_t i = 3; i < opaque.size(); i += 4) opaque[i] = 255;
  const Bytes image = make_webp(kWidth, kHeight, opaque);
  for (uint32_t n = 1; n <= 8; ++n) {
    add({.trait = Trait::kOrientation,
         .name = "o.webp",
         .file = webp_with_chunks(image, kWidth, kHeight, 0x08, {}, {{"EXIF", exif(n)}}),
         .orientation = n});
  }
#ifdef ONEPASS_HAS_LCMS
  for (const double gamma : {1.8, 1.0}) {
    const Bytes profile = make_rgb_profile(gamma, onepass::kDisplayP3Chromaticities);
    add({.trait = Trait::kProfile,
         .name = "icc.webp",
         .file = webp_with_chunks(image, kWidth, kHeight, 0x20, {{"ICCP", profile}}),
         .light = [gamma](double code) { return std::pow(code / 255, gamma); },
         .primaries = onepass::kDisplayP3Chromaticities});
  }
#endif
  add({.trait = Trait::kAlpha,
       .name = "alpha.webp",
       .file = make_webp(kWidth, kHeight, samples(4)),
       .alpha = AlphaAssociation::kStraight});
}

#endif

// KTX2 ----------------------------------------------------------------------------------------------------------------

// The descriptor of R8G8B8A8: numbers of the Khronos Data Format Specification.
Bytes ktx2_descriptor(uint32_t primaries, uint32_t transfer, bool premultiplied) {
  Bytes bytes;
  const uint32_t flags = premultiplied ? 1 : 0;
  for (const uint32_t word :
       {92U, 0U, 2U | 88U << 16, 1U | primaries << 8 | transfer << 16 | flags << 24, 0U, 4U, 0U}) {
    put32(bytes, word);
  }
  for (uint32_t c = 0; c < 4; ++c) {
    const uint32_t channel = c < 3 ? c : transfer == 2 ? 31 : 15;  // alpha of sRGB is linear
    for (const uint32_t word : {c * 8 | 7U << 16 | channel << 24, 0U, 0U, 255U}) put32(bytes, word);
  }
  return bytes;
}

void add_ktx2(std::vector<TraitFile>& all) {
  const auto add = [&](TraitFile file) {
    file.type = Type::kKtx2;
    all.push_back(std::move(file));
  };
  constexpr uint32_t kUnorm = 37;
  constexpr uint32_t kSrgb = 43;
  constexpr uint32_t kTransferLinear = 1;
  constexpr uint32_t kTransferSrgb = 2;
  std::vector<uint8_t> opaque = samples(4);
  for (size_t i = 3; i < opaque.size(); i += 4) opaque[i] = 255;
  const Ktx2Spec base{.vk_format = kSrgb, .width = kWidth, .height = kHeight, .levels = {bytes_of_samples(opaque)}};
  for (const auto& [text, n] : {std::pair{"rd", 1U}, {"ld", 2U}, {"lu", 3U}, {"ru", 4U}}) {
    Ktx2Spec turned = base;
    turned.orientation = text;
    add({.trait = Trait::kOrientation, .name = "o.ktx2", .file = make_ktx2(turned), .orientation = n});
  }
  Ktx2Spec wide = base;
  wide.descriptor = ktx2_descriptor(10, kTransferSrgb, false);
  add({.trait = Trait::kPrimaries,
       .name = "p3.ktx2",
       .file = make_ktx2(wide),
       .primaries = onepass::kDisplayP3Chromaticities});
  Ktx2Spec linear = base;
  linear.vk_format = kUnorm;
  linear.descriptor = ktx2_descriptor(1, kTransferLinear, false);
  add({.trait = Trait::kTransfer, .name = "linear.ktx2", .file = make_ktx2(linear), .light = plain});
  for (const bool premultiplied : {false, true}) {
    Ktx2Spec alpha = base;
    alpha.levels = {bytes_of_samples(samples(4))};
    alpha.descriptor = ktx2_descriptor(1, kTransferSrgb, premultiplied);
    add({.trait = Trait::kAlpha,
         .name = "alpha.ktx2",
         .file = make_ktx2(alpha),
         .alpha = premultiplied ? AlphaAssociation::kPremultiplied : AlphaAssociation::kStraight});
  }
  Ktx2Spec mixed = base;
  mixed.swizzle = "bgra";
  add({.trait = Trait::kSwizzle, .name = "swizzle.ktx2", .file = make_ktx2(mixed), .channels = {2, 1, 0}});
}

// Radiance HDR, PFM, TGA, PNM -----------------------------------------------------------------------------------------

// Mantissas and exponent of light; G. Ward's definition.
void put_rgbe(Bytes& bytes, const std::array<double, 3>& light) {
  int exponent = 0;
  std::frexp(std::max({light[0], light[1], light[2]}), &exponent);
  for (const double value : light) bytes.push_back(static_cast<std::byte>(std::ldexp(value, 8 - exponent)));
  bytes.push_back(static_cast<std::byte>(exponent + 128));
}

// A flat file of linear values, code / 255.
Bytes hdr(const std::string& lines, const std::string& size_line) {
  Bytes bytes = bytes_of("#?RADIANCE\n" + lines + "\n" + size_line + "\n");
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kWidth; ++x) {
      put_rgbe(bytes, {plain(trait_code(x, y, 0)), plain(trait_code(x, y, 1)), plain(trait_code(x, y, 2))});
    }
  }
  return bytes;
}

void add_hdr(std::vector<TraitFile>& all) {
  const auto add = [&](TraitFile file) {
    file.type = Type::kHdr;
    file.upright_by_reader = true;
    file.slack = 0.04;  // mantissas have 8 bits
    all.push_back(std::move(file));
  };
  const std::string rgbe = "FORMAT=32-bit_rle_rgbe\n";
  const std::string upright = "-Y 16 +X 24";
  // The first axis is that of the scanlines; a minus begins at the top or at the right.
  const std::pair<const char*, uint32_t> orders[] = {{"-Y 16 +X 24", 1}, {"-Y 16 -X 24", 2}, {"+Y 16 -X 24", 3},
                                                     {"+Y 16 +X 24", 4}, {"+X 16 -Y 24", 5}, {"-X 16 -Y 24", 6},
                                                     {"-X 16 +Y 24", 7}, {"+X 16 +Y 24", 8}};
  for (const auto& [size, n] : orders) {
    add({.trait = Trait::kOrientation, .name = "o.hdr", .file = hdr(rgbe, size), .orientation = n, .light = plain});
  }
  add({.trait = Trait::kPrimaries,
       .name = "p3.hdr",
       .file = hdr(rgbe + "PRIMARIES= .68 .32 .265 .69 .15 .06 .3127 .329\n", upright),
       .light = plain,
       .primaries = onepass::kDisplayP3Chromaticities});
  add({.trait = Trait::kPrimaries,
       .name = "xyz.hdr",
       .file = hdr("FORMAT=32-bit_rle_xyze\n", upright),
       .light = plain,
       .primaries = onepass::kXyzChromaticities});
  add({.trait = Trait::kExposure,
       .name = "exposure.hdr",
       .file = hdr(rgbe + "EXPOSURE=4\nEXPOSURE=0.5\n", upright),
       .light = [](double code) { return code / 255 / 2; }});
  add({.trait = Trait::kWindow,
       .name = "aspect.hdr",
       .file = hdr(rgbe + "PIXASPECT=0.5\n", upright),
       .light = plain,
       .tiles_warning = "pixel aspect ratio"});
}

void add_pfm(std::vector<TraitFile>& all) {
  Bytes bytes = bytes_of("PF\n24 16\n-1.0\n");
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kWidth; ++x) {
      for (uint32_t c = 0; c < 3; ++c) {
        const auto value = static_cast<float>(plain(trait_code(x, y, c)));
        const auto* first = reinterpret_cast<const std::byte*>(&value);
        bytes.insert(bytes.end(), first, first + sizeof value);
      }
    }
  }
  // The rows of every PFM go from bottom to top.
  all.push_back({.trait = Trait::kOrientation,
                 .type = Type::kPfm,
                 .name = "o.pfm",
                 .file = bytes,
                 .orientation = 4,
                 .upright_by_reader = true,
                 .light = plain});
}

void add_tga(std::vector<TraitFile>& all) {
  const auto add = [&](TraitFile file) {
    file.type = Type::kTga;
    file.upright_by_reader = true;
    all.push_back(std::move(file));
  };
  std::vector<uint8_t> blue_first = samples(3);
  for (size_t i = 0; i < blue_first.size(); i += 3) std::swap(blue_first[i], blue_first[i + 2]);
  TgaSpec base{.width = kWidth, .height = kHeight, .pixels = blue_first, .footer = true};
  for (const auto& [descriptor, n] : {std::pair{0x20, 1U}, {0x30, 2U}, {0x10, 3U}, {0x00, 4U}}) {
    base.descriptor = static_cast<uint8_t>(descriptor);
    add({.trait = Trait::kOrientation, .name = "o.tga", .file = make_tga(base), .orientation = n});
  }
  base.descriptor = 0x20;
  TgaSpec curved = base;
  curved.attributes = 0;
  curved.gamma = {18, 10};
  add({.trait = Trait::kTransfer, .name = "gamma.tga", .file = make_tga(curved), .warning = "gamma of the extension"});
  for (const uint8_t kind : {uint8_t{3}, uint8_t{4}}) {
    TgaSpec alpha = base;
    alpha.bits = 32;
    alpha.descriptor = 0x28;
    alpha.attributes = kind;
    alpha.pixels = samples(4);
    for (size_t i = 0; i < alpha.pixels.size(); i += 4) std::swap(alpha.pixels[i], alpha.pixels[i + 2]);
    add({.trait = Trait::kAlpha,
         .name = "alpha.tga",
         .file = make_tga(alpha),
         .alpha = kind == 4 ? AlphaAssociation::kPremultiplied : AlphaAssociation::kStraight});
  }
}

void add_pnm(std::vector<TraitFile>& all) {
  Bytes translucent = bytes_of("P7\nWIDTH 24\nHEIGHT 16\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n");
  append(translucent, bytes_of_samples(samples(4)));
  all.push_back({.trait = Trait::kAlpha,
                 .type = Type::kPnm,
                 .name = "alpha.pam",
                 .file = translucent,
                 .alpha = AlphaAssociation::kStraight});
  Bytes two = bytes_of("P6\n24 16\n255\n");
  append(two, bytes_of_samples(samples(3)));
  append(two, Bytes(two));
  all.push_back(
      {.trait = Trait::kFurther, .type = Type::kPnm, .name = "two.ppm", .file = two, .warning = "further images"});
}

}  // namespace

double trait_code(uint32_t x, uint32_t y, uint32_t c) { return kColours[y / 8 * 3 + x / 8][c]; }

// EXIF's definition of the orientation: the sides of row 0 and column 0 of the stored picture.
std::array<uint32_t, 2> TraitFile::place(uint32_t x, uint32_t y) const {
  const uint32_t right = kWidth - 1;
  const uint32_t bottom = kHeight - 1;
  switch (orientation) {
    case 2:  // top, right
      return {right - x, y};
    case 3:  // bottom, right
      return {right - x, bottom - y};
    case 4:  // bottom, left
      return {x, bottom - y};
    case 5:  // left, top
      return {y, x};
    case 6:  // right, top
      return {y, bottom - x};
    case 7:  // right, bottom
      return {right - y, bottom - x};
    case 8:  // left, bottom
      return {right - y, x};
    default:
      return {x, y};
  }
}

// DDS -----------------------------------------------------------------------------------------------------------------

void add_dds(std::vector<TraitFile>& all) {
  const auto add = [&](TraitFile file) {
    file.type = Type::kDds;
    all.push_back(std::move(file));
  };
  std::vector<uint8_t> opaque = samples(4);
  for (size_t i = 3; i < opaque.size(); i += 4) opaque[i] = 255;
  DdsSpec base{.width = kWidth, .height = kHeight, .dxgi = 28, .pixels = bytes_of_samples(opaque)};
  add({.trait = Trait::kTransfer, .name = "linear.dds", .file = make_dds(base), .light = plain});
  base.dxgi = 29;
  add({.trait = Trait::kTransfer, .name = "srgb.dds", .file = make_dds(base)});
  base.pixels = bytes_of_samples(samples(4));
  for (const uint32_t mode : {0U, 1U, 2U}) {
    base.alpha_mode = mode;
    add({.trait = Trait::kAlpha,
         .name = "alpha.dds",
         .file = make_dds(base),
         .alpha = mode == 2 ? AlphaAssociation::kPremultiplied : AlphaAssociation::kStraight});
  }
}

std::vector<TraitFile> trait_files() {
  std::vector<TraitFile> all;
  add_png(all);
  add_jpeg(all);
  add_exr(all);
#ifdef ONEPASS_HAS_TIFF
  add_tiff(all);
#endif
#ifdef ONEPASS_HAS_WEBP
  add_webp(all);
#endif
  add_ktx2(all);
  add_hdr(all);
  add_pfm(all);
  add_tga(all);
  add_pnm(all);
  add_dds(all);
  return all;
}

std::vector<NoTrait> impossible_traits() {
  using enum Trait;
  return {
      {Type::kPng, {kInks, kSwizzle, kExposure}, "PNG has no field for it"},
      {Type::kPng, {kWindow}, "oFFs and the ratio of pHYs are about printing"},
      {Type::kJpeg, {kPrimaries, kTransfer}, "stated by an ICC profile alone"},
      {Type::kJpeg, {kAlpha, kSwizzle, kExposure, kWindow}, "JPEG has no field for it"},
      {Type::kExr, {kOrientation, kProfile, kInks, kSwizzle}, "OpenEXR has no attribute for it"},
      {Type::kExr, {kTransfer, kExposure}, "values are linear light; expTime and others describe the camera"},
      {Type::kTiff, {kSwizzle, kExposure}, "TIFF has no tag for it"},
      {Type::kTiff, {kWindow}, "XPosition and YPosition are about printing"},
      {Type::kWebp, {kPrimaries, kTransfer}, "stated by an ICC profile alone"},
      {Type::kWebp, {kInks, kSwizzle, kExposure, kResolution, kWindow}, "WebP has no field for it"},
      {Type::kWebp, {kFurther}, "animations are refused: FilesWebp.AnimationsAreRefusedByName"},
      {Type::kKtx2, {kProfile, kInks, kExposure, kResolution, kWindow}, "KTX2 has no field for it"},
      {Type::kKtx2, {kFurther}, "slices are stacked or refused by name, levels are of the same picture"},
      {Type::kHdr, {kTransfer}, "values are linear light"},
      {Type::kHdr, {kProfile, kAlpha, kInks, kSwizzle, kResolution, kFurther}, "Radiance HDR has no line for it"},
      {Type::kPfm,
       {kPrimaries, kTransfer, kProfile, kAlpha, kInks, kSwizzle, kExposure, kResolution, kWindow, kFurther},
       "PFM has a size and a byte order only; programs disagree about its scale"},
      {Type::kTga,
       {kPrimaries, kProfile, kInks, kSwizzle, kExposure, kResolution, kWindow, kFurther},
       "TGA has no field for it, or it describes the screen and the thumbnail"},
      {Type::kPnm,
       {kOrientation, kPrimaries, kTransfer, kProfile, kInks, kSwizzle, kExposure, kResolution, kWindow},
       "PNM has no field for it"},
      {Type::kDds,
       {kOrientation, kPrimaries, kProfile, kInks, kSwizzle, kExposure, kResolution, kWindow},
       "DDS has no field for it"},
      {Type::kDds, {kFurther}, "slices are stacked or refused by name, levels are of the same picture"},
  };
}

bool type_is_built(Type type) {
#ifndef ONEPASS_HAS_WEBP
  if (type == Type::kWebp) return false;
#endif
#ifndef ONEPASS_HAS_TIFF
  if (type == Type::kTiff) return false;
#endif
  return type != Type::kUnknown;
}

bool any_names(const std::vector<std::string>& texts, const std::string& text) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const std::string& each) { return each.find(text) != std::string::npos; });
}

}  // namespace files_test

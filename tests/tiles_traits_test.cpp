// tiles_traits_test.cpp: every statement that a file can make about its picture, by type: files::read() and tiles
// honour it alike, or name it in one warning.
//
// The table below has an entry for every pair of a trait and a type. A new type or a new trait fails the first test
// until the table says what becomes of it.
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfStandardAttributes.h>
#include <tiffio.h>

#include <set>

#include "files_encoders.hpp"
#include "tiles_support.hpp"

namespace tiles_test {
namespace {

using files_test::ExrSpec;
using files_test::PngSpec;
using files_test::TiffSpec;
using onepass::Chromaticities;
using onepass::files::ImageFile;
using onepass::files::Type;

enum class Trait {
  kOrientation,
  kPrimaries,
  kTransfer,
  kProfile,
  kAlpha,
  kResolution,
  kWindow,   // a part of the picture, the shape of its pixels
  kFurther,  // pages, frames, gain maps, parts
  kCount
};
constexpr const char* kTraitNames[] = {"orientation", "primaries",  "transfer", "profile",
                                       "alpha",       "resolution", "window",   "further pictures"};

// Blocks of 8x8 pixels of one colour, which JPEG keeps: 24x16 pixels.
constexpr uint32_t kWidth = 24;
constexpr uint32_t kHeight = 16;
constexpr uint8_t kColours[6][3] = {{250, 40, 20},   {30, 200, 60},  {10, 60, 220},
                                    {128, 128, 128}, {240, 220, 30}, {60, 20, 90}};

double stored(uint32_t x, uint32_t y, uint32_t c) { return kColours[y / 8 * 3 + x / 8][c]; }

std::vector<uint8_t> samples(uint32_t channels) {
  std::vector<uint8_t> out;
  for (uint32_t y = 0; y < kHeight; ++y) {
    for (uint32_t x = 0; x < kWidth; ++x) {
      for (uint32_t c = 0; c < channels; ++c) out.push_back(c < 3 ? static_cast<uint8_t>(stored(x, y, c)) : 200);
    }
  }
  return out;
}

// The stored place of the pixel that is shown at (x, y), by EXIF's definition of the orientation: the sides of row 0
// and column 0.
std::array<uint32_t, 2> place(uint32_t orientation, uint32_t x, uint32_t y) {
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

// One file and what must become of it.
struct Case {
  Trait trait = Trait::kOrientation;
  Type type = Type::kUnknown;
  std::string name;  // with the extension
  Bytes file;
  uint32_t orientation = 1;
  std::function<double(double)> light = [](double code) { return files_test::srgb_decode(code / 255); };
  std::optional<Chromaticities> primaries{};
  std::string warning{};        // in both, or
  std::string tiles_warning{};  // in tiles, where files::read() has a field for it
  std::string refused{};        // by tiles
  std::optional<onepass::AlphaAssociation> alpha{};
  double resolution = 0;  // per inch
};

void append(Bytes& bytes, std::string_view text) {
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
}

// EXIF metadata with an orientation.
Bytes exif(uint32_t orientation) {
  Bytes bytes;
  append(bytes, std::string_view("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0", 18));
  files_test::put32(bytes, orientation);
  files_test::put32(bytes, 0);
  return bytes;
}

std::vector<uint8_t> to_numbers(const Bytes& bytes) {
  std::vector<uint8_t> out;
  for (const std::byte byte : bytes) out.push_back(std::to_integer<uint8_t>(byte));
  return out;
}

// A PNG with a chunk before its pixels, or behind them.
Bytes png(std::string_view name = "", const Bytes& data = {}, bool behind = false, bool wide = false,
          bool interlaced = false, int gamma = 0) {
  const uint32_t scale = wide ? 257 : 1;
  PngSpec spec{.width = kWidth, .height = kHeight, .bits = wide ? 16 : 8, .colour_type = 2, .interlaced = interlaced};
  for (const uint8_t sample : samples(3)) spec.samples.push_back(sample * scale);
  spec.gamma = gamma;
  Bytes bytes = files_test::make_png(spec);
  if (name.empty()) return bytes;
  Bytes chunk;
  for (int shift = 24; shift >= 0; shift -= 8) chunk.push_back(static_cast<std::byte>(data.size() >> shift & 255));
  append(chunk, name);
  chunk.insert(chunk.end(), data.begin(), data.end());
  chunk.resize(chunk.size() + 4);
  bytes.insert(behind ? bytes.end() - 12 : bytes.begin() + 33, chunk.begin(), chunk.end());
  files_test::repair_png_checksums(bytes);
  return bytes;
}

Bytes numbers32(std::initializer_list<uint32_t> values) {
  Bytes bytes;
  for (const uint32_t value : values) {
    for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(value >> shift & 255));
  }
  return bytes;
}

Bytes jpeg(const Bytes& app1 = {}) { return files_test::make_jpeg(kWidth, kHeight, 3, samples(3), to_numbers(app1)); }

// A JPEG with a further segment behind the first one.
Bytes jpeg_with(uint8_t marker, const Bytes& data) {
  Bytes bytes = jpeg();
  Bytes segment = {std::byte{0xFF}, std::byte{marker}, static_cast<std::byte>((data.size() + 2) >> 8),
                   static_cast<std::byte>((data.size() + 2) & 255)};
  segment.insert(segment.end(), data.begin(), data.end());
  bytes.insert(bytes.begin() + 20, segment.begin(),
               segment.end());  // behind SOI and JFIF
  return bytes;
}

Bytes icc_segment(const Bytes& profile) {
  Bytes data;
  append(data, std::string_view("ICC_PROFILE\0\x01\x01", 14));
  data.insert(data.end(), profile.begin(), profile.end());
  return data;
}

TiffSpec tiff() {
  TiffSpec spec{.width = kWidth, .height = kHeight, .samples = 3, .photometric = 2};
  for (const uint8_t sample : samples(3)) spec.values.push_back(sample);
  return spec;
}

ExrSpec exr() {
  const auto channel = [](const char* name, uint32_t c) {
    return ExrSpec::Channel{
        name, ExrSpec::Type::kFloat, [c](int x, int y, int /*level*/) {
          return files_test::srgb_decode(stored(static_cast<uint32_t>(x), static_cast<uint32_t>(y), c) / 255);
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
  return files_test::load(directory / "x.exr");
}

Bytes ktx2(const std::string& orientation, const std::vector<uint8_t>& texels) {
  Bytes level;
  for (const uint8_t sample : texels) level.push_back(static_cast<std::byte>(sample));
  constexpr uint32_t kRgba8Srgb = 43;
  return files_test::make_ktx2(
      {.vk_format = kRgba8Srgb, .width = kWidth, .height = kHeight, .levels = {level}, .orientation = orientation});
}

std::vector<Case> cases() {
  using onepass::AlphaAssociation;
  std::vector<Case> all;
  const Chromaticities p3 = onepass::kDisplayP3Chromaticities;
  const auto gamma18 = [](double code) { return std::pow(code / 255, 1.8); };
  const auto straight = [](double code) { return code / 255; };
  for (uint32_t n = 1; n <= 8; ++n) {
    const Bytes metadata = exif(n);
    Bytes prefixed;
    append(prefixed, std::string_view("Exif\0\0", 6));
    prefixed.insert(prefixed.end(), metadata.begin(), metadata.end());
    all.push_back(
        {.trait = Trait::kOrientation, .type = Type::kJpeg, .name = "o.jpg", .file = jpeg(prefixed), .orientation = n});
    all.push_back({.trait = Trait::kOrientation,
                   .type = Type::kPng,
                   .name = "o.png",
                   .file = png("eXIf", metadata),
                   .orientation = n});
    all.push_back({.trait = Trait::kOrientation,
                   .type = Type::kPng,
                   .name = "behind.png",
                   .file = png("eXIf", metadata, true),
                   .orientation = n});
    TiffSpec turned = tiff();
    turned.orientation = static_cast<uint16_t>(n);
    all.push_back({.trait = Trait::kOrientation,
                   .type = Type::kTiff,
                   .name = "o.tif",
                   .file = make_tiff(turned),
                   .orientation = n});
#ifdef ONEPASS_HAS_WEBP
    all.push_back({.trait = Trait::kOrientation,
                   .type = Type::kWebp,
                   .name = "o.webp",
                   .file = files_test::webp_with_chunks(files_test::make_webp(kWidth, kHeight, samples(4)), kWidth,
                                                        kHeight, 0x18, {}, {{"EXIF", metadata}}),
                   .orientation = n});
#endif
  }
  for (const auto& [text, n] : {std::pair{"rd", 1U}, {"ld", 2U}, {"lu", 3U}, {"ru", 4U}}) {
    all.push_back({.trait = Trait::kOrientation,
                   .type = Type::kKtx2,
                   .name = "o.ktx2",
                   .file = ktx2(text, samples(4)),
                   .orientation = n});
  }
  // PNG
  const Bytes chrm = numbers32({31270, 32900, 68000, 32000, 26500, 69000, 15000, 6000});
  const Bytes p3_srgb = {std::byte{12}, std::byte{13}, std::byte{0}, std::byte{1}};
  const Bytes linear = {std::byte{1}, std::byte{8}, std::byte{0}, std::byte{1}};
  all.push_back(
      {.trait = Trait::kPrimaries, .type = Type::kPng, .name = "chrm.png", .file = png("cHRM", chrm), .primaries = p3});
  all.push_back({.trait = Trait::kPrimaries,
                 .type = Type::kPng,
                 .name = "cicp.png",
                 .file = png("cICP", p3_srgb),
                 .primaries = p3});
  all.push_back({.trait = Trait::kTransfer,
                 .type = Type::kPng,
                 .name = "gamma.png",
                 .file = png("", {}, false, false, false, 55556),
                 .light = gamma18});
  all.push_back({.trait = Trait::kTransfer,
                 .type = Type::kPng,
                 .name = "gamma16.png",
                 .file = png("", {}, false, true, false, 55556),
                 .light = gamma18});
  all.push_back({.trait = Trait::kTransfer,
                 .type = Type::kPng,
                 .name = "gamma16i.png",
                 .file = png("", {}, false, true, true, 55556),
                 .light = gamma18});
  all.push_back({.trait = Trait::kTransfer,
                 .type = Type::kPng,
                 .name = "gamma1.png",
                 .file = png("", {}, false, false, false, 100000),
                 .light = straight});
  all.push_back({.trait = Trait::kTransfer,
                 .type = Type::kPng,
                 .name = "linear.png",
                 .file = png("cICP", linear),
                 .light = straight});
  all.push_back({.trait = Trait::kResolution,
                 .type = Type::kPng,
                 .name = "phys.png",
                 .file = png("pHYs",
                             [] {
                               Bytes b = numbers32({11811, 11811});
                               b.push_back(std::byte{1});
                               return b;
                             }()),
                 .resolution = 300});
  all.push_back({.trait = Trait::kFurther,
                 .type = Type::kPng,
                 .name = "apng.png",
                 .file = png("acTL", numbers32({3, 0})),
                 .warning = "3 frames"});
  // JPEG
  Bytes gains;
  append(gains, std::string_view("http://ns.adobe.com/xap/1.0/\0<x "
                                 "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\"/>",
                                 85));
  Bytes pictures;
  append(pictures, std::string_view("MPF\0II*\0\x08\0\0\0\0\0", 14));
  all.push_back(
      {.trait = Trait::kFurther, .type = Type::kJpeg, .name = "gain.jpg", .file = jpeg(gains), .warning = "gain map"});
  all.push_back({.trait = Trait::kFurther,
                 .type = Type::kJpeg,
                 .name = "mpf.jpg",
                 .file = jpeg_with(0xE2, pictures),
                 .warning = "MPF"});
  all.push_back({.trait = Trait::kProfile,
                 .type = Type::kJpeg,
                 .name = "broken.jpg",
                 .file = jpeg_with(0xE2, icc_segment(Bytes(200))),
                 .warning = "ICC profile"});
  Bytes dense = jpeg();
  dense[13] = std::byte{1};  // pixels per inch
  dense[14] = dense[16] = std::byte{1};
  dense[15] = dense[17] = std::byte{44};
  all.push_back(
      {.trait = Trait::kResolution, .type = Type::kJpeg, .name = "dense.jpg", .file = dense, .resolution = 300});
#ifdef ONEPASS_HAS_LCMS
  for (const double gamma : {1.8, 1.0}) {
    const Bytes profile = files_test::make_rgb_profile(gamma, p3);
    const auto light = [gamma](double code) { return std::pow(code / 255, gamma); };
    all.push_back({.trait = Trait::kProfile,
                   .type = Type::kJpeg,
                   .name = "icc.jpg",
                   .file = jpeg_with(0xE2, icc_segment(profile)),
                   .light = light,
                   .primaries = p3});
    TiffSpec profiled = tiff();
    profiled.profile = profile;
    all.push_back({.trait = Trait::kProfile,
                   .type = Type::kTiff,
                   .name = "icc.tif",
                   .file = make_tiff(profiled),
                   .light = light,
                   .primaries = p3});
#ifdef ONEPASS_HAS_WEBP
    all.push_back({.trait = Trait::kProfile,
                   .type = Type::kWebp,
                   .name = "icc.webp",
                   .file = files_test::webp_with_chunks(files_test::make_webp(kWidth, kHeight, samples(4)), kWidth,
                                                        kHeight, 0x30, {{"ICCP", profile}}),
                   .light = light,
                   .primaries = p3});
#endif
  }
#endif
  // EXR
  ExrSpec wide = exr();
  wide.edit = [](Imf::Header& header) {
    Imf::addChromaticities(header,
                           Imf::Chromaticities({0.68F, 0.32F}, {0.265F, 0.69F}, {0.15F, 0.06F}, {0.3127F, 0.329F}));
  };
  all.push_back(
      {.trait = Trait::kPrimaries, .type = Type::kExr, .name = "p3.exr", .file = exr_bytes(wide), .primaries = p3});
  ExrSpec window = exr();
  window.display = {-8, 0, 40, 20};
  all.push_back({.trait = Trait::kWindow,
                 .type = Type::kExr,
                 .name = "window.exr",
                 .file = exr_bytes(window),
                 .tiles_warning = "displayWindow"});
  ExrSpec premultiplied = exr();
  premultiplied.channels.push_back({"A", ExrSpec::Type::kFloat, [](int, int, int) { return 0.5; }});
  all.push_back({.trait = Trait::kAlpha,
                 .type = Type::kExr,
                 .name = "alpha.exr",
                 .file = exr_bytes(premultiplied),
                 .alpha = AlphaAssociation::kPremultiplied});
  // TIFF
  TiffSpec pages = tiff();
  pages.pages = 3;
  all.push_back({.trait = Trait::kFurther,
                 .type = Type::kTiff,
                 .name = "pages.tif",
                 .file = make_tiff(pages),
                 .warning = "2 more are left out"});
  for (const uint16_t kind : files_test::Numbers{1, 2}) {
    TiffSpec translucent = tiff();
    translucent.samples = 4;
    translucent.extra = {kind};
    translucent.values.clear();
    for (const uint8_t sample : samples(4)) translucent.values.push_back(sample);
    all.push_back({.trait = Trait::kAlpha,
                   .type = Type::kTiff,
                   .name = "alpha.tif",
                   .file = make_tiff(translucent),
                   .alpha = kind == 1 ? AlphaAssociation::kPremultiplied : AlphaAssociation::kStraight});
  }
  return all;
}

// Traits that a type cannot state, or that its reader applies to the whole image, as its own tests show.
const std::map<std::string, std::set<Trait>>& no_entries() {
  using enum Trait;
  static const std::map<std::string, std::set<Trait>> map = {
      {"PNG", {kProfile /* as in TIFF and JPEG; files_color_test */, kAlpha, kWindow}},
      {"JPEG", {kPrimaries, kTransfer, kAlpha, kWindow}},
      {"OpenEXR", {kOrientation, kTransfer, kProfile, kResolution, kFurther}},
      {"TIFF", {kPrimaries /* with kProfile */, kTransfer, kWindow, kResolution /* Tiles.* */}},
      {"WebP", {kPrimaries, kTransfer, kAlpha, kResolution, kWindow, kFurther}},
      {"KTX2", {kPrimaries, kTransfer, kProfile, kAlpha, kResolution, kWindow, kFurther}},
      {"Radiance HDR", {kOrientation, kPrimaries, kTransfer, kProfile, kAlpha, kResolution, kWindow, kFurther}},
      {"PFM", {kOrientation, kPrimaries, kTransfer, kProfile, kAlpha, kResolution, kWindow, kFurther}},
      {"TGA", {kOrientation, kPrimaries, kTransfer, kProfile, kAlpha, kResolution, kWindow, kFurther}},
      {"PNM", {kOrientation, kPrimaries, kTransfer, kProfile, kAlpha, kResolution, kWindow, kFurther}},
  };
  return map;
}

bool names(const std::vector<std::string>& warnings, const std::string& text) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& warning) { return warning.find(text) != std::string::npos; });
}

// The light of a picture's first three channels: floats, or sRGB or linear integers.
double light_of(double value, double most, bool srgb) {
  if (most == 0) return value;
  return srgb ? files_test::srgb_decode(value / most) : value / most;
}

class TilesTraits : public Tiles {};

TEST_F(TilesTraits, EveryTypeHasAnEntryForEveryTrait) {
  const std::vector<Case> table = cases();
  for (int number = 1;; ++number) {
    const auto type = static_cast<Type>(number);
    const std::string name(onepass::files::type_name(type));
    if (name == "unknown") break;
    for (int trait = 0; trait < static_cast<int>(Trait::kCount); ++trait) {
      const bool tested = std::any_of(table.begin(), table.end(), [&](const Case& c) {
        return c.type == type && c.trait == static_cast<Trait>(trait);
      });
      const auto none = no_entries().find(name);
      const bool left_out = none != no_entries().end() && none->second.contains(static_cast<Trait>(trait));
#ifndef ONEPASS_HAS_WEBP
      if (type == Type::kWebp) continue;
#endif
#ifndef ONEPASS_HAS_LCMS
      if (static_cast<Trait>(trait) == Trait::kProfile) continue;
#endif
      EXPECT_NE(tested, left_out) << name << ", " << kTraitNames[trait];
    }
  }
}

TEST_F(TilesTraits, TilesShowThePictureAsMeant) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name + ", orientation " + std::to_string(c.orientation));
    TileOptions o;
    o.input.path = directory_ / c.name;
    files_test::save(o.input.path, c.file);
    o.output = directory_ / "out.tif";
    o.compression = TileCompression::kNone;
    const auto report = make_tiles(o);
    ASSERT_TRUE(report.ok()) << report.error().text();
    for (const std::string& text : {c.warning, c.tiles_warning}) {
      if (!text.empty()) {
        EXPECT_TRUE(names(report->warnings, text)) << text;
      }
    }
    if (c.warning.empty() && c.tiles_warning.empty()) {
      EXPECT_TRUE(report->warnings.empty()) << report->warnings.front();
    }
    const Picture page = tiff_pages(o.output).front();
    const bool swap = c.orientation >= 5;
    ASSERT_EQ(page.size.width, swap ? kHeight : kWidth);
    ASSERT_EQ(page.size.height, swap ? kWidth : kHeight);
    const double most = report->sample == "uint8" ? 255 : report->sample == "uint16" ? 65535 : 0;
    for (uint32_t y = 0; y < page.size.height; ++y) {
      for (uint32_t x = 0; x < page.size.width; ++x) {
        const auto [u, v] = place(c.orientation, x, y);
        for (uint32_t k = 0; k < 3; ++k) {
          ASSERT_NEAR(files_test::srgb_encode(light_of(page.at(x, y, k), most, report->srgb)),
                      files_test::srgb_encode(c.light(stored(u, v, k))), 0.012)
              << x << ", " << y << ", " << k;
        }
      }
    }
    const auto back = onepass::files::read(o.output);
    ASSERT_TRUE(back.ok());
    const Chromaticities expected = c.primaries.value_or(onepass::kRec709Chromaticities);
#ifdef ONEPASS_HAS_LCMS
    EXPECT_TRUE(same_chromaticities(back->primaries, expected));
#endif
    if (c.alpha) {
      EXPECT_EQ(back->alpha, *c.alpha);
    }
    if (c.resolution > 0) {
      TIFF* file = TIFFOpen(o.output.c_str(), "r");
      float dots = 0;
      uint16_t unit = 0;
      TIFFGetField(file, TIFFTAG_XRESOLUTION, &dots);
      TIFFGetFieldDefaulted(file, TIFFTAG_RESOLUTIONUNIT, &unit);
      TIFFClose(file);
      EXPECT_NEAR(dots * (unit == 3 ? 2.54 : 1), c.resolution, 0.1);
    }
  }
}

TEST_F(TilesTraits, WholeImagesAreTheSamePicture) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(c.name + ", orientation " + std::to_string(c.orientation));
    files_test::save(directory_ / c.name, c.file);
    const auto file = onepass::files::read(directory_ / c.name);
    ASSERT_TRUE(file.ok()) << file.error().text();
    if (!c.warning.empty()) {
      EXPECT_TRUE(names(file->warnings, c.warning)) << c.warning;
    } else {
      EXPECT_TRUE(file->warnings.empty()) << file->warnings.front();
    }
    const bool turned = c.type == Type::kKtx2 ? file->ktx_orientation != "rd" : file->exif_orientation != 1;
    EXPECT_EQ(turned, c.orientation != 1);
    if (c.type != Type::kKtx2) {
      EXPECT_EQ(file->exif_orientation, c.orientation);
    }
    EXPECT_TRUE(same_chromaticities(file->primaries, c.primaries.value_or(onepass::kRec709Chromaticities)));
    if (c.alpha) {
      EXPECT_EQ(file->alpha, *c.alpha);
    }
    const bool srgb = format_info(file->base().format).type == onepass::ChannelType::kSrgb;
    for (uint32_t y = 0; y < kHeight; ++y) {
      for (uint32_t x = 0; x < kWidth; ++x) {
        for (uint32_t k = 0; k < 3; ++k) {
          // texel() gives light of sRGB formats.
          const double light = files_test::texel(file->base(), x, y, k);
          ASSERT_NEAR(files_test::srgb_encode(light), files_test::srgb_encode(c.light(stored(x, y, k))), 0.012)
              << x << ", " << y << ", " << k << (srgb ? " of sRGB" : "");
        }
      }
    }
  }
}

}  // namespace
}  // namespace tiles_test

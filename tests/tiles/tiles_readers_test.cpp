// tiles_readers_test.cpp: what the readers behind tiles do with files of unusual kinds: bounded memory, channels of
// OpenEXR by name, TIFF tables, samples of odd widths, values for "no data".
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "tests/files/files_encoders.hpp"
#include "tests/files/trait_files.hpp"
#include "tests/tiles/tiles_support.hpp"

namespace tiles_test {
namespace {

using files_test::ExrSpec;
using files_test::TiffSpec;

void append_chunk(Bytes& bytes, std::string_view name, const Bytes& data) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(data.size() >> shift & 255));
  for (const char c : name) bytes.push_back(static_cast<std::byte>(c));
  bytes.insert(bytes.end(), data.begin(), data.end());
  bytes.resize(bytes.size() + 4);
}

// A PNG of a few bytes that claims a size.
Bytes claiming_png(uint32_t width, uint32_t height) {
  Bytes bytes = files_test::bytes_of(std::string_view("\x89PNG\r\n\x1a\n", 8));
  Bytes header;
  for (const uint32_t edge : {width, height}) {
    for (int shift = 24; shift >= 0; shift -= 8) header.push_back(static_cast<std::byte>(edge >> shift & 255));
  }
  for (const int byte : {16, 6, 0, 0, 0}) header.push_back(static_cast<std::byte>(byte));  // RGBA of 16 bits
  append_chunk(bytes, "IHDR", header);
  append_chunk(bytes, "IDAT", Bytes(8));
  append_chunk(bytes, "IEND", {});
  files_test::repair_png_checksums(bytes);
  return bytes;
}

// A PNG of one pixel in which a chunk of text claims almost a gibibyte.
Bytes lying_text_png() {
  Bytes bytes = claiming_png(1, 1);
  Bytes text;
  append_chunk(text, "iTXt", files_test::bytes_of(std::string_view("note\0\0\0\0\0x", 10)));
  text[0] = std::byte{0x3F};                                   // of the length
  bytes.insert(bytes.begin() + 33, text.begin(), text.end());  // behind IHDR
  return bytes;
}

class TilesReaders : public Tiles {
 protected:
  [[nodiscard]] TileOptions from(const std::string& input, const std::string& output = "out.tif") const {
    TileOptions o;
    o.input.path = directory_ / input;
    o.output = directory_ / output;
    if (output.ends_with(".tif")) o.compression = TileCompression::kDeflate;
    return o;
  }
  void save(const std::string& name, const Bytes& bytes) const { files_test::save(directory_ / name, bytes); }
};

// PNG and WebP hold straight colours: tiles of premultiplied pictures are divided by alpha, in light if they are sRGB.
TEST_F(TilesReaders, PngAndWebpTilesOfPremultipliedPicturesAreStraight) {
  for (const uint16_t bits : files_test::Numbers{8, 16}) {
    const double most = bits == 8 ? 255 : 65535;
    // Half covered, transparent with a colour, opaque, and a colour above its alpha.
    const std::vector<std::array<double, 4>> pixels{
        {100, 50, 25, 128}, {7, 8, 9, 0}, {200, 100, 50, 255}, {90, 20, 10, 60}};
    files_test::TiffSpec spec{.width = 4, .height = 1, .samples = 4, .bits = bits, .photometric = 2, .extra = {1}};
    for (const auto& pixel : pixels) {
      for (const double code : pixel) spec.values.push_back(std::round(code / 255 * most));
    }
    save("in.tif", files_test::make_tiff(spec));
    for (const onepass::files::Color color : {onepass::files::Color::kSrgb, onepass::files::Color::kLinear}) {
      TileOptions o = from("in.tif", "out.dzi");
      o.tile_format = TileFormat::kPng;
      o.color = color;
      good(o);
      const auto tile =
          onepass::files::read(directory_ / "out_files" / "2" / "0_0.png", {.color = onepass::files::Color::kLinear});
      ASSERT_TRUE(tile) << tile.error().text();
      for (size_t i = 0; i < pixels.size(); ++i) {
        const double alpha = spec.values[4 * i + 3] / most;
        for (size_t c = 0; c < 4; ++c) {
          const double value = spec.values[4 * i + c] / most;
          double expected = value;
          if (c < 3 && alpha > 0 && color == onepass::files::Color::kLinear) expected = value / alpha;
          if (c < 3 && alpha > 0 && color == onepass::files::Color::kSrgb) {
            expected = files_test::srgb_encode(files_test::srgb_decode(value) / alpha);
          }
          EXPECT_NEAR(files_test::texel(tile->base(), static_cast<uint32_t>(i), 0, static_cast<uint32_t>(c)),
                      std::min(expected, 1.0), 0.501 / most)
              << bits << " bits, pixel " << i << ", channel " << c;
        }
      }
    }
  }
}

TEST_F(TilesReaders, OmeZarrOfPremultipliedColoursIsMentioned) {
  for (const uint16_t kind : files_test::Numbers{1, 2}) {
    save("in.tif", files_test::make_tiff({.samples = 4, .photometric = 2, .extra = {kind}, .values = {1, 2, 3, 4}}));
    const onepass::tiles::TileReport report = good(from("in.tif", "out.zarr"));
    EXPECT_EQ(files_test::any_names(report.warnings, "premultiplied"), kind == 1);
  }
}

TEST_F(TilesReaders, FewBytesCannotClaimMemory) {
  const int64_t before = files_test::peak_memory();
  for (const auto& [width, height] :
       {std::pair{0x7FFFFFFFU, 0x7FFFFFFFU}, {0x7FFFFFFFU, 1U}, {0x10000000U, 1U}, {60000U, 60000U}}) {
    save("huge.png", claiming_png(width, height));
    bad(from("huge.png"), ErrorCode::kBadData, {"cannot fit in"});
  }
  save("text.png", lying_text_png());
  EXPECT_FALSE(make_tiles(from("text.png")).ok());
  EXPECT_FALSE(onepass::files::read(directory_ / "text.png").ok());
  TiffSpec spec{.width = 1, .height = 1, .values = {0}};
  Bytes tiff = make_tiff(spec);
  for (const uint16_t tag : files_test::Numbers{256, 257, 278})
    files_test::set32(tiff, files_test::tiff_entry(tiff, tag), 0x7FFFFFFF);
  for (const uint16_t tag : files_test::Numbers{256, 257, 278})
    tiff[files_test::tiff_entry(tiff, tag) - 6] = std::byte{4};  // LONG
  save("huge.tif", tiff);
  const auto report = make_tiles(from("huge.tif"));
  ASSERT_FALSE(report.ok());
  // 16 tiles of 8192 x 8192, all of them left out.
  TiffSpec sparse{.width = 256, .height = 16, .tile_width = 16, .tile_height = 16, .values = std::vector<double>(4096)};
  tiff = make_tiff(sparse);
  for (const uint16_t tag : files_test::Numbers{324, 325}) {
    const size_t entry = files_test::tiff_entry(tiff, tag);
    const size_t bytes = tiff[entry - 6] == std::byte{3} ? 2 : 4;
    std::fill_n(tiff.begin() + files_test::get32(tiff, entry), 16 * bytes, std::byte{0});
  }
  for (const auto& [tag, edge] : {std::pair{256, 131072U}, {257, 8192U}, {322, 8192U}, {323, 8192U}}) {
    const size_t entry = files_test::tiff_entry(tiff, static_cast<uint16_t>(tag));
    tiff[entry - 6] = std::byte{4};  // LONG
    files_test::set32(tiff, entry, edge);
  }
  save("sparse.tif", tiff);
  bad(from("sparse.tif"), ErrorCode::kBadData, {"cannot fit in"});
  Bytes jpeg = files_test::make_jpeg(8, 8, 3, std::vector<uint8_t>(192, 9));
  for (size_t i = 2; i + 9 < jpeg.size(); ++i) {
    if (jpeg[i] != std::byte{0xFF} || jpeg[i + 1] != std::byte{0xC0}) continue;
    for (const size_t byte : {5U, 6U, 7U, 8U}) jpeg[i + byte] = std::byte{0xFF};  // height and width
    break;
  }
  save("huge.jpg", jpeg);
  ExrSpec exr;
  exr.channels = {{"Y", ExrSpec::Type::kFloat, [](int, int, int) { return 1.0; }}};
  make_exr(directory_ / "huge.exr", exr);
  Bytes bytes = files_test::load(directory_ / "huge.exr");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const char* name : {"dataWindow", "displayWindow"}) {
    const size_t at = text.find(name) + std::strlen(name) + 1 + std::strlen("box2i") + 1 + 4;
    for (const size_t corner : {8U, 12U}) files_test::set32(bytes, at + corner, 60000);
  }
  save("huge.exr", bytes);
#ifdef ONEPASS_HAS_WEBP
  Bytes webp = files_test::make_webp(1, 1, {1, 2, 3, 255});
  files_test::set32(webp, 21, 0x2FFFFFFF);  // 14 bits each of width - 1 and height - 1, lossless
  save("huge.webp", webp);
  EXPECT_FALSE(make_tiles(from("huge.webp")).ok());
#endif
  for (const char* name : {"huge.jpg", "huge.exr"}) EXPECT_FALSE(make_tiles(from(name)).ok()) << name;
  EXPECT_LT(files_test::peak_memory() - before, int64_t{64} << 20);
}

// A float map of 48 MB, none of which takes place on the disk, is read a few rows at a time.
TEST_F(TilesReaders, RowsOfPfmTakeNoMemoryOfThePicture) {
  save("in.pfm", files_test::bytes_of("PF\n2000 2000\n-1.0\n"));
  std::filesystem::resize_file(directory_ / "in.pfm", 18 + uint64_t{12} * 2000 * 2000);
  TileOptions o = from("in.pfm");
  o.tile_size = 64;
  o.input.max_bytes = uint64_t{40} << 20;
  const auto report = make_tiles(o);
  ASSERT_TRUE(report.ok()) << report.error().text();
  EXPECT_EQ(report->sample, "float");
}

// `color` decides for TGA and PNM as for PNG. 16-bit colours keep their bits.
TEST_F(TilesReaders, OptionOnColourCountsForEveryType) {
  save("in.tga", files_test::make_tga({.width = 2, .height = 1, .bits = 24, .pixels = {0, 0, 0, 255, 255, 255}}));
  save("in.ppm", files_test::bytes_of("P3 2 1 65535 0 0 0 65535 65535 65535"));
  for (const char* name : {"in.tga", "in.ppm"}) {
    for (const auto& [color, half] : {std::pair{Color::kAuto, 0.7354}, {Color::kLinear, 0.5}}) {
      TileOptions o = from(name);
      o.color = color;
      o.levels = 2;
      const auto report = make_tiles(o);
      ASSERT_TRUE(report.ok()) << report.error().text();
      const Picture page = tiff_pages(o.output).at(1);
      EXPECT_NEAR(page.at(0, 0, 0) / (std::string(name) == "in.tga" ? 255 : 65535), half, 0.002) << name;
    }
  }
}

TEST_F(TilesReaders, OrientationThatNeedsThePictureObeysTheLimit) {
  TiffSpec spec{.width = 2000, .height = 2000, .orientation = 6, .values = std::vector<double>(4000000, 7)};
  save("turned.tif", make_tiff(spec));
  TileOptions o = from("turned.tif");
  o.input.max_bytes = 3000000;
  bad(o, ErrorCode::kOutOfMemory, {"orientation 6", "limit"});
}

TEST_F(TilesReaders, ChannelsOfOpenExrAreFoundByName) {
  const auto channel = [](const char* name, double value) {
    return ExrSpec::Channel{name, ExrSpec::Type::kFloat, [value](int, int, int) { return value; }};
  };
  struct Names {
    std::vector<std::pair<const char*, double>> channels;
    std::vector<double> expected;
    const char* warning;
  };
  const Names all[] = {
      {{{"Red", 1}, {"Green", 2}, {"Blue", 3}}, {1, 2, 3}, ""},
      {{{".R", 1}, {".G", 2}, {".B", 3}, {".A", 0.5}}, {1, 2, 3, 0.5}, ""},
      {{{"Y", 2}, {"A", 0.5}}, {2, 0.5}, ""},
      {{{"Y", 2}}, {2}, ""},
      {{{"X", 1}, {"Y", 2}, {"Z", 3}}, {1, 2, 3}, "by name"},
      {{{"depth", 1}, {"id", 2}}, {1, 2}, "by name"},
  };
  for (const Names& names : all) {
    SCOPED_TRACE(names.channels.front().first);
    ExrSpec spec;
    spec.data = spec.display = {0, 0, 4, 3};
    for (const auto& [name, value] : names.channels) spec.channels.push_back(channel(name, value));
    make_exr(directory_ / "in.exr", spec);
    const auto report = good(from("in.exr"));
    const Picture page = tiff_pages(directory_ / "out.tif").front();
    ASSERT_EQ(page.channels, names.expected.size());
    for (uint32_t c = 0; c < page.channels; ++c) EXPECT_EQ(page.at(3, 2, c), names.expected[c]);
    const bool warned = std::any_of(report.warnings.begin(), report.warnings.end(),
                                    [&](const auto& w) { return w.find("by name") != std::string::npos; });
    EXPECT_EQ(warned, *names.warning != '\0');
  }
}

TEST_F(TilesReaders, XyzIsNoLuminance) {
  ExrSpec spec;
  for (const char* name : {"X", "Y", "Z"}) {
    spec.channels.push_back({name, ExrSpec::Type::kFloat, [](int, int, int) { return 1.0; }});
  }
  make_exr(directory_ / "in.exr", spec);
  const auto file = onepass::files::read(directory_ / "in.exr");
  ASSERT_FALSE(file.ok());
  EXPECT_NE(file.error().message.find("X, Y, Z"), std::string::npos) << file.error().text();
}

// Light of HLG depends on the luminance of a pixel: the oracle of colours is files::read(), which FilesSignal tests.
TEST_F(TilesReaders, HlgIsTheLightOfWholeImages) {
  files_test::PngSpec spec{.width = 9, .height = 7, .colour_type = 2};
  for (uint32_t i = 0; i < 9 * 7 * 3; ++i) spec.samples.push_back(i * 2654435761U >> 24);
  Bytes png = files_test::make_png(spec);
  Bytes chunk;
  append_chunk(chunk, "cICP", {std::byte{9}, std::byte{18}, std::byte{0}, std::byte{1}});
  png.insert(png.begin() + 33, chunk.begin(), chunk.end());  // behind IHDR
  files_test::repair_png_checksums(png);
  save("in.png", png);
  const auto report = make_tiles(from("in.png"));
  ASSERT_TRUE(report.ok()) << report.error().text();
  const auto whole = onepass::files::read(directory_ / "in.png");
  const auto tiles = onepass::files::read(directory_ / "out.tif");
  ASSERT_TRUE(whole.ok() && tiles.ok());
  ASSERT_EQ(whole->transfer, 18U);
  ASSERT_EQ(tiles->base().format, onepass::Format::kRGBA32Sfloat);
  for (uint32_t y = 0; y < 7; ++y) {
    for (uint32_t x = 0; x < 9; ++x) {
      for (uint32_t c = 0; c < 3; ++c) {
        EXPECT_EQ(files_test::texel(tiles->base(), x, y, c), files_test::texel(whole->base(), x, y, c))
            << x << " " << y;
      }
    }
  }
}

TEST_F(TilesReaders, TablesOfTiffThatAreTooShortAreErrors) {
  TiffSpec spec{
      .width = 8, .height = 8, .samples = 3, .photometric = 2, .planes = true, .values = std::vector<double>(192, 9)};
  Bytes bytes = make_tiff(spec);
  for (const uint16_t tag : files_test::Numbers{273, 279})
    files_test::set32(bytes, files_test::tiff_entry(bytes, tag) - 4,
                      1);  // count
  save("planes.tif", bytes);
  bad(from("planes.tif"), ErrorCode::kBadData, {"StripOffsets has 1 entries", "3 strips"});
  const auto whole = onepass::files::read(directory_ / "planes.tif");
  ASSERT_FALSE(whole.ok());
  EXPECT_NE(whole.error().message.find("StripOffsets has 1 entries"), std::string::npos) << whole.error().text();
  bytes = make_tiff(spec);
  files_test::set32(bytes, files_test::tiff_entry(bytes, 273) - 4, 0x7FFFFFFF);
  save("planes.tif", bytes);
  bad(from("planes.tif"), ErrorCode::kBadData, {"StripOffsets has 2147483647 entries"});
}

TEST_F(TilesReaders, SamplesOfOddWidthsAreScaled) {
  for (uint16_t bits = 1; bits <= 15; ++bits) {
    for (const uint16_t samples : files_test::Numbers{1, 3}) {
      SCOPED_TRACE(bits);
      const double most = (1 << bits) - 1;
      const Picture base = random_picture({37, 5}, samples, 0, most, bits);
      TiffSpec spec{.width = 37,
                    .height = 5,
                    .samples = samples,
                    .bits = bits,
                    .photometric = static_cast<uint16_t>(samples == 1 ? 1 : 2)};
      spec.values = base.samples;
      save("in.tif", make_tiff(spec));
      good(from("in.tif"));
      const Picture page = tiff_pages(directory_ / "out.tif").front();
      const double range = bits <= 8 ? 255 : 65535;
      for (size_t i = 0; i < base.samples.size(); ++i) {
        ASSERT_EQ(page.samples[i], std::floor(base.samples[i] * range / most + 0.5)) << i;
      }
    }
  }
}

TEST_F(TilesReaders, PalettesAreRoundedAsInWholeImages) {
  TiffSpec spec{.width = 256, .height = 1, .photometric = 3};
  for (int i = 0; i < 256; ++i) spec.values.push_back(i);
  for (int c = 0; c < 3; ++c) {
    for (int i = 0; i < 256; ++i) spec.palette.push_back(static_cast<uint16_t>((i * 251 + c * 17) & 0xFFFF));
  }
  save("in.tif", make_tiff(spec));
  good(from("in.tif"));
  const Picture page = tiff_pages(directory_ / "out.tif").front();
  for (uint32_t x = 0; x < 256; ++x) {
    for (uint32_t c = 0; c < 3; ++c) {
      ASSERT_EQ(page.at(x, 0, c), std::floor(spec.palette[c * 256 + x] / 257.0 + 0.5)) << x;
    }
  }
}

TEST_F(TilesReaders, SignedIntegersAreTheSameNumbersEverywhere) {
  for (const uint16_t bits : files_test::Numbers{8, 16}) {
    const double most = bits == 8 ? 127 : 32767;
    const Picture base = random_picture({9, 7}, 1, -most - 1, most, bits);
    TiffSpec spec{.width = 9, .height = 7, .bits = bits, .sample_format = 2};
    spec.values = base.samples;
    save("in.tif", make_tiff(spec));
    good(from("in.tif"));
    const Picture page = tiff_pages(directory_ / "out.tif").front();
    const auto whole = onepass::files::read(directory_ / "in.tif");
    ASSERT_TRUE(whole.ok()) << whole.error().text();
    for (uint32_t y = 0; y < 7; ++y) {
      for (uint32_t x = 0; x < 9; ++x) {
        ASSERT_EQ(page.at(x, y, 0), base.at(x, y, 0));
        ASSERT_EQ(files_test::texel(whole->base(), x, y, 0), base.at(x, y, 0));
      }
    }
  }
}

// Adds GDAL_NODATA to a TIFF of one strip without compression, written by hand.
Bytes tiff_with_nodata(const Picture& picture, const std::string& nodata, uint16_t bits, uint16_t format) {
  Bytes bytes = files_test::bytes_of(std::string_view("II*\0", 4));
  const auto pixels = static_cast<uint32_t>(picture.samples.size() * bits / 8);
  const std::string text = nodata + std::string(12 - nodata.size(), '\0');
  const uint32_t directory = 8 + 12 + pixels + pixels % 2;
  files_test::put32(bytes, directory);
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  for (const double sample : picture.samples) {
    const auto put = [&](auto value) {
      Bytes raw(sizeof value);
      std::memcpy(raw.data(), &value, sizeof value);
      bytes.insert(bytes.end(), raw.begin(), raw.end());
    };
    if (format == 3) {
      put(static_cast<float>(sample));
    } else if (bits == 8) {
      put(static_cast<uint8_t>(sample));
    } else {
      put(static_cast<int16_t>(sample));
    }
  }
  bytes.resize(directory);
  struct Entry {
    uint32_t tag_and_type, count, value;
  };
  const Entry entries[] = {{256 | 3 << 16, 1, picture.size.width},
                           {257 | 3 << 16, 1, picture.size.height},
                           {258 | 3 << 16, 1, bits},
                           {259 | 3 << 16, 1, 1},
                           {262 | 3 << 16, 1, 1},
                           {273 | 4 << 16, 1, 20},
                           {277 | 3 << 16, 1, 1},
                           {278 | 3 << 16, 1, picture.size.height},
                           {279 | 4 << 16, 1, pixels},
                           {339 | 3 << 16, 1, format},
                           {42113 | 2 << 16, 12, 8}};
  bytes.push_back(static_cast<std::byte>(std::size(entries)));
  bytes.push_back(std::byte{0});
  for (const Entry& e : entries) {
    for (const uint32_t number : {e.tag_and_type, e.count, e.value}) files_test::put32(bytes, number);
  }
  files_test::put32(bytes, 0);
  return bytes;
}

// The definition: mean, least or greatest of the values of a block that are not "no data"; "no data" if there are none.
double without(const Picture& base, uint32_t n, uint32_t x, uint32_t y, Reduction reduction, double nodata) {
  double sum = 0, count = 0, least = INFINITY, greatest = -INFINITY;
  const uint32_t step = 1U << n;
  for (uint32_t v = y * step; v < std::min(base.size.height, (y + 1) * step); ++v) {
    for (uint32_t u = x * step; u < std::min(base.size.width, (x + 1) * step); ++u) {
      const double value = base.at(u, v, 0);
      if (value == nodata || (std::isnan(nodata) && std::isnan(value))) continue;
      sum += value;
      ++count;
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  }
  if (count == 0) return nodata;
  return reduction == Reduction::kMean ? sum / count : reduction == Reduction::kMin ? least : greatest;
}

TEST_F(TilesReaders, NoDataTakesPartInNothing) {
  struct Kind {
    uint16_t bits, format;
    const char* text;
    double nodata;
  };
  for (const Kind& kind :
       {Kind{32, 3, "-9999", -9999}, Kind{32, 3, "nan", NAN}, Kind{16, 2, "-9999", -9999}, Kind{8, 1, "0", 0}}) {
    Picture base = random_picture({61, 45}, 1, 1, 100, kind.bits);
    for (uint32_t y = 0; y < 45; ++y) {
      for (uint32_t x = 0; x < 61; ++x) {
        const bool hole = (x / 9 + y / 7) % 3 == 0 || (x * 7 + y * 13) % 5 == 0;
        if (hole) base.samples[size_t{y} * 61 + x] = kind.nodata;
      }
    }
    save("in.tif", tiff_with_nodata(base, kind.text, kind.bits, kind.format));
    const auto whole = onepass::files::read(directory_ / "in.tif");
    ASSERT_TRUE(whole.ok()) << whole.error().text();
    EXPECT_TRUE(std::any_of(whole->warnings.begin(), whole->warnings.end(), [&](const auto& text) {
      return text.find(std::string("its GDAL_NODATA of ") + kind.text + " counts") != std::string::npos;
    }));
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMin, Reduction::kMax}) {
      SCOPED_TRACE(std::string(kind.text) + ", " + std::to_string(kind.bits));
      TileOptions o = from("in.tif");
      o.tile_size = 16;
      o.reduction = reduction;
      o.color = Color::kLinear;
      const auto report = good(o);
      EXPECT_TRUE(report.warnings.empty()) << report.warnings.front();
      const auto pages = tiff_pages(o.output);
      ASSERT_GE(pages.size(), 3U);
      const double slack = kind.format == 3 ? 1e-4 : 0.501;
      for (uint32_t n = 0; n < pages.size(); ++n) {
        for (uint32_t y = 0; y < pages[n].size.height; ++y) {
          for (uint32_t x = 0; x < pages[n].size.width; ++x) {
            const double want = without(base, n, x, y, reduction, kind.nodata);
            const double got = pages[n].at(x, y, 0);
            if (std::isnan(want)) {
              ASSERT_TRUE(std::isnan(got)) << n << ": " << x << ", " << y;
            } else {
              ASSERT_NEAR(got, want, slack) << n << ": " << x << ", " << y;
            }
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tiles_test

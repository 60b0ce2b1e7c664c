// tiles_test.cpp: pyramids of onepass/tiles.hpp against the definition of their levels, in double precision. Inputs are
// raw bytes made here; outputs are read with libtiff, libpng and by hand.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <tiffio.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <string>

#include "files_support.hpp"
#include "onepass/tiles.hpp"
#include "tiles/put_in_place.hpp"

namespace {

using files_test::Bytes;
using files_test::TempDirectory;
using onepass::ErrorCode;
using onepass::Extent;
using onepass::Reduction;
using onepass::files::Color;
using onepass::tiles::make_tiles;
using onepass::tiles::TileCompression;
using onepass::tiles::TileFormat;
using onepass::tiles::TileOptions;

// Samples of a picture, interleaved, as numbers.
struct Picture {
  Extent size;
  uint32_t channels = 1;
  std::vector<double> samples;

  [[nodiscard]] double at(uint32_t x, uint32_t y, uint32_t c) const {
    return samples[(size_t{y} * size.width + x) * channels + c];
  }
};

// Pseudo-random whole numbers from `low` to `high`.
Picture random_picture(Extent size, uint32_t channels, double low, double high, uint32_t seed = 1) {
  Picture picture{size, channels, std::vector<double>(size_t{size.width} * size.height * channels)};
  uint64_t state = seed;
  for (double& sample : picture.samples) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    sample = low + std::floor(static_cast<double>(state >> 40) / 0x1p24 * (high - low + 1));
  }
  return picture;
}

template <typename T>
void save_raw(const std::filesystem::path& path, const Picture& picture) {
  std::vector<T> samples(picture.samples.begin(), picture.samples.end());
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(samples.data()), static_cast<std::streamsize>(samples.size() * sizeof(T)));
}

// The definition of a level: what exists of each block of 2^n texels, joined; with `most` not 0 in linear light of sRGB
// values up to `most`. `alpha`: the last channel is the weight of the others.
struct Oracle {
  Reduction reduction = Reduction::kMean;
  double most = 0;
  bool alpha = false;

  [[nodiscard]] double light(double value) const { return most > 0 ? files_test::srgb_decode(value / most) : value; }
  [[nodiscard]] double stored(double value) const { return most > 0 ? files_test::srgb_encode(value) * most : value; }

  [[nodiscard]] Picture level(const Picture& base, uint32_t n) const {
    const uint32_t step = 1U << n;
    const Extent size{(base.size.width + step - 1) / step, (base.size.height + step - 1) / step};
    Picture out{size, base.channels, {}};
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        for (uint32_t c = 0; c < base.channels; ++c) out.samples.push_back(texel(base, x * step, y * step, step, c));
      }
    }
    return out;
  }

  [[nodiscard]] double texel(const Picture& base, uint32_t x0, uint32_t y0, uint32_t step, uint32_t c) const {
    const bool is_alpha = alpha && c + 1 == base.channels;
    double sum = 0;
    double weights = 0;
    double least = INFINITY;
    double greatest = -INFINITY;
    for (uint32_t y = y0; y < std::min(y0 + step, base.size.height); ++y) {
      for (uint32_t x = x0; x < std::min(x0 + step, base.size.width); ++x) {
        const double value = base.at(x, y, c);
        const double weight = alpha && !is_alpha ? base.at(x, y, base.channels - 1) : 1;
        sum += weight * (is_alpha ? value : light(value));
        weights += weight;
        least = std::min(least, value);
        greatest = std::max(greatest, value);
      }
    }
    if (reduction == Reduction::kMin) return least;
    if (reduction == Reduction::kMax) return greatest;
    return is_alpha ? sum / weights : stored(sum / weights);
  }
};

double number(const std::byte* at, uint16_t bits, uint16_t format) {
  const auto as = [&]<typename T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  if (format == SAMPLEFORMAT_IEEEFP) return as(float{});
  if (format == SAMPLEFORMAT_INT) return bits == 8 ? as(int8_t{}) : bits == 16 ? as(int16_t{}) : as(int32_t{});
  return bits == 8 ? as(uint8_t{}) : bits == 16 ? as(uint16_t{}) : as(uint32_t{});
}

// All pages of a TIFF file with tiles.
std::vector<Picture> tiff_pages(const std::filesystem::path& path) {
  std::vector<Picture> pages;
  TIFF* tiff = TIFFOpen(path.c_str(), "r");
  EXPECT_NE(tiff, nullptr);
  if (tiff == nullptr) return pages;
  do {
    Picture page;
    uint16_t samples = 0, bits = 0, format = 0, photometric = 0;
    uint32_t tile = 0;
    TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &page.size.width);
    TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &page.size.height);
    TIFFGetField(tiff, TIFFTAG_SAMPLESPERPIXEL, &samples);
    TIFFGetField(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
    TIFFGetField(tiff, TIFFTAG_SAMPLEFORMAT, &format);
    TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &photometric);
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile);
    if (photometric == PHOTOMETRIC_YCBCR) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    page.channels = samples;
    page.samples.resize(size_t{page.size.width} * page.size.height * samples);
    const size_t bytes = bits / 8U;
    Bytes block(static_cast<size_t>(TIFFTileSize(tiff)));
    for (uint32_t y = 0; y < page.size.height; y += tile) {
      for (uint32_t x = 0; x < page.size.width; x += tile) {
        EXPECT_GT(TIFFReadTile(tiff, block.data(), x, y, 0, 0), 0);
        for (uint32_t j = 0; j < std::min(tile, page.size.height - y); ++j) {
          for (uint32_t i = 0; i < std::min(tile, page.size.width - x) * samples; ++i) {
            page.samples[(size_t{y + j} * page.size.width + x) * samples + i] =
                number(&block[(size_t{j} * tile * samples + i) * bytes], bits, format);
          }
        }
      }
    }
    pages.push_back(std::move(page));
  } while (TIFFReadDirectory(tiff) != 0);
  TIFFClose(tiff);
  return pages;
}

// `slack`: the largest difference, 0.501 for values that are rounded to whole numbers.
void expect_level(const Picture& got, const Picture& base, uint32_t n, const Oracle& oracle, double slack) {
  const Picture want = n == 0 ? base : oracle.level(base, n);
  ASSERT_EQ(got.size.width, want.size.width);
  ASSERT_EQ(got.size.height, want.size.height);
  ASSERT_EQ(got.channels, want.channels);
  double worst = 0;
  for (size_t i = 0; i < want.samples.size(); ++i) worst = std::max(worst, std::fabs(got.samples[i] - want.samples[i]));
  EXPECT_LE(worst, n == 0 ? 0 : slack) << "level " << n;
}

class Tiles : public ::testing::Test {
 protected:
  TempDirectory directory_;

  [[nodiscard]] TileOptions options(const std::string& raw, const std::string& output) const {
    TileOptions o;
    o.input.path = directory_ / "in.raw";
    o.input.raw = raw;
    o.output = directory_ / output;
    return o;
  }
  static onepass::tiles::TileReport good(const TileOptions& o) {
    auto report = make_tiles(o);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().text());
    return report.ok() ? *report : onepass::tiles::TileReport();
  }
  static void bad(const TileOptions& o, ErrorCode code, const std::vector<std::string>& words) {
    const auto report = make_tiles(o);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, code) << report.error().text();
    for (const std::string& word : words) {
      EXPECT_NE(report.error().text().find(word), std::string::npos) << report.error().text();
    }
  }
};

struct Kind {
  const char* raw;  // FORMAT of --raw
  uint32_t channels;
  double low, high;
  void (*save)(const std::filesystem::path&, const Picture&);
};
constexpr Kind kKinds[] = {
    {"gray8", 1, 0, 255, &save_raw<uint8_t>},        {"rg8", 2, 0, 255, &save_raw<uint8_t>},
    {"rgb8", 3, 0, 255, &save_raw<uint8_t>},         {"rgba8", 4, 0, 255, &save_raw<uint8_t>},
    {"gray8s", 1, -128, 127, &save_raw<int8_t>},     {"gray16", 1, 0, 65535, &save_raw<uint16_t>},
    {"rgb16", 3, 0, 65535, &save_raw<uint16_t>},     {"rgba16", 4, 0, 65535, &save_raw<uint16_t>},
    {"rg16s", 2, -32768, 32767, &save_raw<int16_t>}, {"gray32", 1, 0, 1e6, &save_raw<uint32_t>},
    {"rgb32s", 3, -1e6, 1e6, &save_raw<int32_t>},    {"gray32f", 1, -1000, 1000, &save_raw<float>},
    {"rgb32f", 3, 0, 1000, &save_raw<float>}};

TEST_F(Tiles, LevelsOfEveryKindAndSize) {
  for (const Kind& kind : kKinds) {
    for (const Extent size : {Extent{1, 1}, Extent{131, 77}, Extent{16, 64}, Extent{3, 200}}) {
      for (const Color color : {Color::kLinear, Color::kAuto}) {
        SCOPED_TRACE(std::string(kind.raw) + " " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                     (color == Color::kAuto ? " auto" : " linear"));
        const Picture base = random_picture(size, kind.channels, kind.low, kind.high);
        kind.save(directory_ / "in.raw", base);
        TileOptions o =
            options(std::to_string(size.width) + "x" + std::to_string(size.height) + ":" + kind.raw, "out.tif");
        o.color = color;
        o.compression = TileCompression::kDeflate;
        o.tile_size = 16;
        const auto report = good(o);
        Oracle oracle{.alpha = kind.channels == 4};
        if (report.srgb) oracle.most = kind.high;
        const bool wide = kind.high > 65535 || kind.high == 1000;
        const auto pages = tiff_pages(o.output);
        ASSERT_EQ(pages.size(), report.sizes.size());
        for (uint32_t n = 0; n < pages.size(); ++n) expect_level(pages[n], base, n, oracle, wide ? 0.7 : 0.51);
      }
    }
  }
}

TEST_F(Tiles, MinAndMaxAreExact) {
  for (const Reduction reduction : {Reduction::kMin, Reduction::kMax}) {
    const Picture base = random_picture({131, 77}, 3, 0, 255);
    save_raw<uint8_t>(directory_ / "in.raw", base);
    TileOptions o = options("131x77:rgb8", "out.tif");
    o.reduction = reduction;
    o.compression = TileCompression::kLzw;
    o.tile_size = 16;
    good(o);
    const auto pages = tiff_pages(o.output);
    ASSERT_EQ(pages.size(), 5);
    for (uint32_t n = 0; n < pages.size(); ++n) expect_level(pages[n], base, n, {.reduction = reduction}, 0);
  }
}

// LZW, deflate, Zstandard, predictors and both layouts, read by libtiff: noise, and a flat picture whose LZW codes grow
// long.
TEST_F(Tiles, EveryCompressionIsLossless) {
  for (const double high : {255.0, 3.0, 0.0}) {
    const Picture base = random_picture({300, 290}, 3, 0, high);
    save_raw<uint8_t>(directory_ / "in.raw", base);
    for (const bool cog : {false, true}) {
      for (const auto compression :
           {TileCompression::kNone, TileCompression::kLzw, TileCompression::kDeflate, TileCompression::kZstd}) {
        TileOptions o = options("300x290:rgb8", "out.tif");
        o.compression = compression;
        o.cog = cog;
        o.color = Color::kLinear;
        o.tile_size = 128;
        good(o);
        const auto pages = tiff_pages(o.output);
        ASSERT_EQ(pages.size(), 3);
        for (uint32_t n = 0; n < pages.size(); ++n) expect_level(pages[n], base, n, {}, 0.51);
      }
    }
  }
}

TEST_F(Tiles, JpegTiffHasSharedTables) {
  Picture base = random_picture({300, 200}, 3, 0, 0);
  for (size_t i = 0; i < base.samples.size(); ++i) base.samples[i] = static_cast<double>(i / 3 % 300 * 255 / 300);
  save_raw<uint8_t>(directory_ / "in.raw", base);
  for (const int quality : {75, 95}) {
    TileOptions o = options("300x200:rgb8", "out.tif");
    o.quality = quality;
    good(o);
    const auto pages = tiff_pages(o.output);
    ASSERT_EQ(pages.size(), 2);
    for (uint32_t n = 0; n < 2; ++n) {
      const Picture want = n == 0 ? base : Oracle{.most = 255}.level(base, n);
      double sum = 0;
      for (size_t i = 0; i < want.samples.size(); ++i) sum += std::fabs(pages[n].samples[i] - want.samples[i]);
      EXPECT_LT(sum / static_cast<double>(want.samples.size()), 2) << n;
    }
  }
}

TEST_F(Tiles, CogHasDirectoriesFirstAndCoarsestLevelFirst) {
  const Picture base = random_picture({300, 290}, 1, 0, 255);
  save_raw<uint8_t>(directory_ / "in.raw", base);
  TileOptions o = options("300x290:gray8", "out.tif");
  o.cog = true;
  o.tile_size = 64;
  good(o);
  const Bytes bytes = files_test::load(o.output);
  const std::string head(reinterpret_cast<const char*>(bytes.data()), 256);
  EXPECT_NE(head.find("GDAL_STRUCTURAL_METADATA_SIZE=000140 bytes\nLAYOUT=IFDS_BEFORE_DATA\n"), std::string::npos);
  TIFF* tiff = TIFFOpen(o.output.c_str(), "r");
  ASSERT_NE(tiff, nullptr);
  uint64_t last = UINT64_MAX;
  do {
    const uint64_t first_tile = TIFFGetStrileOffset(tiff, 0);
    EXPECT_LT(TIFFCurrentDirOffset(tiff), first_tile);
    EXPECT_LT(first_tile, last);
    last = first_tile;
    for (uint32_t i = 0; i < TIFFNumberOfTiles(tiff); ++i) {
      const uint64_t size = TIFFGetStrileByteCount(tiff, i);
      const uint64_t at = TIFFGetStrileOffset(tiff, i);
      EXPECT_EQ(files_test::get32(bytes, at - 4), size);
      EXPECT_EQ(files_test::get32(bytes, at + size), files_test::get32(bytes, at + size - 4));
    }
  } while (TIFFReadDirectory(tiff) != 0);
  TIFFClose(tiff);
}

TEST_F(Tiles, DeepZoomTilesOverlap) {
  for (const auto& [size, tile, overlap] : {std::tuple{Extent{131, 77}, 16U, 1}, std::tuple{Extent{64, 65}, 32U, 0},
                                            std::tuple{Extent{50, 33}, 16U, 8}, std::tuple{Extent{1, 7}, 254U, 1}}) {
    const Picture base = random_picture(size, 3, 0, 255);
    save_raw<uint8_t>(directory_ / "in.raw", base);
    TileOptions o = options(std::to_string(size.width) + "x" + std::to_string(size.height) + ":rgb8", "out.dzi");
    o.tile_format = TileFormat::kPng;
    o.tile_size = tile;
    o.overlap = overlap;
    good(o);
    uint32_t top = 0;
    while (std::max(size.width, size.height) > 1U << top) ++top;
    for (uint32_t n = 0; n <= top; ++n) {
      Picture level = n == 0 ? base : Oracle{.most = 255}.level(base, n);
      const Extent s = level.size;
      Picture got{s, 3, std::vector<double>(level.samples.size(), -1)};
      const auto margin = static_cast<uint32_t>(overlap);
      for (uint32_t row = 0; row * tile < s.height; ++row) {
        for (uint32_t column = 0; column * tile < s.width; ++column) {
          const auto png = files_test::parse_png(
              files_test::load(directory_ / ("out_files/" + std::to_string(top - n) + "/" + std::to_string(column) +
                                             "_" + std::to_string(row) + ".png")));
          const uint32_t x0 = column == 0 ? 0 : column * tile - margin;
          const uint32_t y0 = row == 0 ? 0 : row * tile - margin;
          ASSERT_EQ(png.width, std::min((column + 1) * tile + margin, s.width) - x0);
          ASSERT_EQ(png.height, std::min((row + 1) * tile + margin, s.height) - y0);
          EXPECT_TRUE(png.has_srgb);
          for (uint32_t y = 0; y < png.height; ++y) {
            for (uint32_t i = 0; i < png.width * 3; ++i) {
              double& value = got.samples[(size_t{y0 + y} * s.width + x0) * 3 + i];
              const double stored = png.samples[size_t{y} * png.width * 3 + i];
              EXPECT_TRUE(value < 0 || value == stored) << "overlaps differ";
              value = stored;
            }
          }
        }
      }
      expect_level(got, base, n, {.most = 255}, 0.51);
    }
  }
}

TEST_F(Tiles, ZarrChunksOfEveryChannel) {
  const Picture base = random_picture({131, 77}, 3, 0, 65535);
  save_raw<uint16_t>(directory_ / "in.raw", base);
  TileOptions o = options("131x77:rgb16", "out.zarr");
  o.color = Color::kLinear;
  o.compression = TileCompression::kNone;
  o.tile_size = 32;
  const auto report = good(o);
  ASSERT_EQ(report.sizes.size(), 4);
  for (uint32_t n = 0; n < 4; ++n) {
    const Extent s = report.sizes[n];
    Picture got{s, 3, std::vector<double>(size_t{s.width} * s.height * 3)};
    for (uint32_t y = 0; y < s.height; ++y) {
      for (uint32_t x = 0; x < s.width; ++x) {
        for (uint32_t c = 0; c < 3; ++c) {
          const auto name = "out.zarr/" + std::to_string(n) + "/" + std::to_string(c) + "/" + std::to_string(y / 32) +
                            "/" + std::to_string(x / 32);
          static std::map<std::string, Bytes> chunks;
          if (!chunks.contains(name)) chunks[name] = files_test::load(directory_ / name);
          ASSERT_EQ(chunks[name].size(), 32 * 32 * 2);
          got.samples[(size_t{y} * s.width + x) * 3 + c] =
              number(&chunks[name][(size_t{y % 32} * 32 + x % 32) * 2], 16, SAMPLEFORMAT_UINT);
        }
      }
    }
    expect_level(got, base, n, {}, 0.51);
  }
}

// All files below a directory.
std::map<std::string, Bytes> tree(const std::filesystem::path& root) {
  std::map<std::string, Bytes> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files[std::filesystem::relative(entry, root)] = files_test::load(entry);
  }
  return files;
}

// An OME-Zarr output as an input is the picture that it was made from, also by shards, which leave out rows of chunks.
TEST_F(Tiles, ZarrIsReadAsWritten) {
  const Picture base = random_picture({331, 203}, 4, 0, 65535);
  save_raw<uint16_t>(directory_ / "in.raw", base);
  TileOptions first = options("331x203:rgba16", "in.zarr");
  first.tile_size = 32;
  good(first);
  TileOptions o;
  o.input.path = directory_ / "in.zarr";
  o.tile_size = 16;
  TileOptions direct = options("331x203:rgba16", "out.zarr");
  direct.tile_size = 16;
  const auto wanted = good(direct);
  const auto files = tree(directory_ / "out.zarr");
  for (const TileCompression compression :
       {TileCompression::kZstd, TileCompression::kDeflate, TileCompression::kNone}) {
    first.compression = compression;
    good(first);
    o.output = directory_ / "out.zarr";
    const auto report = good(o);
    EXPECT_TRUE(report.srgb == wanted.srgb && report.channels == 4U);
    EXPECT_TRUE(tree(o.output) == files);
  }
  for (o.shard = {0, 3}; o.shard.index < 3; ++o.shard.index) good(o);
  o.shard = {};
  o.merge = 3;
  good(o);
  EXPECT_TRUE(tree(o.output) == files);
}

TEST_F(Tiles, ZarrThatCannotBeReadIsNamed) {
  save_raw<uint16_t>(directory_ / "in.raw", random_picture({40, 30}, 3, 0, 65535));
  TileOptions first = options("40x30:rgb16", "in.zarr");
  first.tile_size = 16;
  first.levels = 1;
  TileOptions o;
  o.input.path = directory_ / "in.zarr";
  o.output = directory_ / "out.tif";
  // Replaces `from` in a file of the input.
  const auto refuse = [&](const std::string& file, const std::string& from, const std::string& to, ErrorCode code,
                          const std::vector<std::string>& words) {
    good(first);
    const std::filesystem::path path = o.input.path / file;
    const Bytes bytes = files_test::load(path);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const size_t at = text.find(from);
    ASSERT_NE(at, std::string::npos) << file << " " << from;
    text.replace(at, from.size(), to);
    files_test::save(path, files_test::bytes_of(text));
    bad(o, code, words);
    EXPECT_FALSE(std::filesystem::exists(o.output));
    EXPECT_FALSE(std::filesystem::exists(onepass::tiles::unfinished_path(o.output)));
  };
  constexpr auto kBad = ErrorCode::kBadData;
  constexpr auto kNot = ErrorCode::kUnsupported;
  refuse(".zattrs", "{", "[", kBad, {".zattrs", "JSON"});
  refuse(".zattrs", "\"multiscales\"", "\"x\": " + std::string(100000, '[') + std::string(100000, ']') + ", \"y\"",
         kBad, {".zattrs", "nested"});
  refuse("0/.zarray", "\"<u2\"", "\"" + std::string(1000, 'u') + "\"", kNot, {"dtype", "uuu..."});
  refuse(".zattrs", "\"name\": \"y\"", "\"name\": \"x\"", kNot, {"axes are c, x, x"});
  refuse(".zattrs", "\"name\": \"x\",\n          \"type\": \"space\"", "\"name\": \"d\", \"type\": \"channel\"", kNot,
         {"axes are c, y, d"});
  refuse(".zattrs", "\"multiscales\"", "\"plate\": {}, \"x\"", kNot, {"in.zarr", "plate"});
  refuse(".zattrs", "\"multiscales\"", "\"bioformats2raw.layout\": 3, \"x\"", kNot, {"collection", "in.zarr/0"});
  refuse(".zattrs", "\"multiscales\"", "\"x\"", kBad, {".zattrs", "level"});
  refuse(".zattrs", "\"path\": \"0\"", "\"path\": \"../in.zarr/0\"", kBad, {".zattrs", "path"});
  refuse(".zattrs", "\"path\": \"0\"", "\"path\": \"7\"", ErrorCode::kNotFound, {"in.zarr/7/.zarray"});
  refuse(".zattrs", "\"name\": \"c\",\n          \"type\": \"channel\"", "\"name\": \"z\", \"type\": \"space\"", kNot,
         {"axis z", "3 elements"});
  refuse("0/.zarray", "\"zarr_format\": 2", "\"zarr_format\": 3", kNot, {".zarray", "zarr_format", "3"});
  refuse("0/.zarray", "<u2", "<u8", kNot, {"dtype", "<u8"});
  refuse("0/.zarray", "40", "-40", kBad, {"shape", "-40"});
  refuse("0/.zarray", "40", "4e3", kBad, {"shape", "4000"});
  refuse("0/.zarray", "30", "3000000000", kBad, {"shape", "3000000000"});
  refuse("0/.zarray", "16", "2000000000", kNot, {"chunks", "1 GiB"});
  refuse("0/.zarray", "16", "0", kBad, {"chunks", "0"});
  refuse("0/.zarray", "\"chunks\": [\n    1,", "\"chunks\": [", kBad, {"shape", "chunks"});
  refuse("0/.zarray", "\"fill_value\": 0", "\"fill_value\": 65536", kBad, {"fill_value", "65536", "uint16"});
  refuse("0/.zarray", "\"fill_value\": 0", "\"fill_value\": \"NaN\"", kBad, {"fill_value", "NaN"});
  refuse("0/.zarray", "\"filters\": null", "\"filters\": [{\"id\": \"delta\"}]", kNot, {"filters", "delta"});
  refuse("0/.zarray", "\"order\": \"C\"", "\"order\": \"F\"", kNot, {"order", "F"});
  refuse("0/.zarray", "\"id\": \"zstd\"", "\"id\": \"lzma\"", kNot, {"compressor", "lzma"});
  refuse("0/.zarray", "\"id\": \"zstd\"", "\"id\": \"zlib\"", kBad, {"damaged", "512"});
  good(first);
  files_test::save(o.input.path / "0/2/1/1", files_test::bytes_of("no frame of Zstandard"));
  bad(o, kBad, {"in.zarr/0/2/1/1", "damaged"});
  files_test::save(o.input.path / "0/2/1/1", Bytes(10000));
  bad(o, kBad, {"in.zarr/0/2/1/1", "10000 bytes"});
  std::filesystem::remove(o.input.path / "0/2/1/1");
  std::filesystem::create_directory(o.input.path / "0/2/1/1");
  bad(o, kNot, {"in.zarr/0/2/1/1"});
  std::filesystem::remove(o.input.path / "0/2/1/1");  // not stored: the fill value
  good(o);
  ASSERT_EQ(::mkfifo((o.input.path / "0/2/1/1").c_str(), 0600), 0);
  bad(o, kNot, {"in.zarr/0/2/1/1", "regular file"});
  std::filesystem::remove(o.input.path / "0/2/1/1");
  TileOptions onto = o;
  for (const std::string name : {"in.zarr", "all.zarr"}) {  // the input itself, and a directory that holds it
    if (name == "all.zarr") {
      std::filesystem::create_directory(directory_ / name);
      std::filesystem::rename(o.input.path, directory_ / name / "0");
      std::filesystem::copy(directory_ / name / "0/.zattrs", directory_ / name / ".zattrs");
      onto.input.path = o.input.path = directory_ / name / "0";
    }
    onto.output = directory_ / name;
    bad(onto, ErrorCode::kInvalidArgument, {name, "input"});
    good(o);
  }
  onto.input = first.input;
  files_test::save(directory_ / "all.zarr/.zattrs", files_test::bytes_of("{}"));  // of another program
  bad(onto, ErrorCode::kIo, {"all.zarr", "no earlier output"});
  // Limits of memory count chunks.
  TileOptions whole = o;
  whole.output = directory_ / "out.ktx2";
  whole.color = Color::kLinear;
  whole.input.max_bytes = 40 * 30 * 8 * 4 / 3 + 1000;
  bad(whole, ErrorCode::kOutOfMemory, {"bytes"});
  std::filesystem::remove(o.input.path / ".zattrs");
  bad(o, kNot, {"all.zarr/0", ".zattrs"});
  files_test::save(o.input.path / "zarr.json", files_test::bytes_of("{}"));
  bad(o, kNot, {"version 3"});
}

TEST_F(Tiles, SameBytesForAnyNumberOfThreads) {
  save_raw<uint8_t>(directory_ / "in.raw", random_picture({700, 500}, 3, 0, 255));
  for (const bool cog : {false, true}) {
    Bytes first;
    for (const uint32_t threads : {1U, 2U, 5U}) {
      TileOptions o = options("700x500:rgb8", "out.tif");
      o.threads = threads;
      o.cog = cog;
      o.tile_size = 32;
      good(o);
      const Bytes bytes = files_test::load(o.output);
      if (first.empty()) first = bytes;
      EXPECT_TRUE(bytes == first) << threads;
    }
  }
}

TEST_F(Tiles, InterruptedRunsKeepTheOldOutputAndResume) {
  save_raw<uint8_t>(directory_ / "in.raw", random_picture({700, 900}, 3, 0, 255));
  for (const std::string name : {"out.tif", "cog.tif", "out.dzi", "out.zarr"}) {
    SCOPED_TRACE(name);
    TileOptions o = options("700x900:rgb8", name);
    o.cog = name == "cog.tif";
    o.tile_size = 32;
    good(o);
    const auto whole = tree(directory_.path());
    o.progress = [](const onepass::tiles::TileProgress& p) { return p.rows < p.height; };
    bad(o, ErrorCode::kCancelled, {"interrupted", "resume"});
    const auto unfinished = onepass::tiles::unfinished_path(o.output);
    EXPECT_TRUE(std::filesystem::exists(unfinished));
    auto kept = tree(directory_.path());
    std::erase_if(kept, [&](const auto& file) { return file.first.starts_with(unfinished.filename().string()); });
    EXPECT_TRUE(kept == whole);
    o.progress = nullptr;
    bad(o, ErrorCode::kInvalidArgument, {"unfinished", "resume"});
    o.resume = true;
    o.quality = 30;
    bad(o, ErrorCode::kInvalidArgument, {"other options"});
    o.quality = 75;
    EXPECT_GT(good(o).progress.tiles_kept, 0);
    EXPECT_TRUE(tree(directory_.path()) == whole);
    EXPECT_FALSE(std::filesystem::exists(unfinished));
  }
}

TEST_F(Tiles, WholeOutputsReportProgressAndStop) {
  save_raw<uint8_t>(directory_ / "in.raw", random_picture({60, 90}, 4, 0, 255));
  for (const std::string name : {"out.ktx2", "out.exr"}) {
    SCOPED_TRACE(name);
    TileOptions o = options("60x90:" + std::string(name == "out.exr" ? "rgba16f" : "rgba8"), name);
    if (name == "out.exr") save_raw<uint16_t>(directory_ / "in.raw", random_picture({60, 90}, 4, 0, 0x3BFF));
    std::vector<uint64_t> rows;
    o.progress = [&](const onepass::tiles::TileProgress& p) {
      EXPECT_EQ(p.height, 90);
      EXPECT_EQ(p.texels, p.rows * 60);
      rows.push_back(p.rows);
      return p.rows < p.height;
    };
    bad(o, ErrorCode::kCancelled, {"out.", "interrupted"});
    ASSERT_GE(rows.size(), 2);
    EXPECT_EQ(rows.front(), 1);
    EXPECT_EQ(rows.back(), 90);
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_FALSE(std::filesystem::exists(o.output));
    EXPECT_FALSE(std::filesystem::exists(onepass::tiles::unfinished_path(o.output)));
    uint32_t reports = 0;
    o.progress = [&](const onepass::tiles::TileProgress&) { return ++reports > 1; };
    bad(o, ErrorCode::kCancelled, {"out.", "interrupted"});
    EXPECT_EQ(reports, 1);
    o.progress = [](const onepass::tiles::TileProgress&) { return true; };
    const auto report = good(o);
    EXPECT_EQ(report.progress.rows, 90);
    EXPECT_TRUE(std::filesystem::exists(o.output));
  }
}

// The state after a process that was killed between two renames.
TEST_F(Tiles, MovesOfAnEndedProcessAreCompleted) {
  for (const bool whole_record : {true, false}) {
    SCOPED_TRACE(whole_record);
    const auto work = directory_ / ("work" + std::to_string(whole_record));
    const auto first = directory_ / ("first" + std::to_string(whole_record));
    const auto second = directory_ / ("second" + std::to_string(whole_record));
    std::filesystem::create_directory(work);
    files_test::save(first, files_test::bytes_of("new first"));  // moved
    files_test::save(work / "b", files_test::bytes_of("new second"));
    files_test::save(second, files_test::bytes_of("old second"));
    const auto line = [](const std::filesystem::path& from, const std::filesystem::path& moved,
                         const std::filesystem::path& to) {
      struct stat status {};
      EXPECT_EQ(::stat(moved.c_str(), &status), 0);
      return std::to_string(status.st_ino) + "\n" + from.string() + "\n" + to.string() + "\n";
    };
    const std::string record = line(work / "a", first, first) + line(work / "b", work / "b", second);
    files_test::save(work / "moves", files_test::bytes_of(record + (whole_record ? "end\n" : "")));
    const auto done = onepass::tiles::continue_moves(work);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(*done, whole_record);
    EXPECT_EQ(files_test::load(first), files_test::bytes_of("new first"));
    EXPECT_EQ(files_test::load(second), files_test::bytes_of(whole_record ? "new second" : "old second"));
    EXPECT_EQ(std::filesystem::exists(work), !whole_record);
  }
}

TEST_F(Tiles, DamagedInputLeavesNothing) {
  save_raw<uint8_t>(directory_ / "in.raw", random_picture({200, 900}, 3, 0, 255));
  TileOptions o = options("200x900:rgb8", "in.tif");
  o.compression = TileCompression::kDeflate;
  good(o);
  Bytes bytes = files_test::load(directory_ / "in.tif");
  std::fill(bytes.begin() + 20000, bytes.begin() + 40000, std::byte{0x55});
  files_test::save(directory_ / "in.tif", bytes);
  const auto before = directory_.entries();
  for (const std::string name : {"out.tif", "out.dzi", "out.zarr"}) {
    TileOptions damaged;
    damaged.input.path = directory_ / "in.tif";
    damaged.output = directory_ / name;
    bad(damaged, ErrorCode::kBadData, {"in.tif", "row"});
    EXPECT_EQ(directory_.entries(), before);
  }
}

TEST_F(Tiles, ForeignDirectoriesAreNotReplaced) {
  save_raw<uint8_t>(directory_ / "in.raw", random_picture({20, 20}, 3, 0, 255));
  for (const std::string name : {"out_files", "out.zarr"}) {
    std::filesystem::create_directory(directory_ / name);
    files_test::save(directory_ / (name + "/precious"), files_test::bytes_of("x"));
    bad(options("20x20:rgb8", name == "out.zarr" ? name : "out.dzi"), ErrorCode::kIo, {"no earlier output"});
    EXPECT_TRUE(std::filesystem::exists(directory_ / (name + "/precious")));
  }
}

TEST_F(Tiles, OptionsOutOfRangeAreNamed) {
  save_raw<uint8_t>(directory_ / "in.raw", random_picture({20, 20}, 4, 0, 255));
  const auto refuse = [&](const std::string& output, const std::function<void(TileOptions&)>& change,
                          const std::vector<std::string>& words, ErrorCode code = ErrorCode::kInvalidArgument) {
    TileOptions o = options("20x20:rgba8", output);
    change(o);
    bad(o, code, words);
  };
  refuse("out.png", [](auto&) {}, {"output", "out.png"});
  refuse("out.tif", [](auto& o) { o.tile_size = 100; }, {"tile_size", "100", "16"});
  refuse("out.dzi", [](auto& o) { o.tile_size = 8; }, {"tile_size", "8"});
  refuse("out.tif", [](auto& o) { o.overlap = 1; }, {"overlap"});
  refuse("out.dzi", [](auto& o) { o.overlap = 200; }, {"overlap", "200"});
  refuse("out.tif", [](auto& o) { o.levels = 7; }, {"levels", "7", "6"});
  refuse("out.zarr", [](auto& o) { o.compression = TileCompression::kJpeg; }, {"compression", "jpeg"});
  refuse("out.dzi", [](auto& o) { o.compression = TileCompression::kZstd; }, {"compression"});
  refuse(
      "out.tif", [](auto& o) { o.compression = TileCompression::kJpeg; }, {"compression", "4 channels"},
      ErrorCode::kUnsupported);
  refuse("out.dzi", [](auto& o) { o.quality = 0; }, {"quality", "0"});
  refuse("out.dzi", [](auto& o) { o.cog = true; }, {"cog"});
  refuse("out.tif", [](auto& o) { o.viewer = true; }, {"viewer"});
  for (const Reduction reduction : {Reduction::kMinMax, Reduction::kMode}) {
    refuse("out.tif", [&](auto& o) { o.reduction = reduction; }, {"reduction", "mean, min or max"});
  }
  refuse("out.tif", [](auto& o) { o.input.raw = "20x20:rgb7"; }, {"raw", "rgb7"});
  refuse("out.tif", [](auto& o) { o.input.raw = "0x20:rgb8"; }, {"raw", "0x20"});
  refuse(
      "out.tif", [](auto& o) { o.input.raw = "20x21:rgba8"; }, {"1600 bytes"}, ErrorCode::kBadData);
  refuse(
      "out.tif", [](auto& o) { o.input.path = "/none/such"; }, {"/none/such"}, ErrorCode::kNotFound);
  refuse(
      "none/out.tif", [](auto&) {}, {"none/out.tif"}, ErrorCode::kIo);
  refuse(
      "out.tif", [&](auto& o) { o.input = {.grid = directory_ / "g_{x}_{y}.png"}; }, {"g_0_0.png"},
      ErrorCode::kNotFound);
  refuse("out.tif", [&](auto& o) { o.input = {.grid = directory_ / "g.png"}; }, {"grid", "{x}"});
}

TEST_F(Tiles, GridsAreOnePicture) {
  const Picture base = random_picture({50, 40}, 3, 0, 255);
  for (uint32_t row = 0; row < 2; ++row) {
    for (uint32_t column = 0; column < 3; ++column) {
      const uint32_t width = column == 2 ? 10 : 20;
      Picture part{{width, 20}, 3, {}};
      files_test::PngSpec png{.width = width, .height = 20, .colour_type = 2};
      for (uint32_t y = 0; y < 20; ++y) {
        for (uint32_t i = 0; i < width * 3; ++i) {
          png.samples.push_back(static_cast<uint32_t>(base.samples[(size_t{row * 20 + y} * 50 + column * 20) * 3 + i]));
        }
      }
      files_test::save(directory_ / ("g_" + std::to_string(column) + "_" + std::to_string(row) + ".png"),
                       files_test::make_png(png));
    }
  }
  TileOptions o;
  o.input.grid = directory_ / "g_{x}_{y}.png";
  o.output = directory_ / "out.tif";
  o.compression = TileCompression::kNone;
  o.tile_size = 16;
  good(o);
  const auto pages = tiff_pages(o.output);
  for (uint32_t n = 0; n < pages.size(); ++n) expect_level(pages[n], base, n, {.most = 255}, 0.51);
  std::filesystem::remove(directory_ / "g_1_1.png");
  bad(o, ErrorCode::kNotFound, {"g_1_1.png", "3x2"});
  files_test::save(
      directory_ / "g_1_1.png",
      files_test::make_png({.width = 20, .height = 19, .colour_type = 2, .samples = std::vector<uint32_t>(1140)}));
  bad(o, ErrorCode::kBadData, {"g_1_1.png", "19", "20"});
}

}  // namespace

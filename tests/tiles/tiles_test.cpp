// tiles_test.cpp: pyramids of onepass/tiles.hpp against the definition of their levels, in double precision. Inputs are
// raw bytes made here; outputs are read with libtiff, libpng and by hand.
#include <sys/stat.h>
#include <tiffio.h>

#include <functional>

#include "tests/tiles/tiles_support.hpp"
#include "tiles/put_in_place.hpp"

namespace tiles_test {
namespace {

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
      for (const Color color : {Color::kLinear, Color::kAuto, Color::kSrgb}) {
        if (color == Color::kSrgb && kind.high != 255 && kind.high != 65535) continue;
        SCOPED_TRACE(std::string(kind.raw) + " " + std::to_string(size.width) + "x" + std::to_string(size.height) +
                     " color " + std::to_string(static_cast<int>(color)));
        const Picture base = random_picture(size, kind.channels, kind.low, kind.high);
        kind.save(directory_ / "in.raw", base);
        TileOptions o =
            options(std::to_string(size.width) + "x" + std::to_string(size.height) + ":" + kind.raw, "out.tif");
        o.color = color;
        o.compression = TileCompression::kDeflate;
        o.tile_size = 16;
        const auto report = good(o);
        Oracle oracle{.alpha = kind.channels == 4};
        const bool pictures = kind.high == 255 && kind.channels != 2;
        EXPECT_EQ(report.srgb, color == Color::kSrgb || (color == Color::kAuto && pictures));
        if (report.srgb) oracle.most = kind.high;
        const bool wide = kind.high > 65535 || kind.high == 1000;
        const auto pages = tiff_pages(o.output);
        ASSERT_EQ(pages.size(), report.sizes.size());
        for (uint32_t n = 0; n < pages.size(); ++n) expect_level(pages[n], base, n, oracle, wide ? 0.7 : 0.51);
      }
    }
  }
}

// 16-bit values without a statement are numbers, but colours of PNG are encoded as sRGB, and the output says so.
TEST_F(Tiles, ValuesOfSixteenBitsWithoutAStatement) {
  struct Case {
    const char* input;
    onepass::Format format;
    bool srgb;
  };
  for (const Case& c : {Case{"in.png", onepass::Format::kR16Unorm, false},
                        {"in.png", onepass::Format::kRGBA16Unorm, true},
                        {"in.tif", onepass::Format::kR16Unorm, false},
                        {"in.tif", onepass::Format::kRGBA16Unorm, false}}) {
    const auto image = files_test::random_image(c.format, {40, 30}, 1, 3);
    const onepass::ImageView view = image.view();
    ASSERT_TRUE(onepass::files::write(directory_ / c.input, std::span(&view, 1)));
    TileOptions o;
    o.input.path = directory_ / c.input;
    o.output = directory_ / "out.tif";
    o.tile_size = 16;
    EXPECT_EQ(good(o).srgb, c.srgb) << c.input;
    const auto whole = onepass::files::read(directory_ / c.input);
    const auto tiled = onepass::files::read(o.output);
    ASSERT_TRUE(whole && tiled);
    ASSERT_EQ(tiled->base().format, whole->base().format);
    EXPECT_EQ(tiled->base().format == c.format, !c.srgb);
    for (uint32_t x = 0; x < 40; ++x) {
      EXPECT_NEAR(files_test::texel(tiled->base(), x, 7, 0), files_test::texel(whole->base(), x, 7, 0), 1e-6);
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
  bad(TileOptions{}, ErrorCode::kInvalidArgument, {"output"});
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
  refuse("out.tif", [](auto& o) { o.reduction = Reduction::kMinMax; }, {"reduction", "mean, min, max or mode"});
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
}  // namespace tiles_test

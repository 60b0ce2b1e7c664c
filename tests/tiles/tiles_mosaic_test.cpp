// tiles_mosaic_test.cpp: mosaics of files at the positions of a table, against their definition pixel by pixel.
#include <random>

#include "tests/support/test_seed.hpp"
#include "tests/tiles/tiles_support.hpp"
#include "tiles/row_source.hpp"

namespace tiles_test {
namespace {

using onepass::tiles::GridOverlap;

struct Tile {
  std::string name;
  double x = 0, y = 0;  // as the table states them
  Picture picture;
};

class TilesMosaic : public Tiles {
 protected:
  /// Saves a tile as TIFF.
  template <typename T>
  void save_tile(const Tile& tile, const std::string& format) {
    save_raw<T>(directory_ / "tile.raw", tile.picture);
    const Extent& size = tile.picture.size;
    TileOptions o{.input = {.path = directory_ / "tile.raw",
                            .raw = std::to_string(size.width) + "x" + std::to_string(size.height) + ":" + format},
                  .output = directory_ / tile.name,
                  .levels = 1,
                  .tile_size = 16,
                  .color = format == "gray8" ? Color::kLinear : Color::kAuto,
                  .compression = TileCompression::kNone};
    good(o);
    std::filesystem::remove(directory_ / "tile.raw");
  }

  void save_table(const std::string& text) const {
    files_test::save(directory_ / "table.csv", files_test::bytes_of(text));
  }

  /// A tile of each size at each position, by a table.
  template <typename T>
  std::vector<Tile> make(const std::vector<std::array<double, 4>>& places, const std::string& format, uint32_t channels,
                         double low, double high) {
    std::vector<Tile> tiles;
    std::string table = "file,x,y\n";
    for (const auto& [x, y, width, height] : places) {
      const auto number = static_cast<uint32_t>(tiles.size());
      const Extent size{static_cast<uint32_t>(width), static_cast<uint32_t>(height)};
      tiles.push_back({"t" + std::to_string(number) + ".tif", x, y, random_picture(size, channels, low, high, number)});
      save_tile<T>(tiles.back(), format);
      table += tiles.back().name + "," + std::to_string(x) + "," + std::to_string(y) + "\n";
    }
    save_table(table);
    return tiles;
  }

  /// The picture by its definition, of samples of type T.
  template <typename T>
  static Picture mosaic(const std::vector<Tile>& tiles, GridOverlap overlap, double fill) {
    int64_t left = INT64_MAX, top = INT64_MAX, right = INT64_MIN, bottom = INT64_MIN;
    for (const Tile& t : tiles) {
      left = std::min<int64_t>(left, std::llround(t.x));
      top = std::min<int64_t>(top, std::llround(t.y));
      right = std::max<int64_t>(right, std::llround(t.x) + t.picture.size.width);
      bottom = std::max<int64_t>(bottom, std::llround(t.y) + t.picture.size.height);
    }
    Picture out{
        {static_cast<uint32_t>(right - left), static_cast<uint32_t>(bottom - top)}, tiles.front().picture.channels, {}};
    for (int64_t y = top; y < bottom; ++y) {
      for (int64_t x = left; x < right; ++x) {
        for (uint32_t c = 0; c < out.channels; ++c) {
          double sum = 0, count = 0;
          for (const Tile& t : tiles) {
            const int64_t u = x - std::llround(t.x), v = y - std::llround(t.y);
            if (u < 0 || v < 0 || u >= t.picture.size.width || v >= t.picture.size.height) continue;
            if (count > 0 && overlap == GridOverlap::kFirst) break;
            sum += t.picture.at(static_cast<uint32_t>(u), static_cast<uint32_t>(v), c);
            ++count;
          }
          const double mean = sum / count;
          const double sample = count == 0 ? fill : std::is_integral_v<T> ? std::nearbyint(mean) : mean;
          out.samples.push_back(static_cast<T>(sample));
        }
      }
    }
    return out;
  }

  [[nodiscard]] TileOptions table_options(const std::string& output) const {
    return {.input = {.grid = (directory_ / "table.csv").string()},
            .output = directory_ / output,
            .tile_size = 16,
            .color = Color::kLinear,
            .compression = TileCompression::kNone};
  }

  template <typename T>
  void expect_mosaic(const std::string& format, uint32_t channels, double low, double high, double fill) {
    SCOPED_TRACE(format);
    // Overlaps of two and three tiles, gaps inside and at the edges, fractions, a tile inside another.
    const auto tiles = make<T>({{-20.4, 3, 40, 30},
                                {10.5, -7.5, 33, 50},
                                {12, 20, 21, 17},
                                {60, 60, 20, 20},
                                {15, 25, 4, 4},
                                {-20, 100, 30, 9}},
                               format, channels, low, high);
    TileOptions o = table_options("out.tif");
    o.input.grid_fill = fill;
    for (const auto overlap : {GridOverlap::kFirst, GridOverlap::kAverage}) {
      o.input.grid_overlap = overlap;
      good(o);
      const Picture expected = mosaic<T>(tiles, overlap, fill);
      const auto pages = tiff_pages(o.output);
      ASSERT_EQ(pages[0].size, expected.size);
      EXPECT_TRUE(pages[0].samples == expected.samples);
    }
  }
};

TEST_F(TilesMosaic, FirstOrMeanOfOverlapsAndFilledGaps) {
  expect_mosaic<uint8_t>("gray8", 1, 0, 255, 7);
  expect_mosaic<uint16_t>("rgb16", 3, 0, 65535, 65535);
  expect_mosaic<int16_t>("gray16s", 1, -32768, 32767, -5);
  expect_mosaic<uint32_t>("rg32", 2, 0, 4294967295.0, 0);
  expect_mosaic<float>("gray32f", 1, -1000, 1000, 0.5);
}

// Of halves: 1, 2 and 3 overlap, the mean of 1 and 2 is 1.5.
TEST_F(TilesMosaic, Halves) {
  const uint16_t kHalves[] = {0x3C00, 0x4000, 0x4200};
  for (int i = 0; i < 3; ++i) {
    const std::vector<uint16_t> samples(size_t{8} * 4, kHalves[i]);
    files_test::save(directory_ / ("h" + std::to_string(i) + ".raw"), std::as_bytes(std::span(samples)));
  }
  save_table("file,x,y\nh0.raw,0,0\nh1.raw,4,0\nh2.raw,6,0\n");
  TileOptions o = table_options("out.zarr");
  o.input.raw = "8x4:gray16f";
  o.input.grid_overlap = GridOverlap::kAverage;
  onepass::tiles::WorkerPool pool(1);
  const auto source = onepass::tiles::open_source(o.input, pool);
  ASSERT_TRUE(source.ok()) << source.error().text();
  std::vector<uint16_t> row(14);
  ASSERT_TRUE((*source)->read(1, reinterpret_cast<std::byte*>(row.data()), 28));
  constexpr uint16_t kMeanOf12 = 0x3E00, kMeanOf23 = 0x4100;
  const std::vector<uint16_t> expected = {0x3C00, 0x3C00,    0x3C00,    0x3C00,    kMeanOf12, kMeanOf12, 0x4000,
                                          0x4000, kMeanOf23, kMeanOf23, kMeanOf23, kMeanOf23, 0x4200,    0x4200};
  EXPECT_EQ(row, expected);
}

TEST_F(TilesMosaic, MeansOfColoursWithAlphaAreRefused) {
  const Picture picture = random_picture({8, 4}, 4, 0, 255);
  save_raw<uint8_t>(directory_ / "a.raw", picture);
  save_table("file,x,y\na.raw,0,0\n");
  TileOptions o = table_options("out.tif");
  o.input.raw = "8x4:rgba8";
  good(o);
  o.input.grid_overlap = GridOverlap::kAverage;
  bad(o, ErrorCode::kUnsupported, {"table.csv", "grid_overlap: average is for numbers, but the files have alpha"});
}

// Rows of shards begin inside tiles, and tiles above them are not read.
TEST_F(TilesMosaic, ShardsAndThreadsMakeTheSameBytes) {
  make<uint8_t>({{0, 0, 60, 90}, {50, 10, 60, 90}, {0, 80, 110, 70}, {5, 140, 105, 60}, {0, 150, 30, 50}}, "gray8", 1,
                0, 255);
  TileOptions o = table_options("whole.dzi");
  o.tile_format = TileFormat::kPng;
  o.compression = TileCompression::kAuto;
  o.input.grid_fill = 1;
  o.input.grid_overlap = GridOverlap::kAverage;
  o.threads = 1;
  good(o);
  const auto files = tree(directory_ / "whole_files");
  o.output = directory_ / "out.dzi";
  o.threads = 3;
  for (const uint32_t shard : {2, 0, 1}) {
    o.shard = {shard, 3};
    good(o);
  }
  o.shard = {};
  o.merge = 3;
  TileOptions other = o;
  other.input.grid_fill = 2;
  bad(other, ErrorCode::kInvalidArgument, {"grid_fill", "holds shards"});
  other = o;
  other.input.grid_overlap = GridOverlap::kFirst;
  bad(other, ErrorCode::kInvalidArgument, {"grid_overlap", "'first'", "'average'"});
  const auto time = std::filesystem::last_write_time(directory_ / "t3.tif");
  std::filesystem::last_write_time(directory_ / "t3.tif", time + std::chrono::seconds(1));
  bad(o, ErrorCode::kInvalidArgument, {"table.csv has another size or time than when shards"});
  std::filesystem::last_write_time(directory_ / "t3.tif", time);
  good(o);
  EXPECT_TRUE(tree(directory_ / "out_files") == files);
}

TEST_F(TilesMosaic, TablesOfOtherPrograms) {
  auto tiles = make<uint8_t>({{0, 0, 20, 16}, {20, 0, 20, 16}}, "gray8", 1, 0, 255);
  std::filesystem::create_directory(directory_ / "a, \"b\"");
  std::filesystem::rename(directory_ / "t1.tif", directory_ / "a, \"b\"" / "t1.tif");
  save_table(
      "\xEF\xBB\xBFname,Y, X ,File\r\n\"one\",0,0,t0.tif\r\n\r\n\"two\nlines\",0.2,2e1,\"a, \"\"b\"\"/t1.tif\"\r\n");
  TileOptions o = table_options("out.tif");
  good(o);
  EXPECT_TRUE(tiff_pages(o.output)[0].samples == mosaic<uint8_t>(tiles, GridOverlap::kFirst, 0).samples);
}

TEST_F(TilesMosaic, SaysWhatIsWrong) {
  make<uint8_t>({{0, 0, 20, 16}, {20, 0, 20, 16}}, "gray8", 1, 0, 255);
  const TileOptions fine = table_options("out.tif");
  const auto refuse = [&](const std::string& table, ErrorCode code, const std::vector<std::string>& words) {
    SCOPED_TRACE(table);
    save_table(table);
    bad(fine, code, words);
    EXPECT_FALSE(std::filesystem::exists(fine.output));
  };
  const auto data = ErrorCode::kBadData;
  refuse("", data, {"table.csv: line 1: does not name the columns file, x and y"});
  refuse("file,x\nt0.tif,0\n", data, {"line 1: does not name"});
  refuse("file,x,y\n", data, {"line 1: names no file"});
  refuse("file,x,y\nt0.tif,0,0\n,1,2\n", data, {"line 3: names no file"});
  refuse("file,x,y\nt0.tif,0,zero\n", data, {"line 2: 'zero' is no position y"});
  refuse("file,x,y\nt0.tif,,0\n", data, {"line 2: '' is no position x"});
  refuse("file,x,y\nt0.tif,nan,0\n", data, {"'nan' is no position x"});
  refuse("file,x,y\nt0.tif,3e9,0\n", data, {"'3e9' is no position x"});
  refuse("file,x,y\nt0.tif,0,0\n\"t1.tif,0,0\n", data, {"line 3: a quote is not closed"});
  refuse("file,x,y\nt0.tif,0,0\n\n./t0.tif,20,0\n", data, {"line 4: './t0.tif' is also in line 2"});
  refuse("file,x,y\nhttps://host/a.tif,0,0\n", data, {"line 2: ", "https://host/a.tif", "download"});
  refuse("file,x,y\nt0.tif,-2e9,0\nt1.tif,2e9,0\n", ErrorCode::kUnsupported, {"more than 2^31 - 2 pixels apart"});
  refuse("file,x,y\nt0.tif,0,0\nt1.tif,2147483640,0\n", ErrorCode::kUnsupported, {"more than 2^31 - 1 columns"});
  refuse("file,x,y\nt0.tif,0,0\nnone.tif,0,0\n", ErrorCode::kNotFound, {"none.tif"});
  std::filesystem::create_directory(directory_ / "folder");
  refuse("file,x,y\nfolder,0,0\n", ErrorCode::kUnsupported, {"is a directory"});
  refuse("file,x,y\nt0.tif,0,0\nt1.tif,21,0\n", data, {"no file covers pixel (20, 0)", "fill"});
  refuse("file,x,y\nt0.tif,0,0\nt1.tif,10,5\n", data, {"no file covers pixel (20, 0)"});
  refuse("file,x,y\nt0.tif,0,0\nt1.tif,0,17\n", data, {"no file covers pixel (0, 16)"});
  Tile other{"t2.tif", 0, 0, random_picture({20, 16}, 1, 0, 255)};
  save_tile<uint16_t>(other, "gray16");
  refuse("file,x,y\nt0.tif,0,0\nt2.tif,20,0\n", data,
         {"t2.tif: has 1 channel of uint16, but ", "t0.tif has 1 channel of uint8"});
  other.picture = random_picture({20, 16}, 3, 0, 255);
  save_tile<uint8_t>(other, "rgb8");
  refuse("file,x,y\nt0.tif,0,0\nt2.tif,20,0\n", data, {"t2.tif: has 3 channels of uint8"});

  save_table("file,x,y\nt0.tif,0,0\nt1.tif,30,0\n");
  const auto refuse_option = [&](ErrorCode code, const char* words, const std::function<void(TileOptions&)>& change) {
    TileOptions o = fine;
    change(o);
    bad(o, code, {words});
  };
  const auto argument = ErrorCode::kInvalidArgument;
  refuse_option(argument, "grid_fill: 256 is no uint8", [](auto& o) { o.input.grid_fill = 256; });
  refuse_option(argument, "grid_fill: -1 is no uint8", [](auto& o) { o.input.grid_fill = -1; });
  refuse_option(argument, "grid_fill: 0.5 is no uint8", [](auto& o) { o.input.grid_fill = 0.5; });
  refuse_option(argument, "grid_fill: nan is no uint8", [](auto& o) { o.input.grid_fill = NAN; });
  refuse_option(argument, "grid_overlap: choose", [](auto& o) { o.input.grid_overlap = static_cast<GridOverlap>(2); });
  refuse_option(argument, "grid_fill: is for a table", [](auto& o) {
    o.input.grid = "t{x}_{y}.tif";
    o.input.grid_fill = 1;
  });
  refuse_option(argument, "grid_overlap: average is for a table", [](auto& o) {
    o.input.grid = "t{x}_{y}.tif";
    o.input.grid_overlap = GridOverlap::kAverage;
  });
  refuse_option(ErrorCode::kUnsupported, "the files have sRGB colours", [](auto& o) {
    o.input.grid_fill = 0;
    o.input.grid_overlap = GridOverlap::kAverage;
    o.color = Color::kSrgb;
  });
  refuse_option(ErrorCode::kNotFound, "none.csv", [](auto& o) { o.input.grid = "none.csv"; });
}

TEST_F(TilesMosaic, InputsAreNotOutputs) {
  make<uint8_t>({{0, 0, 20, 16}, {20, 0, 20, 16}}, "gray8", 1, 0, 255);
  bad(table_options("t1.tif"), ErrorCode::kInvalidArgument, {"output", "t1.tif"});
  EXPECT_TRUE(std::filesystem::exists(directory_ / "t1.tif"));
}

// Readers exist for the tiles of a row only: a high mosaic takes no more memory than a low one.
TEST_F(TilesMosaic, MemoryIsThatOfTheTilesInARow) {
  onepass::tiles::WorkerPool pool(1);
  const auto memory = [&](double count) {
    std::vector<std::array<double, 4>> places;
    for (double i = 0; i < count; ++i) places.push_back({0, 10 * i, 40, 16});
    make<uint8_t>(places, "gray8", 1, 0, 255);
    const auto source = onepass::tiles::open_source(table_options("out.tif").input, pool);
    EXPECT_TRUE(source.ok()) << (source.ok() ? "" : source.error().text());
    return (*source)->memory_bytes();
  };
  const uint64_t two = memory(2);
  EXPECT_GT(two, 0U);
  EXPECT_EQ(memory(30), two);
  EXPECT_LT(memory(1), two);
}

}  // namespace
}  // namespace tiles_test

// tiles_shards_test.cpp: pyramids made in shards against those of one run, byte for byte; the rows and bytes of shards
// against the formulas of docs/cluster.md.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <string>

#include "onepass/tiles.hpp"
#include "tests/files/files_support.hpp"

namespace {

using files_test::Bytes;
using files_test::TempDirectory;
using onepass::ErrorCode;
using onepass::Extent;
using onepass::Reduction;
using onepass::tiles::make_tiles;
using onepass::tiles::TileCompression;
using onepass::tiles::TileFormat;
using onepass::tiles::TileOptions;
using onepass::tiles::TileReport;
using onepass::tiles::unfinished_path;

// All entries below a directory, with the bytes of files.
std::map<std::string, Bytes> tree(const std::filesystem::path& root) {
  std::map<std::string, Bytes> files;
  if (!std::filesystem::exists(root)) return files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    files[std::filesystem::relative(entry, root)] = entry.is_regular_file() ? files_test::load(entry) : Bytes();
  }
  return files;
}

class TileShards : public ::testing::Test {
 protected:
  TempDirectory directory_;

  // A picture of random bytes, smooth enough for JPEG tiles of different sizes.
  [[nodiscard]] TileOptions options(Extent size, const std::string& format, size_t pixel_bytes) const {
    Bytes bytes(pixel_bytes * size.width * size.height);
    uint32_t state = 1;
    for (size_t i = 0; i < bytes.size(); ++i) {
      state = state * 1664525 + 1013904223;
      bytes[i] = static_cast<std::byte>((i >> 7) + (state >> 28));
    }
    files_test::save(directory_ / "in.raw", bytes);
    TileOptions o;
    o.input.path = directory_ / "in.raw";
    o.input.raw = std::to_string(size.width) + "x" + std::to_string(size.height) + ":" + format;
    o.tile_size = 16;
    o.threads = 2;
    return o;
  }
  [[nodiscard]] TileOptions to(TileOptions o, const std::string& folder, const std::string& name) const {
    std::filesystem::create_directories(directory_ / folder);
    o.output = directory_ / folder / name;
    return o;
  }
  static TileReport good(const TileOptions& o) {
    auto report = make_tiles(o);
    EXPECT_TRUE(report.ok()) << (report.ok() ? "" : report.error().text());
    return report.ok() ? *report : TileReport();
  }
  static TileReport shard(TileOptions o, uint32_t index, uint32_t count) {
    o.shard = {index, count};
    return good(o);
  }
  static TileReport merge(TileOptions o, uint32_t count) {
    o.merge = count;
    return good(o);
  }
  static void bad(const TileOptions& o, ErrorCode code, const std::vector<std::string>& words) {
    const auto report = make_tiles(o);
    ASSERT_FALSE(report.ok());
    EXPECT_EQ(report.error().code, code) << report.error().text();
    for (const std::string& word : words) {
      EXPECT_NE(report.error().text().find(word), std::string::npos) << report.error().text();
    }
  }
  // Makes one run and runs of several numbers of shards, some of them twice and in another order.
  void expect_same(const TileOptions& o, const std::string& name) {
    good(to(o, "whole", name));
    const auto whole = tree(directory_ / "whole");
    for (const uint32_t count : {1U, 2U, 3U, 7U}) {
      const TileOptions part = to(o, "parts", name);
      for (uint32_t i = 0; i < count; ++i) shard(part, (i * 3 + 1) % count, count);
      if (count % 3 == 0) {
        for (uint32_t i = 0; i < count; ++i) shard(part, i, count);
      } else {
        EXPECT_TRUE(shard(part, 0, count).traffic.was_complete);
      }
      merge(part, count);
      const auto parts = tree(directory_ / "parts");
      EXPECT_EQ(parts.size(), whole.size());
      EXPECT_TRUE(parts == whole) << name << " " << o.input.raw << ", " << count << " shards";
      std::filesystem::remove_all(directory_ / "parts");
    }
    std::filesystem::remove_all(directory_ / "whole");
  }
};

struct Target {
  const char* name;
  bool cog;
  int overlap;
};
constexpr Target kTargets[] = {{"out.dzi", false, 1},  {"out.dzi", false, 0}, {"out.dzi", false, 8},
                               {"out.tif", false, -1}, {"out.tif", true, -1}, {"out.zarr", false, -1}};

TEST_F(TileShards, EveryNumberOfShardsMakesTheSameBytes) {
  // Shards end at multiples of 128 rows: some sizes end there, too, some one row later.
  for (const Extent size : {Extent{131, 1237}, Extent{300, 1024}, Extent{61, 897}, Extent{200, 100}, Extent{1, 1}}) {
    TileOptions o = options(size, "rgb8", 3);
    for (const Target& target : kTargets) {
      o.cog = target.cog;
      o.overlap = target.overlap;
      expect_same(o, target.name);
    }
  }
}

TEST_F(TileShards, EveryKindOfPixelsMakesTheSameBytes) {
  struct Kind {
    const char* format;
    size_t bytes;
  };
  for (const Kind& kind : {Kind{"gray8", 1}, Kind{"rg8", 2}, Kind{"rgba8", 4}, Kind{"gray16", 2}, Kind{"rgb16", 6},
                           Kind{"rgba16", 8}, Kind{"rg16s", 4}, Kind{"gray32", 4}, Kind{"rgb32s", 12}}) {
    for (const Reduction reduction : {Reduction::kMean, Reduction::kMax}) {
      TileOptions o = options({77, 1111}, kind.format, kind.bytes);
      o.compression = TileCompression::kDeflate;
      o.reduction = reduction;
      expect_same(o, "out.tif");
    }
  }
}

// Enough rows of tiles that shards make six levels.
TEST_F(TileShards, ManyRowsMakeCoarserShards) {
  TileOptions o = options({40, 17001}, "rgb8", 3);
  for (const Target& target : kTargets) {
    o.cog = target.cog;
    o.overlap = target.overlap;
    good(to(o, "whole", target.name));
    const TileOptions part = to(o, "parts", target.name);
    for (uint32_t i = 0; i < 4; ++i) {
      EXPECT_EQ(shard(part, i, 4).traffic.kept_level, target.overlap == 8 ? 3U : 6U) << target.name;
    }
    merge(part, 4);
    EXPECT_TRUE(tree(directory_ / "parts") == tree(directory_ / "whole")) << target.name;
    std::filesystem::remove_all(directory_ / "parts");
    std::filesystem::remove_all(directory_ / "whole");
  }
}

TEST_F(TileShards, InputsOfEveryTypeAreEnteredInTheMiddle) {
  TileOptions o = options({150, 700}, "rgb8", 3);
  o.compression = TileCompression::kNone;
  for (const TileCompression compression : {TileCompression::kNone, TileCompression::kDeflate}) {
    o.compression = compression;
    o.tile_size = 48;  // rows of blocks of the input that do not end where shards end
    good(to(o, "inputs", "in.tif"));
    TileOptions next;
    next.input.path = directory_ / "inputs" / "in.tif";
    next.tile_size = 16;
    expect_same(next, "out.dzi");
  }
  struct File {
    const char* name;
    onepass::Format format;
    const char* output;
  };
  for (const File& file :
       {File{"in.png", onepass::Format::kRGBA8Srgb, "out.dzi"}, File{"in.jpg", onepass::Format::kRGBA8Srgb, "out.dzi"},
        File{"in.ktx2", onepass::Format::kRGBA8Srgb, "out.dzi"},
        File{"in.exr", onepass::Format::kRGBA16Sfloat, "out.tif"}}) {
    auto image = onepass::Image::create(file.format, {150, 700});
    ASSERT_TRUE(image.ok());
    auto* bytes = static_cast<std::byte*>(image->view().data);
    for (size_t i = 0; i < image->size_in_bytes(); ++i) bytes[i] = static_cast<std::byte>((i * i >> 9) & 0x3F);
    const std::vector<onepass::ImageView> views{image->view()};
    ASSERT_TRUE(onepass::files::write(directory_ / file.name, views, {}).ok()) << file.name;
    TileOptions next;
    next.input.path = directory_ / file.name;
    next.tile_size = 16;
    expect_same(next, file.output);
  }
}

TEST_F(TileShards, GridsAreEnteredInTheMiddle) {
  for (uint32_t y = 0; y < 4; ++y) {
    for (uint32_t x = 0; x < 2; ++x) {
      const uint32_t height = 100 + 60 * y;
      files_test::PngSpec png{.width = 40, .height = height, .colour_type = 2};
      for (uint32_t i = 0; i < 40 * 3 * height; ++i) png.samples.push_back((i * i + 31 * x + 17 * y) % 251);
      files_test::save(directory_ / ("g_" + std::to_string(x) + "_" + std::to_string(y) + ".png"),
                       files_test::make_png(png));
    }
  }
  TileOptions o;
  o.input.grid = directory_ / "g_{x}_{y}.png";
  o.tile_size = 16;
  for (const char* name : {"out.dzi", "out.tif"}) expect_same(o, name);
}

// The model of docs/cluster.md, from its formulas.
TEST_F(TileShards, RowsAndBytesAreThoseOfTheModel) {
  const Extent size{131, 1237};
  TileOptions o = to(options(size, "rgb8", 3), "parts", "out.dzi");
  const uint32_t count = 3;
  const uint32_t tile = 16, overlap = 1, k = 3;
  const uint32_t top_height = (size.height + 7) / 8, top_width = (size.width + 7) / 8;
  const uint32_t rows = (top_height + tile - 1) / tile;
  uint64_t kept = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const auto traffic = shard(o, i, count).traffic;
    const uint32_t begin = std::min(rows * i / count * tile << k, size.height);
    const uint32_t end = std::min(rows * (i + 1) / count * tile << k, size.height);
    const uint32_t above = i > 0 ? overlap << k : 0;
    const uint32_t below = std::min(overlap << k, size.height - end);
    EXPECT_EQ(traffic.first_row, begin);
    EXPECT_EQ(traffic.rows, end - begin);
    EXPECT_EQ(traffic.rows_read, end - begin + above + below);
    EXPECT_EQ(traffic.rows_skipped, begin - above);
    EXPECT_EQ(traffic.base_bytes, uint64_t{3} * size.width * traffic.rows_read);
    EXPECT_EQ(traffic.kept_level, k);
    EXPECT_EQ(traffic.kept_bytes, uint64_t{12} * top_width * ((end - begin + 7) / 8));  // three floats per texel
    kept += traffic.kept_bytes;
  }
  EXPECT_EQ(merge(o, count).traffic.kept_bytes, kept);
  o = to(o, "parts", "out.tif");
  o.compression = TileCompression::kNone;
  uint64_t tiles = 0;
  for (uint32_t i = 0; i < count; ++i) tiles += shard(o, i, count).progress.bytes_written;
  EXPECT_EQ(merge(o, count).traffic.joined_bytes, tiles);
}

TEST_F(TileShards, MissingAndPartialShardsAreNamed) {
  TileOptions o = to(options({131, 1237}, "rgb8", 3), "parts", "out.tif");
  TileOptions joined = o;
  joined.merge = 7;
  bad(joined, ErrorCode::kNotFound, {"out.tif.unfinished", "no shard of 7"});
  EXPECT_FALSE(std::filesystem::exists(unfinished_path(o.output)));
  for (const uint32_t i : {1U, 3U}) shard(o, i, 7);
  bad(joined, ErrorCode::kNotFound, {"shards 0, 2, 4 to 6 of 7 are missing"});
  for (const uint32_t i : {0U, 2U, 4U, 6U}) shard(o, i, 7);
  bad(joined, ErrorCode::kNotFound, {"shard 5 of 7 is missing"});
  TileOptions cut = o;
  cut.shard = {5, 7};
  cut.progress = [](const onepass::tiles::TileProgress& p) { return p.rows == 0 && p.tiles == 0; };
  bad(cut, ErrorCode::kCancelled, {"interrupted", "run the shard again"});
  bad(joined, ErrorCode::kNotFound, {"shard 5 of 7 is not complete"});
  shard(o, 5, 7);
  // A file that is shorter than it was.
  const auto rows = unfinished_path(o.output) / "shard_2" / "rows";
  const auto bytes = std::filesystem::file_size(rows);
  ASSERT_GT(bytes, 100);
  std::filesystem::resize_file(rows, bytes - 100);
  bad(joined, ErrorCode::kBadData, {"shard 2/7 is damaged", "rows", std::to_string(bytes)});
  EXPECT_FALSE(std::filesystem::exists(o.output));
  std::filesystem::remove_all(rows.parent_path());
  shard(o, 2, 7);
  good(joined);
  EXPECT_EQ(tree(directory_ / "parts").size(), 1);
}

TEST_F(TileShards, OtherOptionsAndInputsAreRefusedByName) {
  const TileOptions o = to(options({131, 1237}, "rgb8", 3), "parts", "out.tif");
  shard(o, 0, 2);
  const auto refuse = [&](const std::function<void(TileOptions&)>& change, const std::vector<std::string>& words) {
    for (const bool merging : {false, true}) {
      TileOptions other = o;
      if (merging) other.merge = 2;
      if (!merging) other.shard = {1, 2};
      change(other);
      bad(other, ErrorCode::kInvalidArgument, words);
    }
  };
  refuse([](TileOptions& x) { x.quality = 30; }, {"quality: '30'", "shards with '75'"});
  refuse([](TileOptions& x) { x.compression = TileCompression::kZstd; }, {"compression: 'zstd'", "'jpeg'"});
  refuse([](TileOptions& x) { x.tile_size = 32; }, {"tile_size: '32'", "'16'"});
  refuse([](TileOptions& x) { x.levels = 2; }, {"levels: '2'"});
  refuse([](TileOptions& x) { x.reduction = Reduction::kMin; }, {"reduction: 'min'", "'mean'"});
  refuse([](TileOptions& x) { x.color = onepass::files::Color::kLinear; }, {"color: 'linear'", "'srgb'"});
  refuse([](TileOptions& x) { x.cog = true; }, {"cog: 'on'", "'off'"});
  refuse([](TileOptions& x) { x.input.raw = "1237x131:rgb8"; }, {"raw: '1237x131:rgb8'"});
  TileOptions other = o;
  other.shard = {1, 3};
  bad(other, ErrorCode::kInvalidArgument, {"shard: 3 shards", "shards of 2"});
  other = o;
  other.merge = 3;
  bad(other, ErrorCode::kInvalidArgument, {"merge: 3 shards", "shards of 2"});
  bad(o, ErrorCode::kInvalidArgument, {"out.tif.unfinished", "holds shards"});
  std::filesystem::last_write_time(o.input.path, std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  refuse([](TileOptions&) {}, {"in.raw", "another size or time"});
  std::filesystem::remove_all(unfinished_path(o.output));
  other = o;
  other.progress = [](const onepass::tiles::TileProgress& p) { return p.rows < 200; };
  bad(other, ErrorCode::kCancelled, {"resume"});
  other.shard = {0, 2};
  bad(other, ErrorCode::kInvalidArgument, {"out.tif.unfinished", "without shards"});
}

TEST_F(TileShards, OptionsWithoutMeaningAreNamed) {
  TileOptions o = to(options({20, 20}, "rgb8", 3), "parts", "out.tif");
  const auto refuse = [&](const std::function<void(TileOptions&)>& change, const std::vector<std::string>& words) {
    TileOptions other = o;
    change(other);
    bad(other, ErrorCode::kInvalidArgument, words);
    EXPECT_TRUE(tree(directory_ / "parts").empty());
  };
  refuse([](TileOptions& x) { x.shard = {3, 3}; }, {"shard: 3/3"});
  refuse([](TileOptions& x) { x.shard = {0, 2000000}; }, {"shard: 0/2000000"});
  refuse([](TileOptions& x) { x.merge = 2000000; }, {"merge: 2000000"});
  refuse(
      [](TileOptions& x) {
        x.shard = {0, 2};
        x.merge = 2;
      },
      {"merge: a run makes a shard or merges"});
  refuse(
      [](TileOptions& x) {
        x.shard = {0, 2};
        x.resume = true;
      },
      {"resume"});
  o.output = directory_ / "parts" / "out.ktx2";
  o.tile_size = 0;
  refuse([](TileOptions& x) { x.shard = {0, 2}; }, {"shard", "KTX2"});
  refuse([](TileOptions& x) { x.merge = 2; }, {"merge", "KTX2"});
}

TEST_F(TileShards, OldOutputsStayUntilTheMerge) {
  const TileOptions o = to(options({131, 1237}, "rgb8", 3), "parts", "out.dzi");
  good(o);
  const auto old = tree(directory_ / "parts");
  TileOptions next = o;
  next.quality = 30;
  shard(next, 0, 2);
  shard(next, 1, 2);
  auto now = tree(directory_ / "parts");
  std::erase_if(now, [](const auto& file) { return file.first.starts_with("out.dzi.unfinished"); });
  EXPECT_TRUE(now == old);
  TileOptions joined = next;
  joined.merge = 2;
  joined.progress = [](const onepass::tiles::TileProgress&) { return false; };
  bad(joined, ErrorCode::kCancelled, {"run the merge again"});
  merge(next, 2);
  const auto made = tree(directory_ / "parts");
  EXPECT_EQ(made.size(), old.size());
  EXPECT_FALSE(made == old);
}

TEST_F(TileShards, DamagedInputLeavesNoShard) {
  TileOptions o = to(options({200, 900}, "rgb8", 3), "inputs", "in.tif");
  o.compression = TileCompression::kDeflate;
  good(o);
  Bytes bytes = files_test::load(o.output);
  std::fill(bytes.begin() + 20000, bytes.begin() + 40000, std::byte{0x55});
  files_test::save(o.output, bytes);
  TileOptions damaged;
  damaged.input.path = o.output;
  damaged.tile_size = 16;
  damaged = to(damaged, "parts", "out.tif");
  damaged.shard = {0, 2};
  bad(damaged, ErrorCode::kBadData, {"in.tif", "row"});
  EXPECT_FALSE(std::filesystem::exists(unfinished_path(damaged.output) / "shard_0"));
  EXPECT_FALSE(std::filesystem::exists(damaged.output));
}

}  // namespace

// tiles_labels_test.cpp: pyramids of labels (Reduction::kMode) against their definition, by counting.
#include <functional>

#include "tests/tiles/tiles_support.hpp"

namespace tiles_test {
namespace {

// The next coarser level: of what exists of each block of 2x2 labels the most frequent, of several the smallest.
Picture coarser_labels(const Picture& fine) {
  Picture coarse{{(fine.size.width + 1) / 2, (fine.size.height + 1) / 2}, 1, {}};
  for (uint32_t y = 0; y < coarse.size.height; ++y) {
    for (uint32_t x = 0; x < coarse.size.width; ++x) {
      std::map<double, int> counts;
      for (uint32_t j = 2 * y; j < std::min(2 * y + 2, fine.size.height); ++j) {
        for (uint32_t i = 2 * x; i < std::min(2 * x + 2, fine.size.width); ++i) ++counts[fine.at(i, j, 0)];
      }
      auto best = counts.begin();  // a later label wins only if it is more frequent
      for (auto label = counts.begin(); label != counts.end(); ++label) {
        if (label->second > best->second) best = label;
      }
      coarse.samples.push_back(best->first);
    }
  }
  return coarse;
}

// `count` labels from 0 to `most`: few of them, so that many blocks have pairs of equal labels.
Picture random_labels(Extent size, double most, uint32_t count = 4) {
  Picture labels = random_picture(size, 1, 0, count - 1);
  for (double& label : labels.samples) label = std::floor(label * most / (count - 1));
  return labels;
}

void expect_labels(const Picture& got, const Picture& want, const std::string& what) {
  EXPECT_EQ(got.channels, 1) << what;
  EXPECT_EQ(got.size, want.size) << what;
  EXPECT_TRUE(got.samples == want.samples) << what;
}

struct LabelKind {
  const char* raw;
  uint16_t bits;
  double most;
  void (*save)(const std::filesystem::path&, const Picture&);
};
constexpr LabelKind kLabelKinds[] = {{"gray8", 8, 255, &save_raw<uint8_t>},
                                     {"gray16", 16, 65535, &save_raw<uint16_t>},
                                     {"gray32", 32, 4294967295, &save_raw<uint32_t>}};

class TilesLabels : public Tiles {
 protected:
  [[nodiscard]] TileOptions labels(const LabelKind& kind, const Picture& base, const std::string& output) const {
    kind.save(directory_ / "in.raw", base);
    TileOptions o =
        options(std::to_string(base.size.width) + "x" + std::to_string(base.size.height) + ":" + kind.raw, output);
    o.reduction = Reduction::kMode;
    return o;
  }
  static void expect_tiff(const std::filesystem::path& path, Picture level, const std::string& what) {
    const auto pages = tiff_pages(path);
    ASSERT_FALSE(pages.empty());
    for (size_t n = 0; n < pages.size(); ++n) {
      expect_labels(pages[n], level, what + " level " + std::to_string(n));
      level = coarser_labels(level);
    }
  }
};

TEST_F(TilesLabels, TiffHasTheMostFrequentLabels) {
  for (const LabelKind& kind : kLabelKinds) {
    for (const Extent size : {Extent{1, 1}, Extent{131, 77}, Extent{16, 64}, Extent{3, 200}, Extent{1, 99}}) {
      for (const uint32_t count : {2U, 4U, 9U}) {
        const Picture base = random_labels(size, kind.most, count);
        TileOptions o = labels(kind, base, "out.tif");
        o.tile_size = 16;
        const auto report = good(o);
        EXPECT_EQ(report.encoding, "deflate");
        EXPECT_FALSE(report.srgb);
        expect_tiff(o.output, base, o.input.raw);
      }
    }
  }
}

TEST_F(TilesLabels, DeepZoomAndZarrHaveThemToo) {
  for (const LabelKind& kind : kLabelKinds) {
    Picture level = random_labels({131, 77}, kind.most);
    TileOptions o = labels(kind, level, "out.zarr");
    o.tile_size = 256;  // one chunk per level
    o.compression = TileCompression::kNone;
    o.levels = 8;
    good(o);
    if (kind.bits == 32) {
      o.output = directory_ / "out.dzi";
      o.compression = TileCompression::kAuto;
      bad(o, ErrorCode::kUnsupported, {"uint32"});
    } else {
      TileOptions deep = labels(kind, level, "out.dzi");
      deep.tile_size = 256;
      EXPECT_EQ(good(deep).encoding, "png");
    }
    for (uint32_t n = 0; n < 8; ++n, level = coarser_labels(level)) {
      SCOPED_TRACE(std::string(kind.raw) + " level " + std::to_string(n));
      const Bytes chunk = files_test::load(directory_ / ("out.zarr/" + std::to_string(n) + "/0/0"));
      ASSERT_EQ(chunk.size(), size_t{256} * 256 * kind.bits / 8);
      Picture got{level.size, 1, {}};
      for (uint32_t y = 0; y < level.size.height; ++y) {
        for (uint32_t x = 0; x < level.size.width; ++x) {
          got.samples.push_back(number(&chunk[(size_t{y} * 256 + x) * kind.bits / 8], kind.bits, 1));
        }
      }
      expect_labels(got, level, "zarr");
      if (kind.bits == 32) continue;
      const auto png =
          files_test::parse_png(files_test::load(directory_ / ("out_files/" + std::to_string(8 - n) + "/0_0.png")));
      expect_labels({{png.width, png.height}, 1, {png.samples.begin(), png.samples.end()}}, level, "png");
    }
    const Bytes text = files_test::load(directory_ / "out.zarr/.zattrs");
    EXPECT_NE(std::string(reinterpret_cast<const char*>(text.data()), text.size()).find("\"type\": \"mode\""),
              std::string::npos);
  }
}

TEST_F(TilesLabels, InputsOfEveryTypeKeepTheirLabels) {
  for (const LabelKind& kind : kLabelKinds) {
    const Picture base = random_labels({131, 77}, kind.most);
    std::vector<std::string> inputs = {"in.tif", "in.zarr"};
    for (const std::string& name : inputs) {
      TileOptions o = labels(kind, base, name);
      o.levels = 1;
      good(o);
    }
    if (kind.bits < 32) {
      inputs.emplace_back("in.png");
      files_test::save(directory_ / "in.png",
                       files_test::make_png({.width = 131,
                                             .height = 77,
                                             .bits = kind.bits,
                                             .colour_type = 0,
                                             .samples = {base.samples.begin(), base.samples.end()}}));
    }
    for (const std::string& name : inputs) {
      TileOptions o;
      o.input.path = directory_ / name;
      o.output = directory_ / "out.tif";
      o.reduction = Reduction::kMode;
      o.tile_size = 16;
      good(o);
      expect_tiff(o.output, base, name);
    }
  }
}

// Sizes where shards end, and enough rows of tiles that shards make six levels.
TEST_F(TilesLabels, ShardsThreadsAndResumptionMakeTheSameBytes) {
  for (const LabelKind& kind : kLabelKinds) {
    for (const Extent size : {Extent{77, 1024}, Extent{61, 1025}, Extent{20, 5003}}) {
      const Picture base = random_labels(size, kind.most);
      for (const std::string name : {"out.tif", "out.zarr", "out.dzi"}) {
        if (kind.bits == 32 && name == "out.dzi") continue;
        TileOptions o = labels(kind, base, name);
        SCOPED_TRACE(o.input.raw + " " + name);
        o.tile_size = 16;
        o.threads = 1;
        good(o);
        if (name == "out.tif") expect_tiff(o.output, base, name);
        const auto whole = tree(directory_.path());
        o.threads = 3;
        for (const uint32_t count : {1U, 2U, 3U, 7U}) {
          TileOptions part = o;
          for (part.shard = {0, count}; part.shard.index < count; ++part.shard.index) good(part);
          part.shard = {};
          part.merge = count;
          good(part);
          EXPECT_TRUE(tree(directory_.path()) == whole) << count << " shards";
        }
        o.progress = [](const onepass::tiles::TileProgress& p) { return p.rows < p.height; };
        bad(o, ErrorCode::kCancelled, {"interrupted"});
        o.progress = nullptr;
        o.resume = true;
        o.reduction = Reduction::kMax;
        bad(o, ErrorCode::kInvalidArgument, {"other options"});
        o.reduction = Reduction::kMode;
        good(o);
        EXPECT_TRUE(tree(directory_.path()) == whole) << "resumed";
      }
    }
  }
}

TEST_F(TilesLabels, WhatIsNoLabelIsNamed) {
  const auto refuse = [&](const std::string& format, const std::string& output,
                          const std::function<void(TileOptions&)>& change, const std::vector<std::string>& words,
                          ErrorCode code = ErrorCode::kInvalidArgument) {
    files_test::save(directory_ / "in.raw", Bytes(20 * 20 * 16));
    TileOptions o = options("20x20:" + format, output);
    o.reduction = Reduction::kMode;
    change(o);
    bad(o, code, words);
    EXPECT_FALSE(std::filesystem::exists(o.output));
    EXPECT_FALSE(std::filesystem::exists(onepass::tiles::unfinished_path(o.output)));
  };
  const auto keep = [](TileOptions&) {};
  for (const auto& [format, words] : {std::pair{"gray32f", "1 channel of float"},
                                      {"gray16f", "1 channel of half"},
                                      {"gray8s", "1 channel of int8"},
                                      {"rgb8", "3 channels of uint8"},
                                      {"rg16", "2 channels of uint16"},
                                      {"rgba8", "4 channels of uint8"}}) {
    refuse(format, "out.tif", keep, {"in.raw", "reduction", "mode", words}, ErrorCode::kUnsupported);
  }
  refuse("gray8", "out.tif", [](auto& o) { o.compression = TileCompression::kJpeg; }, {"compression: jpeg", "mode"});
  refuse("gray8", "out.dzi", [](auto& o) { o.tile_format = TileFormat::kJpeg; }, {"tile_format: jpeg", "png"});
  refuse("gray8", "out.dzi", [](auto& o) { o.tile_format = TileFormat::kWebp; }, {"tile_format: webp", "png"});
  refuse("gray8", "out.tif", [](auto& o) { o.color = Color::kSrgb; }, {"color: srgb", "mode"});
  refuse("gray8", "out.tif", [](auto& o) { o.color = Color::kLinear; }, {"color: linear", "mode"});
  refuse("gray8", "out.ktx2", keep, {"reduction: mode", ".zarr"});
  refuse("gray8", "out.exr", keep, {"reduction: mode", ".zarr"});
}

}  // namespace
}  // namespace tiles_test

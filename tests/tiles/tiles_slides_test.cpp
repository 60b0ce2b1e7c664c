// tiles_slides_test.cpp: whole slides as inputs of tiles. The slides are TIFF files with the description that Aperio's
// have; the same pixels as a plain TIFF file give the same levels.
#include <tiffio.h>

#include "tests/tiles/tiles_support.hpp"

namespace tiles_test {
namespace {

struct SlideSpec {
  Extent size;
  uint16_t compression = COMPRESSION_ADOBE_DEFLATE;
  bool is_aperio = true;
  uint32_t missing = UINT32_MAX;  // number of a tile that is not stored
};

constexpr uint32_t kTile = 64;

// Tiles of 64 with smooth colours and noise.
void save_slide(const std::filesystem::path& path, const SlideSpec& spec) {
  TIFF* tiff = TIFFOpen(path.c_str(), "w");
  ASSERT_NE(tiff, nullptr);
  const bool jpeg = spec.compression == COMPRESSION_JPEG;
  TIFFSetField(tiff, TIFFTAG_IMAGEWIDTH, spec.size.width);
  TIFFSetField(tiff, TIFFTAG_IMAGELENGTH, spec.size.height);
  TIFFSetField(tiff, TIFFTAG_TILEWIDTH, kTile);
  TIFFSetField(tiff, TIFFTAG_TILELENGTH, kTile);
  TIFFSetField(tiff, TIFFTAG_BITSPERSAMPLE, 8);
  TIFFSetField(tiff, TIFFTAG_SAMPLESPERPIXEL, 3);
  TIFFSetField(tiff, TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
  TIFFSetField(tiff, TIFFTAG_COMPRESSION, spec.compression);
  TIFFSetField(tiff, TIFFTAG_PHOTOMETRIC, jpeg ? PHOTOMETRIC_YCBCR : PHOTOMETRIC_RGB);
  if (jpeg) TIFFSetField(tiff, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  if (spec.is_aperio) {
    TIFFSetField(tiff, TIFFTAG_IMAGEDESCRIPTION, "Aperio Image Library v10.0.0\r\n1x1|AppMag = 40|MPP = 0.25");
  }
  uint32_t state = 1;
  std::vector<uint8_t> tile(size_t{kTile} * kTile * 3);
  uint32_t number = 0;
  for (uint32_t y = 0; y < spec.size.height; y += kTile) {
    for (uint32_t x = 0; x < spec.size.width; x += kTile, ++number) {
      for (size_t i = 0; i < tile.size(); ++i) {
        state = state * 1664525 + 1013904223;
        tile[i] = static_cast<uint8_t>((x + y + i / kTile) % 200 + (state >> 27));
      }
      if (number == spec.missing && spec.is_aperio) continue;
      if (number == spec.missing) std::fill(tile.begin(), tile.end(), uint8_t{255});
      EXPECT_GT(TIFFWriteTile(tiff, tile.data(), x, y, 0, 0), 0);
    }
  }
  TIFFClose(tiff);
}

class TilesSlides : public Tiles {
 protected:
  void SetUp() override {
    if (onepass::tiles::openslide_version().empty()) GTEST_SKIP() << "no OpenSlide (libopenslide0)";
  }
  [[nodiscard]] TileOptions from(const std::string& input, const std::string& output) const {
    TileOptions o;
    o.input.path = directory_ / input;
    o.output = directory_ / output;
    o.tile_size = 32;
    if (o.output.extension() == ".tif") o.compression = TileCompression::kDeflate;
    return o;
  }
};

TEST_F(TilesSlides, LevelsAreThoseOfThePlainTiff) {
  for (const int compression : {COMPRESSION_NONE, COMPRESSION_ADOBE_DEFLATE, COMPRESSION_JPEG}) {
    for (const Extent size : {Extent{64, 64}, Extent{1100, 331}, Extent{70, 1301}}) {
      SCOPED_TRACE(std::to_string(compression) + ", " + std::to_string(size.width));
      save_slide(directory_ / "in.svs", {.size = size, .compression = static_cast<uint16_t>(compression)});
      save_slide(directory_ / "in.tif",
                 {.size = size, .compression = static_cast<uint16_t>(compression), .is_aperio = false});
      const auto report = good(from("in.svs", "slide.tif"));
      const auto plain = good(from("in.tif", "plain.tif"));
      EXPECT_EQ(report.channels, 3U);
      EXPECT_EQ(report.srgb, plain.srgb);
      const auto got = tiff_pages(directory_ / "slide.tif");
      const auto want = tiff_pages(directory_ / "plain.tif");
      ASSERT_EQ(got.size(), want.size());
      for (size_t n = 0; n < got.size(); ++n) {
        EXPECT_EQ(got[n].size, want[n].size) << n;
        EXPECT_TRUE(got[n].samples == want[n].samples) << n;
      }
    }
  }
}

TEST_F(TilesSlides, TheSizeOfPixelsPassesOn) {
  save_slide(directory_ / "in.SVS", {.size = {200, 100}});
  good(from("in.SVS", "out.tif"));
  TIFF* tiff = TIFFOpen((directory_ / "out.tif").c_str(), "r");
  ASSERT_NE(tiff, nullptr);
  float x = 0;
  uint16_t unit = 0;
  TIFFGetField(tiff, TIFFTAG_XRESOLUTION, &x);
  TIFFGetField(tiff, TIFFTAG_RESOLUTIONUNIT, &unit);
  TIFFClose(tiff);
  EXPECT_FLOAT_EQ(x, 40000);  // 0.25 um
  EXPECT_EQ(unit, RESUNIT_CENTIMETER);
  good(from("in.SVS", "out.zarr"));
  const Bytes text = files_test::load(directory_ / "out.zarr/.zattrs");
  EXPECT_NE(std::string(reinterpret_cast<const char*>(text.data()), text.size()).find("0.25"), std::string::npos);
}

TEST_F(TilesSlides, WhatTheScannerLeftOutIsWhite) {
  save_slide(directory_ / "in.svs", {.size = {200, 200}, .missing = 5});
  save_slide(directory_ / "in.tif", {.size = {200, 200}, .is_aperio = false, .missing = 5});
  good(from("in.svs", "slide.tif"));
  good(from("in.tif", "plain.tif"));
  EXPECT_TRUE(tiff_pages(directory_ / "slide.tif")[0].samples == tiff_pages(directory_ / "plain.tif")[0].samples);
}

TEST_F(TilesSlides, ShardsMakeTheSameBytes) {
  save_slide(directory_ / "in.svs", {.size = {300, 1301}});
  for (const std::string name : {"out.dzi", "out.tif"}) {
    TileOptions o = from("in.svs", name);
    o.threads = 1;
    good(o);
    const auto whole = tree(directory_.path());
    o.threads = 3;
    for (const uint32_t count : {2U, 3U}) {
      for (o.shard = {0, count}; o.shard.index < count; ++o.shard.index) good(o);
      o.shard = {};
      o.merge = count;
      good(o);
      o.merge = 0;
      EXPECT_TRUE(tree(directory_.path()) == whole) << count;
    }
  }
}

TEST_F(TilesSlides, WhatOpenSlideCannotReadIsNamed) {
  files_test::save(directory_ / "text.mrxs", files_test::bytes_of("no slide"));
  save_slide(directory_ / "whole.svs", {.size = {300, 1301}});
  const Bytes whole = files_test::load(directory_ / "whole.svs");
  Bytes damaged = whole;  // the directory is at the end
  std::fill(damaged.begin() + static_cast<ptrdiff_t>(whole.size() / 2),
            damaged.begin() + static_cast<ptrdiff_t>(whole.size() / 2 + 4000), std::byte{0x55});
  files_test::save(directory_ / "damaged.svs", damaged);
  Bytes truncated = whole;
  truncated.resize(whole.size() / 2);
  files_test::save(directory_ / "truncated.svs", truncated);
  const auto before = directory_.entries();
  bad(from("text.mrxs", "out.tif"), ErrorCode::kUnsupported, {"text.mrxs", "OpenSlide"});
  bad(from("truncated.svs", "out.tif"), ErrorCode::kUnsupported, {"truncated.svs", "OpenSlide"});
  bad(from("none.svs", "out.tif"), ErrorCode::kNotFound, {"none.svs"});
  for (const std::string name : {"out.tif", "out.dzi", "out.zarr"}) {
    bad(from("damaged.svs", name), ErrorCode::kBadData, {"damaged.svs", "OpenSlide", "row"});
  }
  EXPECT_EQ(directory_.entries(), before);
}

}  // namespace
}  // namespace tiles_test

// tiles_traits_test.cpp: every statement that a file can make about its picture, by type: files::read() and tiles
// honour it alike, or name it in one warning. The table is in trait_files.cpp.
#include <tiffio.h>

#include "tests/files/trait_files.hpp"
#include "tests/tiles/tiles_support.hpp"

namespace tiles_test {
namespace {

using files_test::any_names;
using files_test::kTraitNames;
using files_test::Trait;
using files_test::trait_files;
using files_test::TraitFile;
using onepass::Chromaticities;
using onepass::files::Type;

// The light of a picture's first three channels: floats, or sRGB or linear integers.
double light_of(double value, double most, bool srgb) {
  if (most == 0) return value;
  return srgb ? files_test::srgb_decode(value / most) : value / most;
}

class TilesTraits : public Tiles {};

TEST_F(TilesTraits, EveryTypeHasAFileOrAReasonForEveryTrait) {
  const std::vector<TraitFile> table = trait_files();
  for (int number = 1;; ++number) {
    const auto type = static_cast<Type>(number);
    const std::string name(onepass::files::type_name(type));
    if (name == "unknown") break;
    if (!files_test::type_is_built(type)) continue;
    for (int trait = 0; trait < static_cast<int>(Trait::kCount); ++trait) {
      const auto wanted = static_cast<Trait>(trait);
#ifndef ONEPASS_HAS_LCMS
      if (wanted == Trait::kProfile) continue;
#endif
      const bool tested = std::any_of(table.begin(), table.end(),
                                      [&](const TraitFile& file) { return file.type == type && file.trait == wanted; });
      int reasons = 0;
      for (const files_test::NoTrait& none : files_test::impossible_traits()) {
        if (none.type != type || none.reason.empty()) continue;
        reasons += static_cast<int>(std::count(none.traits.begin(), none.traits.end(), wanted));
      }
      EXPECT_EQ((tested ? 1 : 0) + reasons, 1) << name << ", " << kTraitNames[trait];
    }
  }
}

TEST_F(TilesTraits, TilesShowThePictureAsMeant) {
  for (const TraitFile& c : trait_files()) {
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
        EXPECT_TRUE(any_names(report->warnings, text)) << text;
      }
    }
    if (c.warning.empty() && c.tiles_warning.empty()) {
      EXPECT_TRUE(report->warnings.empty()) << report->warnings.front();
    }
    const Picture page = tiff_pages(o.output).front();
    ASSERT_EQ(page.size, Extent({c.width(), c.height()}));
    const double most = report->sample == "uint8" ? 255 : report->sample == "uint16" ? 65535 : 0;
    for (uint32_t y = 0; y < page.size.height; ++y) {
      for (uint32_t x = 0; x < page.size.width; ++x) {
        for (uint32_t k = 0; k < 3; ++k) {
          ASSERT_NEAR(files_test::srgb_encode(light_of(page.at(x, y, k), most, report->srgb)),
                      files_test::srgb_encode(c.shown(x, y, k)), c.slack)
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
  for (TraitFile c : trait_files()) {
    SCOPED_TRACE(c.name + ", orientation " + std::to_string(c.orientation));
    files_test::save(directory_ / c.name, c.file);
    const auto file = onepass::files::read(directory_ / c.name);
    ASSERT_TRUE(file.ok()) << file.error().text();
    if (!c.warning.empty()) {
      EXPECT_TRUE(any_names(file->warnings, c.warning)) << c.warning;
    } else {
      EXPECT_TRUE(file->warnings.empty()) << file->warnings.front();
    }
    // The orientation is reported, or the picture is upright.
    const uint32_t stated = c.upright_by_reader ? 1 : c.orientation;
    EXPECT_EQ(file->ktx_orientation != "rd", c.type == Type::kKtx2 && stated != 1);
    EXPECT_EQ(file->exif_orientation, c.type == Type::kKtx2 ? 1 : stated);
    if (!c.upright_by_reader) c.orientation = 1;
    EXPECT_TRUE(same_chromaticities(file->primaries, c.primaries.value_or(onepass::kRec709Chromaticities)));
    if (c.alpha) {
      EXPECT_EQ(file->alpha, *c.alpha);
    }
    ASSERT_EQ(file->base().size, Extent({c.width(), c.height()}));
    for (uint32_t y = 0; y < c.height(); ++y) {
      for (uint32_t x = 0; x < c.width(); ++x) {
        for (uint32_t k = 0; k < 3; ++k) {  // texel() gives light of sRGB formats
          ASSERT_NEAR(files_test::srgb_encode(files_test::texel(file->base(), x, y, k)),
                      files_test::srgb_encode(c.shown(x, y, k)), c.slack)
              << x << ", " << y << ", " << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tiles_test

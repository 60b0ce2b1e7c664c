// tiles_support.cpp: random pictures from a linear congruential generator, a reader of TIFF pages by libtiff, and the
// comparison of a level with the oracle.
#include "tests/tiles/tiles_support.hpp"

#include <tiffio.h>

#include <algorithm>

namespace tiles_test {

Picture random_picture(Extent size, uint32_t channels, double low, double high, uint32_t seed) {
  Picture picture{size, channels, std::vector<double>(size_t{size.width} * size.height * channels)};
  uint64_t state = seed;
  for (double& sample : picture.samples) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    sample = low + std::floor(static_cast<double>(state >> 40) / 0x1p24 * (high - low + 1));
  }
  return picture;
}

double number(const std::byte* at, uint16_t bits, uint16_t format) {
  const auto as = [&]<typename T>(T value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  if (format == SAMPLEFORMAT_IEEEFP) return as(float{});
  if (format == SAMPLEFORMAT_INT) return bits == 8 ? as(int8_t{}) : bits == 16 ? as(int16_t{}) : as(int32_t{});
  return bits == 8 ? as(uint8_t{}) : bits == 16 ? as(uint16_t{}) : as(uint32_t{});
}

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

void expect_level(const Picture& got, const Picture& base, uint32_t n, const Oracle& oracle, double slack) {
  const Picture want = n == 0 ? base : oracle.level(base, n);
  ASSERT_EQ(got.size.width, want.size.width);
  ASSERT_EQ(got.size.height, want.size.height);
  ASSERT_EQ(got.channels, want.channels);
  double worst = 0;
  for (size_t i = 0; i < want.samples.size(); ++i) worst = std::max(worst, std::fabs(got.samples[i] - want.samples[i]));
  EXPECT_LE(worst, n == 0 ? 0 : slack) << "level " << n;
}

std::map<std::string, Bytes> tree(const std::filesystem::path& root) {
  std::map<std::string, Bytes> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) files[std::filesystem::relative(entry, root)] = files_test::load(entry);
  }
  return files;
}

}  // namespace tiles_test

// files_tiff_rows_test.cpp: a TIFF picture by rows, as tiles reads it, is the picture that files::read() returns.
#include <gtest/gtest.h>
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <fstream>
#include <string>
#include <vector>

#include "files/row_reader.hpp"
#include "files/system.hpp"
#include "files/tiff_handle.hpp"
#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
namespace files = onepass::files;
using onepass::ErrorCode;

constexpr uint16_t kRgb = 2;
constexpr uint16_t kMask = 65521;  // a prime: samples that differ

// A picture of 211 x 150 pixels with `samples` samples of 8 or 16 bits.
TiffSpec picture(uint16_t samples, uint16_t bits, uint16_t compression) {
  TiffSpec spec{.width = 211, .height = 150, .samples = samples, .bits = bits, .compression = compression};
  if (samples >= 3) spec.photometric = kRgb;
  if (samples == 4) spec.extra = {EXTRASAMPLE_UNASSALPHA};
  spec.values.resize(size_t{spec.width} * spec.height * samples);
  for (size_t i = 0; i < spec.values.size(); ++i) {
    spec.values[i] = static_cast<double>(i * 48271 % kMask % (size_t{1} << bits));
  }
  return spec;
}

// All rows, `step` at a time.
Bytes rows_of(const files::Source& source, uint32_t threads, uint32_t step) {
  auto reader = files::open_rows(source, {.threads = threads});
  if (!reader) throw std::runtime_error(reader.error().text());
  if (*reader == nullptr) throw std::runtime_error("not read by rows");
  const size_t row = (*reader)->row_bytes();
  const uint32_t height = (*reader)->header().size.height;
  Bytes rows(row * height);
  for (uint32_t y = 0; y < height; y += step) {
    const auto done = (*reader)->read(std::min(step, height - y), rows.data() + y * row, row);
    if (!done) throw std::runtime_error(done.error().text());
  }
  return rows;
}

// The stored samples as bytes: of 8 or 16 bits.
Bytes stored(const TiffSpec& spec) {
  Bytes bytes;
  for (const double value : spec.values) {
    const auto code = static_cast<uint32_t>(value);
    bytes.push_back(static_cast<std::byte>(code));
    if (spec.bits == 16) bytes.push_back(static_cast<std::byte>(code >> 8));
  }
  return bytes;
}

// Every arrangement of samples, bits, compression, blocks, planes and byte order: one strip, strips of 7 rows, tiles.
std::vector<TiffSpec> arrangements() {
  std::vector<TiffSpec> specs;
  for (const uint16_t compression : Numbers{1, 8}) {
    for (const uint16_t samples : Numbers{1, 3, 4}) {
      for (const uint16_t bits : Numbers{8, 16}) {
        for (const uint32_t block : {0U, 7U, 32U}) {
          TiffSpec spec = picture(samples, bits, compression);
          if (block == 7) spec.strip_rows = block;
          if (block == 32) {
            spec.tile_width = 48;
            spec.tile_height = block;
          }
          for (const bool planes : {false, true}) {
            spec.planes = planes;
            for (const char* mode : {"wl", "wb"}) {
              spec.mode = mode;
              specs.push_back(spec);
            }
          }
        }
      }
    }
  }
  return specs;
}

std::string name_of(const TiffSpec& spec) {
  return "compression " + std::to_string(spec.compression) + ", " + std::to_string(spec.samples) + " samples of " +
         std::to_string(spec.bits) + " bits, strips of " + std::to_string(spec.strip_rows) + ", tiles of " +
         std::to_string(spec.tile_height) + ", " + spec.mode + (spec.planes ? ", planes" : "");
}

TEST(FilesTiffRows, EveryArrangementThreadAndStepGivesTheStoredSamples) {
  const auto path = std::filesystem::path(testing::TempDir()) / "onepass_files_tiff_rows.tif";
  for (const TiffSpec& spec : arrangements()) {
    SCOPED_TRACE(name_of(spec));
    const Bytes bytes = make_tiff(spec);
    const Bytes expected = stored(spec);
    save(path, bytes);
    const files::Handle file = files::system::open_input(path);
    const files::Source memory{.bytes = bytes, .name = "memory.tif"};
    const files::Source open{
        .bytes = std::span(bytes).first(16), .name = "open.tif", .file = file.number(), .file_size = bytes.size()};
    for (const uint32_t threads : {1U, 3U}) {
      for (const uint32_t step : {1U, 13U, 64U, 150U}) {
        EXPECT_TRUE(rows_of(memory, threads, step) == expected) << threads << " threads, " << step << " rows";
        EXPECT_TRUE(rows_of(open, threads, step) == expected) << threads << " threads, " << step << " rows";
      }
    }
    const auto image = files::read_memory(bytes, "test.tif", {.color = files::Color::kLinear, .threads = 3});
    ASSERT_TRUE(image) << image.error().text();
    const uint32_t channels = onepass::format_info(image->base().format).channels;
    const double most = spec.bits == 8 ? 255 : 65535;
    for (const auto& [x, y] : {std::pair{0U, 0U}, {210U, 0U}, {100U, 77U}, {210U, 149U}}) {
      for (uint32_t c = 0; c < std::min<uint32_t>(channels, spec.samples); ++c) {
        const double value = spec.values[(size_t{y} * spec.width + x) * spec.samples + c];
        EXPECT_NEAR(texel(image->base(), x, y, c) * most, value, 0.01) << x << " " << y;
      }
    }
  }
  std::filesystem::remove(path);
}

// The table of offsets or lengths of a file of several strips: its place, and the bytes of an entry.
std::pair<size_t, size_t> table(const Bytes& bytes, uint16_t tag) {
  const size_t entry = tiff_entry(bytes, tag);
  return {get32(bytes, entry), bytes[entry - 6] == std::byte{3} ? 2 : 4};  // SHORT or LONG
}

TEST(FilesTiffRows, BlocksThatASparseFileLeavesOutAreZero) {
  for (const uint16_t compression : Numbers{1, 8}) {
    TiffSpec spec = picture(1, 8, compression);
    spec.strip_rows = 50;
    Bytes bytes = make_tiff(spec);
    for (const uint16_t tag : Numbers{TIFFTAG_STRIPOFFSETS, TIFFTAG_STRIPBYTECOUNTS}) {
      const auto [at, size] = table(bytes, tag);
      std::fill_n(bytes.begin() + static_cast<ptrdiff_t>(at + size), size, std::byte{0});  // the second strip
    }
    Bytes expected = stored(spec);
    std::fill(expected.begin() + 211 * 50, expected.begin() + 211 * 100, std::byte{0});
    EXPECT_TRUE(rows_of({.bytes = bytes, .name = "memory.tif"}, 2, 150) == expected);
    const auto image = files::read_memory(bytes, "test.tif");
    ASSERT_TRUE(image) << image.error().text();
    for (uint32_t y = 0; y < 150; ++y) {
      EXPECT_EQ(std::memcmp(image->base().row(y), expected.data() + size_t{211} * y, 211), 0) << y;
    }
  }
}

// FillOrder 2: the lowest bit of a byte is the first.
TEST(FilesTiffRows, ReversedBitsAreTurned) {
  TiffSpec spec = picture(1, 8, 1);
  spec.orientation = 2;
  Bytes bytes = make_tiff(spec);
  const size_t entry = tiff_entry(bytes, TIFFTAG_ORIENTATION);
  bytes[entry - 8] = std::byte{TIFFTAG_FILLORDER & 0xFF};
  bytes[entry - 7] = std::byte{TIFFTAG_FILLORDER >> 8};
  Bytes expected = stored(spec);
  for (std::byte& value : expected) {
    uint32_t turned = 0;
    for (uint32_t bit = 0; bit < 8; ++bit) turned |= (std::to_integer<uint32_t>(value) >> bit & 1) << (7 - bit);
    value = static_cast<std::byte>(turned);
  }
  EXPECT_TRUE(rows_of({.bytes = bytes, .name = "memory.tif"}, 1, 150) == expected);
  const auto image = files::read_memory(bytes, "test.tif");
  ASSERT_TRUE(image) << image.error().text();
  EXPECT_EQ(std::memcmp(image->base().row(0), expected.data(), 211), 0);
}

// GeoTIFF tags place rows as they are stored; GDAL_NODATA alone does not.
TEST(FilesTiffRows, OrientationOfGeoTiffIsNotApplied) {
  constexpr uint16_t kGeoKeys = 34735;
  constexpr uint16_t kNodata = 42113;
  for (const uint16_t tag : {kGeoKeys, kNodata}) {
    TiffSpec spec = picture(1, 8, 1);
    spec.orientation = 6;
    spec.profile = Bytes(8, std::byte{'7'});
    Bytes bytes = make_tiff(spec);
    const size_t entry = tiff_entry(bytes, TIFFTAG_ICCPROFILE);
    bytes[entry - 8] = static_cast<std::byte>(tag);
    bytes[entry - 7] = static_cast<std::byte>(tag >> 8);
    bytes[entry - 6] = std::byte{2};  // ASCII
    const auto reader = files::open_rows({.bytes = bytes, .name = "memory.tif"}, {});
    ASSERT_TRUE(reader) << reader.error().text();
    const auto image = files::read_memory(bytes, "test.tif");
    ASSERT_TRUE(image) << image.error().text();
    EXPECT_EQ((*reader)->header().orientation, tag == kGeoKeys ? 1U : 6U);
    EXPECT_EQ(image->exif_orientation, tag == kGeoKeys ? 1U : 6U);
    const bool warned = std::any_of(image->warnings.begin(), image->warnings.end(), [](const std::string& text) {
      return text.find("Orientation is 6, which is not applied") != std::string::npos;
    });
    EXPECT_EQ(warned, tag == kGeoKeys);
  }
}

// The message of reading all rows of an open file; empty: no error.
std::string error_of_open(const Bytes& bytes, uint32_t threads) {
  const auto path = std::filesystem::path(testing::TempDir()) / "onepass_files_tiff_errors.tif";
  save(path, bytes);
  const files::Handle file = files::system::open_input(path);
  std::filesystem::remove(path);
  const std::span start = std::span(bytes).first(16);
  try {
    rows_of({.bytes = start, .name = "open.tif", .file = file.number(), .file_size = bytes.size()}, threads, 150);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(FilesTiffRows, StripsBehindTheEndAreErrors) {
  TiffSpec spec = picture(3, 8, 8);
  spec.strip_rows = 50;
  Bytes bytes = make_tiff(spec);
  const auto [offsets, size] = table(bytes, TIFFTAG_STRIPOFFSETS);
  ASSERT_EQ(size, 4U);
  set32(bytes, offsets + 4, static_cast<uint32_t>(bytes.size()) + 1000);
  EXPECT_NE(error_of_open(bytes, 1).find("open.tif"), std::string::npos);
  const auto image = files::read_memory(bytes, "test.tif");
  ASSERT_FALSE(image);
  EXPECT_EQ(image.error().code, ErrorCode::kBadData) << image.error().text();
}

TEST(FilesTiffRows, TheErrorIsThatOfTheFirstDamagedBlock) {
  TiffSpec spec = picture(1, 8, 5);
  spec.strip_rows = 10;
  Bytes bytes = make_tiff(spec);
  const auto [lengths, size] = table(bytes, TIFFTAG_STRIPBYTECOUNTS);
  for (const size_t strip : {4U, 11U}) {  // of 15
    bytes[lengths + strip * size] = std::byte{static_cast<unsigned char>(2 + strip)};
    for (size_t i = 1; i < size; ++i) bytes[lengths + strip * size + i] = std::byte{0};
  }
  const std::string first = error_of_open(bytes, 1);
  ASSERT_FALSE(first.empty());
  for (int repeat = 0; repeat < 20; ++repeat) EXPECT_EQ(error_of_open(bytes, 4), first);
}

// libtiff takes a fax that ends early as whole and leaves the other rows as they were.
TEST(FilesTiffRows, DamagedFaxDoesNotDependOnTheNumberOfThreads) {
  TiffSpec spec = picture(1, 8, 4);
  spec.bits = 1;
  spec.strip_rows = 10;
  for (double& value : spec.values) value = static_cast<double>(static_cast<int>(value) & 1);
  Bytes bytes = make_tiff(spec);
  const auto [lengths, size] = table(bytes, TIFFTAG_STRIPBYTECOUNTS);
  for (const size_t strip : {1U, 2U, 7U, 12U}) {
    uint32_t length = 0;
    for (size_t i = 0; i < size; ++i) length |= std::to_integer<uint32_t>(bytes[lengths + strip * size + i]) << 8 * i;
    for (size_t i = 0; i < size; ++i) bytes[lengths + strip * size + i] = static_cast<std::byte>(length / 3 >> 8 * i);
  }
  const files::Source source{.bytes = bytes, .name = "memory.tif"};
  const Bytes one = rows_of(source, 1, 150);
  for (const uint32_t threads : {2U, 3U, 5U}) EXPECT_TRUE(rows_of(source, threads, 150) == one) << threads;
}

// tiles reads all compressions of libtiff, files::read() those that its tests write.
TEST(FilesTiffRows, LercIsReadByRowsOnly) {
  if (TIFFIsCODECConfigured(COMPRESSION_LERC) == 0) GTEST_SKIP() << "libtiff without LERC";
  TiffSpec spec = picture(1, 8, COMPRESSION_LERC);
  spec.tile_width = 48;
  spec.tile_height = 32;
  const Bytes bytes = make_tiff(spec);
  EXPECT_TRUE(rows_of({.bytes = bytes, .name = "memory.tif"}, 2, 150) == stored(spec));
  const auto image = files::read_memory(bytes, "test.tif");
  ASSERT_FALSE(image);
  EXPECT_NE(image.error().message.find("34887 (LERC)"), std::string::npos) << image.error().text();
}

TEST(FilesTiffRows, DamagedPlanesThatAnImageLeavesOutDoNotMatter) {
  TiffSpec spec = picture(4, 8, 8);
  spec.planes = true;
  spec.extra = {EXTRASAMPLE_UNASSALPHA, EXTRASAMPLE_UNSPECIFIED};
  spec.samples = 5;
  spec.values.resize(size_t{211} * 150 * 5, 7);
  Bytes bytes = make_tiff(spec);
  const auto [offsets, size] = table(bytes, TIFFTAG_STRIPOFFSETS);
  ASSERT_EQ(size, 4U);
  set32(bytes, offsets + 4 * 4, 7);  // the last plane
  EXPECT_FALSE(error_of_open(bytes, 1).empty());
  const auto image = files::read_memory(bytes, "test.tif");
  EXPECT_TRUE(image) << image.error().text();
}

// What libtiff reports as an error.
void report(files::TiffMessages& messages, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  files::TiffMessages::on_error(nullptr, &messages, "test", format, arguments);
  va_end(arguments);
}

TEST(FilesTiffRows, MessagesHaveNoNumbersThatNoFileHas) {
  files::TiffMessages messages;
  report(messages, "Read error at %d; got %s bytes, expected %u.", 7, "18446744073709551615", 12U);
  EXPECT_EQ(messages.error(), "TIFF: Read error at 7; got (an impossible number) bytes, expected 12");
}

}  // namespace

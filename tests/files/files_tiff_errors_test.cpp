// files_tiff_errors_test.cpp: TIFF files that are refused: unsupported pixels, wrong tags, truncated files. Every
// message names the tag and its value; libtiff prints nothing.
#include <gtest/gtest.h>

#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
using onepass::ErrorCode;

constexpr uint16_t kRgb = 2;

onepass::Error error_of(const Bytes& bytes, const onepass::files::ReadOptions& options = {}) {
  testing::internal::CaptureStderr();
  const auto file = onepass::files::read_memory(bytes, "test.tif", options);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  return file ? onepass::Error{ErrorCode::kDevice, "no error", ""} : file.error();
}

void expect_refused(const TiffSpec& spec, const std::string& says, ErrorCode code = ErrorCode::kUnsupported) {
  const onepass::Error error = error_of(make_tiff(spec));
  EXPECT_EQ(error.code, code) << error.text();
  EXPECT_NE(error.message.find(says), std::string::npos) << error.text() << "\nwanted: " << says;
  EXPECT_EQ(error.message.find('\n'), std::string::npos);
}

TiffSpec small() {
  TiffSpec spec{.width = 16, .height = 16, .samples = 3, .photometric = kRgb, .strip_rows = 4};
  spec.values.assign(16 * 16 * 3, 9);
  return spec;
}

// A valid file with one tag of the first directory changed.
Bytes with_tag(const TiffSpec& spec, uint16_t tag, uint32_t value) {
  Bytes bytes = make_tiff(spec);
  const size_t at = tiff_entry(bytes, tag);
  if (at == 0) throw std::runtime_error("no such tag");
  set32(bytes, at - 4, 1);
  bytes[at - 6] = std::byte{4};  // type 4: 32-bit integer
  set32(bytes, at, value);
  return bytes;
}

TEST(FilesTiffErrors, KindsOfPixelsThatAreNotRead) {
  TiffSpec spec = {.width = 1, .height = 1, .samples = 6, .extra = {0, 0, 0, 0, 0}, .values = {1, 2, 3, 4, 5, 6}};
  expect_refused(spec, "SamplesPerPixel is 6");
  spec = {.width = 1, .height = 1, .samples = 6, .photometric = 5, .ink_set = 2, .values = {1, 2, 3, 4, 5, 6}};
  expect_refused(spec, "InkSet is 2");
  spec = small();
  spec.photometric = 9;
  expect_refused(spec, "PhotometricInterpretation is 9 (ICC L*a*b*)");
  spec = {.width = 2, .height = 2, .bits = 32, .sample_format = 3, .photometric = 0, .values = {1, 2, 3, 4}};
  expect_refused(spec, "PhotometricInterpretation is 0 (MinIsWhite)");
  spec = {.width = 1, .height = 1, .samples = 2, .photometric = kRgb, .values = {1, 2}};
  expect_refused(spec, "SamplesPerPixel is 2");
  for (const bool wide : {true, false}) {  // palettes of 16 bits, and with a further sample
    spec = {.width = 1,
            .height = 1,
            .samples = static_cast<uint16_t>(wide ? 1 : 2),
            .bits = static_cast<uint16_t>(wide ? 16 : 8),
            .photometric = 3,
            .palette = std::vector<uint16_t>(wide ? 3 * 65536 : 768)};
    spec.values.assign(spec.samples, 1);
    expect_refused(spec, wide ? "PhotometricInterpretation is 3 (palette)" : "SamplesPerPixel is 2");
  }
  spec = {.width = 2, .height = 2, .bits = 32, .sample_format = 4, .values = {1, 2, 3, 4}};
  EXPECT_EQ(error_of(make_tiff(spec)).message, "no error");  // undefined counts as unsigned
}

TEST(FilesTiffErrors, OtherDepthsAndCompressionsAreNamed) {
  TiffSpec spec = small();
  spec.samples = 1;
  spec.photometric = 1;
  for (const auto& [tag, value, says] : {std::tuple{258, 20, "BitsPerSample is 20"},
                                         {258, 64, "BitsPerSample is 64"},
                                         {259, 34661, "34661 (JBIG)"},
                                         {259, 6, "Compression is 6 (JPEG of TIFF 6.0)"},
                                         {259, 34887, "34887 (LERC)"},
                                         {259, 32809, "32809 (ThunderScan)"},
                                         {259, 4711, "4711"}}) {
    const auto error = error_of(with_tag(spec, static_cast<uint16_t>(tag), static_cast<uint32_t>(value)));
    EXPECT_EQ(error.code, ErrorCode::kUnsupported) << says << ": " << error.text();
    EXPECT_NE(error.message.find(says), std::string::npos) << error.text();
  }
}

TEST(FilesTiffErrors, SizesThatAreNone) {
  const TiffSpec spec = small();
  for (const auto& [tag, value, says] : {std::tuple{256, 0U, "0x16"},
                                         {257, 0U, "16x0"},
                                         {256, 70000U, "70000x16"},
                                         {257, 4000000000U, "16x4000000000"}}) {
    const auto error = error_of(with_tag(spec, static_cast<uint16_t>(tag), value));
    EXPECT_EQ(error.code, value == 0 ? ErrorCode::kBadData : ErrorCode::kUnsupported);
    EXPECT_NE(error.message.find(says), std::string::npos) << error.text();
  }
  // More pixels than the file can hold.
  const auto error = error_of(with_tag(spec, 257, 60000));
  EXPECT_EQ(error.code, ErrorCode::kBadData);
  EXPECT_NE(error.message.find("16x60000"), std::string::npos) << error.text();
}

TEST(FilesTiffErrors, TilesThatLie) {
  TiffSpec spec = small();
  spec.tile_width = spec.tile_height = 16;
  for (const uint32_t value : {0U, 1000000U, 0xFFFFFFF0U}) {
    for (const auto& [tag, name] : {std::pair{322, "TileWidth"}, {323, "TileLength"}}) {
      const auto error = error_of(with_tag(spec, static_cast<uint16_t>(tag), value));
      EXPECT_EQ(error.code, ErrorCode::kBadData) << value;
      EXPECT_NE(error.message.find(name + (" is " + std::to_string(value))), std::string::npos) << error.text();
    }
  }
  // A tile larger than the stored data.
  const auto error = error_of(with_tag(spec, 323, 65536));
  EXPECT_EQ(error.code, ErrorCode::kBadData);
  EXPECT_NE(error.message.find("16x16"), std::string::npos) << error.text();
}

TEST(FilesTiffErrors, StripsThatLie) {
  TiffSpec spec = small();
  // An offset behind the end; fewer bytes than the rows of a strip need.
  Bytes bytes = make_tiff(spec);
  set32(bytes, get32(bytes, tiff_entry(bytes, 273)) + 4, 0x7FFFFFFF);
  const auto behind = error_of(bytes);
  EXPECT_EQ(behind.code, ErrorCode::kBadData);
  EXPECT_NE(behind.message.find("strip 1"), std::string::npos) << behind.text();
  spec.compression = 5;
  bytes = make_tiff(spec);
  set32(bytes, get32(bytes, tiff_entry(bytes, 279)) + 4, 2);
  const auto shorter = error_of(bytes);
  EXPECT_EQ(shorter.code, ErrorCode::kBadData) << shorter.text();
  // No rows per strip; one row per strip, but the file has only four strips.
  EXPECT_NE(error_of(with_tag(spec, 278, 0)).message.find("RowsPerStrip is 0"), std::string::npos);
  EXPECT_EQ(error_of(with_tag(spec, 278, 1)).code, ErrorCode::kBadData);
}

TEST(FilesTiffErrors, MissingTagsAreNamed) {
  TiffSpec spec = small();
  spec.no_photometric = true;
  expect_refused(spec, "PhotometricInterpretation is missing", ErrorCode::kBadData);
  spec = small();
  for (const auto& [tag, name] : {std::pair{273, "StripOffsets"}, {256, "ImageWidth"}, {257, "ImageLength"}}) {
    Bytes bytes = make_tiff(spec);
    bytes.at(tiff_entry(bytes, static_cast<uint16_t>(tag)) - 7) = std::byte{0xEE};  // changes the tag number
    const auto error = error_of(bytes);
    EXPECT_EQ(error.code, ErrorCode::kBadData);
    EXPECT_NE(error.message.find(name), std::string::npos) << error.text();
  }
  spec = {.width = 2, .height = 2, .photometric = 3, .palette = std::vector<uint16_t>(768), .values = {1, 2, 3, 4}};
  Bytes bytes = make_tiff(spec);
  bytes.at(tiff_entry(bytes, 320) - 7) = std::byte{0xEE};
  EXPECT_NE(error_of(bytes).message.find("ColorMap"), std::string::npos) << error_of(bytes).text();
}

TEST(FilesTiffErrors, DamagedJpegInsideIsNotMadeUp) {
  TiffSpec spec{.width = 64, .height = 64, .compression = 7};
  for (uint32_t i = 0; i < 64 * 64; ++i) spec.values.push_back(i * 2654435761U >> 24);
  Bytes bytes = make_tiff(spec);
  const size_t first = get32(bytes, tiff_entry(bytes, 273));
  const size_t size = get32(bytes, tiff_entry(bytes, 279));
  for (size_t i = first + size / 2; i < first + size / 2 + 40; ++i) bytes[i] = std::byte{0xFF};
  const auto error = error_of(bytes);
  EXPECT_EQ(error.code, ErrorCode::kBadData) << error.text();
}

TEST(FilesTiffErrors, MemoryIsBounded) {
  TiffSpec spec{.width = 400, .height = 300, .samples = 3, .photometric = kRgb, .compression = 8};
  spec.values.assign(size_t{400} * 300 * 3, 7);
  const Bytes bytes = make_tiff(spec);
  // Limit: image, one strip, memory of the codec, and libtiff itself.
  EXPECT_EQ(error_of(bytes, {.max_bytes = 400 * 300 * (4 + 3 * 4) + (3 << 20)}).message, "no error");
  const auto error = error_of(bytes, {.max_bytes = 400 * 300 * 4});
  EXPECT_EQ(error.code, ErrorCode::kOutOfMemory);
  EXPECT_NE(error.message.find("max_bytes"), std::string::npos) << error.text();
}

}  // namespace

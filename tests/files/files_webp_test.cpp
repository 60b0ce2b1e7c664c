// files_webp_test.cpp: WebP files made by libwebp, lossless and lossy.
#include <gtest/gtest.h>

#include <cstring>

#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
using onepass::AlphaAssociation;
using onepass::ErrorCode;
using onepass::Format;
using onepass::files::Color;

std::vector<uint8_t> pattern(uint32_t width, uint32_t height, bool alpha) {
  std::vector<uint8_t> rgba;
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      for (const uint32_t value : {20 + 3 * x, 40 + 4 * y, 200 - x - y, alpha ? 250 - 2 * x - y : 255}) {
        rgba.push_back(static_cast<uint8_t>(value));
      }
    }
  }
  return rgba;
}

onepass::Error error_of(const Bytes& bytes, const onepass::files::ReadOptions& options = {}) {
  const auto file = onepass::files::read_memory(bytes, "test.webp", options);
  return file ? onepass::Error{ErrorCode::kDevice, "no error", ""} : file.error();
}

TEST(FilesWebp, LosslessGivesTheCodes) {
  for (const bool alpha : {false, true}) {
    const auto rgba = pattern(37, 21, alpha);
    for (const Color color : {Color::kAuto, Color::kLinear}) {
      const auto file = onepass::files::read_memory(make_webp(37, 21, rgba), "test.webp", {.color = color});
      ASSERT_TRUE(file) << file.error().text();
      EXPECT_EQ(file->type, onepass::files::Type::kWebp);
      EXPECT_EQ(file->base().format, color == Color::kAuto ? Format::kRGBA8Srgb : Format::kRGBA8Unorm);
      EXPECT_EQ(file->base().size, (onepass::Extent{37, 21}));
      EXPECT_EQ(file->alpha, alpha ? AlphaAssociation::kStraight : AlphaAssociation::kNone);
      EXPECT_EQ(file->stored_channels, alpha ? 4U : 3U);
      EXPECT_EQ(file->stored_bits, 8U);
      EXPECT_EQ(file->exif_orientation, 1U);
      ASSERT_EQ(file->levels[0].size_in_bytes(), rgba.size());
      EXPECT_EQ(std::memcmp(file->levels[0].data(), rgba.data(), rgba.size()), 0);
    }
  }
}

TEST(FilesWebp, LossyIsNearTheCodes) {
  for (const bool alpha : {false, true}) {
    const auto rgba = pattern(40, 24, alpha);
    const auto file = onepass::files::read_memory(make_webp(40, 24, rgba, 100.0F), "test.webp");
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->alpha, alpha ? AlphaAssociation::kStraight : AlphaAssociation::kNone);
    for (size_t i = 0; i < rgba.size(); ++i) {
      ASSERT_NEAR(std::to_integer<int>(file->levels[0].data()[i]), rgba[i], i % 4 == 3 ? 0 : 8) << i;
    }
  }
}

TEST(FilesWebp, OrientationOfTheExifChunk) {
  const auto rgba = pattern(8, 8, false);
  const std::string tiff("II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0", 26);
  for (const std::string& prefix : {std::string(), std::string("Exif\0\0", 6)}) {
    const Bytes bytes = webp_with_chunks(make_webp(8, 8, rgba), 8, 8, 0x08, {}, {{"EXIF", bytes_of(prefix + tiff)}});
    const auto file = onepass::files::read_memory(bytes, "test.webp");
    ASSERT_TRUE(file) << file.error().text();
    EXPECT_EQ(file->exif_orientation, 6U);
  }
}

TEST(FilesWebp, ChunksThatLieAreIgnored) {
  const auto rgba = pattern(8, 8, false);
  Bytes bytes = webp_with_chunks(make_webp(8, 8, rgba), 8, 8, 0x08, {}, {{"EXIF", bytes_of("Exif")}});
  set32(bytes, bytes.size() - 8, 0xFFFFFFF0);
  const auto file = onepass::files::read_memory(bytes, "test.webp");
  ASSERT_TRUE(file) << file.error().text();
  EXPECT_EQ(file->exif_orientation, 1U);
}

TEST(FilesWebp, AnimationsAreRefusedByName) {
  const auto rgba = pattern(8, 8, false);
  const Bytes animation = webp_with_chunks(make_webp(8, 8, rgba), 8, 8, 0x02, {{"ANIM", Bytes(6)}});
  const auto error = error_of(animation);
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_NE(error.message.find("animation"), std::string::npos) << error.text();
}

TEST(FilesWebp, CutDamagedAndTooLarge) {
  const auto rgba = pattern(64, 64, true);
  Bytes bytes = make_webp(64, 64, rgba);
  const auto cut = error_of(Bytes(bytes.begin(), bytes.end() - 3));
  EXPECT_EQ(cut.code, ErrorCode::kBadData);
  EXPECT_NE(cut.message.find(std::to_string(bytes.size())), std::string::npos) << cut.text();
  const auto limit = error_of(bytes, {.max_bytes = 64 * 64 * 8});
  EXPECT_EQ(limit.code, ErrorCode::kOutOfMemory);
  EXPECT_EQ(error_of(bytes, {.max_bytes = 64 * 64 * 9 + (4 << 20)}).message, "no error");
  bytes[20] = std::byte{0};  // signature of the lossless bitstream
  EXPECT_EQ(error_of(bytes).code, ErrorCode::kBadData);
}

}  // namespace

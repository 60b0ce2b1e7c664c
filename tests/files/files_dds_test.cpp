// files_dds_test.cpp: DDS files made by hand after Microsoft's programming guide, and files that write_dds() makes.
#include <gtest/gtest.h>

#include <cstring>

#include "onepass/blocks.hpp"
#include "tests/files/files_encoders.hpp"

namespace {

using namespace files_test;
using onepass::AlphaAssociation;
using onepass::BlockFormat;
using onepass::BlockView;
using onepass::ErrorCode;
using onepass::Extent;
using onepass::Format;
using onepass::Image;
using onepass::ImageView;
using onepass::files::Color;
using onepass::files::ImageFile;
using onepass::files::Type;

using Codes = std::vector<int>;

Bytes bytes_of_codes(const Codes& codes) {
  Bytes bytes;
  for (const int code : codes) bytes.push_back(static_cast<std::byte>(code));
  return bytes;
}

Bytes counted(size_t count) {
  Bytes bytes(count);
  for (size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(7 * i + i / 5);
  return bytes;
}

ImageFile read_ok(const Bytes& bytes, Color color = Color::kAuto) {
  auto file = onepass::files::read_memory(bytes, "test.dds", {.color = color});
  if (!file) throw std::runtime_error(file.error().text());
  EXPECT_EQ(file->type, Type::kDds);
  return std::move(*file);
}

std::string message_of(const Bytes& bytes) {
  const auto file = onepass::files::read_memory(bytes, "test.dds", {});
  if (file) return "no error";
  EXPECT_EQ(file.error().context, "test.dds");
  return file.error().message;
}

Codes codes_of(const Image& image) {
  Codes codes;
  for (size_t i = 0; i < image.size_in_bytes(); ++i) codes.push_back(std::to_integer<int>(image.data()[i]));
  return codes;
}

// ---- Reading --------------------------------------------------------------------------------------------------------

TEST(FilesDds, BlocksOfDx10AreDecompressed) {
  struct Case {
    uint32_t dxgi;
    BlockFormat format;
  };
  for (const Case& c :
       {Case{71, BlockFormat::kBc1RgbaUnorm}, Case{72, BlockFormat::kBc1RgbaSrgb}, Case{74, BlockFormat::kBc2Unorm},
        Case{75, BlockFormat::kBc2Srgb}, Case{77, BlockFormat::kBc3Unorm}, Case{78, BlockFormat::kBc3Srgb},
        Case{80, BlockFormat::kBc4Unorm}, Case{81, BlockFormat::kBc4Snorm}, Case{83, BlockFormat::kBc5Unorm},
        Case{84, BlockFormat::kBc5Snorm}, Case{95, BlockFormat::kBc6hUfloat}, Case{96, BlockFormat::kBc6hSfloat},
        Case{98, BlockFormat::kBc7Unorm}, Case{99, BlockFormat::kBc7Srgb}}) {
    const auto& info = block_format_info(c.format);
    const Extent size{9, 6};
    const Bytes pixels = counted(size_t{6} * info.bytes_per_block);
    const ImageFile file = read_ok(make_dds({.width = 9, .height = 6, .dxgi = c.dxgi, .pixels = pixels}));
    EXPECT_EQ(file.blocks, c.format);
    EXPECT_EQ(file.base().format, info.texels) << info.name;
    EXPECT_EQ(file.stored_channels, info.channels);
    EXPECT_EQ(file.transfer, info.type == onepass::ChannelType::kSrgb ? 13U : 0U);
    auto expected = Image::create(info.texels, size);
    const BlockView blocks{pixels.data(), c.format, size, 1, 3 * size_t{info.bytes_per_block}, 0};
    ASSERT_TRUE(expected && onepass::cpu::decompress(blocks, expected->view()));
    EXPECT_EQ(std::memcmp(expected->data(), file.levels[0].data(), expected->size_in_bytes()), 0) << info.name;
  }
}

TEST(FilesDds, LegacyFourCcs) {
  struct Case {
    const char* four_cc;
    BlockFormat format;
    AlphaAssociation alpha;
  };
  constexpr auto kNone = AlphaAssociation::kNone;
  constexpr auto kStraight = AlphaAssociation::kStraight;
  constexpr auto kPremultiplied = AlphaAssociation::kPremultiplied;
  for (const Case& c :
       {Case{"DXT1", BlockFormat::kBc1RgbaUnorm, kStraight}, Case{"DXT2", BlockFormat::kBc2Unorm, kPremultiplied},
        Case{"DXT3", BlockFormat::kBc2Unorm, kStraight}, Case{"DXT4", BlockFormat::kBc3Unorm, kPremultiplied},
        Case{"DXT5", BlockFormat::kBc3Unorm, kStraight}, Case{"ATI1", BlockFormat::kBc4Unorm, kNone},
        Case{"BC4U", BlockFormat::kBc4Unorm, kNone}, Case{"BC4S", BlockFormat::kBc4Snorm, kNone},
        Case{"ATI2", BlockFormat::kBc5Unorm, kNone}, Case{"BC5U", BlockFormat::kBc5Unorm, kNone},
        Case{"BC5S", BlockFormat::kBc5Snorm, kNone}}) {
    const auto& info = block_format_info(c.format);
    const Bytes file =
        make_dds({.width = 4, .height = 4, .four_cc = c.four_cc, .pixels = counted(info.bytes_per_block)});
    const ImageFile read = read_ok(file);
    EXPECT_EQ(read.blocks, c.format) << c.four_cc;
    EXPECT_EQ(read.alpha, c.alpha) << c.four_cc;
    // Nothing says how colours are encoded: they are taken as sRGB, numbers are not.
    const bool color = info.texels == Format::kRGBA8Unorm;
    EXPECT_EQ(read.base().format, color ? Format::kRGBA8Srgb : info.texels) << c.four_cc;
    EXPECT_EQ(read_ok(file, Color::kLinear).base().format, info.texels);
  }
}

TEST(FilesDds, LegacyNumbers) {
  for (const auto& [number, format] : {std::pair{36, Format::kRGBA16Unorm},
                                       {111, Format::kR16Sfloat},
                                       {112, Format::kRG16Sfloat},
                                       {113, Format::kRGBA16Sfloat},
                                       {114, Format::kR32Sfloat},
                                       {115, Format::kRG32Sfloat},
                                       {116, Format::kRGBA32Sfloat}}) {
    const Bytes pixels = counted(size_t{2} * format_info(format).bytes_per_texel);
    const std::string code(1, static_cast<char>(number));
    const ImageFile file = read_ok(make_dds({.width = 2, .height = 1, .four_cc = code, .pixels = pixels}));
    EXPECT_EQ(file.base().format, format);
    EXPECT_EQ(std::memcmp(file.levels[0].data(), pixels.data(), pixels.size()), 0);
  }
}

TEST(FilesDds, TexelsOfDx10) {
  for (const auto& [dxgi, format] : {std::pair{2U, Format::kRGBA32Sfloat},
                                     {10U, Format::kRGBA16Sfloat},
                                     {11U, Format::kRGBA16Unorm},
                                     {16U, Format::kRG32Sfloat},
                                     {24U, Format::kA2B10G10R10Unorm},
                                     {26U, Format::kB10G11R11Ufloat},
                                     {28U, Format::kRGBA8Unorm},
                                     {29U, Format::kRGBA8Srgb},
                                     {34U, Format::kRG16Sfloat},
                                     {35U, Format::kRG16Unorm},
                                     {40U, Format::kD32Sfloat},
                                     {41U, Format::kR32Sfloat},
                                     {49U, Format::kRG8Unorm},
                                     {54U, Format::kR16Sfloat},
                                     {55U, Format::kD16Unorm},
                                     {56U, Format::kR16Unorm},
                                     {61U, Format::kR8Unorm}}) {
    const Bytes pixels = counted(size_t{3} * format_info(format).bytes_per_texel);
    const ImageFile file = read_ok(make_dds({.width = 3, .height = 1, .dxgi = dxgi, .pixels = pixels}));
    EXPECT_EQ(file.base().format, format) << dxgi;
    EXPECT_EQ(std::memcmp(file.levels[0].data(), pixels.data(), pixels.size()), 0) << dxgi;
    EXPECT_EQ(file.blocks, BlockFormat::kUndefined);
  }
}

TEST(FilesDds, ThreeFloatsBecomeFour) {
  const Bytes pixels = counted(24);
  const ImageFile file = read_ok(make_dds({.width = 2, .height = 1, .dxgi = 6, .pixels = pixels}));
  EXPECT_EQ(file.base().format, Format::kRGBA32Sfloat);
  EXPECT_EQ(file.alpha, AlphaAssociation::kNone);
  EXPECT_EQ(std::memcmp(file.levels[0].data() + 16, pixels.data() + 12, 12), 0);
  EXPECT_EQ(texel(file.base(), 1, 0, 3), 1);
}

TEST(FilesDds, WordsOfDx10) {
  struct Case {
    uint32_t dxgi;
    Codes stored;
    Codes codes;
  };
  for (const Case& c : {Case{65, {200}, {0, 0, 0, 200}}, Case{85, {0x1F, 0xF8}, {255, 0, 255, 255}},
                        Case{86, {0x00, 0xFC}, {255, 0, 0, 255}}, Case{87, {3, 2, 1, 4}, {1, 2, 3, 4}},
                        Case{88, {3, 2, 1, 4}, {1, 2, 3, 255}}, Case{91, {3, 2, 1, 4}, {1, 2, 3, 4}},
                        Case{93, {3, 2, 1, 4}, {1, 2, 3, 255}}, Case{115, {0x12, 0x34}, {68, 17, 34, 51}}}) {
    const ImageFile file =
        read_ok(make_dds({.width = 1, .height = 1, .dxgi = c.dxgi, .pixels = bytes_of_codes(c.stored)}));
    EXPECT_EQ(codes_of(file.levels[0]), c.codes) << c.dxgi;
    EXPECT_EQ(file.base().format, c.dxgi == 91 || c.dxgi == 93 ? Format::kRGBA8Srgb : Format::kRGBA8Unorm);
    EXPECT_EQ(file.alpha,
              c.dxgi == 88 || c.dxgi == 93 || c.dxgi == 85 ? AlphaAssociation::kNone : AlphaAssociation::kStraight);
  }
}

TEST(FilesDds, LegacyMasks) {
  struct Case {
    uint32_t flags;
    uint32_t bits;
    std::array<uint32_t, 4> masks;
    Codes stored;
    Format format;
    Codes codes;
  };
  for (const Case& c :
       {Case{0x40, 24, {0xFF0000, 0xFF00, 0xFF, 0}, {1, 2, 3}, Format::kRGBA8Unorm, {3, 2, 1, 255}},
        Case{0x41, 32, {0xFF, 0xFF00, 0xFF0000, 0xFF000000}, {1, 2, 3, 4}, Format::kRGBA8Unorm, {1, 2, 3, 4}},
        // The mask of alpha counts only with its flag.
        Case{0x40, 32, {0xFF, 0xFF00, 0xFF0000, 0xFF000000}, {1, 2, 3, 4}, Format::kRGBA8Unorm, {1, 2, 3, 255}},
        Case{0x40, 16, {0xF800, 0x07E0, 0x001F, 0}, {0x00, 0x80}, Format::kRGBA8Unorm, {132, 0, 0, 255}},
        Case{0x40, 8, {0xE0, 0x1C, 0x03, 0}, {0x4A}, Format::kRGBA8Unorm, {73, 73, 170, 255}},
        Case{0x20000, 8, {0xFF, 0, 0, 0}, {77}, Format::kR8Unorm, {77}},
        Case{0x20000, 16, {0xFFFF, 0, 0, 0}, {1, 2}, Format::kR16Unorm, {1, 2}},
        Case{0x20001, 16, {0xFF, 0, 0, 0xFF00}, {9, 8}, Format::kRGBA8Unorm, {9, 9, 9, 8}},
        Case{0x2, 8, {0, 0, 0, 0xFF}, {5}, Format::kRGBA8Unorm, {0, 0, 0, 5}},
        Case{0x2, 8, {0, 0, 0, 0}, {5}, Format::kRGBA8Unorm, {0, 0, 0, 5}},
        // Ten bits become sixteen: 1 of 1023 is 64 of 65535.
        Case{0x41,
             32,
             {0x3FF, 0xFFC00, 0x3FF00000, 0xC0000000},
             {1, 0, 0, 0x40},
             Format::kRGBA16Unorm,
             {64, 0, 0, 0, 0, 0, 0x55, 0x55}}}) {
    const Bytes bytes = make_dds({.width = 1,
                                  .height = 1,
                                  .pixel_flags = c.flags,
                                  .four_cc = "",
                                  .bits = c.bits,
                                  .masks = c.masks,
                                  .pixels = bytes_of_codes(c.stored)});
    const ImageFile file = read_ok(bytes, Color::kLinear);
    EXPECT_EQ(file.base().format, c.format);
    EXPECT_EQ(codes_of(file.levels[0]), c.codes) << std::hex << c.masks[0];
  }
}

TEST(FilesDds, LevelsArraysAndCubes) {
  // Two layers of six faces with three levels: 4x4, 2x2, 1x1 of one byte.
  const Bytes pixels = counted(size_t{12} * 21);
  const ImageFile file =
      read_ok(make_dds({.width = 4, .height = 4, .levels = 3, .dxgi = 61, .misc = 4, .layers = 2, .pixels = pixels}));
  ASSERT_EQ(file.levels.size(), 3U);
  EXPECT_TRUE(file.cube);
  EXPECT_TRUE(file.array);
  EXPECT_EQ(file.levels[0].slices(), 12U);
  for (uint32_t slice = 0; slice < 12; ++slice) {
    const std::byte* const first = pixels.data() + size_t{21} * slice;
    EXPECT_EQ(std::memcmp(file.levels[0].view().row(0, slice), first, 16), 0);
    EXPECT_EQ(std::memcmp(file.levels[1].view().row(0, slice), first + 16, 4), 0);
    EXPECT_EQ(file.levels[2].view().row(0, slice)[0], first[20]);
  }
  const ImageFile legacy = read_ok(make_dds({.width = 4,
                                             .height = 4,
                                             .pixel_flags = 0x20000,
                                             .four_cc = "",
                                             .bits = 8,
                                             .masks = {0xFF, 0, 0, 0},
                                             .caps2 = 0xFE00,
                                             .pixels = counted(96)}));
  EXPECT_TRUE(legacy.cube);
  EXPECT_EQ(legacy.levels[0].slices(), 6U);
}

TEST(FilesDds, AlphaModes) {
  for (const auto& [mode, alpha] : {std::pair{0U, AlphaAssociation::kStraight},
                                    {1U, AlphaAssociation::kStraight},
                                    {2U, AlphaAssociation::kPremultiplied},
                                    {3U, AlphaAssociation::kNone},
                                    {4U, AlphaAssociation::kNone}}) {
    EXPECT_EQ(read_ok(make_dds({.dxgi = 28, .alpha_mode = mode, .pixels = counted(4)})).alpha, alpha) << mode;
  }
}

TEST(FilesDds, ColorOptions) {
  const Bytes bc7 = make_dds({.width = 4, .height = 4, .dxgi = 98, .pixels = counted(16)});
  EXPECT_EQ(read_ok(bc7).base().format, Format::kRGBA8Unorm);
  EXPECT_EQ(read_ok(bc7, Color::kSrgb).base().format, Format::kRGBA8Srgb);
  const Bytes words = make_dds({.dxgi = 11, .pixels = counted(8)});
  EXPECT_EQ(read_ok(words, Color::kSrgb).base().format, Format::kRGBA32Sfloat);
  EXPECT_NEAR(texel(read_ok(words, Color::kSrgb).base(), 0, 0, 1), srgb_decode(texel(read_ok(words).base(), 0, 0, 1)),
              1e-6);
}

TEST(FilesDds, BytesAfterTheLastLevelAreAWarning) {
  const ImageFile file = read_ok(make_dds({.dxgi = 28, .pixels = counted(9)}));
  ASSERT_EQ(file.warnings.size(), 1U);
  EXPECT_EQ(file.warnings[0], "5 bytes after its last level are not read");
}

TEST(FilesDds, ErrorsNameTheField) {
  const DdsSpec good{.width = 8, .height = 8, .dxgi = 98, .pixels = counted(64)};
  EXPECT_EQ(message_of(make_dds(good)), "no error");
  const auto changed = [&](auto change) {
    DdsSpec spec = good;
    change(spec);
    return message_of(make_dds(spec));
  };
  Bytes bytes = make_dds(good);
  bytes.resize(127);
  EXPECT_EQ(message_of(bytes), "DDS: the header is truncated");
  bytes = make_dds(good);
  bytes.resize(147);
  EXPECT_EQ(message_of(bytes), "DDS: the header of DX10 is truncated");
  bytes = make_dds(good);
  set32(bytes, 4, 125);
  EXPECT_EQ(message_of(bytes), "DDS: dwSize is 125, not 124");
  EXPECT_EQ(changed([](DdsSpec& s) { s.dxgi = 70; }), "DDS: dxgiFormat is 70, which is not supported");
  EXPECT_EQ(changed([](DdsSpec& s) { s.dimension = 4; }),
            "DDS: resourceDimension is 4, not 3; only 2-D textures are supported");
  EXPECT_EQ(changed([](DdsSpec& s) { s.layers = 0; }), "DDS: arraySize is 0");
  EXPECT_EQ(changed([](DdsSpec& s) { s.layers = 70000; }), "DDS: arraySize is 70000, more than 65535 slices");
  EXPECT_EQ(changed([](DdsSpec& s) { s.layers = 2; }),
            "DDS: 8x8 pixels, 1 levels, 2 slices need 276 bytes, but the file has 212: truncated or damaged");
  EXPECT_EQ(changed([](DdsSpec& s) { s.levels = 5; }), "DDS: dwMipMapCount is 5, too many for 8x8");
  EXPECT_EQ(changed([](DdsSpec& s) { s.levels = 0xFFFFFFFF; }), "DDS: dwMipMapCount is 4294967295, too many for 8x8");
  EXPECT_EQ(changed([](DdsSpec& s) { s.width = 0; }), "the size is 0x8");
  EXPECT_EQ(changed([](DdsSpec& s) { s.height = 65536; }), "the size is 8x65536, more than 65535");
  EXPECT_EQ(changed([](DdsSpec& s) {
              s.misc = 4;
              s.width = 4;
            }),
            "DDS: a cube of 4x8 faces");
  EXPECT_EQ(changed([](DdsSpec& s) { s.caps2 = 0x200000; }), "DDS: dwCaps2 says volume; 3-D images are not supported");
  EXPECT_EQ(changed([](DdsSpec& s) {
              s.dxgi = 0;
              s.four_cc = "DXT5";
              s.caps2 = 0x600;
            }),
            "DDS: dwCaps2 is 0x00000600, a cube without all six faces");
  EXPECT_EQ(changed([](DdsSpec& s) {
              s.dxgi = 0;
              s.four_cc = "UYVY";
            }),
            "DDS: the FourCC is \"UYVY\", which is not supported");
  EXPECT_EQ(changed([](DdsSpec& s) {
              s.dxgi = 0;
              s.four_cc = "n";
            }),
            "DDS: the FourCC is 110, which is not supported");
  const auto masked = [&](uint32_t flags, uint32_t bits, std::array<uint32_t, 4> masks) {
    return message_of(
        make_dds({.pixel_flags = flags, .four_cc = "", .bits = bits, .masks = masks, .pixels = counted(4)}));
  };
  EXPECT_EQ(masked(0x80000, 16, {0xFF, 0xFF00, 0, 0}),
            "DDS: the pixel format has the flags 0x00080000; FourCC, RGB, luminance and alpha are supported");
  EXPECT_EQ(masked(0x40, 12, {0xF, 0xF0, 0xF00, 0}), "DDS: dwRGBBitCount is 12, not 8, 16, 24 or 32");
  EXPECT_EQ(masked(0x40, 16, {0xF0F, 0xF0, 0, 0}),
            "DDS: the mask of R is 0x00000f0f, not up to 16 adjacent bits of its own in 16");
  EXPECT_EQ(masked(0x40, 16, {0xFF, 0x1F0, 0, 0}),
            "DDS: the mask of G is 0x000001f0, not up to 16 adjacent bits of its own in 16");
  EXPECT_EQ(masked(0x40, 16, {0xFF, 0xFF00, 0xFF0000, 0}),
            "DDS: the mask of B is 0x00ff0000, not up to 16 adjacent bits of its own in 16");
  EXPECT_EQ(masked(0x40, 32, {0xFFFFFFFF, 0, 0, 0}),
            "DDS: the mask of R is 0xffffffff, not up to 16 adjacent bits of its own in 32");
  EXPECT_EQ(masked(0x40, 16, {0, 0, 0, 0}), "DDS: all masks of the pixel format are 0");
}

// ---- Writing --------------------------------------------------------------------------------------------------------

TEST(FilesDds, LevelsOfEveryFormatComeBack) {
  const TempDirectory directory;
  for (const onepass::FormatInfo& info : onepass::all_formats()) {
    const auto levels = random_levels(info.format, {13, 6}, 3);
    const auto done = onepass::files::write_dds(directory / "a.dds", views(levels));
    const bool kept = info.format != Format::kR8Srgb && info.format != Format::kRG8Srgb &&
                      info.format != Format::kX8D24Unorm && info.format != Format::kD24UnormS8 &&
                      info.format != Format::kD32SfloatS8;
    ASSERT_EQ(done.ok(), kept) << info.name;
    if (!kept) {
      EXPECT_EQ(done.error().code, ErrorCode::kUnsupported);
      EXPECT_EQ(done.error().message, std::string(info.name) + " has no form in DDS; KTX2 has all");
      continue;
    }
    const ImageFile file = read_ok(load(directory / "a.dds"));
    ASSERT_EQ(file.levels.size(), levels.size()) << info.name;
    EXPECT_TRUE(file.array);
    const bool blue_first = info.blue_first;
    for (size_t n = 0; n < levels.size(); ++n) {
      ASSERT_EQ(file.levels[n].size(), levels[n].size());
      ASSERT_EQ(file.levels[n].size_in_bytes(), levels[n].size_in_bytes());
      for (size_t i = 0; i < levels[n].size_in_bytes(); ++i) {
        const size_t from = blue_first && i % 4 != 3 ? i - i % 4 + 2 - i % 4 : i;
        ASSERT_EQ(file.levels[n].data()[i], levels[n].data()[from]) << info.name;
      }
    }
  }
}

TEST(FilesDds, BlocksOfEveryFormatComeBack) {
  const TempDirectory directory;
  for (const onepass::BlockFormatInfo& info : onepass::all_block_formats()) {
    std::vector<onepass::BlockImage> images;
    std::vector<BlockView> levels;
    for (const Extent size : {Extent{10, 10}, Extent{5, 5}, Extent{2, 2}, Extent{1, 1}}) {
      images.push_back(std::move(*onepass::BlockImage::create(info.format, size, 6)));
      const Bytes bytes = counted(images.back().size_in_bytes());
      std::memcpy(images.back().view().data, bytes.data(), bytes.size());
    }
    for (const auto& image : images) levels.push_back(image.view());
    const auto done = onepass::files::write_dds(directory / "b.dds", levels, {.cube = true});
    if (onepass::is_astc(info.format)) {
      ASSERT_FALSE(done);
      EXPECT_EQ(done.error().message, std::string(info.name) + " has no form in DDS; KTX2 has all");
      continue;
    }
    ASSERT_TRUE(done) << done.error().text();
    const ImageFile file = read_ok(load(directory / "b.dds"));
    EXPECT_TRUE(file.cube);
    EXPECT_FALSE(file.array);
    const bool opaque = info.channels < 4;
    EXPECT_EQ(file.alpha == AlphaAssociation::kNone, opaque) << info.name;
    ASSERT_EQ(file.levels.size(), 4U);
    for (size_t n = 0; n < 4; ++n) {
      auto expected = Image::create(file.base().format, levels[n].size, 6);
      BlockView view = levels[n];
      view.format = file.blocks;
      ASSERT_TRUE(expected && onepass::cpu::decompress(view, expected->view()));
      EXPECT_EQ(std::memcmp(expected->data(), file.levels[n].data(), expected->size_in_bytes()), 0) << info.name;
    }
  }
}

std::string message(const onepass::Result<void>& done) { return done ? "fine" : done.error().message; }

TEST(FilesDds, LegacyHeadersComeBack) {
  const TempDirectory directory;
  const onepass::files::DdsOptions legacy{.header = onepass::files::DdsHeader::kLegacy};
  std::set<Format> written;
  for (const onepass::FormatInfo& info : onepass::all_formats()) {
    const auto levels = random_levels(info.format, {9, 6}, 1);
    const auto done = onepass::files::write_dds(directory / "a.dds", views(levels), legacy);
    if (!done) {
      EXPECT_EQ(done.error().code, ErrorCode::kUnsupported);
      EXPECT_EQ(done.error().message,
                std::string(info.name) + " has no form in the legacy header of DDS; that of DX10 has it");
      continue;
    }
    written.insert(info.format);
    const Bytes bytes = load(directory / "a.dds");
    size_t pixels = 0;
    for (const Image& level : levels) pixels += level.size_in_bytes();
    EXPECT_EQ(bytes.size(), 128 + pixels) << info.name;
    const ImageFile file = read_ok(bytes);
    ASSERT_EQ(file.levels.size(), levels.size());
    if (file.base().format != info.format) continue;  // order of bytes, encoding, two channels of masks
    for (size_t n = 0; n < levels.size(); ++n) {
      EXPECT_EQ(std::memcmp(file.levels[n].data(), levels[n].data(), levels[n].size_in_bytes()), 0) << info.name;
    }
  }
  EXPECT_EQ(written.size(), 14U);
}

TEST(FilesDds, LegacyBlocksHaveTheirCodes) {
  const TempDirectory directory;
  const std::map<std::string, std::string> codes = {
      {"bc1_rgb_unorm", "DXT1"}, {"bc1_rgba_srgb", "DXT1"}, {"bc2_unorm", "DXT3"}, {"bc3_srgb", "DXT5"},
      {"bc4_unorm", "ATI1"},     {"bc4_snorm", "BC4S"},     {"bc5_unorm", "ATI2"}, {"bc5_snorm", "BC5S"}};
  for (const onepass::BlockFormatInfo& info : onepass::all_block_formats()) {
    auto image = onepass::BlockImage::create(info.format, {8, 8}, 6);
    ASSERT_TRUE(image);
    const Bytes bytes = counted(image->size_in_bytes());
    std::memcpy(image->view().data, bytes.data(), bytes.size());
    const BlockView cube[] = {image->view()};
    onepass::files::DdsOptions options{.cube = true, .header = onepass::files::DdsHeader::kLegacy};
    const auto done = onepass::files::write_dds(directory / "b.dds", cube, options);
    const bool known = info.format < BlockFormat::kBc6hUfloat;
    ASSERT_EQ(static_cast<bool>(done), known) << info.name;
    if (!known) {
      EXPECT_EQ(done.error().message,
                std::string(info.name) + " has no form in the legacy header of DDS; that of DX10 has it");
      continue;
    }
    const Bytes stored = load(directory / "b.dds");
    const std::string code(reinterpret_cast<const char*>(stored.data()) + 84, 4);
    if (const auto expected = codes.find(std::string(info.name)); expected != codes.end()) {
      EXPECT_EQ(code, expected->second) << info.name;
    }
    EXPECT_EQ(std::memcmp(stored.data() + 128, bytes.data(), bytes.size()), 0) << info.name;
    const ImageFile file = read_ok(stored);
    EXPECT_TRUE(file.cube);
    options.stored_alpha = AlphaAssociation::kPremultiplied;
    ASSERT_TRUE(onepass::files::write_dds(directory / "b.dds", cube, options));
    const bool states = info.name.starts_with("bc2") || info.name.starts_with("bc3");
    const bool premultiplied = read_ok(load(directory / "b.dds")).alpha == AlphaAssociation::kPremultiplied;
    EXPECT_EQ(premultiplied, states) << info.name;
    options.cube = false;
    EXPECT_EQ(message(onepass::files::write_dds(directory / "c.dds", cube, options)),
              "the legacy header of DDS holds one image, not 6 slices");
  }
}

TEST(FilesDds, HeaderIsTheOneOfDx10) {
  const TempDirectory directory;
  const auto levels = random_levels(Format::kRGBA8Srgb, {8, 4}, 1);
  ASSERT_TRUE(onepass::files::write_dds(directory / "a.dds", views(levels),
                                        {.stored_alpha = AlphaAssociation::kPremultiplied}));
  const Bytes bytes = load(directory / "a.dds");
  EXPECT_EQ(bytes.size(), 148U + 4 * (32 + 8 + 2 + 1));
  const std::vector<std::pair<size_t, uint32_t>> fields = {
      {0, 0x20534444}, {4, 124},         {8, 0x2100F},    {12, 4},  {16, 8},   {20, 32}, {24, 1},  {28, 4},  {76, 32},
      {80, 4},         {84, 0x30315844}, {108, 0x401008}, {112, 0}, {128, 29}, {132, 3}, {136, 0}, {140, 1}, {144, 2}};
  for (const auto& [offset, value] : fields) EXPECT_EQ(get32(bytes, offset), value) << offset;
}

TEST(FilesDds, AlphaIsConverted) {
  const TempDirectory directory;
  auto image = Image::create(Format::kRGBA8Unorm, {1, 1});
  ASSERT_TRUE(image);
  const Codes straight = {200, 100, 0, 128};
  for (size_t c = 0; c < 4; ++c) image->data()[c] = static_cast<std::byte>(straight[c]);
  const ImageView view = image->view();
  ASSERT_TRUE(onepass::files::write_dds(
      directory / "a.dds", std::span(&view, 1),
      {.alpha = AlphaAssociation::kStraight, .stored_alpha = AlphaAssociation::kPremultiplied}));
  const ImageFile file = read_ok(load(directory / "a.dds"));
  EXPECT_EQ(file.alpha, AlphaAssociation::kPremultiplied);
  EXPECT_EQ(codes_of(file.levels[0]), (Codes{100, 50, 0, 128}));
}

TEST(FilesDds, WritingSaysWhatIsWrong) {
  const TempDirectory directory;
  const auto path = directory / "a.dds";
  const auto levels = random_levels(Format::kRGBA8Unorm, {8, 4}, 6);
  EXPECT_EQ(message(onepass::files::write_dds(path, views(levels), {.cube = true})),
            "a cube needs square faces, not 8x4");
  const auto five = random_levels(Format::kRGBA8Unorm, {4, 4}, 5);
  EXPECT_EQ(message(onepass::files::write_dds(path, views(five), {.cube = true})),
            "a cube needs 6 slices a layer, not 5 in all");
  EXPECT_EQ(message(onepass::files::write_dds(path, std::span<const BlockView>{})), "there is no level to write");
  auto base = onepass::BlockImage::create(BlockFormat::kBc1RgbUnorm, {8, 8});
  auto wrong = onepass::BlockImage::create(BlockFormat::kBc1RgbUnorm, {4, 3});
  auto other = onepass::BlockImage::create(BlockFormat::kBc1RgbSrgb, {4, 4});
  ASSERT_TRUE(base && wrong && other);
  const auto two = [&](const onepass::BlockImage& second) {
    const BlockView pair[] = {base->view(), second.view()};
    return message(onepass::files::write_dds(path, pair));
  };
  EXPECT_EQ(two(*wrong), "level 1 has size 4x3 instead of 4x4");
  EXPECT_EQ(two(*other), "level 1 differs from the base in format or slices");
  BlockView bad = base->view();
  bad.row_stride = 15;
  EXPECT_EQ(message(onepass::files::write_dds(path, std::span(&bad, 1))),
            "level 0: row_stride 15, a row of blocks has 16 bytes");
  EXPECT_TRUE(directory.entries().empty());
}

TEST(FilesDds, ExtensionAndContentAreDetected) {
  EXPECT_EQ(onepass::files::type_of_extension("a.DDS"), Type::kDds);
  EXPECT_EQ(onepass::files::type_name(Type::kDds), "DDS");
  const TempDirectory directory;
  const auto levels = random_levels(Format::kRGBA8Unorm, {4, 4}, 1);
  ASSERT_TRUE(onepass::files::write(directory / "a.dds", views(levels)));
  const auto file = onepass::files::read(directory / "a.dds");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->type, Type::kDds);
  EXPECT_EQ(file->levels.size(), 3U);
}

}  // namespace

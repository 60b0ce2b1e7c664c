// files_errors_test.cpp: errors of all readers and writers for missing, damaged or foreign input.
#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::ErrorCode;
using onepass::files::Type;

onepass::Error error_of(const std::filesystem::path& path, const onepass::files::ReadOptions& options = {}) {
  const auto file = onepass::files::read(path, options);
  return file ? onepass::Error{ErrorCode::kDevice, "no error", ""} : file.error();
}
onepass::Error error_of(const Bytes& bytes, const onepass::files::ReadOptions& options = {}) {
  const auto file = onepass::files::read_memory(bytes, "memory", options);
  return file ? onepass::Error{ErrorCode::kDevice, "no error", ""} : file.error();
}

TEST(FilesErrors, MissingDirectoryEmptyAndNoImage) {
  const TempDirectory directory;
  const auto missing = error_of(directory / "missing.png");
  EXPECT_EQ(missing.code, ErrorCode::kNotFound);
  EXPECT_EQ(missing.text(), (directory / "missing.png").string() + ": no such file");
  EXPECT_EQ(error_of(directory.path()).code, ErrorCode::kIo);
  EXPECT_EQ(error_of(directory.path()).message, "is a directory");
  save(directory / "empty.png", {});
  EXPECT_EQ(error_of(directory / "empty.png").code, ErrorCode::kBadData);
  EXPECT_NE(error_of(directory / "empty.png").message.find("empty"), std::string::npos);
  save(directory / "text.png", bytes_of("This is not a PNG."));
  EXPECT_EQ(error_of(directory / "text.png").code, ErrorCode::kBadData);
  EXPECT_NE(error_of(directory / "text.png").message.find("is not a PNG, JPEG"), std::string::npos);
  EXPECT_EQ(error_of(directory / "text.png/inside").code, ErrorCode::kNotFound);
}

TEST(FilesErrors, TypeComesFromContentNotName) {
  const TempDirectory directory;
  save(directory / "x.jpg", make_png({.samples = {7}}));
  const auto file = onepass::files::read(directory / "x.jpg");
  ASSERT_TRUE(file);
  EXPECT_EQ(file->type, Type::kPng);
}

TEST(FilesErrors, SeedsAreReadAndAllTheirTruncationsAreNot) {
  for (const auto& [name, bytes] : seed_files()) {
    const auto whole = onepass::files::read_memory(bytes, name);
    ASSERT_TRUE(whole) << whole.error().text();
    const size_t step = bytes.size() > 500 ? 13 : 1;
    for (size_t length = 0; length < bytes.size(); length += step) {
      // Not needed for the image: other levels of a ripmap, later parts, a JPEG's end marker, a TIFF's offset of the
      // next page, bytes behind the pixels of a TGA.
      const bool harmless = name == "ripmap.exr" || name == "multipart.exr" ||
                            (name.ends_with(".jpg") && length + 2 >= bytes.size()) ||
                            (name.ends_with(".tif") && length + 8 >= bytes.size()) ||
                            (name.ends_with(".tga") && length + (name == "extension.tga" ? 521 : 26) >= bytes.size());
      const auto cut = onepass::files::read_memory(std::span(bytes).first(length), name, {.threads = 1});
      if (!cut) {
        EXPECT_EQ(cut.error().code, ErrorCode::kBadData) << name << " " << length << ": " << cut.error().text();
        EXPECT_FALSE(cut.error().message.empty());
      } else {
        EXPECT_TRUE(harmless) << name << " cut to " << length << " of " << bytes.size();
      }
    }
  }
}

TEST(FilesErrors, OptionsThatDoNotFitTheType) {
  const Bytes png = make_png({.samples = {7}});
  EXPECT_EQ(error_of(png, {.channels = {"Z"}}).code, ErrorCode::kInvalidArgument);
  EXPECT_NE(error_of(png, {.channels = {"Z"}}).message.find("\"Z\""), std::string::npos);
  EXPECT_EQ(error_of(png, {.part = "left"}).code, ErrorCode::kInvalidArgument);
}

// A valid 1x1 PNG whose header claims another size, with a correct checksum.
Bytes png_claiming(uint32_t width, uint32_t height) {
  Bytes bytes = make_png({.samples = {7}});
  const auto big = [&](size_t offset, uint32_t value) {
    for (size_t i = 0; i < 4; ++i) bytes[offset + i] = static_cast<std::byte>(value >> (24 - 8 * i));
  };
  big(16, width);
  big(20, height);
  repair_png_checksums(bytes);
  return bytes;
}

// An 8x8 JPEG whose frame header claims another size.
Bytes jpeg_claiming(uint32_t width, uint32_t height) {
  Bytes bytes = make_jpeg(8, 8, 1, std::vector<uint8_t>(64, 100));
  for (size_t i = 0; i + 9 < bytes.size(); ++i) {
    if (bytes[i] != std::byte{0xff} || bytes[i + 1] != std::byte{0xc0}) continue;
    bytes[i + 5] = static_cast<std::byte>(height >> 8);
    bytes[i + 6] = static_cast<std::byte>(height);
    bytes[i + 7] = static_cast<std::byte>(width >> 8);
    bytes[i + 8] = static_cast<std::byte>(width);
    return bytes;
  }
  throw std::runtime_error("no frame header");
}

TEST(FilesErrors, AbsurdSizesAreRefusedBeforeAllocation) {
  const int64_t before = peak_memory();
  EXPECT_EQ(error_of(png_claiming(65535, 65535)).code, ErrorCode::kBadData);
  EXPECT_NE(error_of(png_claiming(65535, 65535)).message.find("65535x65535"), std::string::npos);
  EXPECT_EQ(error_of(png_claiming(65536, 1)).code, ErrorCode::kUnsupported);
  EXPECT_NE(error_of(png_claiming(65536, 1)).message.find("65536x1, more than 65535"), std::string::npos);
  EXPECT_EQ(error_of(png_claiming(0x7fffffff, 0x7fffffff)).code, ErrorCode::kUnsupported);
  EXPECT_EQ(error_of(png_claiming(0, 5)).code, ErrorCode::kBadData);
  EXPECT_EQ(error_of(png_claiming(0xffffffff, 5)).code, ErrorCode::kBadData);
  EXPECT_EQ(error_of(jpeg_claiming(65000, 65000)).code, ErrorCode::kBadData);
  EXPECT_NE(error_of(jpeg_claiming(65000, 65000)).message.find("65000x65000"), std::string::npos);
  EXPECT_EQ(error_of(jpeg_claiming(0, 8)).code, ErrorCode::kBadData);
  EXPECT_EQ(error_of(jpeg_claiming(800, 800)).code, ErrorCode::kBadData);  // allowed size, but too little data
  EXPECT_EQ(error_of(make_hdr("-Y 65535 +X 65535", {})).code, ErrorCode::kBadData);
  EXPECT_EQ(error_of(make_ktx2({.vk_format = 109, .width = 65535, .height = 65535, .levels = {Bytes(16)}})).code,
            ErrorCode::kBadData);
  EXPECT_LT(peak_memory() - before, 50 << 20) << "bytes of memory for files of a few bytes";
}

// A small EXR whose data window claims to end at (max_x, max_y).
Bytes exr_claiming(uint32_t tile_size, int32_t max_x, int32_t max_y) {
  const TempDirectory directory;
  ExrSpec spec{.data = {0, 0, 3, 3},
               .display = {0, 0, 3, 3},
               .channels = {{"Y", ExrSpec::Type::kFloat, [](int, int, int) { return 1.0; }}}};
  spec.tile_size = tile_size;
  make_exr(directory / "x.exr", spec);
  Bytes bytes = load(directory / "x.exr");
  const Bytes name = bytes_of(std::string("dataWindow\0box2i\0\x10\0\0\0", 21));
  const auto found = std::search(bytes.begin(), bytes.end(), name.begin(), name.end());
  const size_t at = static_cast<size_t>(found - bytes.begin()) + name.size();
  set32(bytes, at + 8, static_cast<uint32_t>(max_x));
  set32(bytes, at + 12, static_cast<uint32_t>(max_y));
  return bytes;
}

TEST(FilesErrors, AbsurdExrSizesAreRefused) {
  for (const uint32_t tile : {0U, 8U}) {
    EXPECT_EQ(error_of(exr_claiming(tile, 3, 3)).code, ErrorCode::kDevice) << "no error expected";
    EXPECT_EQ(error_of(exr_claiming(tile, 65534, 65534)).code, ErrorCode::kBadData);
    EXPECT_EQ(error_of(exr_claiming(tile, 65534, 3)).code, ErrorCode::kBadData);
    EXPECT_EQ(error_of(exr_claiming(tile, -1, 3)).code, ErrorCode::kBadData);
    EXPECT_EQ(error_of(exr_claiming(tile, 0x7fffffff, 0x7fffffff)).code, ErrorCode::kBadData);
    EXPECT_NE(error_of(exr_claiming(tile, 100000, 100000)).code, ErrorCode::kDevice);
  }
}

// Offset of the size field of the attribute whose name and type, each with its terminating zero, are `text`.
size_t size_field(const Bytes& bytes, std::string_view text) {
  const Bytes name = bytes_of(text);
  const auto found = std::search(bytes.begin(), bytes.end(), name.begin(), name.end());
  return static_cast<size_t>(found - bytes.begin()) + name.size();
}

TEST(FilesErrors, ExrAttributeLengthsAreCheckedBeforeUse) {
  const Bytes good = exr_claiming(0, 3, 3);
  for (const std::string_view attribute :
       {std::string_view("channels\0chlist\0", 16), std::string_view("compression\0compression\0", 24),
        std::string_view("pixelAspectRatio\0float\0", 23)}) {
    for (const uint32_t size : {0U, 2U, 100U, 0x7fffffffU, 0xffffffffU}) {
      Bytes bytes = good;
      set32(bytes, size_field(bytes, attribute), size);
      EXPECT_EQ(error_of(bytes).code, ErrorCode::kBadData) << attribute << " " << size;
    }
  }
  Bytes bytes = good;
  set32(bytes, size_field(bytes, std::string_view("channels\0chlist\0", 16)), 0x7fffffff);
  EXPECT_NE(error_of(bytes).message.find("channels claims 2147483647 bytes"), std::string::npos);
}

TEST(FilesErrors, WriteByExtension) {
  const TempDirectory directory;
  const auto levels = random_levels(onepass::Format::kR8Unorm, {4, 4}, 1);
  const auto all = views(levels);
  for (const auto& [name, type] : {std::pair{"a.KTX2", Type::kKtx2}, {"b.exr", Type::kExr}}) {
    ASSERT_TRUE(onepass::files::write(directory / name, all)) << name;
    EXPECT_EQ(onepass::files::type_of_content(load(directory / name)), type);
    EXPECT_EQ(onepass::files::type_of_extension(name), type);
  }
  ASSERT_TRUE(onepass::files::write(directory / "c.png", std::span(all).first(1)));
  EXPECT_EQ(onepass::files::type_of_content(load(directory / "c.png")), Type::kPng);
  const auto two = onepass::files::write(directory / "d.png", all);
  ASSERT_FALSE(two);
  EXPECT_EQ(two.error().code, ErrorCode::kInvalidArgument);
  const auto unknown = onepass::files::write(directory / "e.bmp", all);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(unknown.error().message.find(".bmp"), std::string::npos);
  EXPECT_EQ(directory.entries().size(), 3U);
}

#ifndef ONEPASS_HAS_TIFF
TEST(FilesErrors, BuildsWithoutTiffSaySo) {
  const onepass::Error read = error_of(bytes_of(std::string_view("II*\0\x08\0\0\0", 8)));
  EXPECT_EQ(read.code, ErrorCode::kUnsupported);
  EXPECT_NE(read.message.find("built without TIFF"), std::string::npos);
  const TempDirectory directory;
  const auto image = random_image(onepass::Format::kR8Unorm, {4, 4}, 1, 1);
  const onepass::ImageView view = image.view();
  const auto done = onepass::files::write(directory / "x.tif", std::span(&view, 1));
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kUnsupported);
  EXPECT_TRUE(directory.entries().empty());
}
#endif

#ifndef ONEPASS_HAS_WEBP
TEST(FilesErrors, BuildsWithoutWebpSaySo) {
  const onepass::Error read = error_of(bytes_of("RIFF1234WEBPVP8 "));
  EXPECT_EQ(read.code, ErrorCode::kUnsupported);
  EXPECT_NE(read.message.find("built without WebP"), std::string::npos);
}
#endif

TEST(FilesErrors, WritersRefuseBadOptionsAndTargets) {
  const TempDirectory directory;
  const auto image = random_image(onepass::Format::kR8Unorm, {4, 4}, 1, 1);
  const auto slices = random_image(onepass::Format::kR8Unorm, {4, 4}, 2, 1);
  const auto code = [&](const std::string& name, const onepass::ImageView& view,
                        const onepass::files::PngOptions& options = {}) {
    const auto done = onepass::files::write_png(directory / name, view, options);
    return done ? ErrorCode::kDevice : done.error().code;
  };
  EXPECT_EQ(code("x.png", slices.view()), ErrorCode::kUnsupported);
  EXPECT_EQ(code("x.png", image.view(), {.bits = 12}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code("x.png", image.view(), {.effort = 10}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code("nowhere/x.png", image.view()), ErrorCode::kIo);
  onepass::ImageView narrow = image.view();
  narrow.row_stride = 3;
  EXPECT_EQ(code("x.png", narrow), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(directory.entries().empty());
}

}  // namespace

// files_exr_test.cpp: EXR files written by OpenEXR are read, and files written by onepass are read back by OpenEXR.
#include <OpenEXR/ImfChannelList.h>
#include <OpenEXR/ImfFrameBuffer.h>
#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfInputFile.h>
#include <OpenEXR/ImfTileDescription.h>
#include <OpenEXR/ImfTiledInputFile.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

#include <cmath>
#include <cstring>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::ErrorCode;
using onepass::Format;
using onepass::Image;
using onepass::ImageView;
using onepass::files::Box;
using onepass::files::ImageFile;
using onepass::files::ReadOptions;
using onepass::files::Window;
using enum ExrSpec::Type;

// Values that are exact in half.
double red(int x, int y, int level) { return x + 0.25 * y + 16 * level; }
double green(int x, int y, int level) { return -x + 2 * y + level; }
double blue(int x, int y, int) { return 0.5 * (x * y % 1000); }
double alpha(int x, int, int) { return 1.0 / (1 << (x & 7)); }
double depth(int x, int y, int) { return 1000000 + x + y; }  // not exact in half

const ExrSpec::Channel kR{"R", kHalf, red};
const ExrSpec::Channel kG{"G", kHalf, green};
const ExrSpec::Channel kB{"B", kHalf, blue};
const ExrSpec::Channel kA{"A", kHalf, alpha};
const ExrSpec::Channel kZ{"Z", kFloat, depth};

class FilesExr : public testing::Test {
 protected:
  TempDirectory directory_;

  ImageFile read_ok(const ReadOptions& options = {}) {
    auto file = onepass::files::read(directory_ / "x.exr", options);
    if (!file) throw std::runtime_error(file.error().text());
    return std::move(*file);
  }
  onepass::Error read_error(const ReadOptions& options = {}) {
    const auto file = onepass::files::read(directory_ / "x.exr", options);
    return file ? onepass::Error{ErrorCode::kDevice, "no error", ""} : file.error();
  }
  void make(const ExrSpec& spec) { make_exr(directory_ / "x.exr", spec); }
};

ExrSpec plain(int width, int height, std::vector<ExrSpec::Channel> channels) {
  const Box box{0, 0, width - 1, height - 1};
  return {.data = box, .display = box, .channels = std::move(channels)};
}

void expect_channel(const ImageView& image, uint32_t c, const std::function<double(int, int, int)>& value,
                    int min_x = 0, int min_y = 0, int level = 0) {
  for (uint32_t y = 0; y < image.size.height; ++y) {
    for (uint32_t x = 0; x < image.size.width; ++x) {
      ASSERT_EQ(texel(image, x, y, c), value(min_x + static_cast<int>(x), min_y + static_cast<int>(y), level))
          << "channel " << c << " at " << x << "," << y << " of level " << level;
    }
  }
}

TEST_F(FilesExr, RgbaHalfInEveryLosslessCompression) {
  for (const int compression : {0, 1, 2, 3, 4}) {  // none, RLE, ZIPS, ZIP, PIZ
    ExrSpec spec = plain(45, 70, {kR, kG, kB, kA});
    spec.compression = compression;
    make(spec);
    for (const uint32_t threads : {0U, 1U, 3U}) {
      const ImageFile file = read_ok({.threads = threads});
      ASSERT_EQ(file.base().format, Format::kRGBA16Sfloat);
      EXPECT_EQ(file.stored_channels, 4U);
      EXPECT_EQ(file.stored_bits, 16U);
      expect_channel(file.base(), 0, red);
      expect_channel(file.base(), 1, green);
      expect_channel(file.base(), 2, blue);
      expect_channel(file.base(), 3, alpha);
    }
  }
}

TEST_F(FilesExr, ThreeChannelsGetAlphaOne) {
  make(plain(5, 3, {kR, kG, kB, kZ}));
  const ImageFile file = read_ok();
  ASSERT_EQ(file.base().format, Format::kRGBA16Sfloat);
  EXPECT_EQ(file.stored_channels, 3U);
  EXPECT_EQ(file.exr_channels, (std::vector<std::string>{"B", "G", "R", "Z"}));
  expect_channel(file.base(), 2, blue);
  expect_channel(file.base(), 3, [](int, int, int) { return 1.0; });
}

TEST_F(FilesExr, ChannelsByName) {
  const ExrSpec::Channel id{"id", kUint, [](int x, int y, int) { return 70000.0 + x + y; }};
  make(plain(9, 4,
             {kR, kG, kB, kZ, id, {"diffuse.R", kHalf, green}, {"diffuse.G", kHalf, blue}, {"diffuse.B", kHalf, red}}));
  const ImageFile z = read_ok({.channels = {"Z"}});
  ASSERT_EQ(z.base().format, Format::kR32Sfloat);
  expect_channel(z.base(), 0, depth);
  const ImageFile number = read_ok({.channels = {"id"}});
  ASSERT_EQ(number.base().format, Format::kR32Sfloat);
  expect_channel(number.base(), 0, id.value);
  const ImageFile two = read_ok({.channels = {"G", "R"}});
  ASSERT_EQ(two.base().format, Format::kRG16Sfloat);
  expect_channel(two.base(), 0, green);
  expect_channel(two.base(), 1, red);
  const ImageFile mixed = read_ok({.channels = {"Z", "diffuse.R"}});
  ASSERT_EQ(mixed.base().format, Format::kRG32Sfloat);
  expect_channel(mixed.base(), 0, depth);
  expect_channel(mixed.base(), 1, green);
  const ImageFile layer = read_ok({.channels = {"diffuse"}});
  ASSERT_EQ(layer.base().format, Format::kRGBA16Sfloat);
  expect_channel(layer.base(), 0, green);
  expect_channel(layer.base(), 2, red);
}

TEST_F(FilesExr, DefaultsFollowTheChannelsPresent) {
  make(plain(4, 4, {{"Y", kHalf, red}, kZ}));
  EXPECT_EQ(read_ok().base().format, Format::kR16Sfloat);
  make(plain(4, 4, {kZ}));
  EXPECT_EQ(read_ok().base().format, Format::kR32Sfloat);
  make(plain(4, 4, {kZ, {"W", kHalf, red}}));
  const onepass::Error error = read_error();
  EXPECT_EQ(error.code, ErrorCode::kNotFound);
  EXPECT_NE(error.message.find("W, Z"), std::string::npos) << error.message;
}

TEST_F(FilesExr, WrongChannelListsAreNamed) {
  make(plain(4, 4, {kR, kG, kB}));
  EXPECT_EQ(read_error({.channels = {"Z"}}).code, ErrorCode::kNotFound);
  EXPECT_NE(read_error({.channels = {"Z"}}).text().find("Z; there are B, G, R"), std::string::npos);
  EXPECT_EQ(read_error({.channels = {"R", "R"}}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(read_error({.channels = {"R", ""}}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(read_error({.channels = {"R", "G", "B", "A", "Z"}}).code, ErrorCode::kInvalidArgument);
}

TEST_F(FilesExr, DataWindowIsReadAsItIs) {
  for (const uint32_t tile : {0U, 16U}) {
    ExrSpec spec = plain(1, 1, {kR, kG, kB, kZ});
    spec.data = {-7, 3, 20, 40};
    spec.display = {0, 0, 29, 19};
    spec.tile_size = tile;
    make(spec);
    const ImageFile file = read_ok();
    ASSERT_EQ(file.base().size, (onepass::Extent{28, 38}));
    EXPECT_EQ(file.data_window, spec.data);
    EXPECT_EQ(file.display_window, spec.display);
    expect_channel(file.base(), 0, red, -7, 3);
    expect_channel(file.base(), 1, green, -7, 3);
  }
}

TEST_F(FilesExr, DisplayWindowIsFilledAndCropped) {
  ExrSpec spec = plain(1, 1, {kZ});
  spec.data = {-7, 3, 20, 40};
  spec.display = {-1, 1, 29, 19};
  make(spec);
  const ImageFile file = read_ok({.window = Window::kDisplay, .fill = 0.5F});
  ASSERT_EQ(file.base().size, (onepass::Extent{31, 19}));
  expect_channel(
      file.base(), 0, [&](int x, int y, int) { return x >= -7 && x <= 20 && y >= 3 && y <= 40 ? depth(x, y, 0) : 0.5; },
      -1, 1);
  // Windows that do not overlap give only the fill value.
  spec.display = {100, 100, 101, 101};
  make(spec);
  const ImageFile apart = read_ok({.window = Window::kDisplay, .fill = 2.0F});
  ASSERT_EQ(apart.base().size, (onepass::Extent{2, 2}));
  expect_channel(apart.base(), 0, [](int, int, int) { return 2.0; });
}

TEST_F(FilesExr, MipmapLevelsAreAllRead) {
  ExrSpec spec = plain(37, 21, {kR, kG, kB});
  spec.tile_size = 8;
  spec.levels = ExrSpec::Levels::kMipDown;
  make(spec);
  const ImageFile file = read_ok();
  ASSERT_EQ(file.levels.size(), 6U);  // widths 37 18 9 4 2 1
  for (size_t n = 0; n < 6; ++n) {
    const ImageView level = file.levels[n].view();
    ASSERT_EQ(level.size, (onepass::Extent{37U >> n, std::max(1U, 21U >> n)}));
    expect_channel(level, 0, red, 0, 0, static_cast<int>(n));
  }
  // Of level layouts that onepass does not support, only the base is read.
  for (const auto levels : {ExrSpec::Levels::kMipUp, ExrSpec::Levels::kRip}) {
    spec.levels = levels;
    make(spec);
    const ImageFile base = read_ok();
    ASSERT_EQ(base.levels.size(), 1U);
    expect_channel(base.base(), 1, green);
  }
}

TEST_F(FilesExr, PartsByChannelNameAndNumber) {
  ExrSpec colour = plain(6, 5, {kR, kG, kB});
  colour.part = "beauty";
  ExrSpec z = plain(6, 5, {kZ});
  z.part = "depth";
  ExrSpec second = plain(6, 5, {{"R", kHalf, blue}, {"G", kHalf, red}, {"B", kHalf, green}});
  second.part = "right";
  make_multipart_exr(directory_ / "x.exr", {z, colour, second});
  const ImageFile any = read_ok();  // colour is preferred to depth, although depth comes first
  EXPECT_EQ(any.exr_part, "beauty");
  EXPECT_EQ(any.exr_parts, (std::vector<std::string>{"depth", "beauty", "right"}));
  expect_channel(any.base(), 0, red);
  const ImageFile by_channel = read_ok({.channels = {"Z"}});
  EXPECT_EQ(by_channel.exr_part, "depth");
  expect_channel(by_channel.base(), 0, depth);
  for (const char* name : {"right", "2"}) {
    const ImageFile by_name = read_ok({.part = name});
    EXPECT_EQ(by_name.exr_part, "right");
    expect_channel(by_name.base(), 0, blue);
  }
  EXPECT_EQ(read_error({.part = "left"}).code, ErrorCode::kNotFound);
  EXPECT_EQ(read_error({.part = "3"}).code, ErrorCode::kNotFound);
  EXPECT_EQ(read_error({.channels = {"Z"}, .part = "beauty"}).code, ErrorCode::kNotFound);
}

TEST_F(FilesExr, DeepPartsAreRefusedOthersRead) {
  ExrSpec colour = plain(6, 5, {kR, kG, kB});
  colour.part = "flat";
  make_multipart_exr(directory_ / "x.exr", {colour}, true);
  EXPECT_EQ(read_ok().exr_part, "flat");
  for (const ReadOptions& options : {ReadOptions{.part = "deep"}, ReadOptions{.channels = {"Z"}}}) {
    const onepass::Error error = read_error(options);
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_NE(error.message.find("deep"), std::string::npos);
  }
}

TEST_F(FilesExr, LeftOverTilesDoNotMakeScanlinesTiles) {
  const ExrSpec::Channel even{"Y", kHalf, [](int, int, int) { return 0.5; }};
  // The second file is smaller than the offset table of so many tiles would be.
  for (ExrSpec spec : {plain(6, 5, {kR, kG, kB}), plain(900, 900, {even})}) {
    make(spec);
    const ImageFile expected = read_ok();
    spec.stray_tiles = true;
    make(spec);
    Bytes bytes = load(directory_ / "x.exr");
    constexpr std::string_view kName = "xiles";
    const auto at = std::search(bytes.begin(), bytes.end(), kName.begin(), kName.end(),
                                [](std::byte b, char c) { return b == static_cast<std::byte>(c); });
    ASSERT_NE(at, bytes.end());
    *at = static_cast<std::byte>('t');
    const auto file = onepass::files::read_memory(bytes, "x.exr");
    ASSERT_TRUE(file) << file.error().text();
    ASSERT_EQ(file->base().size, expected.base().size);
    for (int x = 0; x < 6; ++x) EXPECT_EQ(texel(file->base(), x, 4, 0), texel(expected.base(), x, 4, 0));
  }
}

TEST_F(FilesExr, TilesOfGigabytesAreRefused) {
  ExrSpec spec = plain(8, 8, {kR, kG, kB});
  spec.tile_size = 8;
  make(spec);
  Bytes bytes = load(directory_ / "x.exr");
  constexpr std::string_view kName{"tiles\0tiledesc", 14};
  const auto at = std::search(bytes.begin(), bytes.end(), kName.begin(), kName.end(),
                              [](std::byte b, char c) { return b == static_cast<std::byte>(c); });
  ASSERT_NE(at, bytes.end());
  constexpr uint32_t kSide = 30000;
  const auto sides = static_cast<size_t>(at - bytes.begin()) + kName.size() + 1 + 4;  // after a zero and a length
  for (const size_t side : {sides, sides + 4}) std::memcpy(bytes.data() + side, &kSide, 4);
  const auto file = onepass::files::read_memory(bytes, "x.exr");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(file.error().message.find("900000000 pixels of 6 bytes is too large"), std::string::npos)
      << file.error().message;
}

TEST_F(FilesExr, SubsampledChannelsAreRefused) {
  make(plain(8, 8, {{"Y", kHalf, red}, {"RY", kHalf, green, 2}}));
  EXPECT_EQ(read_ok().base().format, Format::kR16Sfloat);
  const onepass::Error error = read_error({.channels = {"RY"}});
  EXPECT_EQ(error.code, ErrorCode::kUnsupported);
  EXPECT_NE(error.message.find("RY is subsampled 2x2"), std::string::npos) << error.message;
}

TEST_F(FilesExr, ColorSrgbDecodesButNotAlpha) {
  const auto half_way = [](int, int, int) { return 0.5; };
  make(plain(2, 2, {{"R", kHalf, half_way}, {"G", kHalf, half_way}, {"B", kHalf, half_way}, {"A", kHalf, half_way}}));
  const ImageFile file = read_ok({.color = onepass::files::Color::kSrgb});
  ASSERT_EQ(file.base().format, Format::kRGBA32Sfloat);
  EXPECT_NEAR(texel(file.base(), 1, 1, 0), 0.21404114, 1e-7);
  EXPECT_EQ(texel(file.base(), 1, 1, 3), 0.5);
}

TEST_F(FilesExr, EveryTruncationIsAnError) {
  for (const uint32_t tile : {0U, 8U}) {
    ExrSpec spec = plain(20, 20, {kR, kG, kB});
    spec.tile_size = tile;
    make(spec);
    const Bytes whole = load(directory_ / "x.exr");
    for (size_t length = 0; length < whole.size(); length += 7) {
      const auto file = onepass::files::read_memory(std::span(whole).first(length), "cut.exr", {.threads = 1});
      ASSERT_FALSE(file) << length << " of " << whole.size();
      EXPECT_EQ(file.error().code, ErrorCode::kBadData);
    }
  }
}

// Writing -------------------------------------------------------------------------------------------------------------

// Reads one channel of one level through OpenEXR, as floats.
std::vector<float> channel_of(const std::filesystem::path& path, const std::string& name, int level = -1) {
  if (level < 0) {
    Imf::InputFile file(path.string().c_str());
    const Imath::Box2i window = file.header().dataWindow();
    std::vector<float> plane(static_cast<size_t>(window.max.x + 1) * static_cast<size_t>(window.max.y + 1));
    Imf::FrameBuffer buffer;
    buffer.insert(name, Imf::Slice::Make(Imf::FLOAT, plane.data(), window));
    file.setFrameBuffer(buffer);
    file.readPixels(window.min.y, window.max.y);
    return plane;
  }
  Imf::TiledInputFile file(path.string().c_str());
  const Imath::Box2i window = file.dataWindowForLevel(level);
  std::vector<float> plane(static_cast<size_t>(window.max.x + 1) * static_cast<size_t>(window.max.y + 1));
  Imf::FrameBuffer buffer;
  buffer.insert(name, Imf::Slice::Make(Imf::FLOAT, plane.data(), window));
  file.setFrameBuffer(buffer);
  file.readTiles(0, file.numXTiles(level) - 1, 0, file.numYTiles(level) - 1, level);
  return plane;
}

void expect_plane(const std::vector<float>& plane, const ImageView& image, uint32_t c, double tolerance) {
  ASSERT_EQ(plane.size(), size_t{image.size.width} * image.size.height);
  for (uint32_t i = 0; i < plane.size(); ++i) {
    const double exact = texel(image, i % image.size.width, i / image.size.width, c);
    ASSERT_NEAR(plane[i], exact, tolerance * std::abs(exact)) << "channel " << c << " texel " << i;
  }
}

struct WriteCase {
  Format format;
  std::vector<std::string> names;
  bool half;
  double tolerance;  // relative; half has 11 significant bits
};

class FilesExrWrite : public testing::TestWithParam<WriteCase> {
 protected:
  TempDirectory directory_;
};

TEST_P(FilesExrWrite, ScanlinesAndMipmapsHoldTheValues) {
  const auto& [format, names, half, tolerance] = GetParam();
  const auto levels = random_levels(format, {147, 301}, 1);
  const auto all = views(levels);
  const std::filesystem::path path = directory_ / "x.exr";
  for (const auto compression : {onepass::files::ExrCompression::kNone, onepass::files::ExrCompression::kRle,
                                 onepass::files::ExrCompression::kZip, onepass::files::ExrCompression::kPiz}) {
    const auto done = onepass::files::write_exr(path, std::span(all).first(1), {.compression = compression});
    ASSERT_TRUE(done) << done.error().text();
    for (uint32_t c = 0; c < names.size(); ++c) expect_plane(channel_of(path, names[c]), all[0], c, tolerance);
  }
  const auto done = onepass::files::write_exr(path, all, {.tile_size = 32});
  ASSERT_TRUE(done) << done.error().text();
  Imf::TiledInputFile file(path.string().c_str());
  EXPECT_EQ(file.levelMode(), Imf::MIPMAP_LEVELS);
  EXPECT_EQ(file.levelRoundingMode(), Imf::ROUND_DOWN);
  EXPECT_TRUE(file.isComplete());
  ASSERT_EQ(file.numLevels(), static_cast<int>(levels.size()));
  for (const std::string& name : names) {
    ASSERT_EQ(file.header().channels()[name].type, half ? Imf::HALF : Imf::FLOAT);
  }
  for (size_t n = 0; n < levels.size(); ++n) {
    for (uint32_t c = 0; c < names.size(); ++c) {
      expect_plane(channel_of(path, names[c], static_cast<int>(n)), all[n], c, tolerance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, FilesExrWrite,
                         testing::Values(WriteCase{Format::kR8Unorm, {"Y"}, true, 5e-4},
                                         WriteCase{Format::kR8Srgb, {"Y"}, true, 5e-4},
                                         WriteCase{Format::kRG8Unorm, {"R", "G"}, true, 5e-4},
                                         WriteCase{Format::kRGBA8Srgb, {"R", "G", "B", "A"}, true, 5e-4},
                                         WriteCase{Format::kR16Unorm, {"Y"}, false, 1e-7},
                                         WriteCase{Format::kRGBA16Sfloat, {"R", "G", "B", "A"}, true, 0},
                                         WriteCase{Format::kR32Sfloat, {"Y"}, false, 0},
                                         WriteCase{Format::kRG32Sfloat, {"R", "G"}, false, 0},
                                         WriteCase{Format::kRGBA32Sfloat, {"R", "G", "B", "A"}, false, 0},
                                         WriteCase{Format::kD32Sfloat, {"Z"}, false, 0}));

TEST_F(FilesExr, NamesAndTypesCanBeChosen) {
  const Image image = random_image(Format::kRG32Sfloat, {10, 10}, 1, 7);
  const ImageView view = image.view();
  ASSERT_TRUE(
      onepass::files::write_exr(directory_ / "x.exr", {&view, 1},
                                {.channels = {"depth.min", "depth.max"}, .type = onepass::files::ExrType::kHalf}));
  expect_plane(channel_of(directory_ / "x.exr", "depth.max"), view, 1, 0);
  Imf::InputFile file((directory_ / "x.exr").string().c_str());
  EXPECT_EQ(file.header().channels()["depth.min"].type, Imf::HALF);
}

TEST_F(FilesExr, WriterRefusesWhatTheFormatCannotHold) {
  const auto levels = random_levels(Format::kR32Sfloat, {16, 16}, 1);
  const auto all = views(levels);
  const Image slices = random_image(Format::kR32Sfloat, {4, 4}, 7, 1);
  const ImageView seven = slices.view();
  const auto code = [&](std::span<const ImageView> what, const onepass::files::ExrOptions& options = {}) {
    const auto done = onepass::files::write_exr(directory_ / "x.exr", what, options);
    return done ? ErrorCode::kDevice : done.error().code;
  };
  EXPECT_EQ(code({&seven, 1}), ErrorCode::kUnsupported);
  EXPECT_EQ(code(std::span(all).first(3)), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(all, {.layout = onepass::files::ExrLayout::kScanline}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(all, {.channels = {"R", "G"}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(all, {.channels = {""}}), ErrorCode::kInvalidArgument);
  EXPECT_EQ(code(all, {.tile_size = 7}), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(directory_.entries().empty());
}

}  // namespace

// files_jpeg_write_test.cpp: JPEG files written by onepass, read by libjpeg.
#include <cstddef>
#include <cstdio>
// jpeglib.h needs FILE and size_t declared before it.
#include <gtest/gtest.h>
#include <jpeglib.h>

#include <cmath>

#include "tests/files/files_support.hpp"

namespace {

using namespace files_test;
using onepass::AlphaAssociation;
using onepass::ErrorCode;
using onepass::Format;
using onepass::files::JpegChroma;
using onepass::files::JpegOptions;
using onepass::files::write_jpeg;

// A JPEG read by libjpeg.
struct Content {
  uint32_t width = 0;
  uint32_t height = 0;
  int components = 0;
  int luma_across = 0;  // luma samples per chroma sample
  int luma_down = 0;
  bool progressive = false;
  bool jfif = false;
  bool ycc = false;
  size_t bytes = 0;
  std::vector<uint8_t> samples;
};

Content written(const onepass::ImageView& image, const JpegOptions& options = {}) {
  const TempDirectory directory;
  const auto done = write_jpeg(directory / "x.jpg", image, options);
  if (!done) throw std::runtime_error(done.error().text());
  EXPECT_EQ(directory.entries(), std::vector<std::string>{"x.jpg"});
  const Bytes bytes = load(directory / "x.jpg");
  jpeg_decompress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  errors.error_exit = [](j_common_ptr) { throw std::runtime_error("libjpeg"); };
  jpeg_create_decompress(&state);
  jpeg_mem_src(&state, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<unsigned long>(bytes.size()));
  jpeg_read_header(&state, TRUE);
  Content content{state.image_width,
                  state.image_height,
                  state.num_components,
                  state.comp_info[0].h_samp_factor,
                  state.comp_info[0].v_samp_factor,
                  state.progressive_mode != FALSE,
                  state.saw_JFIF_marker != FALSE,
                  state.jpeg_color_space == JCS_YCbCr,
                  bytes.size(),
                  {}};
  jpeg_start_decompress(&state);
  content.samples.resize(size_t{content.width} * content.height * static_cast<size_t>(content.components));
  while (state.output_scanline < state.output_height) {
    JSAMPROW row = &content.samples[size_t{state.output_scanline} * content.width * content.components];
    jpeg_read_scanlines(&state, &row, 1);
  }
  jpeg_finish_decompress(&state);
  EXPECT_EQ(errors.num_warnings, 0);
  jpeg_destroy_decompress(&state);
  return content;
}

// An image of one colour: JPEG loses only the rounding of YCbCr.
onepass::Image filled(Format format, std::array<float, 4> colour, onepass::Extent size = {16, 16}) {
  auto image = onepass::Image::create(format, size);
  std::vector<float> row;
  for (uint32_t x = 0; x < size.width; ++x) row.insert(row.end(), colour.begin(), colour.end());
  for (uint32_t y = 0; y < size.height; ++y) onepass::encode_row(format, row.data(), size.width, image->view().row(y));
  return std::move(*image);
}

void expect_colour(const Content& content, std::array<double, 3> codes) {
  for (size_t i = 0; i < content.samples.size(); ++i) {
    ASSERT_NEAR(content.samples[i], codes[i % static_cast<size_t>(content.components)], 1.5) << i;
  }
}

double code(double light) { return 255 * srgb_encode(std::clamp(light, 0.0, 1.0)); }

// Smooth in all channels.
onepass::Image gradient(uint32_t width, uint32_t height) {
  auto image = onepass::Image::create(Format::kRGBA8Srgb, {width, height});
  for (uint32_t y = 0; y < height; ++y) {
    for (uint32_t x = 0; x < width; ++x) {
      std::byte* texel = image->view().row(y) + size_t{4} * x;
      texel[0] = static_cast<std::byte>(30 + 2 * x);
      texel[1] = static_cast<std::byte>(200 - 3 * y);
      texel[2] = static_cast<std::byte>(60 + x + y);
      texel[3] = std::byte{255};
    }
  }
  return std::move(*image);
}

TEST(FilesJpegWrite, SrgbCodesAreStoredAsTheyAre) {
  const auto image = gradient(45, 31);
  for (const bool progressive : {false, true}) {
    const Content content = written(image.view(), {.quality = 100, .progressive = progressive});
    ASSERT_EQ(content.width, 45U);
    ASSERT_EQ(content.height, 31U);
    ASSERT_EQ(content.components, 3);
    EXPECT_EQ(content.progressive, progressive);
    EXPECT_TRUE(content.jfif);
    EXPECT_TRUE(content.ycc);
    for (size_t i = 0; i < content.samples.size(); ++i) {
      ASSERT_NEAR(content.samples[i], std::to_integer<int>(image.data()[i / 3 * 4 + i % 3]), 3) << i;
    }
  }
}

TEST(FilesJpegWrite, LightIsClampedAndEncoded) {
  for (const Format format : {Format::kRGBA32Sfloat, Format::kRGBA16Sfloat, Format::kB10G11R11Ufloat}) {
    const auto image = filled(format, {0.25F, 4.0F, 0.03125F, 1});
    expect_colour(written(image.view(), {.quality = 100}), {code(0.25), 255, code(0.03125)});
  }
  const auto odd = filled(Format::kRGBA32Sfloat, {-1, NAN, INFINITY, 1});
  expect_colour(written(odd.view(), {.quality = 100}), {0, 0, 255});
  // 16-bit UNORM is stored unchanged, as in PNG; 10-bit UNORM is light, hence encoded.
  const auto unorm = filled(Format::kRGBA16Unorm, {0.25F, 0.5F, 0.75F, 1});
  expect_colour(written(unorm.view(), {.quality = 100}), {63.75, 127.5, 191.25});
  const auto ten = filled(Format::kA2B10G10R10Unorm, {0.25F, 0.5F, 0.75F, 1});
  expect_colour(written(ten.view(), {.quality = 100}), {code(0.25), code(0.5), code(0.75)});
}

TEST(FilesJpegWrite, GreyStaysGreyAndTwoChannelsAreRedAndGreen) {
  const Content grey = written(filled(Format::kR32Sfloat, {0.25F, 0, 0, 1}).view(), {.quality = 100});
  EXPECT_EQ(grey.components, 1);
  expect_colour(grey, {code(0.25), 0, 0});
  const Content depth = written(filled(Format::kD32Sfloat, {0.25F, 0, 0, 1}).view(), {.quality = 100});
  EXPECT_EQ(depth.components, 1);
  expect_colour(depth, {63.75, 0, 0});  // depth is not light: not encoded
  const Content two = written(filled(Format::kRG32Sfloat, {0.25F, 0.5F, 0, 1}).view(), {.quality = 100});
  EXPECT_EQ(two.components, 3);
  expect_colour(two, {code(0.25), code(0.5), 0});
}

TEST(FilesJpegWrite, AlphaIsPutBeforeTheBackgroundInLinearLight) {
  const auto image = filled(Format::kRGBA32Sfloat, {0.5F, 0.25F, 0, 0.25F});
  const std::array<float, 3> background = {0, 0.5F, 1};
  const auto with = [&](AlphaAssociation alpha) {
    return written(image.view(), {.alpha = alpha, .background = background, .quality = 100});
  };
  expect_colour(with(AlphaAssociation::kNone), {code(0.5), code(0.25), 0});
  expect_colour(with(AlphaAssociation::kPremultiplied), {code(0.5), code(0.25 + 0.375), code(0.75)});
  expect_colour(with(AlphaAssociation::kStraight), {code(0.125), code(0.0625 + 0.375), code(0.75)});
  // sRGB values are decoded, composited over the background, and encoded again.
  const auto codes = filled(Format::kRGBA8Srgb, {1, 1, 1, 0.5F});
  const double half = std::to_integer<int>(codes.data()[3]) / 255.0;
  expect_colour(written(codes.view(), {.alpha = AlphaAssociation::kStraight, .quality = 100}),
                {code(half), code(half), code(half)});
}

TEST(FilesJpegWrite, ChromaFollowsQualityOrOption) {
  const auto image = gradient(40, 40);
  struct Case {
    int quality;
    JpegChroma chroma;
    int across, down;
  };
  for (const Case& c : {Case{90, JpegChroma::kAuto, 1, 1},
                        {100, JpegChroma::kAuto, 1, 1},
                        {89, JpegChroma::kAuto, 2, 2},
                        {95, JpegChroma::k420, 2, 2},
                        {50, JpegChroma::k444, 1, 1},
                        {50, JpegChroma::k422, 2, 1}}) {
    const Content content = written(image.view(), {.quality = c.quality, .chroma = c.chroma});
    EXPECT_EQ(content.luma_across, c.across) << c.quality;
    EXPECT_EQ(content.luma_down, c.down) << c.quality;
  }
  const auto noise = random_image(Format::kRGBA8Srgb, {64, 64}, 1, 1);
  size_t before = 0;
  for (const int quality : {1, 30, 60, 90, 100}) {
    const size_t bytes = written(noise.view(), {.quality = quality, .chroma = JpegChroma::k444}).bytes;
    EXPECT_GT(bytes, before);
    before = bytes;
  }
}

TEST(FilesJpegWrite, ByExtensionAndRefusals) {
  const TempDirectory directory;
  const auto levels = random_levels(Format::kRGBA8Srgb, {8, 8}, 1);
  const auto all = views(levels);
  for (const char* name : {"a.jpg", "b.JPEG"}) {
    ASSERT_TRUE(onepass::files::write(directory / name, std::span(all).first(1)));
    EXPECT_EQ(onepass::files::read(directory / name)->type, onepass::files::Type::kJpeg);
  }
  const auto error = [&](const onepass::ImageView& image, const JpegOptions& options) {
    const auto done = write_jpeg(directory / "x.jpg", image, options);
    return done ? onepass::Error{ErrorCode::kDevice, "no error", ""} : done.error();
  };
  EXPECT_EQ(onepass::files::write(directory / "x.jpg", all).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(error(random_image(Format::kR8Unorm, {4, 4}, 2, 1).view(), {}).code, ErrorCode::kUnsupported);
  EXPECT_EQ(error(random_image(Format::kR8Unorm, {65501, 1}, 1, 1).view(), {}).code, ErrorCode::kUnsupported);
  for (const int quality : {0, 101, -5}) {
    const auto refused = error(all[0], {.quality = quality});
    EXPECT_EQ(refused.code, ErrorCode::kInvalidArgument);
    EXPECT_NE(refused.message.find(std::to_string(quality)), std::string::npos);
  }
  EXPECT_EQ(error(all[0], {.background = {0, NAN, 0}}).code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(directory.entries(), (std::vector<std::string>{"a.jpg", "b.JPEG"}));
}

}  // namespace

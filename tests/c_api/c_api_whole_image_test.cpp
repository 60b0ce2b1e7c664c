// c_api_whole_image_test.cpp: streams that make the pyramid of a whole image, and texels as floats: bit-equal to C++.
#include <cstring>
#include <vector>

#include "onepass/pyramid_stream.hpp"
#include "tests/c_api/c_api_testing.hpp"

namespace onepass::testing {
namespace {

onepass_pyramid_options stream_options(Extent size, uint32_t slices) {
  onepass_pyramid_options options;
  onepass_pyramid_options_init(&options, sizeof options);
  options.size = {size.width, size.height};
  options.slices = slices;
  options.source = options.target = ONEPASS_FORMAT_R8G8B8_UNORM;
  return options;
}

TEST_F(CApi, StreamsOfImagesHaveTheBitsOfStreams) {
  const Extent size{2 + random_.below(90), 2 + random_.below(70)};
  const PaddedImage source = random_image(Format::kRGB8Unorm, size, 2);
  const PyramidOptions of_slice{.size = size, .source = Format::kRGB8Unorm, .target = Format::kRGB8Unorm};
  PyramidOptions both = of_slice;
  both.slices = 2;
  Levels expected(both, 16, 32), actual(both, 16, 32);
  for (uint32_t slice = 0; slice < 2; ++slice) {
    const auto sink = [&](const cpu::LevelRows& rows) -> Result<void> {
      for (uint32_t y = 0; y < rows.count; ++y) {
        std::memcpy(expected.views[rows.level - 1].row(rows.first + y, slice),
                    static_cast<const std::byte*>(rows.data) + y * rows.row_stride, rows.width * 3);
      }
      return {};
    };
    auto stream = cpu::PyramidStream::create(of_slice, sink);
    ASSERT_TRUE(stream) << stream.error().text();
    const ImageView view = source.view();
    ASSERT_TRUE(stream->push(view.row(0, slice), view.row_stride, size.height));
  }
  std::vector<onepass_mutable_image_view> levels;
  for (const MutableImageView& level : actual.views) levels.push_back(c_view(level));
  const onepass_image_view view = c_view(source);
  const onepass_pyramid_options options = stream_options(size, 2);
  std::vector<double> seen;
  onepass_cpu_tuning tuning;
  onepass_cpu_tuning_init(&tuning, sizeof tuning);
  tuning.progress = [](void* user, double fraction) -> int32_t {
    static_cast<std::vector<double>*>(user)->push_back(fraction);
    return 1;
  };
  tuning.progress_user = &seen;
  ASSERT_EQ(onepass_cpu_pyramid_stream_image(&options, &tuning, &view, levels.data(), levels.size(), &error_),
            ONEPASS_OK)
      << error_.message;
  EXPECT_TRUE(actual.same_bytes(expected));
  for (size_t i = 0; i < seen.size(); ++i) {
    EXPECT_GE(seen[i], i > 0 ? seen[i - 1] : 0.0);
    EXPECT_LE(seen[i], 1.0);
  }
}

TEST_F(CApi, StreamsOfImagesAnswerMistakes) {
  const PaddedImage source = random_image(Format::kRGB8Unorm, {8, 4});
  const PyramidOptions cpp{.size = {8, 4}, .source = Format::kRGB8Unorm, .target = Format::kRGB8Unorm};
  Levels made(cpp);
  std::vector<onepass_mutable_image_view> levels;
  for (const MutableImageView& level : made.views) levels.push_back(c_view(level));
  onepass_image_view view = c_view(source);
  onepass_pyramid_options options = stream_options({8, 4}, 1);
  const auto call = [&](onepass_error* e) {
    return onepass_cpu_pyramid_stream_image(&options, nullptr, &view, levels.data(), levels.size(), e);
  };
  EXPECT_EQ(call(&error_), ONEPASS_OK) << error_.message;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source: null", [&](onepass_error* e) {
    return onepass_cpu_pyramid_stream_image(&options, nullptr, nullptr, levels.data(), levels.size(), e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "levels: 1 instead of 3", [&](onepass_error* e) {
    return onepass_cpu_pyramid_stream_image(&options, nullptr, &view, levels.data(), 1, e);
  });
  levels[1].size.width = 1;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "level 2", call);
  levels[1].size.width = 2;
  levels[0].data = nullptr;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "level 1", call);
  levels[0] = c_view(made.views[0]);
  view.row_stride = 7;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source", call);
  view = c_view(source);
  view.format = ONEPASS_FORMAT_R8G8B8_SRGB;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "source", call);
  view = c_view(source);
  options.footprint = ONEPASS_FOOTPRINT_TIGHT;
  options.reduction = ONEPASS_REDUCTION_MIN;
  expect_failure(ONEPASS_UNSUPPORTED, "tight", call);
}

TEST_F(CApi, TexelsAreDecodedAndEncodedAsInCpp) {
  for (const Format format : {Format::kRGBA8Srgb, Format::kBGRA8Unorm, Format::kA2B10G10R10Unorm, Format::kRGB16Sfloat,
                              Format::kB10G11R11Ufloat, Format::kR8Unorm}) {
    PaddedImage image(format, {33, 1});
    fill_random(image.view(), random_);
    const auto c_format = static_cast<onepass_format>(format);
    std::vector<float> expected(33 * 4), actual(33 * 4);
    decode_row(format, image.view().data, 33, expected.data());
    ASSERT_EQ(onepass_decode_texels(c_format, image.view().data, 33, actual.data(), &error_), ONEPASS_OK)
        << error_.message;
    EXPECT_EQ(actual, expected);
    std::vector<std::byte> stored(33 * onepass_format_bytes(c_format)), again(stored.size());
    encode_row(format, expected.data(), 33, stored.data());
    ASSERT_EQ(onepass_encode_texels(c_format, expected.data(), 33, again.data(), &error_), ONEPASS_OK);
    EXPECT_EQ(again, stored);
  }
  float rgba[4] = {};
  uint32_t texel = 1U << 23U;
  EXPECT_EQ(onepass_decode_texels(ONEPASS_FORMAT_X8_D24_UNORM, &texel, 1, rgba, &error_), ONEPASS_OK);
  EXPECT_NEAR(rgba[0], 0.5F, 1e-6F);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "format: 98 has no colours",
                 [&](onepass_error* e) { return onepass_decode_texels(98, &texel, 1, rgba, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "format: 5 has no colours",
                 [&](onepass_error* e) { return onepass_encode_texels(5, rgba, 1, &texel, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "depth", [&](onepass_error* e) {
    return onepass_encode_texels(ONEPASS_FORMAT_D32_SFLOAT, rgba, 1, &texel, e);
  });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "texels: null",
                 [&](onepass_error* e) { return onepass_decode_texels(ONEPASS_FORMAT_R8_UNORM, nullptr, 1, rgba, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "rgba: null", [&](onepass_error* e) {
    return onepass_decode_texels(ONEPASS_FORMAT_R8_UNORM, &texel, 1, nullptr, e);
  });
}

}  // namespace
}  // namespace onepass::testing

// c_api_nonfinite_test.cpp: NaN and Inf by the C API: results equal to C++, errors for all invalid arguments.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "onepass/nonfinite.hpp"
#include "tests/c_api/c_api_client.h"
#include "tests/c_api/c_api_testing.hpp"

namespace onepass::testing {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

/// Two slices of random texels, some of them NaN or infinite.
PaddedImage spoiled_image(Format format, Random& random) {
  PaddedImage image(format, {37, 11}, 2, 16, 32);
  fill_random(image.view(), random);
  for (int i = 20; i >= 0; --i) {
    const uint32_t x = i == 0 ? 5 : random.below(37), y = i == 0 ? 5 : random.below(11);
    std::byte* texel = image.view().row(y, random.below(2)) + size_t{x} * format_info(format).bytes_per_texel;
    const float rgba[] = {i % 3 == 0 ? kNan : 1.0F, i % 4 == 0 ? kInf : 2.0F, i % 5 == 0 ? -kInf : 3.0F, kNan};
    encode_row(format, rgba, 1, texel);
  }
  return image;
}

void expect_same(const onepass_nonfinite& c, const Result<NonFinite>& cpp) {
  ASSERT_TRUE(cpp);
  EXPECT_EQ(c.struct_size, sizeof c);
  EXPECT_EQ(c.nan_count, cpp->nan_count);
  EXPECT_EQ(c.infinite_count, cpp->infinite_count);
  EXPECT_EQ(c.x, cpp->first.x);
  EXPECT_EQ(c.y, cpp->first.y);
  EXPECT_EQ(c.slice, cpp->first.slice);
  EXPECT_EQ(c.channel, cpp->first.channel);
  EXPECT_TRUE(std::isnan(c.value) ? std::isnan(cpp->first.value) : c.value == cpp->first.value);
  EXPECT_EQ(c.reserved, 0U);
}

TEST_F(CApi, NonFiniteTexelsAreThoseOfCpp) {
  for (const Format format : {Format::kRGBA32Sfloat, Format::kRG16Sfloat, Format::kB10G11R11Ufloat}) {
    for (const uint32_t infinite : {0U, 1U}) {
      for (const Rect rect : {Rect{}, Rect{3, 2, 20, 7}}) {
        PaddedImage image = spoiled_image(format, random_);
        PaddedImage expected = image;
        const MutableImageView view{
            const_cast<std::byte*>(expected.bytes().data()),  // the view of a copy still points to the original's bytes
            format,
            image.view().size,
            2,
            image.view().row_stride,
            image.view().slice_stride};
        const NonFiniteOptions options{.infinite = infinite != 0, .rect = rect};
        const auto c = c_view(image.view());
        onepass_nonfinite found, replaced;
        ASSERT_EQ(client_nonfinite(&c, {rect.x, rect.y, rect.width, rect.height}, infinite, &found, &replaced, &error_),
                  ONEPASS_OK)
            << error_.message;
        expect_same(found, find_nonfinite(view, options));
        expect_same(replaced, replace_nonfinite(view, options));
        EXPECT_GT(found.nan_count + found.infinite_count, 0U);
        EXPECT_EQ(image.bytes(), expected.bytes());
      }
    }
  }
}

TEST_F(CApi, NonFiniteDefaultsAreThoseOfCpp) {
  PaddedImage image = spoiled_image(Format::kR32Sfloat, random_);
  const auto view = c_view(static_cast<const PaddedImage&>(image));
  onepass_nonfinite_options options;
  onepass_nonfinite_options_init(&options, sizeof options);
  EXPECT_EQ(options.struct_size, sizeof options);
  EXPECT_EQ(options.infinite, 1U);
  const auto expected = find_nonfinite(image.view());
  for (const onepass_nonfinite_options* given : {&options, static_cast<onepass_nonfinite_options*>(nullptr)}) {
    onepass_nonfinite found;
    found.struct_size = sizeof found;
    ASSERT_EQ(onepass_find_nonfinite(&view, given, nullptr, &found, &error_), ONEPASS_OK) << error_.message;
    expect_same(found, expected);
  }
}

TEST_F(CApi, NonFiniteMistakesAreAnswered) {
  PaddedImage image = spoiled_image(Format::kR32Sfloat, random_);
  const std::vector<std::byte> before = image.bytes();
  onepass_nonfinite_options options;
  onepass_nonfinite_options_init(&options, sizeof options);
  onepass_nonfinite out;
  out.struct_size = sizeof out;
  out.nan_count = 77;
  const auto view = c_view(static_cast<const PaddedImage&>(image));
  const auto mutable_view = c_view(image.view());
  const auto refused = [&](onepass_code code, const char* words) {
    expect_failure(code, words,
                   [&](onepass_error* e) { return onepass_find_nonfinite(&view, &options, nullptr, &out, e); });
    expect_failure(code, words, [&](onepass_error* e) {
      return onepass_replace_nonfinite(&mutable_view, &options, nullptr, &out, e);
    });
    onepass_nonfinite_options_init(&options, sizeof options);
    out.struct_size = sizeof out;
  };
  options.struct_size = 12;
  refused(ONEPASS_INVALID_ARGUMENT, "options.struct_size: 12");
  options.infinite = 2;
  refused(ONEPASS_INVALID_ARGUMENT, "infinite: 2");
  options.reserved = 1;
  refused(ONEPASS_INVALID_ARGUMENT, "options.reserved: 1");
  options.rect = {0, 0, 38, 1};
  refused(ONEPASS_INVALID_ARGUMENT, "rect: 38x1");
  out.struct_size = 8;
  refused(ONEPASS_INVALID_ARGUMENT, "struct_size: 8");
  onepass_cpu_tuning tuning;
  onepass_cpu_tuning_init(&tuning, sizeof tuning);
  tuning.reserved = 5;
  expect_failure(ONEPASS_INVALID_ARGUMENT, "tuning.reserved: 5",
                 [&](onepass_error* e) { return onepass_find_nonfinite(&view, nullptr, &tuning, &out, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "image: null",
                 [&](onepass_error* e) { return onepass_find_nonfinite(nullptr, nullptr, nullptr, &out, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "found: null",
                 [&](onepass_error* e) { return onepass_find_nonfinite(&view, nullptr, nullptr, nullptr, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "replaced: null", [&](onepass_error* e) {
    return onepass_replace_nonfinite(&mutable_view, nullptr, nullptr, nullptr, e);
  });
  EXPECT_EQ(out.nan_count, 77U);
  EXPECT_EQ(image.bytes(), before);
}

}  // namespace
}  // namespace onepass::testing

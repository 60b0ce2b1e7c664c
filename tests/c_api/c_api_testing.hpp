// c_api_testing.hpp: shared by the tests of the C API: views, random images, expectations for invalid arguments.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstring>

#include "onepass/onepass.h"
#include "tests/pyramid/pyramid_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {

inline onepass_image_view c_view(const ImageView& v) {
  return {v.data,        static_cast<onepass_format>(v.format), {v.size.width, v.size.height}, v.slices, v.row_stride,
          v.slice_stride};
}
inline onepass_mutable_image_view c_view(const MutableImageView& v) {
  return {v.data,        static_cast<onepass_format>(v.format), {v.size.width, v.size.height}, v.slices, v.row_stride,
          v.slice_stride};
}
inline onepass_image_view c_view(const PaddedImage& image) { return c_view(image.view()); }

class CApi : public ::testing::Test {
 protected:
  CApi() : seed_(random_seed()), random_(seed_) { std::printf("seed %u\n", seed_); }
  PaddedImage random_image(Format format, Extent size, uint32_t slices = 1) {
    PaddedImage image(format, size, slices, 16, 32);
    fill_random(image.view(), random_);
    return image;
  }
  Extent random_size() { return {1 + random_.below(90), 1 + random_.below(70)}; }

  uint32_t seed_;
  Random random_;
  onepass_error error_{};
};

// ---- Invalid arguments

/// Expects `code` and a message that contains `words`; and the same code if no error struct is given.
template <typename Call>
void expect_failure(onepass_code code, const char* words, const Call& call) {
  onepass_error error{};
  EXPECT_EQ(call(&error), code) << words;
  EXPECT_EQ(error.code, code) << words;
  EXPECT_NE(std::strstr(error.message, words), nullptr) << "'" << error.message << "' lacks '" << words << "'";
  EXPECT_EQ(call(nullptr), code) << words;
}

/// Null arguments and wrong struct sizes for a create function. The message names `missing`, which defaults lack.
template <typename Options, typename Handle, typename Init, typename Create>
void expect_guarded_create(const Init& init, const Create& create, const char* missing = "size") {
  Options options;
  init(&options, sizeof options);
  Handle* handle = reinterpret_cast<Handle*>(&options);
  const auto call = [&](onepass_error* e) { return create(&options, nullptr, &handle, e); };
  expect_failure(ONEPASS_INVALID_ARGUMENT, missing, call);
  EXPECT_EQ(handle, nullptr);
  expect_failure(ONEPASS_INVALID_ARGUMENT, "options: null",
                 [&](onepass_error* e) { return create(nullptr, nullptr, &handle, e); });
  expect_failure(ONEPASS_INVALID_ARGUMENT, "where the handle goes: null",
                 [&](onepass_error* e) { return create(&options, nullptr, nullptr, e); });
  for (const size_t size :
       {size_t{0}, size_t{8}, sizeof(Options) - 4, sizeof(Options) + (size_t{1} << 20U), SIZE_MAX}) {
    options.struct_size = size;
    expect_failure(ONEPASS_INVALID_ARGUMENT, "struct_size", call);
  }
}

/// Every enumeration at the byte offsets `places` rejects an undefined number.
template <typename Options, typename Handle, typename Create, typename Destroy>
void expect_checked_enums(const Options& valid, const Create& create, const Destroy& destroy,
                          std::initializer_list<size_t> places) {
  Handle* handle = nullptr;
  onepass_error error{};
  ASSERT_EQ(create(&valid, nullptr, &handle, &error), ONEPASS_OK) << error.message;
  destroy(handle);
  for (const size_t place : places) {
    Options options = valid;
    const uint32_t none = 1079;
    std::memcpy(reinterpret_cast<unsigned char*>(&options) + place, &none, sizeof none);
    Handle* made = nullptr;
    const onepass_code code = create(&options, nullptr, &made, &error);  // undefined formats give either code
    EXPECT_TRUE(code == ONEPASS_INVALID_ARGUMENT || code == ONEPASS_UNSUPPORTED) << code << ", byte " << place;
    EXPECT_EQ(made, nullptr);
    EXPECT_NE(error.message[0], '\0');
  }
}

}  // namespace onepass::testing

// material_test.cpp: levels of normal maps and roughness against their definition in double, for every size, channel
// and format; normals of heights, flipped normals, packed channels; errors.
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

#include "tests/cpu/simd_targets.hpp"
#include "tests/material/material_testing.hpp"
#include "tests/support/test_seed.hpp"

namespace onepass::testing {
namespace {

struct Vec {
  double x, y, z;
};

Vec scaled(const Vec& v, double s) { return {v.x * s, v.y * s, v.z * s}; }
double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec cross(const Vec& a, const Vec& b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

/// weights[i][s]: the weight of base texel s in texel i of `level`: the rule of odd sizes, level after level.
std::vector<std::vector<double>> weights_of(uint32_t size, uint32_t level) {
  std::vector<std::vector<double>> all(size, std::vector<double>(size, 0.0));
  for (uint32_t i = 0; i < size; ++i) all[i][i] = 1;
  for (; level > 0 && all.size() > 1; --level) {
    const size_t d = all.size(), k = d / 2;
    std::vector<std::vector<double>> next(k, std::vector<double>(size, 0.0));
    for (size_t i = 0; i < k; ++i) {
      const auto share = [&](size_t part) { return static_cast<double>(part) / static_cast<double>(d); };
      const auto w = d % 2 == 0 ? std::array{0.5, 0.5, 0.0} : std::array{share(k - i), share(k), share(i + 1)};
      for (size_t t = 0; t < (d % 2 == 0 ? 2U : 3U); ++t) {
        for (uint32_t s = 0; s < size; ++s) next[i][s] += w[t] * all[2 * i + t][s];
      }
    }
    all = std::move(next);
  }
  return all;
}

/// What a texel of a level should hold.
struct Expected {
  Vec normal{0, 0, 1};
  double fourth = 0;
  double roughness = 0;
  double along_x = 0;
  double along_y = 0;
};

class Oracle {
 public:
  Oracle(const ImageView& normals, const ImageView* roughness, uint32_t channel, float constant, uint32_t slice)
      : size_(normals.size) {
    const bool two = texel_info(normals.format).channels == 2;
    const bool floats = texel_info(normals.format).type == ChannelType::kFloat;
    for (uint32_t y = 0; y < size_.height; ++y) {
      for (uint32_t x = 0; x < size_.width; ++x) {
        const auto t = texel_of(normals, x, y, slice);
        const auto value = [&](float v) { return floats ? double{v} : 2.0 * v - 1; };
        Vec n{value(t[0]), value(t[1]), value(t[2])};
        if (two) n.z = std::sqrt(std::max(0.0, 1 - n.x * n.x - n.y * n.y));
        const double l = std::sqrt(dot(n, n));
        normals_.push_back(l == 0 ? Vec{0, 0, 1} : scaled(n, 1 / l));
        fourth_.push_back(t[3]);
        const double r = roughness == nullptr ? constant : texel_of(*roughness, x, y, slice)[channel];
        alpha2_.push_back(std::pow(std::clamp(r, 0.0, 1.0), 4));
      }
    }
  }

  [[nodiscard]] Expected texel(const std::vector<double>& wx, const std::vector<double>& wy) const {
    Vec mean{0, 0, 0};
    Expected out;
    double alpha2 = 0;
    const auto each = [&](const auto& use) {
      for (size_t y = 0; y < wy.size(); ++y) {
        for (size_t x = 0; x < wx.size(); ++x) {
          if (wx[x] * wy[y] != 0) use(y * wx.size() + x, wx[x] * wy[y]);
        }
      }
    };
    each([&](size_t i, double w) {
      mean = {mean.x + w * normals_[i].x, mean.y + w * normals_[i].y, mean.z + w * normals_[i].z};
      out.fourth += w * fourth_[i];
      alpha2 += w * alpha2_[i];
    });
    const double l = std::sqrt(dot(mean, mean));
    if (l > 1e-12) out.normal = scaled(mean, 1 / l);
    out.roughness = std::pow(std::min(1.0, alpha2 + 2 * (1 - l) / std::max(l, 1e-12)), 0.25);
    const Vec n = out.normal;
    Vec tx{1 - n.x * n.x, -n.x * n.y, -n.x * n.z};
    tx = scaled(tx, 1 / std::sqrt(dot(tx, tx)));
    const Vec ty = cross(n, tx);
    double xx = 0, yy = 0, nn = 0;
    each([&](size_t i, double w) {
      xx += w * dot(normals_[i], tx) * dot(normals_[i], tx);
      yy += w * dot(normals_[i], ty) * dot(normals_[i], ty);
      nn += w * dot(normals_[i], n) * dot(normals_[i], n);
    });
    out.along_x = std::pow(std::min(1.0, alpha2 + 2 * xx / nn), 0.25);
    out.along_y = std::pow(std::min(1.0, alpha2 + 2 * yy / nn), 0.25);
    return out;
  }

 private:
  Extent size_;
  std::vector<Vec> normals_;
  std::vector<double> fourth_, alpha2_;
};

/// A rough normal map: slopes of up to about 1.
Image random_normals(Format format, Extent size, uint32_t slices = 1) {
  std::mt19937 random(random_seed());
  const auto value = [&] { return static_cast<float>(random() % 1001) / 500 - 1; };
  const bool floats = texel_info(format).type == ChannelType::kFloat;
  return image_of(
      format, size,
      [&](uint32_t, uint32_t, uint32_t) {
        const float x = 0.7F * value(), y = 0.7F * value();
        const float z = std::sqrt(std::max(0.0F, 1 - x * x - y * y));
        const float w = value();
        return floats ? std::array{x, y, z, w}
                      : std::array{0.5F * x + 0.5F, 0.5F * y + 0.5F, 0.5F * z + 0.5F, 0.5F * w + 0.5F};
      },
      slices);
}

Image random_values(Format format, Extent size, uint32_t slices = 1) {
  std::mt19937 random(random_seed() + 1);
  const auto value = [&] { return static_cast<float>(random() % 1001) / 1000; };
  return image_of(
      format, size,
      [&](uint32_t, uint32_t, uint32_t) {
        return std::array{value(), value(), value(), value()};
      },
      slices);
}

struct Case {
  Extent size;
  Format normals;
  Format roughness;
  uint32_t source_channel;
  Format target;
  uint32_t target_channel;
  uint32_t slices = 1;
};

constexpr Case kCases[] = {
    {{32, 16}, Format::kRGBA8Unorm, Format::kR8Unorm, 0, Format::kR32Sfloat, 0},
    {{13, 7}, Format::kRGBA32Sfloat, Format::kRGBA8Unorm, 1, Format::kRGBA32Sfloat, 2},
    {{1, 9}, Format::kRG32Sfloat, Format::kRGBA16Unorm, 3, Format::kRG32Sfloat, 0},
    {{15, 1}, Format::kRG8Unorm, Format::kUndefined, 0, Format::kRG32Sfloat, 0},
    {{2, 2}, Format::kRGBA16Sfloat, Format::kUndefined, 0, Format::kRGBA32Sfloat, 1},
    {{21, 33}, Format::kRGB8Unorm, Format::kRGB8Unorm, 2, Format::kRGBA32Sfloat, 1},
    {{6, 10}, Format::kRGBA16Unorm, Format::kR16Unorm, 0, Format::kRG32Sfloat, 0, 3},
    {{3, 5}, Format::kRGB32Sfloat, Format::kRG32Sfloat, 1, Format::kRG32Sfloat, 0, 2},
};

/// The channels of a level of roughness: those that are made, and the others, which keep 0.25.
void compare(const std::array<float, 4>& texel, Format format, const RoughnessOptions& options,
             const Expected& expected) {
  const bool both = options.variance == NormalVariance::kCovariance;
  for (uint32_t c = 0; c < texel_info(format).channels; ++c) {
    const bool second = both && c == options.target_channel + 1;
    const double roughness = second ? expected.along_y : both ? expected.along_x : expected.roughness;
    if (second || c == options.target_channel) {
      EXPECT_NEAR(texel[c], roughness, 1e-6) << "channel " << c;
    } else {
      EXPECT_EQ(texel[c], 0.25F) << "channel " << c;
    }
  }
}

TEST(RoughnessMips, LevelsFollowTheirDefinition) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(::testing::Message() << c.size.width << "x" << c.size.height);
    const Image normals = random_normals(c.normals, c.size, c.slices);
    const bool constant = c.roughness == Format::kUndefined;
    const Image rough = constant ? Image() : random_values(c.roughness, c.size, c.slices);
    const ImageView rough_view = constant ? ImageView{} : rough.view();
    for (const NormalVariance variance : {NormalVariance::kToksvig, NormalVariance::kCovariance}) {
      const bool both = variance == NormalVariance::kCovariance;
      auto normal_levels = levels_of(Format::kRGBA32Sfloat, c.size, c.slices);
      auto rough_levels =
          levels_of(both && c.target == Format::kR32Sfloat ? Format::kRG32Sfloat : c.target, c.size, c.slices);
      const RoughnessOptions options{variance, 0.3F, c.source_channel, c.target_channel};
      const auto done =
          cpu::roughness_mips(normals.view(), rough_view, views_of(normal_levels), views_of(rough_levels), options);
      ASSERT_TRUE(done) << done.error().message;
      for (uint32_t slice = 0; slice < c.slices; ++slice) {
        const Oracle oracle(normals.view(), constant ? nullptr : &rough_view, c.source_channel, 0.3F, slice);
        for (size_t i = 0; i < normal_levels.size(); ++i) {
          const auto wx = weights_of(c.size.width, static_cast<uint32_t>(i) + 1);
          const auto wy = weights_of(c.size.height, static_cast<uint32_t>(i) + 1);
          for (uint32_t y = 0; y < wy.size(); ++y) {
            for (uint32_t x = 0; x < wx.size(); ++x) {
              const Expected expected = oracle.texel(wx[x], wy[y]);
              const auto n = texel_of(normal_levels[i].view(), x, y, slice);
              EXPECT_NEAR(n[0], expected.normal.x, 1e-6);
              EXPECT_NEAR(n[1], expected.normal.y, 1e-6);
              EXPECT_NEAR(n[2], expected.normal.z, 1e-6);
              EXPECT_NEAR(n[3], expected.fourth, 1e-6);
              compare(texel_of(rough_levels[i].view(), x, y, slice), rough_levels[i].format(), options, expected);
            }
          }
        }
      }
    }
  }
}

TEST(RoughnessMips, EveryThreadCountAndTargetHasTheSameBits) {
  const SevenThreads allow;
  const Extent size{61, 45};
  const Image normals = random_normals(Format::kRGBA16Sfloat, size);
  const Image rough = random_values(Format::kRGBA8Unorm, size);
  const auto make = [&](uint32_t threads) {
    auto normal_levels = levels_of(Format::kRGBA16Unorm, size);
    auto rough_levels = levels_of(Format::kRGBA16Unorm, size);
    EXPECT_TRUE(cpu::roughness_mips(normals.view(), rough.view(), views_of(normal_levels), views_of(rough_levels),
                                    {.variance = NormalVariance::kCovariance, .source_channel = 2}, {threads}));
    std::vector<std::byte> bytes;
    for (const auto* levels : {&normal_levels, &rough_levels}) {
      for (const Image& level : *levels) bytes.insert(bytes.end(), level.data(), level.data() + level.size_in_bytes());
    }
    return bytes;
  };
  const auto expected = make(1);
  on_every_simd_target([&](const char* target) {
    for (const uint32_t threads : {1U, 2U, 7U}) EXPECT_EQ(make(threads), expected) << target << ", " << threads;
  });
}

TEST(RoughnessMips, FlatMapsKeepTheirRoughness) {
  const Extent size{17, 9};
  // The usual flat normal of 8 bits, (128, 128, 255), is not quite (0, 0, 1).
  const Image flat = image_of(Format::kRGBA8Unorm, size, [](auto...) {
    return std::array{128 / 255.0F, 128 / 255.0F, 1.0F, 1.0F};
  });
  for (const float r : {0.0F, 0.05F, 0.5F, 1.0F}) {
    auto levels = levels_of(Format::kR32Sfloat, size);
    ASSERT_TRUE(cpu::roughness_mips(flat.view(), {}, {}, views_of(levels), {.roughness = r}));
    for (const Image& level : levels) EXPECT_NEAR(texel_of(level.view(), 0, 0)[0], r, 2e-4);
  }
}

TEST(RoughnessMips, OppositeNullAndNanVectors) {
  const auto run = [](std::array<float, 4> left, std::array<float, 4> right) {
    const Image normals =
        image_of(Format::kRGBA32Sfloat, {2, 1}, [&](uint32_t x, uint32_t, uint32_t) { return x == 0 ? left : right; });
    auto normal_levels = levels_of(Format::kRGBA32Sfloat, {2, 1});
    auto rough_levels = levels_of(Format::kR32Sfloat, {2, 1});
    EXPECT_TRUE(cpu::roughness_mips(normals.view(), {}, views_of(normal_levels), views_of(rough_levels)));
    auto n = texel_of(normal_levels[0].view(), 0, 0);
    n[3] = texel_of(rough_levels[0].view(), 0, 0)[0];
    return n;
  };
  EXPECT_EQ(run({1, 0, 0, 0}, {-1, 0, 0, 0}), (std::array{0.0F, 0.0F, 1.0F, 1.0F}));
  EXPECT_EQ(run({0, 0, 0, 0}, {0, 0, 5, 0}), (std::array{0.0F, 0.0F, 1.0F, 0.0F}));
  const auto nan = run({std::numeric_limits<float>::quiet_NaN(), 0, 1, 0}, {0, 0, 1, 0});
  EXPECT_TRUE(std::isnan(nan[2]) && std::isnan(nan[3]));
}

/// The normal of a texel of floats.
Vec normal_at(const Image& image, uint32_t x, uint32_t y) {
  const auto t = texel_of(image.view(), x, y);
  return {t[0], t[1], t[2]};
}

void expect_slope(const Vec& n, double sx, double sy, const char* where) {
  EXPECT_NEAR(-n.x / n.z, sx, 1e-5) << where;
  EXPECT_NEAR(-n.y / n.z, sy, 1e-5) << where;
}

TEST(HeightToNormals, SlopesAreCentralDifferences) {
  const Extent size{9, 6};
  const auto h = [](double x, double y) { return 0.02 * x * x - 0.03 * x + 0.05 * y * y + 0.01 * x * y; };
  const Image heights = image_of(Format::kRGBA32Sfloat, size, [&](uint32_t x, uint32_t y, uint32_t) {
    return std::array{0.0F, 0.0F, static_cast<float>(h(x, y)), 0.0F};
  });
  Image normals = image_of(Format::kRGBA32Sfloat, size, [](auto...) { return std::array<float, 4>{}; });
  for (const NormalY y : {NormalY::kUp, NormalY::kDown}) {
    const HeightOptions options{.scale = 3, .normal_y = y, .channel = 2};
    ASSERT_TRUE(cpu::height_to_normals(heights.view(), normals.view(), options));
    const double sign = y == NormalY::kDown ? 1 : -1;
    // Central differences of a quadratic are exact.
    expect_slope(normal_at(normals, 4, 3), 3 * (0.04 * 4 - 0.03 + 0.03), sign * 3 * (0.1 * 3 + 0.04), "inside");
    // One-sided differences at the edge.
    expect_slope(normal_at(normals, 0, 0), 3 * (h(1, 0) - h(0, 0)), sign * 3 * (h(0, 1) - h(0, 0)), "corner");
    const Vec n = normal_at(normals, 8, 5);
    expect_slope(n, 3 * (h(8, 5) - h(7, 5)), sign * 3 * (h(8, 5) - h(8, 4)), "last corner");
    EXPECT_NEAR(dot(n, n), 1, 1e-6);
    EXPECT_EQ(texel_of(normals.view(), 8, 5)[3], 1);
  }
  ASSERT_TRUE(cpu::height_to_normals(heights.view(), normals.view(), {.boundary = Boundary::kWrap, .channel = 2}));
  expect_slope(normal_at(normals, 0, 2), (h(1, 2) - h(8, 2)) / 2, -(h(0, 3) - h(0, 1)) / 2, "wrapped");
  expect_slope(normal_at(normals, 8, 5), (h(0, 5) - h(7, 5)) / 2, -(h(8, 0) - h(8, 4)) / 2, "wrapped");
  ASSERT_TRUE(cpu::height_to_normals(heights.view(), normals.view(), {.boundary = Boundary::kMirror, .channel = 2}));
  expect_slope(normal_at(normals, 0, 2), (h(1, 2) - h(0, 2)) / 2, -(h(0, 3) - h(0, 1)) / 2, "mirrored");
}

TEST(HeightToNormals, OneTexelIsFlatAndUnormStoresHalves) {
  const Image height = image_of(Format::kD32Sfloat, {1, 1}, [](auto...) { return std::array{7.0F, 0.0F, 0.0F, 0.0F}; });
  for (const Boundary boundary : {Boundary::kClamp, Boundary::kWrap, Boundary::kMirror}) {
    Image normal = image_of(Format::kRG16Unorm, {1, 1}, [](auto...) { return std::array<float, 4>{}; });
    ASSERT_TRUE(cpu::height_to_normals(height.view(), normal.view(), {.boundary = boundary}));
    EXPECT_NEAR(texel_of(normal.view(), 0, 0)[0], 0.5, 1e-5);
    EXPECT_NEAR(texel_of(normal.view(), 0, 0)[1], 0.5, 1e-5);
  }
}

TEST(FlipNormalY, MirrorsEveryCodeAndKeepsTheRest) {
  const Extent size{256, 2};
  for (const Format format : {Format::kRGBA8Unorm, Format::kRG8Unorm, Format::kRGBA16Sfloat, Format::kRGB8Unorm}) {
    const bool floats = texel_info(format).type == ChannelType::kFloat;
    const Image source = image_of(format, size, [&](uint32_t x, uint32_t y, uint32_t) {
      const float v = static_cast<float>(x) / 255;
      return std::array{0.25F, floats ? 2 * v - 1 : v, static_cast<float>(y), 0.75F};
    });
    Image target = image_of(format, size, [](auto...) { return std::array<float, 4>{}; });
    ASSERT_TRUE(cpu::flip_normal_y(source.view(), target.view()));
    for (uint32_t x = 0; x < size.width; ++x) {
      const auto from = texel_of(source.view(), x, 1), to = texel_of(target.view(), x, 1);
      EXPECT_NEAR(to[1], floats ? -from[1] : 1 - from[1], 1e-7);
      for (const size_t c : {0U, 2U, 3U}) EXPECT_EQ(to[c], from[c]);
    }
    ASSERT_TRUE(cpu::flip_normal_y(target.view(), target.view()));  // in place
    EXPECT_EQ(std::memcmp(source.data(), target.data(), source.size_in_bytes()), 0);
  }
}

TEST(ConvertNormals, VectorsGetLengthOneInAnyFormat) {
  const Extent size{7, 3};
  const Image source = image_of(Format::kRGBA16Sfloat, size, [](uint32_t x, uint32_t y, uint32_t) {
    const auto fx = static_cast<float>(x), fy = static_cast<float>(y);
    return std::array{0.5F * fx, -0.25F * fy, x == 0 && y == 0 ? 0.0F : 1.0F, 0.25F};
  });
  for (const Format format : {Format::kRGBA32Sfloat, Format::kRG32Sfloat, Format::kRGBA16Unorm, Format::kRG16Unorm}) {
    const FormatInfo& info = texel_info(format);
    Image target = image_of(format, size, [](auto...) { return std::array<float, 4>{}; });
    ASSERT_TRUE(cpu::convert_normals(source.view(), target.view()));
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        const double nx = 0.5 * x, ny = -0.25 * y, l = std::sqrt(nx * nx + ny * ny + 1);
        const std::array<double, 3> expected{nx / l, ny / l, 1 / l};  // the null vector becomes (0, 0, 1)
        auto t = texel_of(target.view(), x, y);
        if (info.channels < 4) t[3] = 0.25;
        EXPECT_NEAR(t[3], 0.25, 1e-4);
        for (uint32_t c = 0; c < std::min(info.channels, 3U); ++c) {
          EXPECT_NEAR(info.type == ChannelType::kFloat ? t[c] : 2 * t[c] - 1, expected[c], 4e-5);
        }
      }
    }
    Image full = image_of(Format::kRGBA32Sfloat, size, [](auto...) { return std::array<float, 4>{}; });
    ASSERT_TRUE(cpu::convert_normals(target.view(), full.view()));  // z is implied by two channels
    EXPECT_NEAR(texel_of(full.view(), 6, 2)[2], 1 / std::sqrt(10.25), 1e-4);
  }
  Image grey = random_values(Format::kR8Unorm, size);
  const auto done = cpu::convert_normals(source.view(), grey.view());
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("target: format r8_unorm has 1 channel"), std::string::npos);
}

TEST(PackChannels, TakesChannelsOfPicturesAndValues) {
  const Extent size{5, 3};
  const Image a = random_values(Format::kRGBA8Unorm, size, 2);
  const Image b = random_values(Format::kR16Unorm, size, 2);
  Image target = image_of(
      Format::kRGBA32Sfloat, size, [](auto...) { return std::array<float, 4>{}; }, 2);
  const std::array<ChannelSource, 4> channels{ChannelSource{b.view(), 0}, ChannelSource{a.view(), 3},
                                              ChannelSource{.value = 0.7F}, ChannelSource{a.view(), 1}};
  ASSERT_TRUE(cpu::pack_channels(channels, target.view()));
  for (uint32_t slice = 0; slice < 2; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x) {
        const auto from = texel_of(a.view(), x, y, slice);
        EXPECT_EQ(texel_of(target.view(), x, y, slice),
                  (std::array{texel_of(b.view(), x, y, slice)[0], from[3], 0.7F, from[1]}));
      }
    }
  }
}

void expect_error(const Result<void>& done, const std::string& message) {
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(done.error().message.find(message), std::string::npos) << done.error().message;
}

TEST(RoughnessMips, SaysWhatIsWrong) {
  const Extent size{8, 4};
  const Image normals = random_normals(Format::kRGBA8Unorm, size);
  const Image grey = random_values(Format::kR8Unorm, size);
  auto levels = levels_of(Format::kR8Unorm, size);
  const auto run = [&](const ImageView& n, const ImageView& r, const RoughnessOptions& options = {}) {
    return cpu::roughness_mips(n, r, {}, views_of(levels), options);
  };
  ASSERT_TRUE(run(normals.view(), grey.view()));
  expect_error(run(grey.view(), {}), "normals: format r8_unorm has 1 channel, not 2 or more");
  expect_error(run({}, {}), "normals: unknown format 0");
  expect_error(run(normals.view(), grey.view(), {.source_channel = 1}), "source_channel: 1, not 0 to 0");
  expect_error(run(normals.view(), grey.view(), {.target_channel = 4}), "target_channel: 4, not 0 to 3");
  expect_error(run(normals.view(), grey.view(), {.target_channel = 1}),
               "roughness_levels[0]: format r8_unorm has 1 channel, not 2 or more");
  expect_error(run(normals.view(), grey.view(), {.variance = NormalVariance::kCovariance}),
               "roughness_levels[0]: format r8_unorm has 1 channel, not 2 or more");
  expect_error(run(normals.view(), grey.view(), {.roughness = 1.5F}), "roughness: 1.5");
  expect_error(run(normals.view(), grey.view(), {.variance = static_cast<NormalVariance>(7)}), "variance: 7");
  const Image other = random_values(Format::kR8Unorm, {4, 4});
  expect_error(run(normals.view(), other.view()), "roughness: size 4x4, expected 8x4");
  const Image colours = random_values(Format::kRGBA8Srgb, size);
  expect_error(run(colours.view(), {}), "normals: format r8g8b8a8_srgb is for colours");
  levels.push_back(random_values(Format::kR8Unorm, {1, 1}));
  expect_error(run(normals.view(), {}), "roughness_levels: 4 views, but 8x4 has 3 levels after the base");
  std::swap(levels[0], levels[1]);
  expect_error(run(normals.view(), {}), "roughness_levels[0]: size 2x1, expected 4x2");
}

TEST(Pictures, SayWhatIsWrong) {
  const Extent size{4, 4};
  const Image grey = random_values(Format::kR8Unorm, size);
  Image normals = random_normals(Format::kRGBA8Unorm, size);
  const auto heights = [&](const HeightOptions& options) {
    return cpu::height_to_normals(grey.view(), normals.view(), options);
  };
  expect_error(heights({.boundary = Boundary::kZero}), "boundary: zero");
  expect_error(heights({.scale = std::numeric_limits<float>::infinity()}), "scale: inf is not finite");
  expect_error(heights({.channel = 1}), "channel: 1, not 0 to 0");
  expect_error(heights({.normal_y = static_cast<NormalY>(2)}), "normal_y: 2");
  expect_error(cpu::height_to_normals(normals.view(), MutableImageView{}), "normals: unknown format 0");
  Image packed = random_values(Format::kB10G11R11Ufloat, size);
  expect_error(cpu::flip_normal_y(packed.view(), packed.view()), "has no sign");
  const std::array<ChannelSource, 2> two{};
  expect_error(cpu::pack_channels(two, normals.view()), "channels: 2, but target has 4");
  std::array<ChannelSource, 4> four{};
  four[2] = {grey.view(), 4};
  expect_error(cpu::pack_channels(four, normals.view()), "channels[2].channel: 4, not 0 to 3");
  const Image large = random_values(Format::kR8Unorm, {8, 8});
  four[2] = {large.view(), 0};
  expect_error(cpu::pack_channels(four, normals.view()), "channels[2].image: size 8x8, expected 4x4");
}

}  // namespace
}  // namespace onepass::testing

// spd_test.cpp: shaders written around FidelityFX SPD, with onepass/spd.glsl behind them, in GLSL and HLSL. Oracle: the
// definitions of the footprints in double. Every run is two dispatches on the same counters.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "onepass/shader_setup.h"
#include "tests/shaders/sample_kernels.hpp"
#include "tests/shaders/shader_testing.hpp"

namespace onepass::testing {
namespace {

constexpr float kPoison = 1e30F;       // of texels that no dispatch has stored
constexpr uint32_t kDescriptors = 12;  // elements of imgDst

/// A shader of this folder, by its definitions.
struct Variant {
  SampleKernel kernel;
  Reduction reduction;
  Footprint footprint;
  bool sized, half, sampler, slices;

  explicit Variant(const SampleKernel& k)
      : kernel(k),
        reduction(static_cast<Reduction>(k.number("REDUCE", k.number("ONEPASS_REDUCTION", 0)))),
        footprint(k.number("ONEPASS_REDUCTION", 9) == 9 ? Footprint::kAligned : Footprint::kCovering),
        sized(k.number("SIZED", 0) != 0),
        half(k.number("A_HALF", k.number("FFX_HALF", 0)) != 0),
        sampler(k.number("SPD_LINEAR_SAMPLER", 0) != 0),
        slices(k.sample != "spd_0") {}

  [[nodiscard]] bool runs() const {
    if (kernel.subgroup && test_device().info().subgroup_size < 8) return false;
    return !half || has_half_arithmetic();
  }
};

/// The variants of a language, `comp` or `hlsl`, that the device runs; of HLSL a selection (Sample).
std::vector<Variant> variants(std::string_view language, Sample& sample) {
  std::vector<Variant> found;
  for (const SampleKernel& kernel : sample_kernels()) {
    const bool named = kernel.name.find("." + std::string(language)) != std::string_view::npos;
    if (kernel.sample.starts_with("spd_") && named) found.emplace_back(kernel);
  }
  EXPECT_GE(found.size(), 15U);
  std::erase_if(found, [&](const Variant& v) { return !v.runs() || (language == "hlsl" && !sample.takes(2)); });
  return found;
}

struct Shape {
  Extent size;
  uint32_t slices = 1;
};

/// Even, odd, narrow; one tile and many; 128x32 has level 6 of one row.
constexpr Shape kShapes[] = {{{2, 2}, 6},      {{1, 2}, 1},      {{3, 5}, 2},     {{64, 64}, 3},   {{63, 65}, 1},
                             {{128, 32}, 6},   {{1, 1000}, 1},   {{777, 1}, 2},   {{191, 100}, 2}, {{4096, 3}, 1},
                             {{5, 4095}, 1},   {{4096, 16}, 1},  {{512, 512}, 2}, {{517, 515}, 1}, {{640, 360}, 1},
                             {{255, 1023}, 2}, {{1025, 129}, 1}, {{2048, 64}, 1}, {{4096, 1}, 1},  {{1000, 700}, 1}};

std::string text(const Variant& v, const Shape& shape) {
  return std::string(v.kernel.name) + " " + std::to_string(shape.size.width) + "x" + std::to_string(shape.size.height) +
         "x" + std::to_string(shape.slices);
}

uint32_t texels_of(Extent size, uint32_t level) {
  const Extent at = level_size(size, level);
  return at.width * at.height;
}

/// Random texels, four floats each, that half precision represents.
std::vector<float> random_base(const Shape& shape, Random& random) {
  std::vector<float> base(size_t{4} * texels_of(shape.size, 0) * shape.slices);
  for (float& value : base) value = std::floor(random.between(-512, 1024)) / 512;
  return base;
}

/// Levels 1 and up, slices one after the other; full of kPoison.
std::vector<std::vector<float>> poisoned(const Shape& shape) {
  std::vector<std::vector<float>> levels(full_level_count(shape.size) - 1);
  for (uint32_t n = 1; n <= levels.size(); ++n) {
    levels[n - 1].assign(size_t{4} * texels_of(shape.size, n) * shape.slices, kPoison);
  }
  return levels;
}

OnepassSpdRequest request_of(const Variant& v, const Shape& shape) {
  OnepassSpdRequest request{};
  request.width = shape.size.width;
  request.height = shape.size.height;
  request.slices = shape.slices;
  request.levels = -1;
  request.footprint = v.footprint == Footprint::kCovering ? ONEPASS_SETUP_FOOTPRINT_COVERING : 0;
  return request;
}

/// Runs a shader on `levels`, and expects counters as SPD leaves them.
void make_levels(const Variant& v, const OnepassSpdRequest& request, const std::vector<float>& base,
                 std::vector<std::vector<float>>& levels) {
  OnepassSpdSetup setup;
  ASSERT_EQ(onepass_spd_setup(&request, &setup), ONEPASS_SETUP_OK);
  const Extent size{request.width, request.height};
  std::vector<uint32_t> counters(request.slices, 0);
  struct {
    uint32_t mips, work_groups, offset[2];
    float inverse[2];
  } push{setup.mips,
         setup.work_group_count,
         {setup.group_offset[0], setup.group_offset[1]},
         {1 / static_cast<float>(size.width), 1 / static_cast<float>(size.height)}};
  ShaderRun run{.code = v.kernel.code,
                .buffers = {{.binding = 2, .words = &counters}},
                .sources = {{.binding = 0, .size = size, .channels = 4, .levels = {base}, .slices = request.slices}},
                .targets = {{.binding = 1,
                             .size = level_size(size, 1),
                             .channels = 4,
                             .descriptors = kDescriptors,
                             .levels = levels,
                             .slices = request.slices,
                             .keeps = true}},
                .samplers = {},
                .push = std::vector<uint32_t>(sizeof(push) / 4),
                .groups = {setup.groups[0], setup.groups[1], setup.groups[2]},
                .times = v.slices ? 2U : 1U};
  if (v.slices) run.samplers = {3};
  std::memcpy(run.push.data(), &push, sizeof(push));
  if (!v.slices) run.push.resize(2);
  run_shader(run);
  levels = run.targets[0].levels;
  // The host resets the counter of SPD 1.0.
  const uint32_t left = v.slices || setup.mips <= 6 ? 0 : setup.work_group_count;
  for (const uint32_t counter : counters) EXPECT_EQ(counter, left) << v.kernel.name;
}

/// Where SPD halves an axis of one texel further, levels depend on reads beyond the image. The shaders here clamp them,
/// so that images of one row or column are right; others need ONEPASS_SPD_SIZE.
bool is_defined(const Variant& v, Extent size, uint32_t level) {
  const auto axis = [&](uint32_t texels) { return v.sized || texels >> level > 0 || texels == 1; };
  return axis(size.width) && axis(size.height);
}

/// Rounding errors: of sums in float by the contract of the library; in half precision each rounding one step of a half
/// at most: three sums per level, or per axis a weight, its product and two sums; of a sampler those of coordinates.
Tolerance tolerance_of(const Variant& v, Extent size, uint32_t level) {
  if (v.reduction != Reduction::kMean) return Tolerance::exact();
  double ulps = 4;
  if (v.half) ulps = (v.footprint == Footprint::kCovering ? 8.0 : 3.0) * level * 0x1p13;
  // Four roundings of a coordinate below 1, times the size, times a difference of at most twice the magnitude.
  if (v.sampler) ulps += 8.0 * (size.width + size.height);
  return {.ulps = ulps};
}

MutableImageView view_of(std::vector<float>& texels, Extent size, uint32_t slices) {
  MutableImageView view;
  view.data = texels.data();
  view.format = Format::kRGBA32Sfloat;
  view.size = size;
  view.slices = slices;
  view.row_stride = size_t{16} * size.width;
  view.slice_stride = view.row_stride * size.height;
  return view;
}

/// A base and its oracles, each computed when the first variant asks for it.
class Bases {
 public:
  Bases(const Shape& shape, Random& random) : shape_(shape), base_(random_base(shape, random)) {}
  [[nodiscard]] const std::vector<float>& base() const { return base_; }

  const std::vector<OracleLevel>& levels(const Variant& v) {
    std::vector<OracleLevel>& found = oracles_[{v.reduction, v.footprint}];
    if (found.empty()) {
      const PyramidOptions options{.size = shape_.size,
                                   .slices = shape_.slices,
                                   .source = Format::kRGBA32Sfloat,
                                   .target = Format::kRGBA32Sfloat,
                                   .reduction = v.reduction,
                                   .footprint = v.footprint};
      found = oracle_pyramid(options, view_of(base_, shape_.size, shape_.slices));
    }
    return found;
  }

  /// Changes the texels of a rectangle.
  void change(const OnepassSpdRequest& rectangle, Random& random) {
    const std::vector<float> more = random_base(shape_, random);
    for (size_t t = 0; t < base_.size(); ++t) {
      const size_t x = t / 4 % shape_.size.width - rectangle.x;
      const size_t y = t / 4 / shape_.size.width % shape_.size.height - rectangle.y;
      if (x < rectangle.rectangle_width && y < rectangle.rectangle_height) base_[t] = more[t];
    }
    oracles_.clear();
  }

 private:
  Shape shape_;
  std::vector<float> base_;
  std::map<std::pair<Reduction, Footprint>, std::vector<OracleLevel>> oracles_;
};

void expect_levels(const Variant& v, const Shape& shape, Bases& bases, std::vector<std::vector<float>>& levels,
                   uint32_t made) {
  for (const OracleLevel& expected : bases.levels(v)) {
    const uint32_t n = expected.level;
    if (n > made || expected.slice >= shape.slices || !is_defined(v, shape.size, n)) continue;
    ASSERT_TRUE(
        matches(expected, view_of(levels[n - 1], expected.size, shape.slices), tolerance_of(v, shape.size, n), "spd"))
        << text(v, shape) << " level " << n << " slice " << expected.slice;
  }
  for (uint32_t n = made + 1; n <= levels.size(); ++n) {
    for (const float value : levels[n - 1]) ASSERT_EQ(value, kPoison) << text(v, shape) << " level " << n;
  }
}

using Spd = VulkanTest;

void expect_every_shape(std::string_view language) {
  Sample sample;
  Random random(sample.seed());
  const std::vector<Variant> all_variants = variants(language, sample);
  for (const Shape& all : kShapes) {
    Bases bases(all, random);
    for (const Variant& v : all_variants) {
      Shape shape = all;
      if (!v.slices) shape.slices = 1;
      if (texels_of(all.size, 0) > 5000 && !sample.takes(4)) continue;
      std::vector<std::vector<float>> levels = poisoned(shape);
      std::vector<float> base = bases.base();
      base.resize(size_t{4} * texels_of(shape.size, 0) * shape.slices);
      make_levels(v, request_of(v, shape), base, levels);
      expect_levels(v, shape, bases, levels, static_cast<uint32_t>(levels.size()));
      if (::testing::Test::HasFatalFailure()) FAIL() << text(v, shape) << " seed " << sample.seed();
    }
  }
}

TEST_F(Spd, LevelsOfEveryShapeAreThoseOfTheDefinition) { expect_every_shape("comp"); }
TEST_F(Spd, LevelsInHlslAreThoseOfTheDefinition) { expect_every_shape("hlsl"); }

TEST_F(Spd, FewerMipsLeaveTheOthersAlone) {
  Sample sample;
  Random random(sample.seed());
  const Shape shape{{333, 257}, 1};
  Bases bases(shape, random);
  for (const Variant& v : variants("comp", sample)) {
    for (const int32_t mips : {1, 2, 3, 4, 5, 6, 7}) {
      if (!sample.takes(3)) continue;
      std::vector<std::vector<float>> levels = poisoned(shape);
      OnepassSpdRequest request = request_of(v, shape);
      request.levels = mips;
      make_levels(v, request, bases.base(), levels);
      expect_levels(v, shape, bases, levels, static_cast<uint32_t>(mips));
      if (HasFatalFailure()) FAIL() << text(v, shape) << " mips " << mips << " seed " << sample.seed();
    }
  }
}

TEST_F(Spd, RectanglesUpdateEveryTexelThatTheyAffect) {
  Sample sample;
  Random random(sample.seed());
  for (const Variant& v : variants("comp", sample)) {
    if (!v.slices) continue;  // SPD 1.0 has no workGroupOffset
    for (const Shape& shape : {Shape{{256, 192}, 2}, Shape{{467, 191}, 1}}) {
      if (!sample.takes(2)) continue;
      Bases bases(shape, random);
      std::vector<std::vector<float>> levels = poisoned(shape);
      OnepassSpdRequest request = request_of(v, shape);
      make_levels(v, request, bases.base(), levels);
      for (int i = 0; i < 3; ++i) {
        request.x = random.below(shape.size.width);
        request.y = random.below(shape.size.height);
        request.rectangle_width = 1 + random.below(shape.size.width - request.x);
        request.rectangle_height = 1 + random.below(shape.size.height - request.y);
        bases.change(request, random);
        make_levels(v, request, bases.base(), levels);
        expect_levels(v, shape, bases, levels, static_cast<uint32_t>(levels.size()));
        if (HasFatalFailure()) {
          FAIL() << text(v, shape) << " at " << request.x << "," << request.y << " " << request.rectangle_width << "x"
                 << request.rectangle_height << " seed " << sample.seed();
        }
      }
    }
  }
}

}  // namespace
}  // namespace onepass::testing

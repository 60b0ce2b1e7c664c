// noise.cpp: measures reflections with 1/4, 1, 2 and 4 rays per texel and frame, at full and half resolution. The
// reference is the mean, on the host and in double, of many recordings with 4 rays of every texel, without history and
// filter, each with other random rays.
//
// Light x is compared as x / (1 + x), x being radiance times exposure: a few texels of high radiance would decide
// the errors alone otherwise. Errors and flicker are root mean squares over texels and colours, divided
// by the mean of the reference. Flicker is the change from frame to frame of the difference to the reference; with a
// still camera, of the result.
#include "noise.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "readback.hpp"

namespace samples::frame {
namespace {

using Rays = onepass::ReflectionRays;
using Resolution = onepass::ReflectionResolution;
using Light = std::vector<std::array<double, 3>>;

constexpr uint32_t kStillRecordings = 256;   // of 4 rays: the reference of a still camera has 1024
constexpr uint32_t kMovingRecordings = 64;   // and of each moving frame 256
constexpr uint32_t kFirstReference = 10000;  // index of its random rays: others than those of the frames
constexpr uint32_t kSettled = 24;            // frames
constexpr uint32_t kCompared = 8;            // frames after these
constexpr float kFrame = 1.0F / 2000;        // of the path: about 2 cm

struct Row {
  Rays rays;
  Resolution resolution;
  const char* name;

  [[nodiscard]] ReflectionQuality quality(bool history, bool filter) const {
    return {.rays = rays, .resolution = resolution, .history = history, .filter = filter};
  }
};
constexpr std::array<Row, 8> kRows{{{Rays::kQuarter, Resolution::kFull, "1/4"},
                                    {Rays::kOne, Resolution::kFull, "1"},
                                    {Rays::kTwo, Resolution::kFull, "2"},
                                    {Rays::kFour, Resolution::kFull, "4"},
                                    {Rays::kQuarter, Resolution::kHalf, "half 1/4"},
                                    {Rays::kOne, Resolution::kHalf, "half 1"},
                                    {Rays::kTwo, Resolution::kHalf, "half 2"},
                                    {Rays::kFour, Resolution::kHalf, "half 4"}}};

/// Surfaces by their roughness, above the first number up to the second one. Mirrors are in none.
struct Class {
  const char* name;
  float above, up_to;
};
constexpr std::array<Class, 4> kClasses{
    {{"all", 0.05F, MOST_ROUGHNESS}, {"0.05-0.15", 0.05F, 0.15F}, {"0.15-0.3", 0.15F, 0.3F}, {"0.3-0.6", 0.3F, 0.6F}}};

class Meter {
  template <typename Convert>
  [[nodiscard]] auto read(const Image& image, VkImageLayout layout, Convert convert) const {
    const onepass::Image host = read_image(gpu_, image, layout);
    std::vector<float> row(size_t{4} * host.size().width);
    std::vector<decltype(convert(row.data()))> result;
    for (uint32_t y = 0; y < host.size().height; ++y) {
      onepass::decode_row(host.format(), host.view().row(y), host.size().width, row.data());
      for (uint32_t x = 0; x < host.size().width; ++x) result.push_back(convert(&row[4 * size_t{x}]));
    }
    return result;
  }

 public:
  Meter(Gpu& gpu, FrameLoop& loop, double exposure) : gpu_(gpu), loop_(loop), exposure_(exposure) {}

  /// The reflections as they are compared.
  [[nodiscard]] Light mapped() const { return mapped(light()); }
  [[nodiscard]] Light light() const {
    return read(loop_.targets().reflections, VK_IMAGE_LAYOUT_GENERAL, [](const float* t) {
      return std::array<double, 3>{t[0], t[1], t[2]};
    });
  }
  [[nodiscard]] std::vector<double> roughness() const {
    return read(loop_.targets().normals, kRead, [](const float* t) { return double{t[3]}; });
  }
  [[nodiscard]] Light reference(const Reflections& four_rays, uint32_t recordings) const {
    Light sum;
    for (uint32_t i = 0; i < recordings; ++i) {
      loop_.reflect(four_rays, kFirstReference + i, true);
      const Light part = light();
      sum.resize(part.size());
      for (size_t k = 0; k < part.size(); ++k) {
        for (size_t c = 0; c < 3; ++c) sum[k][c] += part[k][c] / recordings;
      }
    }
    return mapped(sum);
  }
  [[nodiscard]] Reflections reflections(const ReflectionQuality& quality) const {
    return {gpu_, loop_.targets(), loop_.pyramids(), quality};
  }

 private:
  [[nodiscard]] Light mapped(Light light) const {
    for (auto& texel : light) {
      for (double& x : texel) x = exposure_ * x / (1 + exposure_ * x);
    }
    return light;
  }

  Gpu& gpu_;
  FrameLoop& loop_;
  double exposure_;
};

Light difference(const Light& a, const Light& b) {
  Light result(a.size());
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t c = 0; c < 3; ++c) result[i][c] = a[i][c] - b[i][c];
  }
  return result;
}

/// Sums over the texels of each class.
struct Sums {
  std::array<double, kClasses.size()> squares{};
  std::array<double, kClasses.size()> means{};  // of the reference

  void add(const Light& error, const Light& reference, const std::vector<double>& roughness) {
    for (size_t i = 0; i < error.size(); ++i) {
      for (size_t k = 0; k < kClasses.size(); ++k) {
        if (!(roughness[i] > kClasses[k].above && roughness[i] <= kClasses[k].up_to)) continue;
        counts[k] += 3;
        for (size_t c = 0; c < 3; ++c) {
          squares[k] += error[i][c] * error[i][c];
          means[k] += reference[i][c];
        }
      }
    }
  }
  [[nodiscard]] double relative(size_t k) const {
    return counts[k] > 0 ? std::sqrt(squares[k] / counts[k]) / (means[k] / counts[k]) : 0;
  }

 private:
  std::array<double, kClasses.size()> counts{};
};

void print_still(const Meter& meter, FrameLoop& loop) {
  const Light reference =
      meter.reference(meter.reflections({.rays = Rays::kFour, .history = false, .filter = false}), kStillRecordings);
  const std::vector<double> roughness = meter.roughness();
  std::printf(
      "\nreflections, still camera, against %u rays per texel; shares of the mean\n%-8s %-10s %10s %10s %10s %10s\n",
      4 * kStillRecordings, "rays", "roughness", "rays only", "1 frame", "24 frames", "flicker");
  for (const Row& row : kRows) {
    std::array<Sums, 4> sums;  // the columns
    loop.reflect(meter.reflections(row.quality(false, false)), 0, true);
    sums[0].add(difference(meter.mapped(), reference), reference, roughness);
    const Reflections reflections = meter.reflections(row.quality(true, true));
    Light before;
    for (uint32_t i = 0; i < kSettled + kCompared; ++i) {
      loop.reflect(reflections, i, i == 0);
      const Light now = meter.mapped();
      if (i == 0) sums[1].add(difference(now, reference), reference, roughness);
      if (i + 1 == kSettled) sums[2].add(difference(now, reference), reference, roughness);
      if (i >= kSettled) sums[3].add(difference(now, before), reference, roughness);
      before = now;
    }
    for (size_t k = 0; k < kClasses.size(); ++k) {
      std::printf("%-8s %-10s %10.4f %10.4f %10.4f %10.4f\n", row.name, kClasses[k].name, sums[0].relative(k),
                  sums[1].relative(k), sums[2].relative(k), sums[3].relative(k));
    }
  }
}

/// Reflections of a moving camera, compared frame by frame.
struct Moving {
  Reflections reflections;
  Sums errors{}, flicker{};
  Light before{};  // the last frame's difference to the reference
};

void print_moving(const Meter& meter, FrameLoop& loop, float time) {
  const Reflections many = meter.reflections({.rays = Rays::kFour, .history = false, .filter = false});
  std::vector<Moving> all;  // of each row with history and without
  for (const Row& row : kRows) {
    for (const bool history : {true, false}) all.push_back({meter.reflections(row.quality(history, true))});
  }
  for (uint32_t i = 0; i < kSettled + kCompared; ++i) {
    loop.draw({.time = time + kFrame * static_cast<float>(i), .cut = i == 0},
              {.reflect = Reflect::kNone, .particles = false, .fog = false, .bloom = false});
    const bool compared = i + 1 >= kSettled;
    const Light reference = compared ? meter.reference(many, kMovingRecordings) : Light{};
    const std::vector<double> roughness = meter.roughness();
    for (Moving& moving : all) {
      loop.reflect(moving.reflections, i, i == 0);
      if (!compared) continue;
      const Light error = difference(meter.mapped(), reference);
      if (i >= kSettled) {
        moving.errors.add(error, reference, roughness);
        moving.flicker.add(difference(error, moving.before), reference, roughness);
      }
      moving.before = error;
    }
  }
  std::printf("\nreflections, moving camera, against %u rays per texel; shares of the mean\n%19s %21s %21s\n%-8s %-10s",
              4 * kMovingRecordings, "", "with history", "without", "rays", "roughness");
  std::printf(" %10s %10s %10s %10s\n", "error", "flicker", "error", "flicker");
  for (size_t row = 0; row < kRows.size(); ++row) {
    const Moving& with = all[2 * row];
    const Moving& without = all[2 * row + 1];
    for (size_t k = 0; k < kClasses.size(); ++k) {
      std::printf("%-8s %-10s %10.4f %10.4f %10.4f %10.4f\n", kRows[row].name, kClasses[k].name,
                  with.errors.relative(k), with.flicker.relative(k), without.errors.relative(k),
                  without.flicker.relative(k));
    }
  }
}

}  // namespace

void print_noise(Gpu& gpu, FrameLoop& loop, float time) {
  loop.draw({.time = time}, {.reflect = Reflect::kNone});  // finds the visible objects
  const Meter meter(gpu, loop, loop.draw({.time = time}, {.reflect = Reflect::kNone}).meter.exposure);
  print_still(meter, loop);
  print_moving(meter, loop, time);
}

}  // namespace samples::frame

// material_highlight_test.cpp: highlights of minified surfaces. The lobe of a texel of a level, with the normal and the
// roughness that the library gives it, against the supersampled one: the mean of the lobes of all base texels in its
// footprint.
//
// The lobe is the GGX distribution D(h) over all half vectors h, to which the reflected light of a small lamp is
// proportional. The error is the root of the integral of the squared difference over the hemisphere, relative to that
// of the supersampled lobe.
#include <cstdio>
#include <numbers>
#include <random>

#include "tests/material/material_testing.hpp"

namespace onepass::testing {
namespace {

struct Vec {
  double x, y, z;
};

double dot(const Vec& a, const Vec& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vec unit(const Vec& v) {
  const double l = std::sqrt(dot(v, v));
  return {v.x / l, v.y / l, v.z / l};
}
Vec cross(const Vec& a, const Vec& b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }

/// A normal with its tangents: x of the texture, projected.
struct Frame {
  explicit Frame(const Vec& n) : normal(n), x(unit({1 - n.x * n.x, -n.x * n.y, -n.x * n.z})), y(cross(n, x)) {}
  Vec normal, x, y;
};

/// The anisotropic GGX distribution.
double ggx(const Frame& frame, double rx, double ry, const Vec& h) {
  const double ax = rx * rx, ay = ry * ry;
  const double nh = dot(frame.normal, h);
  if (nh <= 0) return 0;
  const double x = dot(frame.x, h) / ax, y = dot(frame.y, h) / ay;
  const double sum = x * x + y * y + nh * nh;
  return 1 / (std::numbers::pi * ax * ay * sum * sum);
}

constexpr uint32_t kSide = 32;   // of the base
constexpr uint32_t kLevel = 3;   // footprints of 8x8
constexpr uint32_t kRings = 56;  // of half vectors

/// Slopes of a surface at a texel.
using Slopes = std::vector<std::array<double, 2>>;

/// Hills of random slopes, `along_x` and `along_y` times as steep.
Slopes hills(double along_x, double along_y) {
  std::mt19937 random(3);
  std::normal_distribution<double> gauss;
  Slopes slopes(size_t{kSide} * kSide);
  for (auto& s : slopes) s = {along_x * gauss(random), along_y * gauss(random)};
  return slopes;
}

Slopes waves(double steepness) {
  Slopes slopes(size_t{kSide} * kSide);
  for (uint32_t i = 0; i < slopes.size(); ++i) {
    const double x = i % kSide, y = static_cast<double>(i) / kSide;
    slopes[i] = {steepness * std::cos(0.83 * x), steepness * std::cos(0.71 * y + 0.4)};
  }
  return slopes;
}

Vec normal_of(const std::array<double, 2>& slope) { return unit({-slope[0], -slope[1], 1}); }

/// Errors of all texels of a level, as a root mean square.
struct Errors {
  double plain = 0;    ///< The roughness of the base.
  double made = 0;     ///< One roughness.
  double by_axis = 0;  ///< Two roughnesses.
};

class Highlights {
 public:
  Highlights(const Slopes& slopes, float roughness) : roughness_(roughness) {
    const auto texel = [&](uint32_t x, uint32_t y, uint32_t) {
      const Vec n = normal_of(slopes[size_t{y} * kSide + x]);
      return std::array{static_cast<float>(n.x), static_cast<float>(n.y), static_cast<float>(n.z), 1.0F};
    };
    base_ = image_of(Format::kRGBA32Sfloat, {kSide, kSide}, texel);
    normals_ = levels_of(Format::kRGBA32Sfloat, base_.size());
    one_ = levels_of(Format::kR32Sfloat, base_.size());
    two_ = levels_of(Format::kRG32Sfloat, base_.size());
    EXPECT_TRUE(cpu::roughness_mips(base_.view(), {}, views_of(normals_), views_of(one_), {.roughness = roughness}));
    EXPECT_TRUE(cpu::roughness_mips(base_.view(), {}, {}, views_of(two_),
                                    {.variance = NormalVariance::kCovariance, .roughness = roughness}));
  }

  [[nodiscard]] Errors errors() const {
    Errors sum;
    constexpr uint32_t kTexels = kSide >> kLevel;
    for (uint32_t y = 0; y < kTexels; ++y) {
      for (uint32_t x = 0; x < kTexels; ++x) {
        const Errors e = squares(x, y);
        sum.plain += e.plain / (kTexels * kTexels);
        sum.made += e.made / (kTexels * kTexels);
        sum.by_axis += e.by_axis / (kTexels * kTexels);
      }
    }
    return {std::sqrt(sum.plain), std::sqrt(sum.made), std::sqrt(sum.by_axis)};
  }

 private:
  /// Squared relative errors of a texel.
  [[nodiscard]] Errors squares(uint32_t x, uint32_t y) const {
    std::vector<Frame> fine;
    for (uint32_t i = 0; i < 1U << (2 * kLevel); ++i) {
      const auto t = texel_of(base_.view(), (x << kLevel) + i % (1U << kLevel), (y << kLevel) + (i >> kLevel));
      fine.emplace_back(unit({t[0], t[1], t[2]}));
    }
    const auto n = texel_of(normals_[kLevel - 1].view(), x, y);
    const Frame mean(unit({n[0], n[1], n[2]}));
    const double r = texel_of(one_[kLevel - 1].view(), x, y)[0];
    const auto r2 = texel_of(two_[kLevel - 1].view(), x, y);
    Errors sum;
    double reference = 0;
    for (uint32_t ring = 0; ring < kRings; ++ring) {
      const double t = (ring + 0.5) / kRings;
      const double sine = t * t, cosine = std::sqrt(1 - sine * sine);  // denser near the mean
      const double weight = sine * 2 * t / cosine;
      for (uint32_t spoke = 0; spoke < kRings; ++spoke) {
        const double phi = 2 * std::numbers::pi * (spoke + 0.5) / kRings;
        const double a = sine * std::cos(phi), b = sine * std::sin(phi);
        const Vec h{a * mean.x.x + b * mean.y.x + cosine * mean.normal.x,
                    a * mean.x.y + b * mean.y.y + cosine * mean.normal.y,
                    a * mean.x.z + b * mean.y.z + cosine * mean.normal.z};
        double exact = 0;
        for (const Frame& f : fine) exact += ggx(f, roughness_, roughness_, h) / static_cast<double>(fine.size());
        const auto square = [&](double rx, double ry) {
          const double difference = ggx(mean, rx, ry, h) - exact;
          return weight * difference * difference;
        };
        sum.plain += square(roughness_, roughness_);
        sum.made += square(r, r);
        sum.by_axis += square(r2[0], r2[1]);
        reference += weight * exact * exact;
      }
    }
    return {sum.plain / reference, sum.made / reference, sum.by_axis / reference};
  }

  double roughness_;
  Image base_;
  std::vector<Image> normals_, one_, two_;
};

struct Surface {
  const char* name;
  Slopes slopes;
  float roughness;
  Errors least;  ///< `plain`: what the roughness of the base alone costs.
  Errors most;   ///< Of the levels.
};

TEST(Highlights, RoughnessKeepsTheLobesOfMinifiedSurfaces) {
  const Surface surfaces[] = {
      {"hills", hills(0.1, 0.1), 0.3F, {1.0}, {2, 0.23, 0.23}},
      {"hills", hills(0.1, 0.1), 0.5F, {0.2}, {2, 0.08, 0.08}},
      {"hills", hills(0.3, 0.3), 0.3F, {3.0}, {4, 0.49, 0.49}},
      {"hills", hills(0.3, 0.3), 0.5F, {1.0}, {2, 0.23, 0.23}},
      {"waves", waves(0.2), 0.3F, {1.8}, {3, 0.51, 0.51}},
      {"waves", waves(0.2), 0.5F, {0.45}, {2, 0.17, 0.17}},
      {"grooves", hills(0.2, 0.02), 0.3F, {1.1}, {2, 0.53, 0.23}},
      {"grooves", hills(0.2, 0.02), 0.5F, {0.35}, {2, 0.21, 0.11}},
  };
  for (const Surface& s : surfaces) {
    SCOPED_TRACE(::testing::Message() << s.name << ", roughness " << s.roughness);
    const Errors e = Highlights(s.slopes, s.roughness).errors();
    std::printf("%-8s roughness %.1f: error %.3f without, %.3f toksvig, %.3f covariance\n", s.name, s.roughness,
                e.plain, e.made, e.by_axis);
    EXPECT_GE(e.plain, s.least.plain);
    EXPECT_LE(e.plain, s.most.plain);
    EXPECT_LE(e.made, s.most.made);
    EXPECT_LE(e.by_axis, s.most.by_axis);
  }
}

}  // namespace
}  // namespace onepass::testing

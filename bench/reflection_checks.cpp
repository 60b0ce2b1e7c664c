// reflection_checks.cpp: mirrors are checked texel by texel; of rough surfaces, whose rays are random, the mean.
#include "reflection_checks.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

namespace onepass::bench {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kMirrorError = 0.06;  // of radiances of about 1: a texel's width of the pattern

Vec cross(Vec a, Vec b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
Vec mirrored(Vec view, Vec normal) { return 2 * dot(view, normal) * normal - view; }

/// A random visible normal of GGX, in the space whose z axis is the surface's normal. J. Dupuy and A. Benyoub,
/// "Sampling Visible GGX Normals with Spherical Caps", HPG 2023.
Vec visible_normal(Vec view, double alpha, double u1, double u2) {
  const Vec stretched = normalized({alpha * view.x, alpha * view.y, view.z});
  const double z = (1 - u2) * (1 + stretched.z) - stretched.z, across = std::sqrt(std::max(0.0, 1 - z * z));
  const Vec h = Vec{across * std::cos(2 * kPi * u1), across * std::sin(2 * kPi * u1), z} + stretched;
  return normalized({alpha * h.x, alpha * h.y, std::max(h.z, 1e-9)});
}

class Checker {
 public:
  Checker(const std::vector<float>& texels, Extent size, uint32_t place, const ReflectionChecks& checks)
      : texels_(texels), size_(size), camera_(size, place), checks_(checks) {}

  std::string check() {
    const uint32_t step = std::max(1U, size_.height / 270);
    for (uint32_t y = step / 2; y < size_.height; y += step) {
      for (uint32_t x = step / 2; x < size_.width; x += step) {
        if (std::string wrong = check_texel(x, y); !wrong.empty()) {
          return wrong + " at " + std::to_string(x) + ", " + std::to_string(y);
        }
      }
    }
    return check_sums();
  }

 private:
  struct Sums {
    double actual = 0, expected = 0, count = 0;
  };

  std::string check_texel(uint32_t x, uint32_t y) {
    const float* texel = texels_.data() + 4 * (size_t{y} * size_.width + x);
    for (size_t c = 0; c < (checks_.fades ? 3 : 4); ++c) {
      if (!std::isfinite(texel[c]) || texel[c] < 0) return "a channel is " + std::to_string(texel[c]);
    }
    if (!checks_.fades && texel[3] > 1) return "a confidence is " + std::to_string(texel[3]);
    const Vec ray = camera_.direction((x + 0.5) / size_.width, (y + 0.5) / size_.height);
    const auto surface = trace(camera_.eye(), ray);
    const double rough = surface ? roughness(*surface) : 2;
    if (rough > checks_.max_roughness) {
      const bool black = texel[0] == 0 && texel[1] == 0 && texel[2] == 0;
      return black ? "" : "light without a ray";
    }
    if (rough == 0) {
      if (x % checks_.stride == 0 && y % checks_.stride == 0) check_mirror(*surface, ray, texel);
    } else {
      add_rough(*surface, ray, rough, texel);
    }
    return {};
  }

  void check_mirror(const SceneHit& surface, Vec ray, const float* texel) {
    const auto hit = trace(surface.point, mirrored(-1 * ray, surface.normal));
    if (!hit || !is_seen(*hit) || near_silhouette(*hit)) return;
    ++mirrors_;
    Vec light = radiance(*hit);
    if (checks_.fades) light = std::min(dot({texel[0], texel[1], texel[2]}, light) / dot(light, light), 1.0) * light;
    const double error =
        std::max({std::fabs(texel[0] - light.x), std::fabs(texel[1] - light.y), std::fabs(texel[2] - light.z)});
    const bool missed = texel[0] + texel[1] + texel[2] == 0;
    missed_mirrors_ += missed ? 1 : 0;
    wrong_mirrors_ += !missed && error > kMirrorError ? 1 : 0;
  }

  // One random ray for the mean.
  void add_rough(const SceneHit& surface, Vec ray, double rough, const float* texel) {
    const Vec n = surface.normal, view = -1 * ray;
    const Vec tx = normalized(cross(std::fabs(n.y) < 0.9 ? Vec{0, 1, 0} : Vec{1, 0, 0}, n)), ty = cross(n, tx);
    const Vec local{dot(view, tx), dot(view, ty), dot(view, n)};
    Vec out{0, 0, -1};
    while (out.z <= 0)
      out = mirrored(local, visible_normal(local, rough * rough, uniform_(random_), uniform_(random_)));
    const auto hit = trace(surface.point, out.x * tx + out.y * ty + out.z * n);
    Sums& sums = rough_[rough];
    if (hit && is_seen(*hit)) {
      const Vec light = radiance(*hit);
      sums.expected += light.x + light.y + light.z;
    }
    sums.actual += texel[0] + texel[1] + texel[2];
    ++sums.count;
  }

  [[nodiscard]] bool is_seen(const SceneHit& hit) const {
    const SceneCamera::Point at = camera_.project(hit.point);
    if (!(at.w > 0 && at.u >= 0 && at.v >= 0 && at.u < 1 && at.v < 1)) return false;
    const auto seen = trace(camera_.eye(), camera_.direction(at.u, at.v));
    if (!seen || seen->shape != hit.shape) return false;
    const Vec between = seen->point - hit.point;
    return dot(between, between) < 1e-12;
  }

  // Whether another shape is seen less than two texels away.
  [[nodiscard]] bool near_silhouette(const SceneHit& hit) const {
    const SceneCamera::Point at = camera_.project(hit.point);
    for (int corner = 0; corner < 4; ++corner) {
      const double u = at.u + (corner % 2 == 0 ? -2.0 : 2.0) / size_.width;
      const double v = at.v + (corner < 2 ? -2.0 : 2.0) / size_.height;
      const auto seen = trace(camera_.eye(), camera_.direction(u, v));
      if (!seen || seen->shape != hit.shape || u < 0 || v < 0 || u >= 1 || v >= 1) return true;
    }
    return false;
  }

  [[nodiscard]] std::string check_sums() const {
    if (checks_.max_roughness < 0) return {};
    if (mirrors_ == 0) return "the view has no mirror";
    if (wrong_mirrors_ > checks_.wrong_mirrors * mirrors_ || missed_mirrors_ > checks_.missed_mirrors * mirrors_) {
      return std::to_string(wrong_mirrors_) + " of " + std::to_string(mirrors_) + " texels of mirrors, and " +
             std::to_string(missed_mirrors_) + " are black";
    }
    for (const auto& [rough, sums] : rough_) {
      const double part = sums.actual / sums.expected;
      if (!(part >= checks_.least_mean && part <= checks_.most_mean)) {
        return "mean of roughness " + std::to_string(rough) + ": " + std::to_string(sums.actual / sums.count) +
               ", expected " + std::to_string(sums.expected / sums.count);
      }
    }
    return {};
  }

  const std::vector<float>& texels_;
  Extent size_;
  SceneCamera camera_;
  ReflectionChecks checks_;
  std::mt19937 random_;
  std::uniform_real_distribution<double> uniform_;
  uint32_t mirrors_ = 0, wrong_mirrors_ = 0, missed_mirrors_ = 0;
  std::map<double, Sums> rough_;  // by roughness
};

}  // namespace

std::string wrong_reflections(const std::vector<float>& texels, Extent size, uint32_t place,
                              const ReflectionChecks& checks) {
  return Checker(texels, size, place, checks).check();
}

}  // namespace onepass::bench

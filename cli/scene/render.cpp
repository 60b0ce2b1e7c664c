// render.cpp: renders the sample scene in four passes; threads share the rows of each pass.
//
//   1. sight    one ray through every pixel centre: distance, shape, normal. The depth image comes from here.
//   2. ambient  light from sky and surroundings at every second pixel of every second row, 8 rays each, then three
//               smoothing steps that preserve edges (an "a trous" wavelet: a 5 x 5 kernel with growing tap distance).
//   3. colour   every pixel once at its centre, with the ambient light of similar points nearby.
//   4. edges    pixels that differ visibly from a neighbour get five more rays spread over their area.
#include "scene/render.hpp"

#include <array>
#include <cstring>
#include <functional>
#include <new>
#include <numbers>
#include <optional>
#include <thread>
#include <vector>

#include "onepass/process_limits.hpp"
#include "scene/light.hpp"

namespace onepass::cli::scene {
namespace {

constexpr Vec3 kEye{1.15F, 1.85F, 5.4F};
constexpr Vec3 kTarget{0.1F, 2.15F, -14};
constexpr float kHalfWidth = 0.64F;  // tangent of half the horizontal field of view at 16:9
constexpr uint32_t kAmbientRays = 8;

struct Camera {
  Vec3 forward;
  Vec3 right;
  Vec3 up;
  float scale = 0;  // size of a pixel on the plane at distance 1
  float centre_x = 0;
  float centre_y = 0;

  explicit Camera(Extent size) {
    forward = normalize(kTarget - kEye);
    right = normalize(cross(forward, {0, 1, 0}));
    up = cross(right, forward);
    const auto width = static_cast<float>(size.width);
    const auto height = static_cast<float>(size.height);
    scale = 2 * kHalfWidth / std::max(width, height * 16 / 9);
    centre_x = width / 2;
    centre_y = height / 2;
  }

  [[nodiscard]] Ray ray(float x, float y) const {
    const Vec3 direction = forward + right * ((x - centre_x) * scale) + up * ((centre_y - y) * scale);
    return {kEye, normalize(direction)};
  }
};

class Renderer {
 public:
  Renderer(Extent size, uint32_t threads, std::atomic<uint32_t>& progress)
      : size_(size),
        half_{(size.width + 1) / 2, (size.height + 1) / 2},
        camera_(size),
        terrace_(make_terrace()),
        threads_(threads),
        progress_(progress),
        sights_(size_t{size.width} * size.height),
        ambient_(size_t{half_.width} * half_.height),
        other_(ambient_.size()),
        colour_(sights_.size()) {}

  void run() {
    rows(size_.height, 150, [this](uint32_t y) { see(y); });
    rows(half_.height, 250, [this](uint32_t y) { gather_row(y); });
    for (int step = 1; step <= 4; step *= 2) {
      rows(half_.height, 30, [this, step](uint32_t y) { smooth_row(y, step); });
      ambient_.swap(other_);
    }
    rows(size_.height, 180, [this](uint32_t y) { colour_row(y); });
    edges_.resize(colour_.size());
    rows(size_.height, 30, [this](uint32_t y) { mark_edges(y); });
    rows(size_.height, 300, [this](uint32_t y) { refine_row(y); });
    progress_ = 1000;
  }

  void store(Picture& picture) const {
    for (uint32_t y = 0; y < size_.height; ++y) {
      std::byte* colour = picture.colour.view().row(y);
      std::byte* depth = picture.depth.view().row(y);
      for (uint32_t x = 0; x < size_.width; ++x) {
        const Vec3 c = colour_[at(x, y)];
        const std::array<float, 4> rgba{c.x, c.y, c.z, 1};
        std::memcpy(colour + x * sizeof(rgba), rgba.data(), sizeof(rgba));
        const float z = device_depth(x, y);
        std::memcpy(depth + x * sizeof(z), &z, sizeof(z));
      }
    }
  }

 private:
  [[nodiscard]] size_t at(uint32_t x, uint32_t y) const { return size_t{y} * size_.width + x; }
  [[nodiscard]] size_t half_at(uint32_t x, uint32_t y) const { return size_t{y} * half_.width + x; }
  [[nodiscard]] Ray centre_ray(uint32_t x, uint32_t y) const {
    return camera_.ray(static_cast<float>(x) + 0.5F, static_cast<float>(y) + 0.5F);
  }
  [[nodiscard]] const Sight& half_sight(uint32_t x, uint32_t y) const {
    return sights_[at(std::min(2 * x, size_.width - 1), std::min(2 * y, size_.height - 1))];
  }

  // Calls `work` for every row; `share` is the pass's part of the progress, in thousandths.
  void rows(uint32_t count, uint32_t share, const std::function<void(uint32_t)>& work) {
    std::atomic<uint32_t> next{0};
    const uint32_t start = progress_;
    const auto loop = [&] {
      for (uint32_t y = next++; y < count; y = next++) {
        work(y);
        progress_ = std::max<uint32_t>(progress_, start + share * y / count);
      }
    };
    std::vector<std::jthread> helpers;
    for (uint32_t i = 1; i < threads_; ++i) helpers.emplace_back(loop);
    loop();
    helpers.clear();
    progress_ = start + share;
  }

  void see(uint32_t y) {
    for (uint32_t x = 0; x < size_.width; ++x) sights_[at(x, y)] = look(terrace_, centre_ray(x, y));
  }

  void gather_row(uint32_t y) {
    for (uint32_t x = 0; x < half_.width; ++x) {
      const Sight& sight = half_sight(x, y);
      const auto seed = static_cast<uint32_t>(half_at(x, y));
      ambient_[half_at(x, y)] = sight.solid() ? gather(terrace_, sight.surface, kAmbientRays, seed) : Vec3{};
    }
  }

  // Weight of shared ambient light, 0 to 1: high near one plane with similar normals.
  [[nodiscard]] static float ambient_similarity(const Sight& a, const Sight& b) {
    if (!a.solid() || !b.solid()) return 0;
    const float facing = dot(a.surface.normal, b.surface.normal);
    if (facing < 0.8F) return 0;
    const Vec3 offset = b.surface.position - a.surface.position;
    const float height = std::abs(dot(offset, a.surface.normal));
    const float reach = 0.004F * a.distance + 0.02F;
    return std::max(0.0F, 1 - height / reach) * facing * facing * facing * facing;
  }

  void smooth_row(uint32_t y, int step) {
    constexpr std::array<float, 3> kKernel{0.375F, 0.25F, 0.0625F};
    for (uint32_t x = 0; x < half_.width; ++x) {
      const Sight& centre = half_sight(x, y);
      if (!centre.solid()) continue;
      Vec3 sum;
      float total = 0;
      for (int j = -2; j <= 2; ++j) {
        for (int i = -2; i <= 2; ++i) {
          const int u = static_cast<int>(x) + i * step;
          const int v = static_cast<int>(y) + j * step;
          if (u < 0 || v < 0 || u >= static_cast<int>(half_.width) || v >= static_cast<int>(half_.height)) continue;
          const auto ux = static_cast<uint32_t>(u);
          const auto vy = static_cast<uint32_t>(v);
          const float weight = kKernel[static_cast<size_t>(std::abs(i))] * kKernel[static_cast<size_t>(std::abs(j))] *
                               ambient_similarity(centre, half_sight(ux, vy));
          sum += ambient_[half_at(ux, vy)] * weight;
          total += weight;
        }
      }
      other_[half_at(x, y)] = total > 0 ? sum * (1 / total) : ambient_[half_at(x, y)];
    }
  }

  // Ambient light of a point seen at pixel position (x, y); empty if no similar point is near.
  [[nodiscard]] std::optional<Vec3> ambient(const Sight& sight, float x, float y) const {
    const int left = static_cast<int>(std::floor((x - 0.5F) / 2));
    const int top = static_cast<int>(std::floor((y - 0.5F) / 2));
    Vec3 sum;
    float total = 0;
    for (int j = -1; j <= 2; ++j) {
      for (int i = -1; i <= 2; ++i) {
        const auto u = static_cast<uint32_t>(std::clamp(left + i, 0, static_cast<int>(half_.width) - 1));
        const auto v = static_cast<uint32_t>(std::clamp(top + j, 0, static_cast<int>(half_.height) - 1));
        const float dx = (x - 0.5F) / 2 - static_cast<float>(left + i);
        const float dy = (y - 0.5F) / 2 - static_cast<float>(top + j);
        const float weight = std::max(0.0F, 2 - dx * dx - dy * dy) * ambient_similarity(sight, half_sight(u, v));
        sum += ambient_[half_at(u, v)] * weight;
        total += weight;
      }
    }
    if (total < 1e-3F) return std::nullopt;
    return sum * (1 / total);
  }

  [[nodiscard]] Vec3 sample(const Ray& ray, const Sight& sight, float x, float y, Shadow shadow, uint32_t seed) const {
    return radiance(terrace_, ray, sight, shadow, seed, sight.solid() ? ambient(sight, x, y) : std::nullopt);
  }

  void colour_row(uint32_t y) {
    for (uint32_t x = 0; x < size_.width; ++x) {
      const float px = static_cast<float>(x) + 0.5F;
      const float py = static_cast<float>(y) + 0.5F;
      colour_[at(x, y)] = sample(centre_ray(x, y), sights_[at(x, y)], px, py, Shadow::kSoft,
                                 static_cast<uint32_t>(at(x, y)) * kRaysPerPixel);
    }
  }

  // Compresses light like a display, for comparisons.
  [[nodiscard]] static Vec3 displayed(Vec3 c) {
    return {c.x / (0.35F + c.x), c.y / (0.35F + c.y), c.z / (0.35F + c.z)};
  }

  void mark_edges(uint32_t y) {
    for (uint32_t x = 0; x < size_.width; ++x) {
      const Vec3 here = displayed(colour_[at(x, y)]);
      bool edge = false;
      for (const auto& [i, j] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
        const int u = static_cast<int>(x) + i;
        const int v = static_cast<int>(y) + j;
        if (u < 0 || v < 0 || u >= static_cast<int>(size_.width) || v >= static_cast<int>(size_.height)) continue;
        const Vec3 delta = displayed(colour_[at(static_cast<uint32_t>(u), static_cast<uint32_t>(v))]) - here;
        edge = edge || std::max({std::abs(delta.x), std::abs(delta.y), std::abs(delta.z)}) > 0.045F;
      }
      edges_[at(x, y)] = edge ? 1 : 0;
    }
  }

  void refine_row(uint32_t y) {
    constexpr uint32_t kMore = kRaysPerPixel;
    for (uint32_t x = 0; x < size_.width; ++x) {
      if (edges_[at(x, y)] == 0) continue;
      Vec3 sum = colour_[at(x, y)];
      for (uint32_t i = 0; i < kMore; ++i) {  // rook sampling: each of five rows and columns once
        const float px = static_cast<float>(x) + (static_cast<float>(i) + 0.5F) / kMore;
        const float py = static_cast<float>(y) + (static_cast<float>((i * 2 + 1) % kMore) + 0.5F) / kMore;
        const Ray ray = camera_.ray(px, py);
        sum += sample(ray, look(terrace_, ray), px, py, Shadow::kOneRay, static_cast<uint32_t>(at(x, y)) * kMore + i);
      }
      colour_[at(x, y)] = sum * (1.0F / (kMore + 1));
    }
  }

  [[nodiscard]] float device_depth(uint32_t x, uint32_t y) const {
    const Sight& sight = sights_[at(x, y)];
    const float distance = sight.distance * dot(centre_ray(x, y).direction, camera_.forward);
    if (!(distance < kFar)) return 1;
    return std::clamp(kFar / (kFar - kNear) * (1 - kNear / distance), 0.0F, 1.0F);
  }

  Extent size_;
  Extent half_;  // size of the ambient buffers
  Camera camera_;
  Terrace terrace_;
  uint32_t threads_;
  std::atomic<uint32_t>& progress_;
  std::vector<Sight> sights_;
  std::vector<Vec3> ambient_;
  std::vector<Vec3> other_;
  std::vector<Vec3> colour_;
  std::vector<uint8_t> edges_;
};

}  // namespace

Result<Picture> render(Extent size, uint32_t threads, std::atomic<uint32_t>& progress) try {
  auto colour = Image::create(Format::kRGBA32Sfloat, size);
  if (!colour) return colour.error();
  auto depth = Image::create(Format::kR32Sfloat, size);
  if (!depth) return depth.error();
  const uint32_t machine = usable_threads();
  Renderer renderer(size, threads == 0 ? machine : std::min(threads, 256U), progress);
  renderer.run();
  Picture picture{std::move(*colour), std::move(*depth)};
  renderer.store(picture);
  return picture;
} catch (const std::bad_alloc&) {
  return Error{ErrorCode::kOutOfMemory, "out of memory for a picture of this size", ""};
}

}  // namespace onepass::cli::scene

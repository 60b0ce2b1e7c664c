// light.cpp: a small Whitted-style renderer with soft sun shadows. Radiance is relative: the sunlit floor is about 1.
//
// The sun is a disc of 0.6 degrees radius. Its drawn radiance is a fiftieth of what the light it casts requires, as if
// behind haze: otherwise the coarse levels of a mip chain would show nothing else. Mirrors are sharp. Matt surfaces
// take the light of sky and surroundings from the caller (see render.cpp), or an estimate when they are seen in a
// mirror.
#include "scene/light.hpp"

#include <numbers>

namespace onepass::cli::scene {
namespace {

constexpr float kPi = std::numbers::pi_v<float>;
constexpr float kSunRadius = 0.6F * kPi / 180;
constexpr Vec3 kSunLight{4.6F, 3.0F, 1.55F};  // irradiance / pi, face on
constexpr float kSunGain = 180;               // radiance of the disc, in units of kSunLight
constexpr float kHaze = 1.0F / 760;           // per metre
constexpr int kMaxMirrors = 3;
constexpr float kOffset = 2e-3F;  // metres: where secondary rays start above a surface

// A random number in 0..1 for each lattice point.
float lattice(int x, int y, int z) {
  const uint32_t key = static_cast<uint32_t>(x) * 73856093U ^ static_cast<uint32_t>(y) * 19349663U ^
                       static_cast<uint32_t>(z) * 83492791U;
  return static_cast<float>(hash(key) >> 8) * 0x1p-24F;
}

struct Cell {
  int index;
  float weight;  // of the next lattice point
};

Cell cell(float x) {
  int index = static_cast<int>(x);
  if (static_cast<float>(index) > x) --index;
  const float f = x - static_cast<float>(index);
  return {index, f * f * (3 - 2 * f)};
}

float between(float a, float b, float t) { return a + (b - a) * t; }

float noise_layer(Cell x, Cell y, int z) {
  const float top = between(lattice(x.index, y.index, z), lattice(x.index + 1, y.index, z), x.weight);
  const float low = between(lattice(x.index, y.index + 1, z), lattice(x.index + 1, y.index + 1, z), x.weight);
  return between(top, low, y.weight);
}

// Smooth noise in 0..1 with features of size 1, in two and in three dimensions.
float noise(float x, float y, int seed) { return noise_layer(cell(x), cell(y), seed); }

float noise(Vec3 p) {
  const Cell z = cell(p.z);
  return between(noise_layer(cell(p.x), cell(p.y), z.index), noise_layer(cell(p.x), cell(p.y), z.index + 1), z.weight);
}

// Sums of noise of halving size and strength; their mean is 1/2 * (1 - 2^-octaves).
float fractal_noise(float x, float y, int seed, int octaves) {
  float sum = 0;
  float weight = 0.5F;
  for (int i = 0; i < octaves; ++i, weight /= 2) {
    sum += weight * noise(x, y, seed + i);
    const float turned = 1.62F * x - 1.22F * y;  // a rotation times 2.03
    y = 1.22F * x + 1.62F * y + 9.2F;
    x = turned + 17.1F;
  }
  return sum;
}

float fractal_noise(Vec3 p, int octaves) {
  float sum = 0;
  float weight = 0.5F;
  for (int i = 0; i < octaves; ++i, weight /= 2) {
    sum += weight * noise(p);
    p = Vec3{p.z, p.x, p.y} * 2.03F + Vec3{17.1F, 3.7F, 9.2F};
  }
  return sum;
}

// High streaks of cloud, brighter near the sun.
Vec3 add_clouds(Vec3 sky_colour, Vec3 direction, float towards_sun) {
  if (direction.y < 0.015F) return sky_colour;
  const float scale = 1 / (direction.y + 0.09F);
  const float streak = fractal_noise(direction.x * scale * 0.55F, direction.z * scale * 1.5F, 40, 4);
  const float cover = smoothstep(0.43F, 0.72F, streak) * smoothstep(0.015F, 0.13F, direction.y);
  const float near = towards_sun * towards_sun * towards_sun;
  const Vec3 lit = mix({0.52F, 0.40F, 0.44F}, {2.5F, 1.25F, 0.5F}, near * near);
  return mix(sky_colour, lit, 0.8F * cover);
}

struct Look {
  Vec3 albedo;
  float reflectance;
};

// Large tiles in two shades. Their narrow joints fade out with distance, before they would alias.
Look tiles(const Material& material, Vec3 p, float distance) {
  const float u = p.x / 0.8F;
  const float v = p.z / 0.8F;
  const int column = static_cast<int>(std::floor(u));
  const int row = static_cast<int>(std::floor(v));
  const float tone = 0.82F + 0.3F * lattice(column, row, 5);
  const float vein = fractal_noise(p.x * 3.1F + static_cast<float>(column) * 3, p.z * 3.1F, row, 3);
  Vec3 albedo = material.albedo * (tone * (0.8F + 0.45F * vein));
  if ((column + row) % 2 != 0) albedo = albedo * Vec3{0.36F, 0.33F, 0.33F};
  const float edge = std::min(0.5F - std::abs(u - std::floor(u) - 0.5F), 0.5F - std::abs(v - std::floor(v) - 0.5F));
  const float joint = (1 - smoothstep(0.006F, 0.012F + 0.0012F * distance, edge)) / (1 + 0.05F * distance);
  return {mix(albedo, {0.12F, 0.11F, 0.1F}, joint), material.reflectance * (1 - joint)};
}

Look look_of(const Material& material, const Surface& surface, float distance) {
  switch (material.pattern) {
    case Material::Pattern::kTiles:
      return tiles(material, surface.position, distance);
    case Material::Pattern::kMarble: {
      const float n = fractal_noise(surface.position * 1.7F, 4);
      const float vein = 1 - std::abs(2 * n - 0.94F);
      return {material.albedo * (0.72F + 0.28F * (1 - std::pow(vein, 14.0F))), material.reflectance};
    }
    case Material::Pattern::kPlain:
      break;
  }
  return {material.albedo, material.reflectance};
}

// A rough estimate of the light from the hemisphere above a surface.
Vec3 estimated_ambient(Vec3 normal) {
  const float up = 0.5F + 0.5F * normal.y;
  const float sunward = 0.5F + 0.5F * dot(normal, sun_direction());
  return mix(Vec3{0.2F, 0.15F, 0.12F}, mix(Vec3{0.22F, 0.24F, 0.34F}, Vec3{0.55F, 0.42F, 0.36F}, sunward), up) * 0.8F;
}

// Sample `index` of `count` in the unit disc, on a spiral that is rotated by `turn` revolutions (0..1).
void disc_point(uint32_t index, uint32_t count, float turn, float& x, float& y) {
  const float radius = std::sqrt((static_cast<float>(index) + 0.5F) / static_cast<float>(count));
  const float angle = 2 * kPi * (turn + 0.61803399F * static_cast<float>(index));
  x = radius * std::cos(angle);
  y = radius * std::sin(angle);
}

// The visible share of the sun's disc. Three rays find out whether the point is in the penumbra; if so, twelve more
// follow.
float sun_share(const Terrace& terrace, Vec3 origin, uint32_t seed, Shadow shadow) {
  const Vec3 sun = sun_direction();
  if (shadow == Shadow::kSharp) return terrace.world.blocked({origin, sun}, kInfinity) ? 0.0F : 1.0F;
  Vec3 t;
  Vec3 b;
  tangent_frame(sun, t, b);
  const float turn = hash_unit(seed / kRaysPerPixel, 77);
  const auto seen = [&](float x, float y) {
    return terrace.world.blocked({origin, normalize(sun + (t * x + b * y) * kSunRadius)}, kInfinity) ? 0U : 1U;
  };
  if (shadow == Shadow::kOneRay) {
    float x = 0;
    float y = 0;
    disc_point(seed % kRaysPerPixel, kRaysPerPixel, turn, x, y);
    return static_cast<float>(seen(x, y));
  }
  uint32_t rim = 0;
  for (int i = 0; i < 3; ++i) {
    const float angle = 2 * kPi * (turn + static_cast<float>(i) / 3);
    rim += seen(0.9F * std::cos(angle), 0.9F * std::sin(angle));
  }
  if (rim == 0) return 0;
  if (rim == 3) return 1;
  constexpr uint32_t kRays = 12;
  uint32_t sum = 0;
  for (uint32_t i = 0; i < kRays; ++i) {
    float x = 0;
    float y = 0;
    disc_point(i, kRays, turn, x, y);
    sum += seen(x, y);
  }
  return static_cast<float>(sum) / kRays;
}

Vec3 lamp_light(const Terrace& terrace, const Surface& surface, bool shadows) {
  Vec3 sum;
  for (const Lamp& lamp : terrace.lamps) {
    const Vec3 offset = lamp.centre - surface.position;
    const float square = dot(offset, offset);
    const float distance = std::sqrt(square);
    const float cosine = dot(offset, surface.normal) / distance;
    const float weight = cosine * lamp.radius * lamp.radius / square;
    if (weight * luminance(lamp.radiance) < 0.004F) continue;
    const Ray ray{surface.position + surface.normal * kOffset, offset * (1 / distance)};
    if (!shadows || !terrace.world.blocked(ray, distance)) sum += lamp.radiance * weight;
  }
  return sum;
}

Vec3 through_air(Vec3 colour, Vec3 direction, float distance) {
  const float clear = std::exp(-distance * kHaze);
  return mix(sky(normalize({direction.x, 0.02F, direction.z}), Sun::kHidden) * 0.92F, colour, clear);
}

Vec3 water_normal(Vec3 p, float distance) {
  const float calm = 1 / (1 + distance * 0.018F);
  const float u = p.x * 0.55F;
  const float v = p.z * 0.85F;
  const float x = (fractal_noise(u, v, 60, 3) - 0.44F) * 0.16F + (noise(u * 4.2F, v * 3.6F, 70) - 0.5F) * 0.05F;
  const float z = (fractal_noise(u, v, 80, 3) - 0.44F) * 0.22F + (noise(u * 4.2F, v * 3.6F, 90) - 0.5F) * 0.07F;
  return normalize({x * calm, 1, z * calm});
}

// Parameters of the shading of one ray.
struct View {
  Shadow shadow = Shadow::kSoft;
  uint32_t seed = 0;
  std::optional<Vec3> ambient;
  int mirrors = 0;  // reflections so far
  Sun sun = Sun::kDisc;
};

Vec3 shade(const Terrace& terrace, const Ray& ray, const Sight& sight, const View& view);

Vec3 mirrored(const Terrace& terrace, const Ray& ray, const Surface& surface, const View& view) {
  const Ray ahead{surface.position + surface.normal * kOffset, normalize(reflect(ray.direction, surface.normal))};
  return shade(
      terrace, ahead, look(terrace, ahead),
      {.shadow = Shadow::kSharp, .seed = view.seed, .ambient = {}, .mirrors = view.mirrors + 1, .sun = view.sun});
}

float fresnel(float reflectance, const Ray& ray, Vec3 normal) {
  const float rest = std::clamp(1 + dot(ray.direction, normal), 0.0F, 1.0F);
  return reflectance + (1 - reflectance) * rest * rest * rest * rest * rest;
}

Vec3 shade_water(const Terrace& terrace, const Ray& ray, const Sight& sight, View view) {
  Surface surface{ray.origin + ray.direction * sight.distance, {0, 1, 0}, 0};
  surface.normal = water_normal(surface.position, sight.distance);
  const Vec3 deep{0.012F, 0.05F, 0.07F};
  if (view.mirrors >= kMaxMirrors) return deep;
  const Vec3 ahead = reflect(ray.direction, surface.normal);
  if (ahead.y < 0.01F) surface.normal = normalize(surface.normal + Vec3{0, 2, 0});
  const float share = fresnel(0.02F, ray, surface.normal);
  view.sun = Sun::kSmooth;
  return mix(deep, mirrored(terrace, ray, surface, view), share);
}

Vec3 shade_solid(const Terrace& terrace, const Ray& ray, const Sight& sight, const View& view) {
  const Surface& surface = sight.surface;
  const Material& material = terrace.world.materials[surface.material];
  if (luminance(material.emission) > 0) return material.emission;
  const Look look = look_of(material, surface, sight.distance);
  if (material.metal) {
    if (view.mirrors >= kMaxMirrors) return look.albedo * estimated_ambient(surface.normal);
    const float edge = fresnel(0, ray, surface.normal);
    return mix(look.albedo, {1, 1, 1}, edge) * mirrored(terrace, ray, surface, view);
  }
  Vec3 light = view.ambient ? *view.ambient : estimated_ambient(surface.normal);
  const float cosine = dot(surface.normal, sun_direction());
  if (cosine > 0) {
    const Vec3 origin = surface.position + surface.normal * kOffset;
    light += kSunLight * (cosine * sun_share(terrace, origin, view.seed, view.shadow));
  }
  light += lamp_light(terrace, surface, view.mirrors == 0);
  const float share =
      look.reflectance > 0 && view.mirrors < kMaxMirrors - 1 ? fresnel(look.reflectance, ray, surface.normal) : 0;
  const Vec3 matt = look.albedo * light * (1 - share);
  return share > 0.004F ? matt + mirrored(terrace, ray, surface, view) * share : matt;
}

Vec3 shade(const Terrace& terrace, const Ray& ray, const Sight& sight, const View& view) {
  if (sight.water) {
    return through_air(shade_water(terrace, ray, sight, view), ray.direction, sight.distance);
  }
  if (!sight.solid()) return sky(ray.direction, view.sun);
  return through_air(shade_solid(terrace, ray, sight, view), ray.direction, sight.distance);
}

}  // namespace

Vec3 sun_direction() {
  static const Vec3 direction = normalize({0.335F, 0.205F, -1});
  return direction;
}

Vec3 sky(Vec3 direction, Sun sun) {
  const float up = std::max(direction.y, 0.0F);
  const float cosine = dot(direction, sun_direction());
  const float towards = 0.5F + 0.5F * cosine;
  const Vec3 horizon = mix({0.30F, 0.31F, 0.45F}, {1.05F, 0.53F, 0.27F}, towards * towards * towards);
  Vec3 colour = mix(horizon, {0.06F, 0.125F, 0.34F}, 1 - std::exp(-4.2F * up));
  if (sun != Sun::kHidden) colour = add_clouds(colour, direction, towards);
  const float near = std::max(cosine, 0.0F);
  colour += Vec3{1.0F, 0.55F, 0.24F} * (0.4F * std::pow(near, 12.0F) + 1.4F * std::pow(near, 170.0F));
  if (sun == Sun::kHidden) return colour;
  if (sun == Sun::kSmooth) {
    constexpr float kPower = 1100;  // a lobe of this power has the integral 2 pi / (power + 1)
    return colour + kSunLight * (0.5F * (kPower + 1) * std::pow(near, kPower));
  }
  colour += Vec3{6, 3.6F, 1.7F} * std::pow(near, 2500.0F);
  return cosine > std::cos(kSunRadius) ? kSunLight * kSunGain : colour;
}

Sight look(const Terrace& terrace, const Ray& ray) {
  Sight sight;
  const Hit hit = terrace.world.trace(ray);
  sight.distance = hit.distance;
  const float water = (terrace.water_height - ray.origin.y) / ray.direction.y;
  if (water > 0 && water < hit.distance && water < 6000) {
    sight.distance = water;
    sight.water = true;
  } else if (hit.any()) {
    sight.shape = hit.shape;
    sight.surface = {ray.origin + ray.direction * hit.distance, hit.normal, terrace.world.shapes[hit.shape].material};
  }
  return sight;
}

Vec3 gather(const Terrace& terrace, const Surface& surface, uint32_t count, uint32_t seed) {
  Vec3 t;
  Vec3 b;
  tangent_frame(surface.normal, t, b);
  const float turn = hash_unit(seed, 5);
  Vec3 sum;
  for (uint32_t i = 0; i < count; ++i) {
    float x = 0;
    float y = 0;
    disc_point(i, count, turn, x, y);
    const float z = std::sqrt(std::max(0.0F, 1 - x * x - y * y));
    const Ray ray{surface.position + surface.normal * kOffset, normalize(t * x + b * y + surface.normal * z)};
    const Sight sight = look(terrace, ray);
    if (sight.water) {
      sum += Vec3{0.2F, 0.17F, 0.17F};
    } else if (!sight.solid()) {
      sum += sky(ray.direction, Sun::kHidden);
    } else {
      const Material& material = terrace.world.materials[sight.surface.material];
      const float cosine = dot(sight.surface.normal, sun_direction());
      const Vec3 origin = sight.surface.position + sight.surface.normal * kOffset;
      const float sun = cosine > 0 ? cosine * sun_share(terrace, origin, seed, Shadow::kSharp) : 0;
      const Vec3 albedo = material.pattern == Material::Pattern::kTiles ? material.albedo * 0.66F : material.albedo;
      sum += albedo * (estimated_ambient(sight.surface.normal) * 0.7F + kSunLight * sun);
    }
  }
  return sum * (1.0F / static_cast<float>(count));
}

Vec3 radiance(const Terrace& terrace, const Ray& ray, const Sight& sight, Shadow shadow, uint32_t seed,
              std::optional<Vec3> ambient) {
  return shade(terrace, ray, sight,
               {.shadow = shadow, .seed = seed, .ambient = ambient, .mirrors = 0, .sun = Sun::kDisc});
}

}  // namespace onepass::cli::scene

// vec3.hpp: three floats: a point, a direction or linear RGB light.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace onepass::cli::scene {

struct Vec3 {
  float x = 0;
  float y = 0;
  float z = 0;

  [[nodiscard]] float operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
};

inline Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec3 operator-(Vec3 a) { return {-a.x, -a.y, -a.z}; }
inline Vec3 operator*(Vec3 a, Vec3 b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
inline Vec3 operator*(Vec3 a, float s) { return {a.x * s, a.y * s, a.z * s}; }
inline Vec3& operator+=(Vec3& a, Vec3 b) { return a = a + b; }

inline float dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec3 cross(Vec3 a, Vec3 b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
inline Vec3 normalize(Vec3 a) { return a * (1.0F / std::sqrt(dot(a, a))); }
inline Vec3 min(Vec3 a, Vec3 b) { return {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)}; }
inline Vec3 max(Vec3 a, Vec3 b) { return {std::max(a.x, b.x), std::max(a.y, b.y), std::max(a.z, b.z)}; }
inline Vec3 mix(Vec3 a, Vec3 b, float t) { return a + (b - a) * t; }
inline Vec3 reflect(Vec3 direction, Vec3 normal) { return direction - normal * (2 * dot(direction, normal)); }
inline float luminance(Vec3 c) { return 0.2126F * c.x + 0.7152F * c.y + 0.0722F * c.z; }

inline float smoothstep(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

/// Two unit vectors that form an orthogonal frame with the unit vector `n`.
inline void tangent_frame(Vec3 n, Vec3& t, Vec3& b) {
  t = normalize(std::abs(n.y) < 0.9F ? cross({0, 1, 0}, n) : cross({1, 0, 0}, n));
  b = cross(n, t);
}

/// A well-mixed 32-bit hash.
inline uint32_t hash(uint32_t x) {
  x = (x ^ (x >> 16)) * 0x21f0aaadU;
  x = (x ^ (x >> 15)) * 0x735a2d97U;
  return x ^ (x >> 15);
}

/// The hash of up to three numbers as a float in [0, 1).
inline float hash_unit(uint32_t a, uint32_t b = 0, uint32_t c = 0) {
  return static_cast<float>(hash(a ^ hash(b ^ hash(c + 0x9e3779b9U))) >> 8) * 0x1p-24F;
}

}  // namespace onepass::cli::scene

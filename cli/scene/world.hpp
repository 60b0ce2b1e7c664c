// world.hpp: solid shapes and a bounding volume hierarchy that intersects rays with them.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "scene/vec3.hpp"

namespace onepass::cli::scene {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Appearance of a surface.
struct Material {
  enum class Pattern : uint8_t { kPlain, kTiles, kMarble };
  Vec3 albedo{};          ///< Diffuse reflectance; of a metal the reflectance at normal incidence.
  Vec3 emission{};        ///< Radiance; 1 is diffuse white in the open sun, roughly.
  float reflectance = 0;  ///< At normal incidence, of a polished non-metal; 0 is matt.
  bool metal = false;
  Pattern pattern = Pattern::kPlain;
};

/// One solid.
struct Shape {
  enum class Kind : uint8_t {
    kSphere,   ///< Centre a, radius r.
    kBox,      ///< Corners a and b.
    kCapsule,  ///< Segment a to b, radius r.
    kCone,     ///< Upright: foot centre a with radius r, top centre b with radius q; capped.
    kArch,     ///< Box a to b, less a cylinder along x of radius r whose axis runs through c.
  };
  Kind kind = Kind::kSphere;
  Vec3 a{};
  Vec3 b{};
  Vec3 c{};
  float r = 0;
  float q = 0;
  uint32_t material = 0;
};

struct Ray {
  Vec3 origin;
  Vec3 direction;  ///< Unit length.
};

struct Hit {
  float distance = kInfinity;
  uint32_t shape = UINT32_MAX;
  Vec3 normal;  ///< Unit length, outwards.
  [[nodiscard]] bool any() const { return shape != UINT32_MAX; }
};

/// Shapes in a bounding volume hierarchy.
class World {
 public:
  std::vector<Material> materials;
  std::vector<Shape> shapes;

  uint32_t add(const Material& material) {
    materials.push_back(material);
    return static_cast<uint32_t>(materials.size() - 1);
  }
  void sphere(Vec3 centre, float radius, uint32_t material);
  void box(Vec3 low, Vec3 high, uint32_t material);
  void capsule(Vec3 from, Vec3 to, float radius, uint32_t material);
  void cone(Vec3 foot, float height, float foot_radius, float top_radius, uint32_t material);
  void arch(Vec3 low, Vec3 high, Vec3 axis, float radius, uint32_t material);

  /// Sorts the shapes into the tree. Call once, after the last shape.
  void build();

  /// The nearest hit along the ray.
  [[nodiscard]] Hit trace(const Ray& ray) const;

  /// Whether a shape that casts shadows is nearer than `distance`. Emissive shapes cast none.
  [[nodiscard]] bool blocked(const Ray& ray, float distance) const;

 private:
  using Float4 = float __attribute__((vector_size(16)));
  // Four bounding boxes in SIMD layout: each instruction compares all four with a ray.
  struct Node {
    Float4 low[3];
    Float4 high[3];
    uint32_t first[4];  // index of a child node, or of the first of `count` shapes
    uint32_t count[4];  // 0: a child node
    uint32_t used;      // number of boxes
  };
  struct Range {
    uint32_t first = 0;
    uint32_t count = 0;
    Vec3 low;
    Vec3 high;
  };
  struct Slabs;
  [[nodiscard]] Range range(uint32_t first, uint32_t count) const;
  uint32_t best_split(const Range& all);
  uint32_t add_node(const Range& all);
  std::vector<Node> nodes_;
};

}  // namespace onepass::cli::scene

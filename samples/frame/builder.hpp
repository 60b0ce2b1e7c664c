// builder.hpp: adds boxes, clusters and balls to a scene; random numbers that are the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

#include "onepass/depth_query.hpp"
#include "scene.hpp"

namespace samples::frame {

using Float3 = onepass::depth_query::Float3;

// M. O'Neill's PCG hash.
class Random {
 public:
  explicit Random(uint32_t seed) : state_(seed) {}
  uint32_t bits() {
    state_ = state_ * 747796405U + 2891336453U;
    const uint32_t word = ((state_ >> ((state_ >> 28U) + 4U)) ^ state_) * 277803737U;
    return (word >> 22U) ^ word;
  }
  float between(float low, float high) { return low + (high - low) * static_cast<float>(bits() >> 8U) * 0x1p-24F; }
  uint32_t below(uint32_t count) { return static_cast<uint32_t>(uint64_t{bits()} * count >> 32U); }

 private:
  uint32_t state_;
};

class Builder {
 public:
  void box(Float3 low, Float3 high, uint32_t material, uint32_t colour) {
    boxes.push_back({low.x, low.y, low.z, material, high.x, high.y, high.z, colour});
  }
  void cluster(Float3 middle, Float3 half, uint32_t material, uint32_t colour) {
    clusters.push_back({middle.x - half.x, middle.y - half.y, middle.z - half.z, material, middle.x + half.x,
                        middle.y + half.y, middle.z + half.z, colour});
  }
  void lamp(Float3 at, float intensity) { lamps.push_back({at.x, at.y, at.z, intensity}); }

  std::vector<Object> boxes;
  std::vector<Object> clusters;
  std::vector<vec4> lamps;
  std::vector<Ball> balls;
};

void add_building(Builder& builder);
void add_garden(Builder& builder);
/// Fills up to `boxes` boxes.
void add_town(Builder& builder, uint32_t boxes);

}  // namespace samples::frame

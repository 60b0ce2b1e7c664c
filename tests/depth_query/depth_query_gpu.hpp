// depth_query_gpu.hpp: runs depth_query.glsl on the device under test, many queries of one kind per dispatch.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "tests/depth_query/depth_query_testing.hpp"
#include "tests/vulkan/vulkan_testing.hpp"

namespace onepass::testing {

/// Kinds of queries: MODE of depth_query_test.comp.
enum class QueryKind : uint32_t { kCells, kRect, kBox, kSphere, kRay, kDepth };

/// A query as 32-bit words, in the order of the calls of add().
class Query {
 public:
  Query& add(uint32_t word);
  Query& add(float number);
  Query& add(depth_query::Texel texel) { return add(texel.x).add(texel.y); }
  Query& add(depth_query::Float2 v) { return add(v.x).add(v.y); }
  Query& add(depth_query::Float3 v) { return add(v.x).add(v.y).add(v.z); }
  Query& add(const depth_query::CoordinateRect& rect) { return add(rect.begin).add(rect.end); }
  Query& add(const depth_query::Projection& projection);

  static constexpr size_t kWords = 24;
  std::array<uint32_t, kWords> words{};

 private:
  size_t count_ = 0;
};

/// An answer as 32-bit words.
struct Answer {
  static constexpr size_t kWords = 16;
  std::array<uint32_t, kWords> words{};

  [[nodiscard]] uint32_t word(size_t i) const { return words[i]; }
  [[nodiscard]] float number(size_t i) const;
  [[nodiscard]] depth_query::Texel texel(size_t i) const { return {words[i], words[i + 1]}; }
  [[nodiscard]] depth_query::CoordinateRect rect(size_t i) const {
    return {{number(i), number(i + 1)}, {number(i + 2), number(i + 3)}};
  }
};

/// A scene's pyramids on the device.
class GpuQueries {
 public:
  /// `tile_factor`: texels per side of a tile, in the tile-reduced image of nearest depths.
  GpuQueries(const DepthScene& scene, uint32_t tile_factor);
  ~GpuQueries();

  /// Whether the device has reduction samplers. Without them, sampled answers are meaningless.
  [[nodiscard]] static bool has_reduction_sampler();

  [[nodiscard]] std::vector<Answer> ask(QueryKind kind, const std::vector<Query>& queries);

 private:
  struct Objects;
  std::unique_ptr<Objects> objects_;
};

}  // namespace onepass::testing

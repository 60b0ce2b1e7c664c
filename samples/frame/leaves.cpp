// leaves.cpp: paints leaf shapes texel by texel. Texels between leaves keep a green with alpha 0, so that filters do
// not darken the edges.
#include "leaves.hpp"

#include <algorithm>
#include <cmath>

#include "builder.hpp"
#include "common/gpu.hpp"

namespace samples::frame {
namespace {

constexpr auto kSize = static_cast<float>(kLeavesSize);

// A texel's colour is that of the last shape drawn over it.
class Painter {
 public:
  Painter(onepass::Image& image, uint32_t slice) : view_(image.view()), slice_(slice) {}

  // A leaf from (x, y), in units of the texture, in direction `turn`; `shade` of red and blue against green.
  void leaf(float x, float y, float turn, float length, float width, float shade) {
    const float c = std::cos(turn);
    const float s = std::sin(turn);
    for (uint32_t v = 0; v < kLeavesSize; ++v) {
      for (uint32_t u = 0; u < kLeavesSize; ++u) {
        const float px = (static_cast<float>(u) + 0.5F) / kSize - x;
        const float py = (static_cast<float>(v) + 0.5F) / kSize - y;
        const float along = (c * px + s * py) / length;
        const float across = (c * py - s * px) / width;
        if (along < 0 || along > 1) continue;
        const float half = 0.5F * std::pow(std::sin(3.14159F * std::pow(along, 0.8F)), 0.8F);
        const float covered = std::clamp((half - std::abs(across)) * width * kSize + 0.5F, 0.0F, 1.0F);
        if (covered <= 0) continue;
        const float vein = std::abs(across) < 0.035F ? 0.82F : 1.0F;
        paint(u, v, covered, shade * vein * (0.8F + 0.3F * along));
      }
    }
  }

 private:
  void paint(uint32_t u, uint32_t v, float covered, float shade) {
    auto* texel = reinterpret_cast<uint8_t*>(view_.row(v, slice_)) + size_t{4} * u;
    const auto code = [](float value) {
      return static_cast<uint8_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255));
    };
    texel[0] = code(0.85F * shade);
    texel[1] = code(0.90F * shade);
    texel[2] = code(0.55F * shade);
    texel[3] = std::max(texel[3], code(covered));
  }

  onepass::MutableImageView view_;
  uint32_t slice_;
};

}  // namespace

onepass::Image make_leaves() {
  onepass::Image image = value_of(onepass::Image::create(onepass::Format::kRGBA8Unorm, {kLeavesSize, kLeavesSize}, 2));
  for (size_t i = 0; i < image.size_in_bytes(); i += 4) {
    const uint8_t green[4] = {150, 160, 96, 0};
    std::copy(green, green + 4, reinterpret_cast<uint8_t*>(image.data()) + i);
  }
  Random random(9);
  Painter twig(image, 0);
  twig.leaf(0.5F, 0.98F, -1.5708F, 0.9F, 0.02F, 0.5F);  // the stem
  for (uint32_t i = 0; i < 13; ++i) {
    const float y = 0.92F - 0.062F * static_cast<float>(i);
    const float side = i % 2 == 0 ? 1.0F : -1.0F;
    const float reach = 0.42F - 0.016F * static_cast<float>(i);
    twig.leaf(0.5F, y, -1.5708F + side * random.between(0.7F, 1.25F), reach, 0.46F * reach,
              random.between(0.75F, 1.1F));
  }
  twig.leaf(0.5F, 0.26F, -1.5708F, 0.25F, 0.11F, 1);
  Painter grass(image, 1);
  for (uint32_t i = 0; i < 26; ++i) {
    const float x = random.between(0.12F, 0.88F);
    grass.leaf(x, 1.02F, -1.5708F + 0.9F * (x - 0.5F) + random.between(-0.22F, 0.22F), random.between(0.5F, 0.97F),
               0.034F, random.between(0.6F, 1.1F));
  }
  return image;
}

}  // namespace samples::frame

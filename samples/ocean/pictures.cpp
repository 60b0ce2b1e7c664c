// pictures.cpp: reads the finest level of each layer back.
#include "pictures.hpp"

#include <algorithm>
#include <cmath>

namespace samples::ocean {
namespace {

using Texels = std::vector<std::array<float, 4>>;

// The factor that makes six standard deviations of a channel 1.
float scale(const Texels& texels, size_t channel) {
  double sum = 1e-12;
  for (const auto& texel : texels) sum += double{texel[channel]} * texel[channel];
  return static_cast<float>(1 / (6 * std::sqrt(sum / static_cast<double>(texels.size()))));
}

// Draws a square of texels whose three channels are color(texel), 0 to 1.
template <typename Color>
void draw(onepass::Image& image, uint32_t left, uint32_t top, const Texels& texels, const Color& color) {
  const auto side = static_cast<uint32_t>(std::lround(std::sqrt(static_cast<double>(texels.size()))));
  for (uint32_t i = 0; i < texels.size(); ++i) {
    auto* pixel = reinterpret_cast<uint8_t*>(image.view().row(top + i / side)) + size_t{4} * (left + i % side);
    const std::array<float, 3> shown = color(texels[i]);
    for (size_t c = 0; c < 3; ++c) {
      pixel[c] = static_cast<uint8_t>(std::lround(255 * std::clamp(shown[c], 0.0F, 1.0F)));
    }
    pixel[3] = 255;
  }
}

}  // namespace

onepass::Image draw_maps(const Simulation& simulation) {
  const uint32_t side = simulation.params().texels;
  auto image = value_of(onepass::Image::create(onepass::Format::kRGBA8Unorm, {CASCADES * side, 3 * side}));
  for (uint32_t c = 0; c < CASCADES; ++c) {
    const Texels moved = simulation.read(simulation.fields(), 0, c);
    const Texels derivatives = simulation.read(simulation.fields(), 0, CASCADES + c);
    draw(image, c * side, 0, moved, [factor = scale(moved, 1)](const auto& texel) {
      const float grey = 0.5F + factor * texel[1];
      return std::array<float, 3>{grey, grey, grey};
    });
    draw(image, c * side, side, derivatives, [factor = scale(derivatives, 0)](const auto& texel) {
      return std::array<float, 3>{0.5F + factor * texel[0], 0.5F + factor * texel[1], 0.5F};
    });
    draw(image, c * side, 2 * side, simulation.read(simulation.surface(), 0, c), [](const auto& texel) {
      return std::array<float, 3>{texel[3], texel[3], texel[3]};
    });
  }
  return image;
}

}  // namespace samples::ocean

// steps.cpp: reads an image of the frame back and colours it.
#include "steps.hpp"

#include <algorithm>
#include <cmath>

#include "readback.hpp"

namespace samples::frame {
namespace {

using Texel = std::array<float, 4>;

uint8_t code_of(float value) { return static_cast<uint8_t>(std::lround(255 * std::clamp(value, 0.0F, 1.0F))); }
Rgb colour_of(float r, float g, float b) { return {code_of(r), code_of(g), code_of(b)}; }

template <typename Colour>
Pixels coloured(const onepass::Image& image, Colour colour) {
  Pixels pixels(image.size(), {});
  std::vector<Texel> row(pixels.size.width);
  for (uint32_t y = 0; y < pixels.size.height; ++y) {
    onepass::decode_row(image.format(), image.view().row(y), pixels.size.width, row.front().data());
    std::transform(row.begin(), row.end(), &pixels.at(0, y), colour);
  }
  return pixels;
}

}  // namespace

Pixels show_light(const onepass::Image& light, float exposure, onepass::ToneOperator tone_operator) {
  onepass::Image picture = value_of(onepass::Image::create(onepass::Format::kRGBA8Srgb, light.size()));
  const auto map = value_of(onepass::cpu::ToneMap::create(
      {.size = light.size(), .source = light.format(), .target = picture.format(), .tone_operator = tone_operator}));
  check(map.apply(light.view(), picture.view(), exposure));
  Pixels pixels(light.size(), {});
  for (size_t i = 0; i < pixels.texels.size(); ++i) {
    const auto* code = reinterpret_cast<const uint8_t*>(picture.data()) + 4 * i;
    pixels.texels[i] = {code[0], code[1], code[2]};
  }
  return pixels;
}

FrameResult draw_settled(FrameLoop& loop, const Moment& moment, bool local_exposure) {
  Moment first = moment;
  first.cut = true;
  loop.draw(first, {});
  loop.settle(kSettledFrames - 2);
  Moment last = moment;
  last.seconds = 0;
  last.cut = false;
  return loop.draw(last, {.local_exposure = local_exposure});
}

Pixels show_step(Gpu& gpu, FrameLoop& loop, Shown step, float exposure) {
  constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
  const Targets& targets = loop.targets();
  const auto width = static_cast<float>(targets.size.width);
  const auto height = static_cast<float>(targets.size.height);
  switch (step) {
    case Shown::kNormals:
      return coloured(read_image(gpu, targets.normals, kRead), [](const Texel& n) {
        return colour_of(0.5F + 0.5F * n[0], 0.5F + 0.5F * n[1], 0.5F + 0.5F * n[2]);
      });
    case Shown::kRoughness:
      return coloured(read_image(gpu, targets.normals, kRead), [](const Texel& n) {
        return n[3] > MOST_ROUGHNESS ? Rgb{58, 78, 128}
                                     : colour_of(n[3] / MOST_ROUGHNESS, n[3] / MOST_ROUGHNESS, n[3] / MOST_ROUGHNESS);
      });
    case Shown::kMotion:
      return coloured(read_image(gpu, targets.motion, kRead), [&](const Texel& m) {
        return colour_of(0.5F - m[0] * width / 16, 0.5F - m[1] * height / 16, 0.5F);
      });
    case Shown::kSurfaces:
      return show_light(read_image(gpu, targets.lit, kRead), exposure);
    case Shown::kRays:
      loop.reflect_one_frame();
      break;
    case Shown::kConfidence:
      return coloured(read_image(gpu, targets.reflections, kGeneral),
                      [](const Texel& light) { return colour_of(light[3], light[3], light[3]); });
    case Shown::kReflected:
      return show_light(read_image(gpu, targets.reflected, kGeneral), exposure);
    case Shown::kReflections:
      break;
  }
  Pixels pixels = show_light(read_image(gpu, targets.reflections, kGeneral), exposure);
  if (step == Shown::kRays) loop.settle(1);
  return pixels;
}

}  // namespace samples::frame

// core.cpp: a program of somebody else's: a pyramid on the CPU and, where there is a device, on Vulkan, with known
// values.
#include <cmath>
#include <cstdio>
#include <vector>

#include "onepass/pyramid.hpp"
#include "onepass/vulkan/pyramid.hpp"

using namespace onepass;

namespace {

constexpr PyramidOptions kOptions{.size = {7, 5}, .source = Format::kR32Sfloat, .target = Format::kR32Sfloat};

struct Levels {
  std::vector<Image> images;
  std::vector<MutableImageView> views;
};

Levels make_levels() {
  Levels levels;
  for (uint32_t level = 1; level < full_level_count(kOptions.size); ++level) {
    levels.images.push_back(*Image::create(kOptions.target, level_size(kOptions.size, level)));
    levels.views.push_back(levels.images.back().view());
  }
  return levels;
}

/// The 1x1 level of the texels 0, 1 ... 34 is their mean, to 4 units in the last place.
bool check(const char* engine, const Levels& levels) {
  const float mean = *reinterpret_cast<const float*>(levels.images.back().data());
  std::printf("%s %zu levels, mean %g\n", engine, levels.images.size(), mean);
  return levels.images.size() == 2 && std::abs(mean - 17.0F) <= 4 * 0x1p-19F;
}

}  // namespace

int main() {
  Image base = *Image::create(kOptions.source, kOptions.size);
  for (int i = 0; i < 35; ++i) reinterpret_cast<float*>(base.data())[i] = static_cast<float>(i);

  Levels levels = make_levels();
  auto pyramid = cpu::Pyramid::create(kOptions);
  if (!pyramid) return std::printf("%s\n", pyramid.error().text().c_str()), 1;
  if (auto done = pyramid->build(base.view(), levels.views); !done) {
    return std::printf("%s\n", done.error().text().c_str()), 1;
  }
  if (!check("cpu", levels)) return 1;

  auto device = vulkan::Device::open({.allow_software = true});
  if (!device && device.error().code == ErrorCode::kNotFound) return std::printf("no Vulkan device\n"), 0;
  if (!device) return std::printf("%s\n", device.error().text().c_str()), 1;
  Levels vulkan_levels = make_levels();
  auto report = vulkan::make_pyramid(*device, kOptions, {}, base.view(), vulkan_levels.views);
  if (!report) return std::printf("%s\n", report.error().text().c_str()), 1;
  return check("vulkan", vulkan_levels) ? 0 : 1;
}

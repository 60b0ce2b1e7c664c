// main.cpp: a program of mip chains alone, whose size scripts/test-release states. Without a Vulkan driver it says so.
#include <cstdio>

#include "onepass/vulkan/device.hpp"
#include "onepass/vulkan/pyramid.hpp"

int main() {
  auto device = onepass::vulkan::Device::open({});
  if (!device) {
    std::printf("no device: %s\n", device.error().text().c_str());
    return 0;
  }
  auto pyramid = onepass::vulkan::Pyramid::create(
      *device, {.size = {1920, 1080}, .source = onepass::Format::kRGBA8Srgb, .target = onepass::Format::kRGBA8Srgb});
  if (!pyramid) {
    std::printf("%s\n", pyramid.error().text().c_str());
    return 1;
  }
  std::printf("%u levels\n", pyramid->plan().levels);
  return 0;
}

// hall_images.cpp: renders the hall in double precision, encodes its texels, and compares the mirror with rays that are
// traced in double.
#include "tests/integration/hall_images.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace onepass::testing {
namespace {

constexpr Format kHalf = Format::kRGBA16Sfloat;
constexpr Format kOne = Format::kR32Sfloat;
constexpr Format kTwo = Format::kRG16Sfloat;
constexpr Extent kSurroundings{16, 8};

const Scene& scene() {
  static const Scene kScene = hall(0, 0.3);
  return kScene;
}

using Texel = std::array<float, 4>;

// The texels of all frames, each of which is a slice; `texel_of` returns one.
template <typename TexelOf>
PaddedImage encode(Format format, const std::vector<Frame>& frames, const TexelOf& texel_of) {
  PaddedImage image(format, frames[0].size, static_cast<uint32_t>(frames.size()));
  for (uint32_t slice = 0; slice < frames.size(); ++slice) {
    const Frame& frame = frames[slice];
    std::vector<Texel> row(frame.size.width);
    for (uint32_t y = 0; y < frame.size.height; ++y) {
      for (uint32_t x = 0; x < frame.size.width; ++x) row[x] = texel_of(frame, size_t{y} * frame.size.width + x);
      encode_row(format, row[0].data(), frame.size.width, image.view().row(y, slice));
    }
  }
  return image;
}

std::vector<PaddedImage> base_of(PaddedImage image) {
  std::vector<PaddedImage> levels;
  levels.push_back(std::move(image));
  return levels;
}

}  // namespace

HallImages::HallImages(const vulkan::Device& device, Extent of, Place read_at, Place write_at) : size(of) {
  const double aspect = static_cast<double>(size.width) / size.height;
  const auto camera = [&](Vec eye, Vec at) { return Camera(eye, at, aspect, Projection::kReversedInfinite); };
  cameras = {camera({0.2, 1.3, 4.2}, {0, 0.9, 0}), camera({-0.5, 1.6, 4.0}, {0.3, 0.7, 0})};
  const Camera last[kSlices] = {camera({0.21, 1.3, 4.2}, {0, 0.9, 0}), camera({-0.5, 1.61, 4.0}, {0.3, 0.7, 0})};
  for (uint32_t slice = 0; slice < kSlices; ++slice) {
    frames.push_back(render(scene(), cameras[slice], size, scene(), last[slice]));
    views.push_back({.clip_from_world = cameras[slice].matrix(), .last_clip_from_world = last[slice].matrix()});
  }
  const auto make = [&](Format format, Extent extent, Place at, VkImageUsageFlags usage, uint32_t levels,
                        uint32_t slices) {
    auto image = PlacedImage::create(
        device.impl(), {.format = format, .size = extent, .levels = levels, .slices = slices, .usage = usage}, at);
    if (image) return std::move(*image);
    ADD_FAILURE() << image.error().text();
    return PlacedImage();
  };
  const auto read = [&](Format format) { return make(format, size, read_at, VK_IMAGE_USAGE_SAMPLED_BIT, 1, kSlices); };
  color = read(kHalf);
  depth = read(kOne);
  normals = read(kHalf);
  roughness = read(Format::kR8Unorm);
  motion = read(kTwo);
  environment = make(kHalf, kSurroundings, read_at, VK_IMAGE_USAGE_SAMPLED_BIT, 1, 1);
  pyramid = make(kOne, level_size(size, 1), read_at, VK_IMAGE_USAGE_SAMPLED_BIT, full_level_count(size) - 1, kSlices);
  reflected = make(kHalf, size, write_at, VK_IMAGE_USAGE_STORAGE_BIT, 1, kSlices);
  distance = make(kOne, size, write_at, VK_IMAGE_USAGE_STORAGE_BIT, 1, kSlices);
}

ReflectionOptions HallImages::options() const {
  return {.size = size,
          .slices = kSlices,
          .color = kHalf,
          .depth = kOne,
          .pyramid = kOne,
          .normals = kHalf,
          .roughness = Format::kR8Unorm,
          .motion = kTwo,
          .environment = kHalf,
          .hit_distance = kOne,
          .reversed_depth = true,
          .border_fade = 0};
}

vulkan::ReflectionImages HallImages::bound(const vulkan::BufferRange& scratch) const {
  const auto part = [](const PlacedImage& image) {
    return vulkan::ReflectionImage{.image = image.image, .level = image.at.level, .first_slice = image.at.slice};
  };
  return {.color = part(color),
          .depth = part(depth),
          .pyramid = part(pyramid),
          .normals = part(normals),
          .roughness = part(roughness),
          .motion = part(motion),
          .environment = part(environment),
          .target = part(reflected),
          .hit_distance = part(distance),
          .scratch = scratch.buffer,
          .scratch_offset = scratch.offset};
}

std::vector<HallImages::Content> HallImages::contents() const {
  PaddedImage nearest = encode(kOne, frames, [](const Frame& f, size_t i) { return Texel{f.depth[i]}; });
  const PyramidOptions options{.size = size,
                               .slices = kSlices,
                               .source = kOne,
                               .target = kOne,
                               .reduction = Reduction::kMax};  // with reversed depth the nearest is the largest
  Levels levels(options);
  auto made = cpu::Pyramid::create(options);
  EXPECT_TRUE(made && made->build(nearest.view(), levels.views));
  std::vector<Content> all;
  all.push_back({&color, base_of(encode(kHalf, frames, [](const Frame& f, size_t i) { return f.color[i]; }))});
  all.push_back({&depth, base_of(std::move(nearest))});
  all.push_back({&pyramid, std::move(levels.images)});
  all.push_back({&normals, base_of(encode(kHalf, frames, [](const Frame& f, size_t i) { return f.normals[i]; }))});
  all.push_back({&roughness, base_of(encode(Format::kR8Unorm, frames,
                                            [](const Frame& f, size_t i) { return Texel{f.normals[i][3]}; }))});
  all.push_back({&motion, base_of(encode(kTwo, frames, [](const Frame& f, size_t i) {
                   return Texel{f.motion[i][0], f.motion[i][1]};
                 }))});
  PaddedImage grey(kHalf, kSurroundings);
  const std::vector<float> row(4 * size_t{kSurroundings.width}, kGrey);
  for (uint32_t y = 0; y < kSurroundings.height; ++y)
    encode_row(kHalf, row.data(), kSurroundings.width, grey.view().row(y));
  all.push_back({&environment, base_of(std::move(grey))});
  return all;
}

std::vector<const PlacedImage*> HallImages::sampled() const {
  return {&color, &depth, &pyramid, &normals, &roughness, &motion, &environment};
}

void HallImages::expect_mirror(const std::byte* light, const std::byte* distances) const {
  uint32_t certain = 0, wrong = 0;
  for (uint32_t slice = 0; slice < kSlices; ++slice) {
    for (uint32_t y = 0; y < size.height; ++y) {
      for (uint32_t x = 0; x < size.width; ++x, light += 8, distances += 4) {
        const Frame& frame = frames[slice];
        const size_t i = size_t{y} * size.width + x;
        if (frame.shapes[i] < 0 || frame.normals[i][3] > 0) continue;
        const Expected expected = expect_reflection(scene(), cameras[slice], frame, x, y, 1, 0.05, {});
        if (!expected.certain) continue;
        ++certain;
        Texel found{}, far{};
        decode_row(kHalf, light, 1, found.data());
        decode_row(kOne, distances, 1, far.data());
        const Vec& e = expected.radiance;
        const bool right = std::fabs(found[0] - e.x) < 0.05 && std::fabs(found[1] - e.y) < 0.05 &&
                           std::fabs(found[2] - e.z) < 0.05 && found[3] == 1 &&
                           std::fabs(far[0] - expected.distance) < 0.1 * expected.distance;
        wrong += right ? 0 : 1;
      }
    }
  }
  std::printf("mirror: %u of %u texels wrong\n", wrong, certain);
  EXPECT_GT(certain, 6500U);
  EXPECT_LT(wrong, certain / 100);  // rays that pass a silhouette within a texel may go either way
}

}  // namespace onepass::testing

// pictures.cpp: maps depths, particles and shares of depth reads to colours. Shares are means over 9x9 texels, because
// there may be fewer particles than texels.
#include "pictures.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <system_error>

#include "onepass/depth_query.hpp"
#include "onepass/files.hpp"

namespace samples::particles {
namespace {

using Rgb = std::array<float, 3>;  // linear light

// Writes the colour color(x, y) to each texel.
template <typename Color>
void write_texels(const std::filesystem::path& path, onepass::Extent size, const Color& color) {
  auto image = value_of(onepass::Image::create(onepass::Format::kRGBA32Sfloat, size));
  for (uint32_t y = 0; y < size.height; ++y) {
    auto* row = reinterpret_cast<float*>(image.view().row(y));
    for (uint32_t x = 0; x < size.width; ++x) {
      const Rgb rgb = color(x, y);
      for (size_t c = 0; c < 3; ++c) row[4 * x + c] = rgb[c];
      row[4 * x + 3] = 1;
    }
  }
  check(onepass::files::write_png(path, image.view(), {.color = onepass::files::Color::kSrgb, .effort = 6}));
}

Rgb gray(float value) { return {value, value, value}; }

// Colour scale for 0 to 1: black, violet, orange, pale yellow.
Rgb heat(float value) {
  constexpr std::array<Rgb, 5> kColors{
      {{0.0F, 0.0F, 0.01F}, {0.10F, 0.01F, 0.20F}, {0.55F, 0.05F, 0.12F}, {0.95F, 0.35F, 0.02F}, {1.0F, 0.93F, 0.55F}}};
  const float at = std::clamp(value, 0.0F, 1.0F) * static_cast<float>(kColors.size() - 1);
  const size_t below = std::min(static_cast<size_t>(at), kColors.size() - 2);
  const float part = at - static_cast<float>(below);
  Rgb mixed{};
  for (size_t c = 0; c < 3; ++c) mixed[c] = kColors[below][c] * (1 - part) + kColors[below + 1][c] * part;
  return mixed;
}

Rgb unpack(uint32_t rgba8) {
  const auto channel = [&](uint32_t shift) { return static_cast<float>(rgba8 >> shift & 255U) / 255.0F; };
  return {channel(0), channel(8), channel(16)};
}

// Maps depths to brightness: equal ratios of distance become equal steps, the nearest is white.
class DepthTone {
 public:
  DepthTone(const Renderer& renderer, bool reversed_z, const std::vector<float>& depths)
      : projection_{.near_plane = renderer.params().eye[3],
                    .far_plane = renderer.params().forward[3],
                    .reversed_z = reversed_z} {
    const auto [least, most] = std::minmax_element(depths.begin(), depths.end());
    const float a = logarithm(*least);
    const float b = logarithm(*most);
    nearest_ = std::min(a, b);
    range_ = std::max(std::abs(a - b), 1e-6F);
  }
  Rgb operator()(float depth) const {
    const float away = (logarithm(depth) - nearest_) / range_;
    return gray(std::pow(1.0F - 0.93F * away, 2.2F));
  }

 private:
  [[nodiscard]] float logarithm(float depth) const {
    return std::log(onepass::depth_query::distance_of_depth(projection_, depth));
  }
  onepass::depth_query::Projection projection_;
  float nearest_ = 0;
  float range_ = 1;
};

// Adds the light of the particles to the darkened scene. The exposure keeps the particles' mean well below white.
void write_particles(const std::filesystem::path& path, const Renderer& renderer, const std::vector<uint32_t>& image) {
  const auto colors = renderer.read_colors();
  double sum = 0;
  for (const uint32_t texel : image) sum += texel;
  const auto exposure = static_cast<float>(0.22 * static_cast<double>(image.size()) / std::max(sum, 1.0));
  write_texels(path, renderer.size(), [&](uint32_t x, uint32_t y) {
    const size_t texel = size_t{y} * renderer.size().width + x;
    const float light = exposure * static_cast<float>(image[texel]);
    const Rgb scene = unpack(colors[texel]);
    constexpr Rgb kGlow{1.0F, 0.42F, 0.10F};
    Rgb out{};
    for (size_t c = 0; c < 3; ++c) out[c] = 0.45F * scene[c] + 1.0F - std::exp(-light * kGlow[c]);
    return out;
  });
}

// Shares are those of the 9x9 texels around each texel, because there may be fewer particles than texels.
void write_full_reads(const std::filesystem::path& path, onepass::Extent size, const std::vector<TexelCounts>& counts) {
  constexpr uint32_t kReach = 4;
  write_texels(path, size, [&](uint32_t x, uint32_t y) {
    uint32_t particles = 0;
    uint32_t read = 0;
    for (uint32_t v = y - std::min(y, kReach); v <= std::min(y + kReach, size.height - 1); ++v) {
      for (uint32_t u = x - std::min(x, kReach); u <= std::min(x + kReach, size.width - 1); ++u) {
        particles += counts[size_t{v} * size.width + u].particles;
        read += counts[size_t{v} * size.width + u].read;
      }
    }
    return particles == 0 ? Rgb{0.02F, 0.05F, 0.09F} : heat(static_cast<float>(read) / static_cast<float>(particles));
  });
}

}  // namespace

void make_folder(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Failure(folder.string() + ": cannot make the folder: " + failed.message());
}

std::vector<std::filesystem::path> write_pictures(const Renderer& renderer, const Options& options,
                                                  const std::vector<uint32_t>& image,
                                                  const std::vector<TexelCounts>& counts) {
  const auto depths = renderer.read_depth();
  const auto tiles = renderer.read_tiles();
  const onepass::Extent size = renderer.size();
  const DepthTone tone(renderer, options.reversed_z, depths);
  const auto depth_color = [&](uint32_t x, uint32_t y) { return tone(depths[size_t{y} * size.width + x]); };
  const auto tile_color = [&](uint32_t x, uint32_t y) {
    const size_t tile = size_t{y / options.factor} * renderer.tiles_size().width + x / options.factor;
    return tone(tiles[tile]);
  };

  std::vector<std::filesystem::path> paths;
  for (const char* name : {"depth.png", "tiles.png", "particles.png", "full_reads.png"}) {
    paths.push_back(options.output / name);
  }
  write_texels(paths[0], size, depth_color);
  write_texels(paths[1], size, tile_color);
  write_particles(paths[2], renderer, image);
  write_full_reads(paths[3], size, counts);
  return paths;
}

}  // namespace samples::particles

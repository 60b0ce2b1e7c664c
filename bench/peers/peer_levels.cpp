// peer_levels.cpp: see peer_levels.hpp.
#include "peers/peer_levels.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "cpu/workers.hpp"

namespace onepass::bench {
namespace {

/// Texels of one axis and their weights; the weights add up to 1.
struct Taps {
  std::array<uint32_t, 3> at{};
  std::array<double, 3> weight{};
  uint32_t count = 0;
};

/// Taps of texel i of the level after one with `size` texels along this axis.
Taps taps_of(PeerTaps kind, uint32_t size, uint32_t i) {
  if (size == 1) return {{0}, {1.0}, 1};
  if (kind == PeerTaps::kPair || size % 2 == 0) return {{2 * i, 2 * i + 1}, {0.5, 0.5}, 2};
  const uint32_t next = size / 2;
  // Texel i covers [i * size / next, (i + 1) * size / next). size = 2 * next + 1.
  const double total = size;
  return {{2 * i, 2 * i + 1, 2 * i + 2}, {(next - i) / total, next / total, (i + 1) / total}, 3};
}

/// One level as RGBA floats.
struct FloatLevel {
  Extent size;
  std::vector<float> rgba;

  explicit FloatLevel(Extent extent) : size(extent), rgba(size_t{4} * extent.width * extent.height) {}
  [[nodiscard]] float* row(uint32_t y) { return &rgba[size_t{4} * size.width * y]; }
  [[nodiscard]] const float* row(uint32_t y) const { return &rgba[size_t{4} * size.width * y]; }
};

void make_texel(Reduction reduction, const FloatLevel& from, const Taps& across, const Taps& down, float* out) {
  for (uint32_t channel = 0; channel < 4; ++channel) {
    double sum = 0;
    float least = INFINITY;
    for (uint32_t y = 0; y < down.count; ++y) {
      const float* row = from.row(down.at[y]);
      for (uint32_t x = 0; x < across.count; ++x) {
        const float value = row[size_t{4} * across.at[x] + channel];
        sum += down.weight[y] * across.weight[x] * static_cast<double>(value);
        least = std::min(least, value);
      }
    }
    out[channel] = reduction == Reduction::kMin ? least : static_cast<float>(sum);
  }
}

}  // namespace

Result<Levels> peer_levels(const PeerDefinition& definition, const PyramidOptions& options, const ImageView& source) {
  auto levels = Levels::create(options);
  if (!levels) return levels.error();
  cpu::Workers workers(0);
  FloatLevel from(options.size);
  workers.run(options.size.height, [&](size_t y, uint32_t) {
    const auto row = static_cast<uint32_t>(y);
    decode_row(source.format, source.row(row), options.size.width, from.row(row));
  });
  std::vector<MutableImageView> views = levels->views();
  for (uint32_t n = 1; n <= views.size(); ++n) {
    const MutableImageView& view = views[n - 1];
    FloatLevel to(view.size);
    std::vector<Taps> across;
    for (uint32_t x = 0; x < view.size.width; ++x) across.push_back(taps_of(definition.taps, from.size.width, x));
    workers.run(view.size.height, [&](size_t i, uint32_t) {
      const auto y = static_cast<uint32_t>(i);
      const Taps down = taps_of(definition.taps, from.size.height, y);
      float* out = to.row(y);
      for (uint32_t x = 0; x < view.size.width; ++x) {
        make_texel(definition.reduction, from, across[x], down, out + size_t{4} * x);
      }
      encode_row(view.format, out, view.size.width, view.row(y));
      if ((definition.quantised >> n & 1U) != 0) decode_row(view.format, view.row(y), view.size.width, out);
    });
    from = std::move(to);
  }
  return levels;
}

}  // namespace onepass::bench

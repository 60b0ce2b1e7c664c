// peer_levels.cpp: makes levels one after the other from taps per axis. DXVK is a special case: its workgroups of 64x64
// texels compute levels 2 to 6 from their own indices, so that neighbours disagree about texels they share.
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

/// Taps of texel i of the level after level n, which has `size` texels along this axis.
Taps taps_of(PeerTaps kind, uint32_t n, uint32_t size, uint32_t i) {
  if (size == 1) return {{0}, {1.0}, 1};
  if (kind == PeerTaps::kPair || size % 2 == 0) return {{2 * i, 2 * i + 1}, {0.5, 0.5}, 2};
  const uint32_t next = size / 2;
  if (kind == PeerTaps::kDxvk) {
    // Two texels beside one point. On level 0 it is the middle of the texel to make.
    const double ratio = static_cast<double>(size) / next;
    const double at = n == 0 ? (i + 0.5) * ratio - 0.5 : i * ratio + 0.5;
    const auto left = static_cast<uint32_t>(at);
    const double fraction = at - left;
    return {{left, std::min(left + 1, size - 1)}, {1 - fraction, fraction}, 2};
  }
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

/// Makes level n + 1 from level n: every texel, stored in `view`. Where the definition says so, `to` gets the stored
/// values.
void make_level(const PeerDefinition& definition, cpu::Workers& workers, uint32_t n, const FloatLevel& from,
                const MutableImageView& view, FloatLevel& to) {
  std::vector<Taps> across;
  for (uint32_t x = 0; x < view.size.width; ++x) across.push_back(taps_of(definition.taps, n, from.size.width, x));
  workers.run(view.size.height, [&](size_t i, uint32_t) {
    const auto y = static_cast<uint32_t>(i);
    const Taps down = taps_of(definition.taps, n, from.size.height, y);
    float* out = to.row(y);
    for (uint32_t x = 0; x < view.size.width; ++x) {
      make_texel(definition.reduction, from, across[x], down, out + size_t{4} * x);
    }
    encode_row(view.format, out, view.size.width, view.row(y));
    if ((definition.quantised >> (n + 1) & 1U) != 0) decode_row(view.format, view.row(y), view.size.width, out);
  });
}

// ---- DXVK's tiles: a workgroup makes levels 2 to 6 of 64x64 texels from level 1 ----

constexpr uint32_t kDxvkLevels = 6;

/// Texels [begin, end) of level n along an axis that workgroup `group` of `groups` makes, and the end of those it
/// stores.
struct DxvkRange {
  uint32_t begin, end, own_end;
};
DxvkRange dxvk_range(uint32_t base, uint32_t n, uint32_t group, uint32_t groups) {
  const uint32_t shift = kDxvkLevels - n;
  const uint32_t size = std::max(base >> n, 1U);
  const uint32_t next = (group + 1) << shift;
  return {group << shift, std::min(next + (base >> n & ((1U << shift) - 1)), size), group + 1 == groups ? size : next};
}

/// Levels 2 to 6 of one workgroup. Its points between texels follow from indices that start at 0 in each workgroup, so
/// that neighbours compute different values for the texels that both need.
void make_dxvk_tile(const PeerDefinition& definition, const FloatLevel& level_1, Extent base, Extent group,
                    Extent groups, std::vector<MutableImageView>& views) {
  DxvkRange x = dxvk_range(base.width, 1, group.width, groups.width);
  DxvkRange y = dxvk_range(base.height, 1, group.height, groups.height);
  FloatLevel from({x.end - x.begin, y.end - y.begin});
  for (uint32_t row = 0; row < from.size.height; ++row) {
    std::copy_n(level_1.row(y.begin + row) + size_t{4} * x.begin, size_t{4} * from.size.width, from.row(row));
  }
  for (uint32_t n = 1; n < kDxvkLevels && n < views.size(); ++n) {
    const Extent finer = views[n - 1].size;
    const MutableImageView& view = views[n];
    x = dxvk_range(base.width, n + 1, group.width, groups.width);
    y = dxvk_range(base.height, n + 1, group.height, groups.height);
    FloatLevel to({x.end - x.begin, y.end - y.begin});
    std::vector<std::byte> row_bytes(size_t{16} * to.size.width);
    for (uint32_t row = 0; row < to.size.height; ++row) {
      const Taps down = taps_of(definition.taps, n, finer.height, row);
      for (uint32_t column = 0; column < to.size.width; ++column) {
        make_texel(definition.reduction, from, taps_of(definition.taps, n, finer.width, column), down,
                   to.row(row) + size_t{4} * column);
      }
      encode_row(view.format, to.row(row), to.size.width, row_bytes.data());
      decode_row(view.format, row_bytes.data(), to.size.width, to.row(row));
      if (y.begin + row >= y.own_end) continue;
      const size_t bytes = format_info(view.format).bytes_per_texel;
      const uint32_t own = std::min(x.own_end, x.end) - x.begin;
      std::copy_n(row_bytes.data(), bytes * own, view.row(y.begin + row) + bytes * x.begin);
    }
    from = std::move(to);
  }
}

/// Levels 2 to 6 of all workgroups. Returns the last of them as stored.
FloatLevel make_dxvk_tiles(const PeerDefinition& definition, cpu::Workers& workers, const FloatLevel& level_1,
                           Extent base, std::vector<MutableImageView>& views) {
  const Extent groups = level_size(base, kDxvkLevels);
  workers.run(size_t{groups.width} * groups.height, [&](size_t i, uint32_t) {
    const auto index = static_cast<uint32_t>(i);
    make_dxvk_tile(definition, level_1, base, {index % groups.width, index / groups.width}, groups, views);
  });
  const MutableImageView& last = views[std::min<size_t>(kDxvkLevels, views.size()) - 1];
  FloatLevel out(last.size);
  for (uint32_t y = 0; y < last.size.height; ++y) decode_row(last.format, last.row(y), last.size.width, out.row(y));
  return out;
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
  for (uint32_t n = 0; n < views.size(); ++n) {
    if (definition.taps == PeerTaps::kDxvk && n == 1) {
      from = make_dxvk_tiles(definition, workers, from, options.size, views);
      n = std::min<uint32_t>(kDxvkLevels, static_cast<uint32_t>(views.size()));
      if (n == views.size()) break;
    }
    FloatLevel to(views[n].size);
    make_level(definition, workers, n, from, views[n], to);
    from = std::move(to);
  }
  return levels;
}

}  // namespace onepass::bench

// shares.cpp: distributes tiles over invocations and workgroups.
#include "tile_reduction/shares.hpp"

#include <algorithm>
#include <string>

#include "image/div_up.hpp"
#include "image/error.hpp"
#include "image/row_spec.hpp"

namespace onepass::tile_reduction {
namespace {

// Bytes that an invocation has in flight, if its tile is large enough. A GPU with 4.8 TB/s and a memory latency of
// 0.8 us needs 29 KB in flight per multiprocessor: just what 2048 invocations with 16 bytes provide. Four times as much
// allows for lower occupancy and for the time in which results are joined.
constexpr uint32_t kBytesInFlight = 64;
constexpr uint32_t kDefaultGroup = 256;
constexpr uint32_t kLeastGroup = 32;

Result<void> check_wanted(const WantedShares& wanted, uint32_t blocks) {
  const uint32_t most_gathers = std::min<uint32_t>(blocks, ONEPASS_TILE_MOST_READS);
  if (wanted.gathers != 0 && (!std::has_single_bit(wanted.gathers) || wanted.gathers > most_gathers)) {
    return invalid("tuning.gathers: " + std::to_string(wanted.gathers) + " is not a power of two up to " +
                   std::to_string(most_gathers));
  }
  if (wanted.workgroup_size != 0 &&
      (!std::has_single_bit(wanted.workgroup_size) || wanted.workgroup_size < kLeastGroup ||
       wanted.workgroup_size > ONEPASS_TILE_MOST_GROUP)) {
    return invalid("tuning.workgroup_size: " + std::to_string(wanted.workgroup_size) +
                   " is not one of 32, 64, 128, 256 and 512");
  }
  return {};
}

}  // namespace

Result<Shares> share_tiles(const TileReductionOptions& options, const WantedShares& wanted, uint32_t limit) {
  const uint32_t blocks = options.factor / 2 * (options.factor / 2);
  if (auto checked = check_wanted(wanted, blocks); !checked) return checked.error();
  limit = std::bit_floor(std::min(limit, uint32_t{ONEPASS_TILE_MOST_GROUP}));
  Shares shares;
  shares.workgroup_size = wanted.workgroup_size != 0 ? wanted.workgroup_size : std::min(kDefaultGroup, limit);
  shares.gathers = wanted.gathers;
  if (shares.gathers == 0) {
    const uint32_t block_bytes = 4 * std::bit_ceil(texel_info(options.source).bytes_per_texel);
    shares.gathers = std::clamp(kBytesInFlight / block_bytes, 1U, 16U);
    shares.gathers = std::max(shares.gathers, blocks / shares.workgroup_size);
    shares.gathers = std::min({shares.gathers, blocks, uint32_t{ONEPASS_TILE_MOST_READS}});
  }
  const uint32_t lanes = blocks / shares.gathers;
  if (wanted.workgroup_size == 0) shares.workgroup_size = std::min(std::max(shares.workgroup_size, lanes), limit);
  if (lanes > shares.workgroup_size || shares.workgroup_size > limit) {
    return invalid("tuning.workgroup_size: " + std::to_string(shares.workgroup_size) + ", but a tile of factor " +
                   std::to_string(options.factor) + " takes " + std::to_string(lanes) + " invocations of " +
                   std::to_string(shares.gathers) + " gathers, of at most " + std::to_string(limit));
  }
  // The tiles of a workgroup form a square, or two squares side by side.
  const uint32_t tiles_log2 = log2_of(shares.workgroup_size / lanes);
  const auto tiles = [&](uint32_t texels) { return div_up(texels, options.factor); };
  shares.groups = {div_up(tiles(options.size.width), 1U << (tiles_log2 + 1) / 2),
                   div_up(tiles(options.size.height), 1U << tiles_log2 / 2), options.slices};
  return shares;
}

bool has_partial_tiles(const TileReductionOptions& options) {
  return options.size.width % options.factor != 0 || options.size.height % options.factor != 0;
}

TileReductionParams make_params(const TileReductionOptions& options) {
  const auto last_scale = [&](uint32_t texels) {
    const uint32_t rest = texels % options.factor;
    return rest == 0 ? 1.0F : static_cast<float>(options.factor) / static_cast<float>(rest);
  };
  return {.size = {options.size.width, options.size.height},
          .tiles = {div_up(options.size.width, options.factor), div_up(options.size.height, options.factor)},
          .last_scale = {last_scale(options.size.width), last_scale(options.size.height)}};
}

}  // namespace onepass::tile_reduction

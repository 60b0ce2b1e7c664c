// vulkan_tile_reduction.cpp: C functions for tile reductions on a GPU.
#include "onepass/vulkan/tile_reduction.hpp"

#include "c_api/vulkan_abi.hpp"

struct onepass_vulkan_tile_reduction {
  onepass::vulkan::TileReduction object;
};

struct onepass_vulkan_tile_reduction_binding {
  onepass::vulkan::TileReductionBinding object;
  const void* owner = nullptr;
};

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_TILE_STRATEGY_AUTO == number(vulkan::TileStrategy::kAuto));
static_assert(ONEPASS_TILE_STRATEGY_TREE == number(vulkan::TileStrategy::kTree));
static_assert(ONEPASS_TILE_STRATEGY_SUBGROUP == number(vulkan::TileStrategy::kSubgroup));
constexpr onepass_tile_strategy kReservedAtomic = 1;
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_tile_reduction_tuning) == 24);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_tile_reduction_images) == 48);

onepass_vulkan_tile_reduction_images tile_reduction_image_defaults() {
  const vulkan::TileReductionImages i;
  onepass_vulkan_tile_reduction_images out{};
  out.source_layout = i.source_layout;
  return out;
}

Result<vulkan::TileReductionTuning> read_tuning(const onepass_vulkan_tile_reduction_tuning* tuning) {
  if (tuning == nullptr) return vulkan::TileReductionTuning{};
  auto t = read_struct("tuning", tuning, onepass_vulkan_tile_reduction_tuning{});
  if (!t) return t.error();
  if (t->strategy == kReservedAtomic) {
    return Error{ErrorCode::kUnsupported, "tuning.strategy: atomic (1) does not exist: use auto, tree or subgroup", {}};
  }
  return vulkan::TileReductionTuning{.strategy = static_cast<vulkan::TileStrategy>(t->strategy),
                                     .gathers = t->gathers,
                                     .workgroup_size = t->workgroup_size,
                                     .source_usage = static_cast<vulkan::SourceUsage>(t->source_usage)};
}

Result<vulkan::TileReductionImages> read_images(const onepass_vulkan_tile_reduction_images* images) {
  auto i = read_struct("images", images, tile_reduction_image_defaults());
  if (!i) return i.error();
  if (auto zero = require_zero(i->reserved, "images.reserved"); !zero) return zero.error();
  return vulkan::TileReductionImages{.source = i->source,
                                     .source_level = i->source_level,
                                     .source_slice = i->source_slice,
                                     .source_layout = i->source_layout,
                                     .target = i->target,
                                     .target_level = i->target_level,
                                     .target_slice = i->target_slice};
}

}  // namespace
}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_vulkan_tile_reduction_tuning_init(onepass_vulkan_tile_reduction_tuning* tuning, size_t struct_size) {
  write_struct(tuning, struct_size, onepass_vulkan_tile_reduction_tuning{});
}

void onepass_vulkan_tile_reduction_images_init(onepass_vulkan_tile_reduction_images* images, size_t struct_size) {
  write_struct(images, struct_size, tile_reduction_image_defaults());
}

onepass_code onepass_vulkan_tile_reduction_create(const onepass_vulkan_device* device,
                                                  const onepass_tile_reduction_options* options,
                                                  const onepass_vulkan_tile_reduction_tuning* tuning,
                                                  onepass_vulkan_tile_reduction** tiles, onepass_error* error) {
  return create_on_device<vulkan::TileReduction>(
      device, options, [&] { return read_tuning(tuning); }, tiles, error);
}

void onepass_vulkan_tile_reduction_destroy(onepass_vulkan_tile_reduction* tiles) { delete tiles; }

onepass_code onepass_vulkan_tile_reduction_bind(const onepass_vulkan_tile_reduction* tiles,
                                                const onepass_vulkan_tile_reduction_images* images,
                                                onepass_vulkan_tile_reduction_binding** binding, onepass_error* error) {
  return make_binding(binding, error, tiles, "tiles", [&]() -> Result<vulkan::TileReductionBinding> {
    auto i = read_images(images);
    if (!i) return i.error();
    return tiles->object.bind(*i);
  });
}

void onepass_vulkan_tile_reduction_binding_destroy(onepass_vulkan_tile_reduction_binding* binding) { delete binding; }

onepass_code onepass_vulkan_tile_reduction_record(const onepass_vulkan_tile_reduction* tiles, VkCommandBuffer commands,
                                                  const onepass_vulkan_tile_reduction_binding* binding) {
  return record_with(tiles, commands, binding, [&] { tiles->object.record(commands, binding->object); });
}

}  // extern "C"

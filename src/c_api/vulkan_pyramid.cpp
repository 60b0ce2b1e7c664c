// vulkan_pyramid.cpp: C functions for pyramids on a GPU.
#include "onepass/vulkan/pyramid.hpp"

#include "c_api/vulkan_abi.hpp"

struct onepass_vulkan_pyramid {
  onepass::vulkan::Pyramid object;
};

struct onepass_vulkan_pyramid_binding {
  onepass::vulkan::PyramidBinding object;
  const void* owner = nullptr;
};

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_PYRAMID_PATH_AUTO == number(PyramidPath::kAuto));
static_assert(ONEPASS_PYRAMID_PATH_SINGLE_DISPATCH == number(PyramidPath::kSingleDispatch));
static_assert(ONEPASS_PYRAMID_PATH_PER_LEVEL == number(PyramidPath::kPerLevel));
static_assert(ONEPASS_SWITCH_AUTO == number(vulkan::Switch::kAuto));
static_assert(ONEPASS_SWITCH_OFF == number(vulkan::Switch::kOff));
static_assert(ONEPASS_SWITCH_ON == number(vulkan::Switch::kOn));
static_assert(ONEPASS_SAMPLING_AUTO == number(vulkan::Sampling::kAuto));
static_assert(ONEPASS_SAMPLING_FETCH == number(vulkan::Sampling::kFetch));
static_assert(ONEPASS_SAMPLING_LINEAR == number(vulkan::Sampling::kLinear));
static_assert(ONEPASS_SCRATCH_UNKNOWN == number(vulkan::Scratch::kUnknown));
static_assert(ONEPASS_SCRATCH_FROM_LAST_BUILD == number(vulkan::Scratch::kFromLastBuild));
static_assert(ONEPASS_SOURCE_USAGE_SAMPLED == number(vulkan::SourceUsage::kSampled));
static_assert(ONEPASS_SOURCE_USAGE_STORAGE == number(vulkan::SourceUsage::kStorage));
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_pyramid_tuning) == 40);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_pyramid_images) == 64);

onepass_vulkan_pyramid_images pyramid_image_defaults() {
  const vulkan::PyramidImages i;
  onepass_vulkan_pyramid_images out{};
  out.source_layout = i.source_layout;
  out.target_level = i.target_level;
  return out;
}

Result<vulkan::PyramidTuning> read_tuning(const onepass_vulkan_pyramid_tuning* tuning) {
  if (tuning == nullptr) return vulkan::PyramidTuning{};
  auto t = read_struct("tuning", tuning, onepass_vulkan_pyramid_tuning{});
  if (!t) return t.error();
  return vulkan::PyramidTuning{.path = static_cast<PyramidPath>(t->path),
                               .subgroup = static_cast<vulkan::Switch>(t->subgroup),
                               .sampling = static_cast<vulkan::Sampling>(t->sampling),
                               .last_to_start = static_cast<vulkan::Switch>(t->last_to_start),
                               .publish = static_cast<vulkan::Switch>(t->publish),
                               .second_dispatch = static_cast<vulkan::Switch>(t->second_dispatch),
                               .prepare_update = t->prepare_update != 0,
                               .source_usage = static_cast<vulkan::SourceUsage>(t->source_usage)};
}

Result<vulkan::PyramidImages> read_images(const onepass_vulkan_pyramid_images* images) {
  auto i = read_struct("images", images, pyramid_image_defaults());
  if (!i) return i.error();
  if (auto zero = require_zero(i->reserved, "images.reserved"); !zero) return zero.error();
  return vulkan::PyramidImages{.source = i->source,
                               .source_level = i->source_level,
                               .source_slice = i->source_slice,
                               .source_layout = i->source_layout,
                               .target = i->target,
                               .target_level = i->target_level,
                               .target_slice = i->target_slice,
                               .scratch = i->scratch,
                               .scratch_offset = i->scratch_offset};
}

}  // namespace
}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_vulkan_pyramid_tuning_init(onepass_vulkan_pyramid_tuning* tuning, size_t struct_size) {
  write_struct(tuning, struct_size, onepass_vulkan_pyramid_tuning{});
}

void onepass_vulkan_pyramid_images_init(onepass_vulkan_pyramid_images* images, size_t struct_size) {
  write_struct(images, struct_size, pyramid_image_defaults());
}

onepass_code onepass_vulkan_pyramid_create(const onepass_vulkan_device* device, const onepass_pyramid_options* options,
                                           const onepass_vulkan_pyramid_tuning* tuning,
                                           onepass_vulkan_pyramid** pyramid, onepass_error* error) {
  return create_on_device<vulkan::Pyramid>(
      device, options, [&] { return read_tuning(tuning); }, pyramid, error);
}

void onepass_vulkan_pyramid_destroy(onepass_vulkan_pyramid* pyramid) { delete pyramid; }

onepass_code onepass_vulkan_pyramid_get_plan(const onepass_vulkan_pyramid* pyramid, onepass_vulkan_pyramid_plan* plan,
                                             onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(pyramid, "pyramid"); !there) return there;
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    const vulkan::PyramidDispatchPlan& p = pyramid->object.plan();
    write_result(plan, {.struct_size = 0,
                        .scratch_bytes = p.scratch_bytes,
                        .bytes_read = p.bytes_read,
                        .bytes_written = p.bytes_written,
                        .levels = p.plan.levels,
                        .dispatches = static_cast<uint32_t>(p.dispatches.size()),
                        .path = number(p.path),
                        .reserved = 0});
    return {};
  });
}

onepass_code onepass_vulkan_pyramid_bind(const onepass_vulkan_pyramid* pyramid,
                                         const onepass_vulkan_pyramid_images* images,
                                         onepass_vulkan_pyramid_binding** binding, onepass_error* error) {
  return make_binding(binding, error, pyramid, "pyramid", [&]() -> Result<vulkan::PyramidBinding> {
    auto i = read_images(images);
    if (!i) return i.error();
    return pyramid->object.bind(*i);
  });
}

void onepass_vulkan_pyramid_binding_destroy(onepass_vulkan_pyramid_binding* binding) { delete binding; }

onepass_code onepass_vulkan_pyramid_record_reset(const onepass_vulkan_pyramid* pyramid, VkCommandBuffer commands,
                                                 const onepass_vulkan_pyramid_binding* binding) {
  return record_with(pyramid, commands, binding, [&] { pyramid->object.record_reset(commands, binding->object); });
}

onepass_code onepass_vulkan_pyramid_record(const onepass_vulkan_pyramid* pyramid, VkCommandBuffer commands,
                                           const onepass_vulkan_pyramid_binding* binding) {
  return record_with(pyramid, commands, binding, [&] { pyramid->object.record(commands, binding->object); });
}

onepass_code onepass_vulkan_pyramid_record_update(const onepass_vulkan_pyramid* pyramid, VkCommandBuffer commands,
                                                  const onepass_vulkan_pyramid_binding* binding, onepass_rect changed,
                                                  onepass_scratch scratch) {
  if (scratch > ONEPASS_SCRATCH_FROM_LAST_BUILD) return ONEPASS_INVALID_ARGUMENT;
  return record_with(pyramid, commands, binding, [&] {
    pyramid->object.record_update(commands, binding->object, to_cpp(changed), static_cast<vulkan::Scratch>(scratch));
  });
}

}  // extern "C"

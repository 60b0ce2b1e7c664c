// vulkan_luminance.cpp: C functions for meters on a GPU.
#include "onepass/vulkan/luminance.hpp"

#include "c_api/vulkan_abi.hpp"
#include "luminance/settings.hpp"

struct onepass_vulkan_meter {
  onepass::vulkan::Meter object;
};

struct onepass_vulkan_meter_binding {
  onepass::vulkan::MeterBinding object;
  const void* owner = nullptr;
};

namespace onepass::c_api {
namespace {

static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_meter_tuning) == 32);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_meter_images) == 80);

onepass_vulkan_meter_images meter_image_defaults() {
  const vulkan::MeterImages i;
  onepass_vulkan_meter_images out{};
  out.source_layout = i.source_layout;
  out.mask_layout = i.mask_layout;
  return out;
}

Result<vulkan::MeterTuning> read_tuning(const onepass_vulkan_meter_tuning* tuning) {
  if (tuning == nullptr) return vulkan::MeterTuning{};
  auto t = read_struct("tuning", tuning, onepass_vulkan_meter_tuning{});
  if (!t) return t.error();
  if (auto zero = require_zero(t->reserved, "tuning.reserved"); !zero) return zero.error();
  return vulkan::MeterTuning{.two_pass = t->two_pass != 0,
                             .groups = t->groups,
                             .copies = t->copies,
                             .subgroup = static_cast<vulkan::Switch>(t->subgroup),
                             .divergent_barriers = static_cast<vulkan::Switch>(t->divergent_barriers)};
}

Result<vulkan::MeterImages> read_images(const onepass_vulkan_meter_images* images) {
  auto i = read_struct("images", images, meter_image_defaults());
  if (!i) return i.error();
  return vulkan::MeterImages{.source = i->source,
                             .source_level = i->source_level,
                             .source_slice = i->source_slice,
                             .source_layout = i->source_layout,
                             .mask = i->mask,
                             .mask_level = i->mask_level,
                             .mask_slice = i->mask_slice,
                             .mask_layout = i->mask_layout,
                             .results = i->results,
                             .results_offset = i->results_offset,
                             .scratch = i->scratch,
                             .scratch_offset = i->scratch_offset};
}

}  // namespace
}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_vulkan_meter_tuning_init(onepass_vulkan_meter_tuning* tuning, size_t struct_size) {
  write_struct(tuning, struct_size, onepass_vulkan_meter_tuning{});
}

void onepass_vulkan_meter_images_init(onepass_vulkan_meter_images* images, size_t struct_size) {
  write_struct(images, struct_size, meter_image_defaults());
}

onepass_code onepass_vulkan_meter_create(const onepass_vulkan_device* device, const onepass_meter_options* options,
                                         const onepass_vulkan_meter_tuning* tuning, onepass_vulkan_meter** meter,
                                         onepass_error* error) {
  return create_on_device<vulkan::Meter>(
      device, options, [&] { return read_tuning(tuning); }, meter, error);
}

void onepass_vulkan_meter_destroy(onepass_vulkan_meter* meter) { delete meter; }

uint64_t onepass_vulkan_meter_scratch_bytes(const onepass_vulkan_meter* meter) {
  return meter != nullptr ? meter->object.plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_meter_bind(const onepass_vulkan_meter* meter, const onepass_vulkan_meter_images* images,
                                       onepass_vulkan_meter_binding** binding, onepass_error* error) {
  return make_binding(binding, error, meter, "meter", [&]() -> Result<vulkan::MeterBinding> {
    auto i = read_images(images);
    if (!i) return i.error();
    return meter->object.bind(*i);
  });
}

void onepass_vulkan_meter_binding_destroy(onepass_vulkan_meter_binding* binding) { delete binding; }

onepass_vulkan_buffer_range onepass_vulkan_meter_results(const onepass_vulkan_meter_binding* binding) {
  if (binding == nullptr) return {VK_NULL_HANDLE, 0};
  return {binding->object.results(), binding->object.results_offset()};
}

onepass_code onepass_vulkan_meter_record_reset(const onepass_vulkan_meter* meter, VkCommandBuffer commands,
                                               const onepass_vulkan_meter_binding* binding) {
  return record_with(meter, commands, binding, [&] { meter->object.record_reset(commands, binding->object); });
}

onepass_code onepass_vulkan_meter_record_reset_scratch(const onepass_vulkan_meter* meter, VkCommandBuffer commands,
                                                       const onepass_vulkan_meter_binding* binding) {
  return record_with(meter, commands, binding, [&] { meter->object.record_reset_scratch(commands, binding->object); });
}

onepass_code onepass_vulkan_meter_record(const onepass_vulkan_meter* meter, VkCommandBuffer commands,
                                         const onepass_vulkan_meter_binding* binding,
                                         const onepass_meter_frame* frame) {
  if (!luminance::seconds_of(frame_of(frame))) return ONEPASS_INVALID_ARGUMENT;
  return record_with(meter, commands, binding,
                     [&] { meter->object.record(commands, binding->object, frame_of(frame)); });
}

}  // extern "C"

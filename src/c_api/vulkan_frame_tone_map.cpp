// vulkan_frame_tone_map.cpp: C functions that meter and map video frames on a GPU in one dispatch.
#include "onepass/vulkan/frame_tone_map.hpp"

#include "c_api/vulkan_abi.hpp"
#include "luminance/settings.hpp"

struct onepass_vulkan_frame_tone_map {
  onepass::vulkan::FrameToneMap object;
};

struct onepass_vulkan_frame_tone_map_binding {
  onepass::vulkan::FrameToneMapBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_vulkan_frame_tone_map_create(const onepass_vulkan_device* device,
                                                  const onepass_meter_options* meter,
                                                  const onepass_tone_map_options* tone,
                                                  const onepass_vulkan_frame_tone_map_tuning* tuning,
                                                  onepass_vulkan_frame_tone_map** frames, onepass_error* error) {
  const FrameOptionPair options{meter, tone};
  return create_on_device<vulkan::FrameToneMap>(device, &options, tuning, frames, error);
}

void onepass_vulkan_frame_tone_map_destroy(onepass_vulkan_frame_tone_map* frames) { delete frames; }

uint64_t onepass_vulkan_frame_tone_map_scratch_bytes(const onepass_vulkan_frame_tone_map* frames) {
  return frames != nullptr ? frames->object.dispatch_plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_frame_tone_map_bind(const onepass_vulkan_frame_tone_map* frames,
                                                const onepass_vulkan_frame_tone_map_images* images,
                                                onepass_vulkan_frame_tone_map_binding** binding, onepass_error* error) {
  return make_binding(binding, error, frames, "frames", [&]() -> Result<vulkan::FrameToneMapBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return frames->object.bind(*i);
  });
}

void onepass_vulkan_frame_tone_map_binding_destroy(onepass_vulkan_frame_tone_map_binding* binding) { delete binding; }

onepass_vulkan_buffer_range onepass_vulkan_frame_tone_map_results(
    const onepass_vulkan_frame_tone_map_binding* binding) {
  if (binding == nullptr) return {VK_NULL_HANDLE, 0};
  return {binding->object.results(), binding->object.results_offset()};
}

onepass_code onepass_vulkan_frame_tone_map_record_reset(const onepass_vulkan_frame_tone_map* frames,
                                                        VkCommandBuffer commands,
                                                        const onepass_vulkan_frame_tone_map_binding* binding) {
  return record_with(frames, commands, binding, [&] { frames->object.record_reset(commands, binding->object); });
}

onepass_code onepass_vulkan_frame_tone_map_record_reset_scratch(const onepass_vulkan_frame_tone_map* frames,
                                                                VkCommandBuffer commands,
                                                                const onepass_vulkan_frame_tone_map_binding* binding) {
  return record_with(frames, commands, binding,
                     [&] { frames->object.record_reset_scratch(commands, binding->object); });
}

onepass_code onepass_vulkan_frame_tone_map_record(const onepass_vulkan_frame_tone_map* frames, VkCommandBuffer commands,
                                                  const onepass_vulkan_frame_tone_map_binding* binding,
                                                  const onepass_meter_frame* frame) {
  if (!luminance::seconds_of(frame_of(frame))) return ONEPASS_INVALID_ARGUMENT;
  return record_with(frames, commands, binding,
                     [&] { frames->object.record(commands, binding->object, frame_of(frame)); });
}

}  // extern "C"

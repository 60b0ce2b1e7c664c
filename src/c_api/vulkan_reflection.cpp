// vulkan_reflection.cpp: C functions for screen-space reflections on a GPU.
#include "onepass/vulkan/reflection.hpp"

#include <array>
#include <cstring>

#include "c_api/vulkan_abi.hpp"
#include "reflection/reflection_params.h"

struct onepass_vulkan_reflection {
  onepass::vulkan::Reflection object;
};

struct onepass_vulkan_reflection_binding {
  onepass::vulkan::ReflectionBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

namespace {

/// The views of a frame. vulkan_options.cpp compares the layouts of both languages.
using Views = std::array<vulkan::ReflectionView, ONEPASS_REFLECTION_MOST_SLICES>;

/// Reads a frame of `slices` views, which it copies to `views`. Errors: those of read_struct(); kInvalidArgument for
/// another number of views. Nobody reads their messages: record functions return a code only.
Result<void> read_frame(const onepass_vulkan_reflection_frame* frame, uint32_t slices, Views& views,
                        vulkan::ReflectionFrame& out) {
  const auto c = read_struct("frame", frame, onepass_vulkan_reflection_frame{});
  if (!c) return c.error();
  if (c->views == nullptr || c->view_count != slices) return invalid("frame.views: not one per slice");
  std::memcpy(static_cast<void*>(views.data()), c->views, slices * sizeof views[0]);
  out = {.views = {views.data(), slices},
         .index = c->index,
         .reset = c->reset != 0,
         .fallback = {c->fallback[0], c->fallback[1], c->fallback[2]}};
  return {};
}

}  // namespace

extern "C" {

void onepass_vulkan_reflection_frame_init(onepass_vulkan_reflection_frame* frame, size_t struct_size) {
  write_struct(frame, struct_size, onepass_vulkan_reflection_frame{});
}

onepass_code onepass_vulkan_reflection_create(const onepass_vulkan_device* device,
                                              const onepass_reflection_options* options,
                                              const onepass_vulkan_reflection_tuning* tuning,
                                              onepass_vulkan_reflection** reflection, onepass_error* error) {
  return create_on_device<vulkan::Reflection>(device, options, tuning, reflection, error);
}

void onepass_vulkan_reflection_destroy(onepass_vulkan_reflection* reflection) { delete reflection; }

uint64_t onepass_vulkan_reflection_scratch_bytes(const onepass_vulkan_reflection* reflection) {
  return reflection != nullptr ? reflection->object.plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_reflection_bind(const onepass_vulkan_reflection* reflection,
                                            const onepass_vulkan_reflection_images* images,
                                            onepass_vulkan_reflection_binding** binding, onepass_error* error) {
  return make_binding(binding, error, reflection, "reflection", [&]() -> Result<vulkan::ReflectionBinding> {
    auto i = read_options(images);
    if (!i) return i.error();
    return reflection->object.bind(*i);
  });
}

void onepass_vulkan_reflection_binding_destroy(onepass_vulkan_reflection_binding* binding) { delete binding; }

onepass_code onepass_vulkan_reflection_record(const onepass_vulkan_reflection* reflection, VkCommandBuffer commands,
                                              const onepass_vulkan_reflection_binding* binding,
                                              const onepass_vulkan_reflection_frame* frame) {
  if (reflection == nullptr) return ONEPASS_INVALID_ARGUMENT;
  Views views;
  vulkan::ReflectionFrame read;
  const uint32_t slices = reflection->object.plan().options.slices;
  const onepass_code code = guarded(nullptr, [&] { return read_frame(frame, slices, views, read); });
  if (code != ONEPASS_OK) return code;
  return record_with(reflection, commands, binding,
                     [&] { reflection->object.record(commands, binding->object, read); });
}

}  // extern "C"

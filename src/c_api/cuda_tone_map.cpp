// cuda_tone_map.cpp: C functions for tone maps in CUDA memory.
#include "onepass/cuda/tone_map.hpp"

#include "c_api/cuda_abi.hpp"

struct onepass_cuda_tone_map {
  onepass::cuda::ToneMap object;
};

struct onepass_cuda_tone_map_binding {
  onepass::cuda::ToneMapBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_cuda_tone_map_images_init(onepass_cuda_tone_map_images* images, size_t struct_size) {
  write_struct(images, struct_size, onepass_cuda_tone_map_images{});
}

onepass_code onepass_cuda_tone_map_create(const onepass_cuda_device* device, const onepass_tone_map_options* options,
                                          const onepass_cuda_image_memory* memory, onepass_cuda_tone_map** map,
                                          onepass_error* error) {
  return create_in_cuda<cuda::ToneMap>(device, options, memory, read_memory, map, error);
}

void onepass_cuda_tone_map_destroy(onepass_cuda_tone_map* map) { delete map; }

uint64_t onepass_cuda_tone_map_scratch_bytes(const onepass_cuda_tone_map* map) {
  return map != nullptr ? map->object.dispatch_plan().scratch_bytes : 0;
}

onepass_code onepass_cuda_tone_map_bind(const onepass_cuda_tone_map* map, const onepass_cuda_tone_map_images* images,
                                        onepass_cuda_tone_map_binding** binding, onepass_error* error) {
  return make_binding(binding, error, map, "map", [&]() -> Result<cuda::ToneMapBinding> {
    auto i = read_struct("images", images, onepass_cuda_tone_map_images{});
    if (!i) return i.error();
    return map->object.bind({.source = to_cpp(i->source),
                             .target = to_cpp(i->target),
                             .exposure = i->exposure,
                             .exposure_stride = i->exposure_stride,
                             .scratch = i->scratch});
  });
}

void onepass_cuda_tone_map_binding_destroy(onepass_cuda_tone_map_binding* binding) { delete binding; }

onepass_code onepass_cuda_tone_map_record_reset(const onepass_cuda_tone_map* map, void* stream,
                                                const onepass_cuda_tone_map_binding* binding, onepass_error* error) {
  return record_in_cuda(map, "map", binding, error,
                        [&] { return map->object.record_reset(static_cast<cuda::Stream>(stream), binding->object); });
}

onepass_code onepass_cuda_tone_map_record(const onepass_cuda_tone_map* map, void* stream,
                                          const onepass_cuda_tone_map_binding* binding, float exposure,
                                          onepass_error* error) {
  return record_in_cuda(map, "map", binding, error, [&] {
    return map->object.record(static_cast<cuda::Stream>(stream), binding->object, exposure);
  });
}

}  // extern "C"

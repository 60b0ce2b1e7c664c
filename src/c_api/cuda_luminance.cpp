// cuda_luminance.cpp: C functions for meters in CUDA memory.
#include "onepass/cuda/luminance.hpp"

#include "c_api/cuda_abi.hpp"

struct onepass_cuda_meter {
  onepass::cuda::Meter object;
};

struct onepass_cuda_meter_binding {
  onepass::cuda::MeterBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

namespace {

/// Null means interleaved channels.
Result<cuda::MeterMemory> read_meter_memory(const onepass_cuda_meter_memory* memory) {
  if (memory == nullptr) return cuda::MeterMemory{};
  auto m = read_struct("memory", memory, onepass_cuda_meter_memory{});
  if (!m) return m.error();
  auto source = read_channels("memory.source_channels", m->source_channels);
  if (!source) return source.error();
  auto mask = read_channels("memory.mask_channels", m->mask_channels);
  if (!mask) return mask.error();
  return cuda::MeterMemory{.source = *source, .mask = *mask};
}

}  // namespace

extern "C" {

void onepass_cuda_meter_memory_init(onepass_cuda_meter_memory* memory, size_t struct_size) {
  write_struct(memory, struct_size, onepass_cuda_meter_memory{});
}

void onepass_cuda_meter_images_init(onepass_cuda_meter_images* images, size_t struct_size) {
  write_struct(images, struct_size, onepass_cuda_meter_images{});
}

onepass_code onepass_cuda_meter_create(const onepass_cuda_device* device, const onepass_meter_options* options,
                                       const onepass_cuda_meter_memory* memory, onepass_cuda_meter** meter,
                                       onepass_error* error) {
  return create_in_cuda<cuda::Meter>(device, options, memory, read_meter_memory, meter, error);
}

void onepass_cuda_meter_destroy(onepass_cuda_meter* meter) { delete meter; }

uint64_t onepass_cuda_meter_scratch_bytes(const onepass_cuda_meter* meter) {
  return meter != nullptr ? meter->object.dispatch_plan().scratch_bytes : 0;
}

onepass_code onepass_cuda_meter_bind(const onepass_cuda_meter* meter, const onepass_cuda_meter_images* images,
                                     onepass_cuda_meter_binding** binding, onepass_error* error) {
  return make_binding(binding, error, meter, "meter", [&]() -> Result<cuda::MeterBinding> {
    auto i = read_struct("images", images, onepass_cuda_meter_images{});
    if (!i) return i.error();
    return meter->object.bind(
        {.source = to_cpp(i->source), .mask = to_cpp(i->mask), .results = i->results, .scratch = i->scratch});
  });
}

void onepass_cuda_meter_binding_destroy(onepass_cuda_meter_binding* binding) { delete binding; }

void* onepass_cuda_meter_results(const onepass_cuda_meter_binding* binding) {
  return binding != nullptr ? binding->object.results() : nullptr;
}

onepass_code onepass_cuda_meter_record_reset(const onepass_cuda_meter* meter, void* stream,
                                             const onepass_cuda_meter_binding* binding, onepass_error* error) {
  return record_in_cuda(meter, "meter", binding, error,
                        [&] { return meter->object.record_reset(static_cast<cuda::Stream>(stream), binding->object); });
}

onepass_code onepass_cuda_meter_record_reset_scratch(const onepass_cuda_meter* meter, void* stream,
                                                     const onepass_cuda_meter_binding* binding, onepass_error* error) {
  return record_in_cuda(meter, "meter", binding, error, [&] {
    return meter->object.record_reset_scratch(static_cast<cuda::Stream>(stream), binding->object);
  });
}

onepass_code onepass_cuda_meter_record(const onepass_cuda_meter* meter, void* stream,
                                       const onepass_cuda_meter_binding* binding, const onepass_meter_frame* frame,
                                       onepass_error* error) {
  return record_in_cuda(meter, "meter", binding, error, [&] {
    return meter->object.record(static_cast<cuda::Stream>(stream), binding->object, frame_of(frame));
  });
}

}  // extern "C"

// vulkan_correlation.cpp: C functions that estimate shifts between images on a GPU.
#include "c_api/vulkan_abi.hpp"
#include "onepass/vulkan/fourier_correlation.hpp"

struct onepass_vulkan_correlator {
  onepass::vulkan::Correlator object;
};

struct onepass_vulkan_correlation_binding {
  onepass::vulkan::CorrelationBinding object;
  const void* owner = nullptr;
};

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

onepass_code onepass_vulkan_correlator_create(const onepass_vulkan_device* device,
                                              const onepass_correlation_options* options,
                                              const onepass_vulkan_transform_tuning* tuning,
                                              onepass_vulkan_correlator** correlator, onepass_error* error) {
  return create_on_device<vulkan::Correlator>(device, options, tuning, correlator, error);
}

void onepass_vulkan_correlator_destroy(onepass_vulkan_correlator* correlator) { delete correlator; }

onepass_code onepass_vulkan_correlator_get_plan(const onepass_vulkan_correlator* correlator,
                                                onepass_vulkan_correlation_plan* plan, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(correlator, "correlator"); !there) return there;
    if (auto checked = check_result_struct("plan", plan); !checked) return checked;
    const vulkan::CorrelationDispatchPlan& made = correlator->object.dispatch_plan();
    write_result(plan, {.struct_size = 0,
                        .scratch_bytes = made.scratch_bytes,
                        .result_bytes = made.result_bytes,
                        .surface_bytes = made.surface_bytes,
                        .dispatches = made.dispatches,
                        .reserved = 0});
    return {};
  });
}

onepass_code onepass_vulkan_correlator_bind(const onepass_vulkan_correlator* correlator,
                                            const onepass_vulkan_correlation_resources* resources,
                                            onepass_vulkan_correlation_binding** binding, onepass_error* error) {
  return make_binding(binding, error, correlator, "correlator", [&]() -> Result<vulkan::CorrelationBinding> {
    auto r = read_options(resources);
    if (!r) return r.error();
    return correlator->object.bind(*r);
  });
}

void onepass_vulkan_correlation_binding_destroy(onepass_vulkan_correlation_binding* binding) { delete binding; }

onepass_code onepass_vulkan_correlator_record(const onepass_vulkan_correlator* correlator, VkCommandBuffer commands,
                                              const onepass_vulkan_correlation_binding* binding) {
  return record_with(correlator, commands, binding, [&] { correlator->object.record(commands, binding->object); });
}

onepass_code onepass_vulkan_correlator_finish(const onepass_vulkan_correlator* correlator, const void* result,
                                              size_t result_bytes, onepass_shift* shift, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(correlator, "correlator"); !there) return there;
    if (auto there = require(result, "result"); !there) return there;
    if (auto there = require(shift, "shift"); !there) return there;
    auto found = correlator->object.finish({static_cast<const std::byte*>(result), result_bytes});
    if (!found) return found.error();
    *shift = to_c(*found);
    return {};
  });
}

}  // extern "C"

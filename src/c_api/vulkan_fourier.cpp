// vulkan_fourier.cpp: C functions for transforms on a GPU.
#include "c_api/vulkan_abi.hpp"

struct onepass_vulkan_transform {
  onepass::vulkan::Transform object;
};

struct onepass_vulkan_transform_binding {
  onepass::vulkan::TransformBinding object;
  const void* owner = nullptr;
};

namespace onepass::c_api {
namespace {

static_assert(ONEPASS_FOURIER_TECHNIQUE_AUTO == number(FourierTechnique::kAuto));
static_assert(ONEPASS_FOURIER_TECHNIQUE_SHARED_MEMORY == number(FourierTechnique::kSharedMemory));
static_assert(ONEPASS_FOURIER_TECHNIQUE_PING_PONG == number(FourierTechnique::kPingPong));
static_assert(ONEPASS_FOURIER_TECHNIQUE_FOUR_STEP == number(FourierTechnique::kFourStep));
static_assert(ONEPASS_TWIDDLES_TABLE == number(vulkan::Twiddles::kTable));
static_assert(ONEPASS_TWIDDLES_COMPUTED == number(vulkan::Twiddles::kComputed));
static_assert(ONEPASS_SIDE_IMAGE == number(vulkan::SideKind::kImage));
static_assert(ONEPASS_SIDE_BUFFER == number(vulkan::SideKind::kBuffer));
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_transform_tuning) == 32);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_transform_sides) == 24);
static_assert(sizeof(size_t) != 8 || sizeof(onepass_vulkan_transform_resources) == 136);

onepass_vulkan_transform_tuning tuning_defaults() {
  const vulkan::TransformTuning t;
  return {.struct_size = 0,
          .technique = number(t.technique),
          .twiddles = number(t.twiddles),
          .most_radix = t.most_radix,
          .lines_of_rows = t.lines_of_rows,
          .lines_of_columns = t.lines_of_columns};
}

onepass_vulkan_transform_sides side_defaults() {
  const vulkan::TransformSides s;
  return {.struct_size = 0,
          .source = number(s.source),
          .target = number(s.target),
          .forward = s.forward ? 1U : 0U,
          .inverse = s.inverse ? 1U : 0U};
}

Result<vulkan::TransformSides> read_sides(const onepass_vulkan_transform_sides* sides) {
  if (sides == nullptr) return vulkan::TransformSides{};
  auto s = read_struct("sides", sides, side_defaults());
  if (!s) return s.error();
  if (s->source > ONEPASS_SIDE_BUFFER) return invalid("sides.source: not one of the enumerators");
  if (s->target > ONEPASS_SIDE_BUFFER) return invalid("sides.target: not one of the enumerators");
  return vulkan::TransformSides{.source = static_cast<vulkan::SideKind>(s->source),
                                .target = static_cast<vulkan::SideKind>(s->target),
                                .forward = s->forward != 0,
                                .inverse = s->inverse != 0};
}

Result<vulkan::TransformResources> read_resources(const onepass_vulkan_transform_resources* resources) {
  auto r = read_struct("resources", resources, onepass_vulkan_transform_resources{});
  if (!r) return r.error();
  auto zero = require_zero(r->source.reserved, "source.reserved");
  if (zero) zero = require_zero(r->target.reserved, "target.reserved");
  if (!zero) return zero.error();
  return vulkan::TransformResources{.source = to_cpp(r->source),
                                    .spectrum = to_cpp(r->spectrum),
                                    .target = to_cpp(r->target),
                                    .scratch = to_cpp(r->scratch)};
}

}  // namespace

Result<vulkan::TransformTuning> read_tuning(const onepass_vulkan_transform_tuning* tuning) {
  if (tuning == nullptr) return vulkan::TransformTuning{};
  auto t = read_struct("tuning", tuning, tuning_defaults());
  if (!t) return t.error();
  if (auto zero = require_zero(t->reserved, "tuning.reserved"); !zero) return zero.error();
  return vulkan::TransformTuning{.technique = static_cast<FourierTechnique>(t->technique),
                                 .twiddles = static_cast<vulkan::Twiddles>(t->twiddles),
                                 .most_radix = t->most_radix,
                                 .lines_of_rows = t->lines_of_rows,
                                 .lines_of_columns = t->lines_of_columns};
}

vulkan::Side to_cpp(const onepass_vulkan_side& side) {
  vulkan::Side out{.image = side.image,
                   .level = side.level,
                   .slice = side.slice,
                   .buffer = side.buffer,
                   .offset = side.offset,
                   .row_stride = side.row_stride,
                   .slice_stride = side.slice_stride};
  if (side.layout != VK_IMAGE_LAYOUT_UNDEFINED) out.layout = side.layout;
  return out;
}

}  // namespace onepass::c_api

using namespace onepass;
using namespace onepass::c_api;

extern "C" {

void onepass_vulkan_transform_tuning_init(onepass_vulkan_transform_tuning* tuning, size_t struct_size) {
  write_struct(tuning, struct_size, tuning_defaults());
}

void onepass_vulkan_transform_sides_init(onepass_vulkan_transform_sides* sides, size_t struct_size) {
  write_struct(sides, struct_size, side_defaults());
}

void onepass_vulkan_transform_resources_init(onepass_vulkan_transform_resources* resources, size_t struct_size) {
  write_struct(resources, struct_size, onepass_vulkan_transform_resources{});
}

onepass_code onepass_vulkan_transform_create(const onepass_vulkan_device* device,
                                             const onepass_transform_options* options,
                                             const onepass_vulkan_transform_sides* sides,
                                             const onepass_vulkan_transform_tuning* tuning,
                                             onepass_vulkan_transform** transform, onepass_error* error) {
  return make_handle(transform, error, [&]() -> Result<vulkan::Transform> {
    if (auto there = require(device, "device"); !there) return there.error();
    auto o = read_options(options);
    if (!o) return o.error();
    auto s = read_sides(sides);
    if (!s) return s.error();
    auto t = read_tuning(tuning);
    if (!t) return t.error();
    return vulkan::Transform::create(device->object, *o, *s, *t);
  });
}

void onepass_vulkan_transform_destroy(onepass_vulkan_transform* transform) { delete transform; }

uint64_t onepass_vulkan_transform_scratch_bytes(const onepass_vulkan_transform* transform) {
  return transform != nullptr ? transform->object.plan().scratch_bytes : 0;
}

onepass_code onepass_vulkan_transform_bind(const onepass_vulkan_transform* transform,
                                           const onepass_vulkan_transform_resources* resources,
                                           onepass_vulkan_transform_binding** binding, onepass_error* error) {
  return make_binding(binding, error, transform, "transform", [&]() -> Result<vulkan::TransformBinding> {
    auto r = read_resources(resources);
    if (!r) return r.error();
    return transform->object.bind(*r);
  });
}

void onepass_vulkan_transform_binding_destroy(onepass_vulkan_transform_binding* binding) { delete binding; }

onepass_code onepass_vulkan_transform_record_forward(const onepass_vulkan_transform* transform,
                                                     VkCommandBuffer commands,
                                                     const onepass_vulkan_transform_binding* binding) {
  if (transform == nullptr || transform->object.plan().forward.empty()) return ONEPASS_INVALID_ARGUMENT;
  return record_with(transform, commands, binding,
                     [&] { transform->object.record_forward(commands, binding->object); });
}

onepass_code onepass_vulkan_transform_record_inverse(const onepass_vulkan_transform* transform,
                                                     VkCommandBuffer commands,
                                                     const onepass_vulkan_transform_binding* binding) {
  if (transform == nullptr || transform->object.plan().inverse.empty()) return ONEPASS_INVALID_ARGUMENT;
  return record_with(transform, commands, binding,
                     [&] { transform->object.record_inverse(commands, binding->object); });
}

}  // extern "C"

// cpu_tone_map.cpp: C functions for tone maps in host memory, and for the data of their operators.
#include "c_api/options.hpp"

using namespace onepass;
using namespace onepass::c_api;

struct onepass_cpu_tone_map {
  cpu::ToneMap object;
};

struct onepass_tone_map_shader {
  ToneMapShader object;
};

namespace {

const float* floats_of(const std::vector<float>* values, size_t* count) noexcept {
  if (count != nullptr) *count = values != nullptr ? values->size() : 0;
  return values != nullptr ? values->data() : nullptr;
}

}  // namespace

extern "C" {

onepass_code onepass_cpu_tone_map_create(const onepass_tone_map_options* options, const onepass_cpu_tuning* tuning,
                                         onepass_cpu_tone_map** map, onepass_error* error) {
  return create_on_cpu<cpu::ToneMap>(options, tuning, map, error);
}

void onepass_cpu_tone_map_destroy(onepass_cpu_tone_map* map) { delete map; }

onepass_code onepass_cpu_tone_map_apply(const onepass_cpu_tone_map* map, const onepass_image_view* source,
                                        const onepass_mutable_image_view* target, float exposure,
                                        onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(map, "map"); !there) return there;
    auto from = view_of("source", source);
    if (!from) return from.error();
    auto to = view_of("target", target);
    if (!to) return to.error();
    return map->object.apply(*from, *to, exposure);
  });
}

onepass_code onepass_tone_map_shader_create(const onepass_tone_map_options* options, onepass_tone_map_shader** shader,
                                            onepass_error* error) {
  return make_handle(shader, error, [&]() -> Result<ToneMapShader> {
    auto o = read_options(options);
    if (!o) return o.error();
    return tone_map_shader(*o);
  });
}

void onepass_tone_map_shader_destroy(onepass_tone_map_shader* shader) { delete shader; }

const float* onepass_tone_map_shader_program(const onepass_tone_map_shader* shader, size_t* count) {
  return floats_of(shader != nullptr ? &shader->object.program : nullptr, count);
}

const float* onepass_tone_map_shader_cubics(const onepass_tone_map_shader* shader, size_t* count) {
  return floats_of(shader != nullptr ? &shader->object.cubics : nullptr, count);
}

const char* onepass_tone_map_shader_definitions(const onepass_tone_map_shader* shader) {
  return shader != nullptr ? shader->object.definitions.c_str() : nullptr;
}

}  // extern "C"

// cpu_material.cpp: C functions for textures of materials.
#include "c_api/options.hpp"
#include "onepass/material.hpp"

using namespace onepass;
using namespace onepass::c_api;

namespace {

/// A view that may be null, which is one without pixels; without pixels of its own it is a mistake.
Result<ImageView> optional_view(const char* name, const onepass_image_view* view) {
  if (view == nullptr) return ImageView{};
  if (view->data == nullptr) return invalid(std::string(name) + ": data is null");
  return view_of(name, view);
}

}  // namespace

extern "C" {

onepass_code onepass_roughness_mips(const onepass_image_view* normals, const onepass_image_view* roughness,
                                    const onepass_mutable_image_view* normal_levels, size_t normal_level_count,
                                    const onepass_mutable_image_view* roughness_levels, size_t roughness_level_count,
                                    const onepass_roughness_options* options, const onepass_cpu_tuning* tuning,
                                    onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const auto vectors = view_of("normals", normals);
    if (!vectors) return vectors.error();
    const auto values = optional_view("roughness", roughness);
    if (!values) return values.error();
    const auto to_normals = levels_of(normal_levels, normal_level_count, "normal_levels");
    if (!to_normals) return to_normals.error();
    const auto to_roughness = levels_of(roughness_levels, roughness_level_count, "roughness_levels");
    if (!to_roughness) return to_roughness.error();
    const auto how = read_options(options);
    if (!how) return how.error();
    const auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    return cpu::roughness_mips(*vectors, *values, *to_normals, *to_roughness, *how, {.threads = *threads});
  });
}

onepass_code onepass_height_to_normals(const onepass_image_view* heights, const onepass_mutable_image_view* normals,
                                       const onepass_height_options* options, const onepass_cpu_tuning* tuning,
                                       onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const auto from = view_of("heights", heights);
    if (!from) return from.error();
    const auto to = view_of("normals", normals);
    if (!to) return to.error();
    const auto how = read_options(options);
    if (!how) return how.error();
    const auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    return cpu::height_to_normals(*from, *to, *how, {.threads = *threads});
  });
}

onepass_code onepass_flip_normal_y(const onepass_image_view* source, const onepass_mutable_image_view* target,
                                   const onepass_cpu_tuning* tuning, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const auto from = view_of("source", source);
    if (!from) return from.error();
    const auto to = view_of("target", target);
    if (!to) return to.error();
    const auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    return cpu::flip_normal_y(*from, *to, {.threads = *threads});
  });
}

onepass_code onepass_convert_normals(const onepass_image_view* source, const onepass_mutable_image_view* target,
                                     const onepass_cpu_tuning* tuning, onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    const auto from = view_of("source", source);
    if (!from) return from.error();
    const auto to = view_of("target", target);
    if (!to) return to.error();
    const auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    return cpu::convert_normals(*from, *to, {.threads = *threads});
  });
}

onepass_code onepass_pack_channels(const onepass_channel_source* channels, size_t channel_count,
                                   const onepass_mutable_image_view* target, const onepass_cpu_tuning* tuning,
                                   onepass_error* error) {
  return guarded(error, [&]() -> Result<void> {
    if (auto there = require(channels, "channels"); !there) return there.error();
    const auto to = view_of("target", target);
    if (!to) return to.error();
    if (channel_count > 4) return invalid("channels: " + std::to_string(channel_count) + ", but a texel has up to 4");
    std::vector<ChannelSource> sources;
    for (size_t i = 0; i < channel_count; ++i) {
      const auto image = optional_view("channels", channels[i].image);
      if (!image) return image.error();
      sources.push_back({*image, channels[i].channel, channels[i].value});
    }
    const auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    return cpu::pack_channels(sources, *to, {.threads = *threads});
  });
}

}  // extern "C"

// options.hpp: conversion of option structs between C and C++. Defaults are those of C++.
#pragma once

#include <vector>

#include "c_api/read_options.hpp"
#include "onepass/frame_tone_map.hpp"

namespace onepass::c_api {

inline Offset to_cpp(onepass_offset offset) { return {offset.x, offset.y}; }
inline onepass_offset to_c(Offset offset) { return {offset.x, offset.y}; }

/// Copies the notches of a filter, which C has by pointer. Errors: kInvalidArgument for null and for too many.
Result<void> copy_notches(const onepass_filter_options& from, FilterOptions& to);

/// The two option structs of a frame tone map.
struct FrameOptionPair {
  const onepass_meter_options* meter = nullptr;
  const onepass_tone_map_options* tone = nullptr;
};
Result<FrameToneMapOptions> read_options(const FrameOptionPair* options);

/// Creates a CPU technique, whose tuning is the number of threads and for some a progress callback, in a new handle.
template <typename Object, typename Options, typename Handle>
onepass_code create_on_cpu(const Options* options, const onepass_cpu_tuning* tuning, Handle** handle,
                           onepass_error* error) noexcept {
  return make_handle(handle, error, [&]() -> Result<Object> {
    auto o = read_options(options);
    if (!o) return o.error();
    auto threads = threads_of(tuning);
    if (!threads) return threads.error();
    if constexpr (requires { Object::create(*o, {.threads = 0U, .progress = Progress()}); }) {
      auto progress = progress_of(tuning);
      if (!progress) return progress.error();
      return Object::create(*o, {.threads = *threads, .progress = *progress});
    } else {
      return Object::create(*o, {.threads = *threads});
    }
  });
}

/// Converts the views of levels. Errors: kInvalidArgument for null and for more than any pyramid has.
Result<std::vector<MutableImageView>> levels_of(const onepass_mutable_image_view* levels, size_t count,
                                                const char* name = "levels");

/// Converts a frame; null means a still.
MeterFrame frame_of(const onepass_meter_frame* frame);

/// Converts a mask; null means no mask.
Result<ImageView> mask_of(const onepass_image_view* mask);

inline onepass_shift to_c(const ShiftEstimate& shift) { return {shift.x, shift.y, shift.confidence}; }

}  // namespace onepass::c_api

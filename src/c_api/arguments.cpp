// arguments.cpp: arguments of C that are not plain structs of options: notches, pairs of options, levels, frames,
// masks.
#include "c_api/options.hpp"

namespace onepass::c_api {

Result<void> copy_notches(const onepass_filter_options& from, FilterOptions& to) {
  if (from.notch_count == 0) return {};
  if (auto there = require(from.notches, "notches"); !there) return there;
  if (from.notch_count > kMaxNotches) {
    return invalid("notch_count: " + std::to_string(from.notch_count) + " is more than " + std::to_string(kMaxNotches));
  }
  for (uint32_t i = 0; i < from.notch_count; ++i) {
    to.notches[i] = {from.notches[i].fx, from.notches[i].fy, from.notches[i].radius};
  }
  return {};
}

Result<FrameToneMapOptions> read_options(const FrameOptionPair* options) {
  auto meter = read_options(options->meter, "meter");
  if (!meter) return meter.error();
  auto tone = read_options(options->tone, "tone");
  if (!tone) return tone.error();
  return FrameToneMapOptions{.meter = *meter, .tone = *tone};
}

Result<std::vector<MutableImageView>> levels_of(const onepass_mutable_image_view* levels, size_t count,
                                                const char* name) {
  if (count > 0) {
    if (auto there = require(levels, name); !there) return there.error();
  }
  if (count > kMaxLevels) return invalid("level_count: " + std::to_string(count) + " is more than any pyramid has");
  std::vector<MutableImageView> views;
  for (size_t n = 0; n < count; ++n) {
    auto view = view_of(name, levels + n);
    if (!view) return view.error();
    views.push_back(*view);
  }
  return views;
}

MeterFrame frame_of(const onepass_meter_frame* frame) {
  if (frame == nullptr) return {};
  return {.seconds = frame->seconds, .cut = frame->cut != 0};
}

Result<ImageView> mask_of(const onepass_image_view* mask) {
  if (mask == nullptr) return ImageView{};
  return view_of("mask", mask);
}

}  // namespace onepass::c_api

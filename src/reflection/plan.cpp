// plan.cpp: validates the options of reflections; sizes and bytes of their scratch memory.
#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "image/div_up.hpp"
#include "image/error.hpp"
#include "reflection/scratch.hpp"

namespace onepass {
namespace {

constexpr uint32_t kMostSize = 16384;

Result<void> check_count(const char* name, uint32_t value, uint32_t least, uint32_t most) {
  if (value >= least && value <= most) return {};
  return invalid(std::string(name) + ": " + std::to_string(value) + " is not within " + std::to_string(least) +
                 " and " + std::to_string(most));
}

Result<void> check_numbers(const ReflectionOptions& o) {
  auto checked = check_count("size.width", o.size.width, 1, kMostSize);
  if (checked) checked = check_count("size.height", o.size.height, 1, kMostSize);
  if (checked) checked = check_count("slices", o.slices, 1, ONEPASS_REFLECTION_MOST_SLICES);
  if (checked) checked = check_range("motion_scale[0]", o.motion_scale[0], -1e6F, 1e6F);
  if (checked) checked = check_range("motion_scale[1]", o.motion_scale[1], -1e6F, 1e6F);
  if (checked) checked = check_range("mirror_roughness", o.mirror_roughness, 0, 1);
  if (checked) checked = check_range("max_roughness", o.max_roughness, 0, 1);
  if (checked) checked = check_range("thickness", o.thickness, 0, 1e30F);
  if (checked) checked = check_range("relative_thickness", o.relative_thickness, 0, 1);
  if (checked) checked = check_range("border_fade", o.border_fade, 0, 0.5F);
  if (checked) checked = check_count("max_steps", o.max_steps, 1, 4096);
  if (checked) checked = check_count("history_frames", o.history_frames, 1, 1024);
  if (checked) checked = check_range("history_deviations", o.history_deviations, 0, 1e6F);
  if (checked) checked = check_count("filter_passes", o.filter_passes, 0, 5);
  if (checked) checked = check_range("filter_radius", o.filter_radius, 0, 4);
  if (checked && uint64_t{o.size.width} * o.size.height * o.slices >= uint64_t{1} << 30) {
    checked = invalid("size: " + size_text(o.size) + " in " + std::to_string(o.slices) +
                      " slices are not less than 2^30 texels");
  }
  return checked;
}

// A sampled image with at least `channels` channels.
Result<void> check_format(const char* name, Format format, uint32_t channels) {
  const FormatInfo& info = format_info(format);
  if (info.channels == 0) {
    return invalid(std::string(name) + ": " + std::to_string(static_cast<uint32_t>(format)) + " is no such format");
  }
  if (info.type == ChannelType::kUint || (info.depth && channels != 0)) {
    return invalid(std::string(name) + ": " + std::string(info.name) + " has no such numbers");
  }
  if (info.channels >= channels) return {};
  return invalid(std::string(name) + ": " + std::string(info.name) + " has " + std::to_string(info.channels) +
                 " channels, but " + std::to_string(channels) + " are needed");
}

Result<void> check_formats(const ReflectionOptions& o) {
  auto checked = check_format("color", o.color, 1);
  if (checked) checked = check_format("depth", o.depth, 0);
  const FormatInfo& depth = format_info(o.depth);
  if (checked && !depth.depth && (depth.channels != 1 || depth.type != ChannelType::kFloat)) {
    checked = invalid("depth: " + std::string(depth.name) + " is neither a depth format nor one channel of floats");
  }
  if (checked && o.size != Extent{1, 1}) checked = check_format("pyramid", o.pyramid, 1);
  if (checked && format_info(o.pyramid).channels > 2) {
    checked = invalid("pyramid: " + std::string(format_info(o.pyramid).name) + " has more than two channels");
  }
  if (checked) checked = check_format("normals", o.normals, o.normal_encoding == NormalEncoding::kOctahedral ? 2 : 3);
  if (checked && o.normal_encoding == NormalEncoding::kSigned && format_info(o.normals).type != ChannelType::kFloat) {
    checked =
        invalid("normals: " + std::string(format_info(o.normals).name) + " has no negative numbers, as signed needs");
  }
  if (checked) checked = check_count("roughness_channel", o.roughness_channel, 0, 3);
  if (checked) checked = check_format("roughness", o.roughness, o.roughness_channel + 1);
  if (checked && o.motion != Format::kUndefined) checked = check_format("motion", o.motion, 2);
  if (checked && o.environment != Format::kUndefined) checked = check_format("environment", o.environment, 3);
  if (checked && o.hit_distance != Format::kUndefined && o.hit_distance != Format::kR16Sfloat &&
      o.hit_distance != Format::kR32Sfloat) {
    checked = invalid("hit_distance: " + std::to_string(static_cast<uint32_t>(o.hit_distance)) +
                      " is neither r16_sfloat nor r32_sfloat");
  }
  return checked;
}

Result<void> check_modes(const ReflectionOptions& o) {
  if (auto known = check_enumerators("footprint", o.footprint, "normal_encoding", o.normal_encoding, "resolution",
                                     o.resolution, "rays", o.rays, "color_frame", o.color_frame);
      !known)
    return known;
  if (o.footprint == Footprint::kAligned || o.footprint == Footprint::kCeil) {
    return invalid("footprint: " + std::string(word_of(o.footprint)) +
                   ", but rays are right with covering, tight and edge only");
  }
  return {};
}

}  // namespace

Result<ReflectionPlan> plan_reflection(const ReflectionOptions& options) {
  auto checked = check_modes(options);
  if (checked) checked = check_numbers(options);
  if (checked) checked = check_formats(options);
  if (!checked) return checked.error();
  ReflectionPlan plan;
  plan.options = options;
  plan.levels = static_cast<uint32_t>(std::bit_width(std::max(options.size.width, options.size.height))) - 1;
  const uint32_t stride = reflection::stride_of(options.resolution);
  plan.traced = {div_up(options.size.width, stride), div_up(options.size.height, stride)};
  plan.tiles = {div_up(plan.traced.width, ONEPASS_REFLECTION_TILE),
                div_up(plan.traced.height, ONEPASS_REFLECTION_TILE)};
  plan.dispatches = 5 + options.filter_passes;
  plan.scratch_bytes = reflection::ScratchParts(plan).bytes;
  return plan;
}

}  // namespace onepass

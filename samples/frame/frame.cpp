// frame.cpp: records a frame with a timestamp after each step, submits it, and reads times and counters back.
#include "frame.hpp"

#include <algorithm>
#include <cstring>

#include "camera.hpp"

namespace samples::frame {
namespace {

constexpr uint32_t kStamps = kSteps + 1;
constexpr VkDeviceSize kDrawBytes = sizeof(VkDrawIndirectCommand) * LIST_COUNT * KIND_COUNT;

}  // namespace

const char* step_name(Step step) {
  constexpr std::array<const char*, kSteps> kNames{"list of objects seen in the last frame",
                                                   "their depth",
                                                   "Hi-Z, farthest (onepass)",
                                                   "list of the others, culled (onepass)",
                                                   "their depth, added",
                                                   "Hi-Z, min and max (onepass)",
                                                   "colour, where depths are equal",
                                                   "reflections of the screen (onepass)",
                                                   "light with reflections",
                                                   "particles (onepass depth test)",
                                                   "fog (onepass min and max)",
                                                   "sum",
                                                   "meter, adaptation (onepass)",
                                                   "bloom (onepass)",
                                                   "tone map (onepass)"};
  return kNames.at(static_cast<size_t>(step));
}

namespace {

// Reflections with history and filter, or what the rays of one frame bring.
ReflectionQuality quality_of(const Options& options, bool settled) {
  using enum onepass::ReflectionResolution;
  return {.rays = options.rays,
          .resolution = options.half_reflections ? kHalf : kFull,
          .history = settled,
          .filter = settled};
}

}  // namespace

FrameLoop::FrameLoop(Gpu& gpu, const Scene& scene, const Options& options)
    : gpu_(gpu),
      scene_(scene),
      options_(options),
      targets_(gpu, options),
      buffers_(gpu, scene),
      geometry_(gpu, buffers_, targets_),
      pyramids_(gpu, targets_),
      culling_(gpu, buffers_, pyramids_.farthest),
      settled_(gpu, targets_, pyramids_, quality_of(options, true)),
      one_frame_(gpu, targets_, pyramids_, quality_of(options, false)),
      effects_(gpu, buffers_, targets_, pyramids_),
      display_(gpu, targets_, options),
      stamps_(gpu.timestamps(kStamps)),
      results_(gpu.buffer(kDrawBytes + sizeof(Counters), VK_BUFFER_USAGE_TRANSFER_DST_BIT, Memory::kHost)) {
  gpu_.run([&](VkCommandBuffer commands) {
    gpu_.vk.vkCmdResetQueryPool(commands, stamps_, 0, kStamps);
    buffers_.record_params(gpu_, commands, params({}));
    buffers_.record_clear(gpu_, commands);
    stamp(commands, 0);
    geometry_.record_shadow(commands);
    stamp(commands, 1);
  });
  std::array<uint64_t, 2> ticks{};
  Gpu::require(gpu_.vk.vkGetQueryPoolResults(gpu_.handle(), stamps_, 0, 2, sizeof(ticks), ticks.data(),
                                             sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
               "vkGetQueryPoolResults");
  shadow_microseconds_ = static_cast<double>(ticks[1] - ticks[0]) * gpu_.nanoseconds_per_tick() * 1e-3;
}

FrameParams FrameLoop::params(const Moment& moment) const {
  FrameParams frame{};
  for (uint32_t eye = 0; eye < MOST_EYES; ++eye) {
    const float aside = options_.stereo ? (static_cast<float>(eye) - 0.5F) * kEyeDistance : 0;
    frame.eyes[eye] = eye_at(moment.time, targets_.size, aside);
  }
  frame.time = 60 * moment.time;
  frame.ball_count = static_cast<uint32_t>(std::min<size_t>(scene_.balls.size(), MOST_BALLS));
  for (uint32_t i = 0; i < frame.ball_count; ++i) {
    frame.balls[i] = ball_at(scene_.balls[i], frame.time);
    frame.metals[i] = scene_.balls[i].metal;
  }
  const FrameParams& last = history_ && !moment.cut ? *history_ : frame;
  for (uint32_t eye = 0; eye < MOST_EYES; ++eye) {
    frame.eyes[eye].last_clip_of_world = last.eyes[eye].clip_of_world;
  }
  std::copy_n(last.balls, frame.ball_count, frame.last_balls);
  frame.sun_of_world = sun_of_world();
  frame.lamp_count = static_cast<uint32_t>(std::min<size_t>(scene_.lamps.size(), MOST_LAMPS));
  std::copy_n(scene_.lamps.begin(), frame.lamp_count, frame.lamps);
  frame.width = targets_.size.width;
  frame.height = targets_.size.height;
  frame.eye_count = targets_.eyes;
  frame.object_count = buffers_.count;
  frame.box_count = buffers_.box_count;
  frame.particle_count = options_.particles;
  frame.fog_tile = fog_tile(targets_.size);
  frame.floor_roughness = options_.floor_roughness;
  frame.depth_step = options_.depth == DepthFormat::kD24S8 ? 0x1p-24F : 0;
  frame.shadow_texel = 1.0F / static_cast<float>(targets_.shadow.size.width);
  return frame;
}

void FrameLoop::stamp(VkCommandBuffer commands, uint32_t index) const {
  gpu_.vk.vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, stamps_, index);
}

// Draws the depth of the objects that the last frame saw, builds Hi-Z, draws the depth of the objects that Hi-Z does
// not hide, then shades all of them with an equal depth test.
void FrameLoop::record_geometry(VkCommandBuffer commands, const Techniques& techniques) const {
  const bool culled = techniques.drawing == Drawing::kCulled;
  const uint32_t all = techniques.drawing == Drawing::kAll ? LIST_ALL : LIST_IN_VIEW;
  if (culled) culling_.record_list(commands, LIST_EARLY);
  if (techniques.drawing == Drawing::kInView) culling_.record_list(commands, LIST_IN_VIEW);
  done(commands, Step::kEarlyList);
  geometry_.record_depth(commands, Pass::kDepthClear, culled ? LIST_EARLY : all);
  done(commands, Step::kEarlyDepth);
  if (culled) pyramids_.farthest.record(commands);
  done(commands, Step::kFarthest);
  if (culled) culling_.record_list(commands, LIST_LATE);
  done(commands, Step::kLateList);
  if (culled) geometry_.record_depth(commands, Pass::kDepthContinue, LIST_LATE);
  done(commands, Step::kLateDepth);
  pyramids_.min_max.record(commands);
  done(commands, Step::kMinMax);
  if (culled) {
    geometry_.record_colour(commands, {LIST_EARLY, LIST_LATE});
  } else {
    geometry_.record_colour(commands, {all});
  }
  done(commands, Step::kColour);
}

void FrameLoop::record_reflections(VkCommandBuffer commands, const FrameParams& frame, Reflect reflect,
                                   bool cut) const {
  const std::span<const Eye> eyes(frame.eyes, frame.eye_count);
  if (reflect == Reflect::kOneFrame) one_frame_.record(commands, eyes, 0, true);
  if (reflect == Reflect::kSettled) settled_.record(commands, eyes, index_, cut || index_ == 0);
  done(commands, Step::kReflections);
  effects_.record_reflected(commands, reflect != Reflect::kNone);
  done(commands, Step::kReflected);
}

void FrameLoop::record_effects(VkCommandBuffer commands, const FrameParams& frame, const Techniques& techniques) const {
  if (techniques.particles) effects_.record_particles(commands, frame, techniques.cell_first);
  done(commands, Step::kParticles);
  if (techniques.fog) effects_.record_fog(commands, frame, techniques.fog_bounded);
  done(commands, Step::kFog);
  effects_.record_compose(commands, techniques.fog, techniques.particles);
  done(commands, Step::kCompose);
}

void FrameLoop::record(VkCommandBuffer commands, const FrameParams& frame, const Moment& moment,
                       const Techniques& techniques, Compare compare) const {
  gpu_.vk.vkCmdResetQueryPool(commands, stamps_, 0, kStamps);
  buffers_.record_params(gpu_, commands, frame);
  buffers_.record_clear(gpu_, commands);
  effects_.record_clear(commands);
  stamp(commands, 0);
  record_geometry(commands, techniques);
  record_reflections(commands, frame, techniques.reflect, moment.cut);
  record_effects(commands, frame, techniques);
  display_.record_meter(commands, moment.seconds, moment.cut);
  done(commands, Step::kMeter);
  if (techniques.bloom) display_.record_bloom(commands);
  done(commands, Step::kBloom);
  display_.record_tone_map(commands, techniques.bloom, techniques.local_exposure);
  done(commands, Step::kToneMap);
  if (compare != Compare::kNone) effects_.record_compare(commands, compare == Compare::kCompare);
  record_readback(commands);
}

void FrameLoop::record_readback(VkCommandBuffer commands) const {
  display_.record_readback(commands);
  const VkBufferCopy draws{0, 0, kDrawBytes};
  gpu_.vk.vkCmdCopyBuffer(commands, buffers_.draws.handle, results_.handle, 1, &draws);
  const VkBufferCopy counters{0, kDrawBytes, sizeof(Counters)};
  gpu_.vk.vkCmdCopyBuffer(commands, effects_.counters().handle, results_.handle, 1, &counters);
}

FrameResult FrameLoop::read_result() const {
  std::array<uint64_t, kStamps> ticks{};
  Gpu::require(gpu_.vk.vkGetQueryPoolResults(gpu_.handle(), stamps_, 0, kStamps, sizeof(ticks), ticks.data(),
                                             sizeof(uint64_t), VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
               "vkGetQueryPoolResults");
  const auto between = [&](uint32_t from, uint32_t to) {
    return static_cast<double>(ticks[to] - ticks[from]) * gpu_.nanoseconds_per_tick() * 1e-3;
  };
  FrameResult result;
  for (uint32_t step = 0; step < kSteps; ++step) result.microseconds[step] = between(step, step + 1);
  result.total = between(0, kSteps);
  std::array<VkDrawIndirectCommand, LIST_COUNT * KIND_COUNT> draws{};
  std::memcpy(draws.data(), results_.mapped, kDrawBytes);
  std::memcpy(&result.counters, results_.mapped + kDrawBytes, sizeof(Counters));
  const auto drawn = [&](uint32_t list) {
    return draws[list * KIND_COUNT + KIND_BOX].instanceCount + draws[list * KIND_COUNT + KIND_CLUSTER].instanceCount;
  };
  result.early = drawn(LIST_EARLY);
  result.late = drawn(LIST_LATE);
  result.in_view = drawn(LIST_IN_VIEW);
  result.meter = display_.meter_result();
  return result;
}

FrameResult FrameLoop::draw(const Moment& moment, const Techniques& techniques, Compare compare) {
  drawn_ = params(moment);
  gpu_.run([&](VkCommandBuffer commands) { record(commands, drawn_, moment, techniques, compare); });
  if (techniques.reflect != Reflect::kOneFrame) {
    history_ = drawn_;
    if (techniques.reflect == Reflect::kSettled) ++index_;
  }
  return read_result();
}

void FrameLoop::reflect(const Reflections& reflections, uint32_t index, bool reset) {
  gpu_.run([&](VkCommandBuffer commands) {
    reflections.record(commands, std::span<const Eye>(drawn_.eyes, drawn_.eye_count), index, reset);
  });
}

void FrameLoop::settle(uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) reflect(settled_, index_++, false);
}

}  // namespace samples::frame

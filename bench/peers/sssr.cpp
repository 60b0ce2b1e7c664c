// sssr.cpp: FidelityFX SSSR 1.5 and its denoiser 1.3 (FidelityFX SDK 1.1.4) on the sets of the scene. Its shaders are
// compiled as they are; passes, resources and their order are those of the SDK's components sssr and denoiser:
//
//     classify tiles, noise ─> arguments ─> rays ─> reproject ─> prefilter ─> resolve ─> copies to output and histories
//
// The depth hierarchy is made beforehand. Parameters are those of the SDK's sample, but for three: the greatest
// roughness is the library's; more rays where the variance is high are off, because the number of rays is given; and
// the thickness of surfaces suits the scene, where the sample's, 0.015 units, loses nearly all hits. It has no
// influence on the time. SSSR squares the roughness, which is stored as this library has it; the denoiser would square
// it once more, so that it is told that it need not.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

#include "image/div_up.hpp"
#include "kernels/peer_sssr_arguments.h"
#include "kernels/peer_sssr_classify.h"
#include "kernels/peer_sssr_intersect.h"
#include "kernels/peer_sssr_noise.h"
#include "kernels/peer_sssr_prefilter.h"
#include "kernels/peer_sssr_prefilter_half.h"
#include "kernels/peer_sssr_reproject.h"
#include "kernels/peer_sssr_reproject_half.h"
#include "kernels/peer_sssr_resolve.h"
#include "kernels/peer_sssr_resolve_half.h"
#include "peers/reflection_peers.hpp"
#include "peers/sssr_resources.hpp"

namespace onepass::bench {
namespace {

constexpr uint32_t kFrames = 32;      // constants of as many frames
constexpr uint64_t kConstants = 512;  // bytes between those of two frames: of SSSR, and at kDenoiserAt the denoiser's
constexpr uint64_t kDenoiserAt = 512 * 2 * kFrames;
constexpr uint32_t kSamplers = 1000;  // binding of the first
constexpr uint32_t kStored = 2000;    // bindings of storage images and buffers
constexpr uint32_t kUniform = 3000;   // binding of constants

struct SssrConstants {  // cbSSSR
  std::array<float, 16> inv_view_projection, projection, inv_projection, view, inv_view, prev_view_projection;
  std::array<uint32_t, 2> render_size;
  std::array<float, 2> inverse_render_size;
  float normals_mul = 1, normals_add = 0;
  uint32_t roughness_channel = 3, is_roughness_perceptual = 1;
  float ibl_factor = 0, temporal_stability = 0.7F, thickness = 0.5F, roughness_threshold = 0.36F;
  float variance_threshold = 0;
  uint32_t frame = 0, max_intersections = 128, min_occupancy = 4, most_detailed_mip = 0, samples_per_quad = 1;
  uint32_t variance_guided = 0;
};
static_assert(sizeof(SssrConstants) <= kConstants && offsetof(SssrConstants, ibl_factor) == 416);

struct DenoiserConstants {  // cbDenoiserReflections
  std::array<float, 16> inv_projection, inv_view, prev_view_projection;
  std::array<uint32_t, 2> render_size;
  std::array<float, 2> inverse_render_size, motion_scale{1, 1};
  float normals_mul = 1, normals_add = 0;
  uint32_t is_roughness_perceptual = 0;
  float temporal_stability = 0.7F, roughness_threshold = 0.36F;
};
static_assert(sizeof(DenoiserConstants) <= kConstants && offsetof(DenoiserConstants, normals_mul) == 216);

/// FidelityFX has y up in clip space.
std::array<float, 16> flipped_rows(std::array<float, 16> to_clip) {
  for (size_t i = 1; i < 16; i += 4) to_clip[i] = -to_clip[i];
  return to_clip;
}
std::array<float, 16> flipped_columns(std::array<float, 16> from_clip) {
  for (size_t i = 4; i < 8; ++i) from_clip[i] = -from_clip[i];
  return from_clip;
}

/// What a pass binds; of pairs, this frame's and the last one's.
enum class Item {
  kColor,
  kNormals,
  kMotion,
  kDepths,
  kEnvironment,
  kSobol,
  kScrambling,
  kNoise,
  kRadiance,
  kLastRadiance,
  kVariance,
  kLastVariance,
  kSamples,
  kLastSamples,
  kAverage,
  kLastAverage,
  kReprojected,
  kRoughness,
  kLastRoughness,
  kLastDepth,
  kLastNormals,
  kRays,
  kTiles,
  kCounters,
  kArguments,
};

struct Slot {
  uint32_t number;
  Item item;
};

/// One pass: slots with a number of kStored and up are written.
struct Pass {
  std::span<const uint32_t> code, half;
  std::vector<Slot> slots;
  bool denoiser = false;
};

enum PassIndex : size_t { kClassify, kMakeNoise, kPrepare, kIntersect, kReproject, kPrefilter, kResolve };

std::vector<Pass> trace_passes() {
  using enum Item;
  return {{kernel_peer_sssr_classify,
           {},
           {{0, kNormals},
            {1, kNormals},
            {2, kEnvironment},
            {3, kDepths},
            {4, kLastVariance},
            {kStored, kRadiance},
            {kStored + 1, kRays},
            {kStored + 2, kTiles},
            {kStored + 3, kCounters},
            {kStored + 4, kRoughness}}},
          {kernel_peer_sssr_noise, {}, {{0, kSobol}, {1, kScrambling}, {kStored, kNoise}}},
          {kernel_peer_sssr_arguments, {}, {{kStored, kCounters}, {kStored + 1, kArguments}}},
          {kernel_peer_sssr_intersect,
           {},
           {{0, kColor},
            {1, kNormals},
            {2, kEnvironment},
            {3, kDepths},
            {4, kRoughness},
            {5, kNoise},
            {kStored, kRadiance},
            {kStored + 1, kRays},
            {kStored + 2, kCounters}}}};
}

std::vector<Pass> denoiser_passes() {
  using enum Item;
  return {
      {kernel_peer_sssr_reproject,
       kernel_peer_sssr_reproject_half,
       {{2, kDepths},
        {3, kMotion},
        {4, kNormals},
        {7, kRadiance},
        {8, kLastRadiance},
        {9, kLastVariance},
        {10, kLastSamples},
        {12, kRoughness},
        {13, kLastDepth},
        {14, kLastNormals},
        {15, kLastRoughness},
        {kStored + 1, kVariance},
        {kStored + 2, kSamples},
        {kStored + 3, kAverage},
        {kStored + 5, kTiles},
        {kStored + 9, kReprojected}},
       true},
      // Like the SDK, this reads the average of the last frame. It writes into the history, which is not needed again.
      {kernel_peer_sssr_prefilter,
       kernel_peer_sssr_prefilter_half,
       {{2, kDepths},
        {4, kNormals},
        {7, kRadiance},
        {9, kVariance},
        {11, kLastAverage},
        {12, kRoughness},
        {kStored, kLastRadiance},
        {kStored + 1, kLastVariance},
        {kStored + 5, kTiles}},
       true},
      {kernel_peer_sssr_resolve,
       kernel_peer_sssr_resolve_half,
       {{7, kLastRadiance},
        {8, kLastRadiance},
        {9, kLastVariance},
        {10, kLastSamples},
        {11, kLastAverage},
        {12, kRoughness},
        {16, kReprojected},
        {kStored, kRadiance},
        {kStored + 1, kVariance},
        {kStored + 5, kTiles}},
       true}};
}

bool is_buffer(Item item) { return item >= Item::kRays; }

std::vector<Binding> bindings_of(const Pass& pass) {
  std::vector<Binding> out;
  for (const Slot& slot : pass.slots) {
    const VkDescriptorType type = is_buffer(slot.item)     ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                                  : slot.number >= kStored ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
                                                           : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE;
    out.emplace_back(type, 1, slot.number);
  }
  out.emplace_back(VK_DESCRIPTOR_TYPE_SAMPLER, 1, kSamplers);
  out.emplace_back(VK_DESCRIPTOR_TYPE_SAMPLER, 1, kSamplers + 1);
  out.emplace_back(VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, 1, kUniform);
  return out;
}

class Sssr final : public VulkanTechnique {
 public:
  Sssr(const Gpu& gpu, const ReflectionSets& sets, ReflectionPeer peer)
      : gpu_(gpu), sets_(sets), peer_(peer), passes_(trace_passes()), frames_(sets.views()) {
    for (const Pass& pass : denoiser_passes()) passes_.push_back(pass);
  }

  Result<void> init(uint32_t rays_per_quad) {
    auto noise = SssrNoise::create(gpu_);
    if (!noise) return noise.error();
    noise_ = std::move(*noise);
    auto environment = SssrImage::create_cube(gpu_);
    if (!environment) return environment.error();
    environment_ = std::move(*environment);
    auto images = SssrSet::create_all(gpu_, sets_);
    if (!images) return images.error();
    images_ = std::move(*images);
    for (size_t i = 0; i < sets_.views(); ++i) {
      auto view = SssrView::create(gpu_, sets_.size());
      if (!view) return view.error();
      views_.push_back(std::move(*view));
    }
    auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
      environment_.record_clear(commands);
      noise_.noise.record_clear(commands);
      for (const SssrView& view : views_) view.record_clear(gpu_, commands);
      full_barrier(gpu_, commands);
    });
    if (!ran) return ran;
    if (auto written = write_constants(rays_per_quad); !written) return written;
    for (const Pass& pass : passes_) {
      if (auto added = add_pipeline(pass); !added) return added;
    }
    return {};
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    const uint32_t frame = frames_[set % sets_.views()]++ % kFrames;
    const auto constants = static_cast<uint32_t>(kConstants * (ReflectionSets::place_of(set) * kFrames + frame));
    const SssrView& view = views_[set % sets_.views()];
    const auto run = [&](PassIndex index, uint32_t x, uint32_t y) {
      bind(commands, index, set, constants);
      gpu_.vk().vkCmdDispatch(commands, x, y, 1);
    };
    const auto run_indirect = [&](PassIndex index, VkDeviceSize at) {
      barrier(commands, vulkan::kShaderReads | vulkan::kShaderWrites | kCommandReads);
      bind(commands, index, set, constants);
      gpu_.vk().vkCmdDispatchIndirect(commands, view.arguments.buffer, at);
    };
    run(kClassify, div_up(sets_.size().width, 8), div_up(sets_.size().height, 8));
    run(kMakeNoise, 16, 16);
    barrier(commands, vulkan::kShaderReads | vulkan::kShaderWrites);
    run(kPrepare, 1, 1);
    run_indirect(kIntersect, 0);
    if (peer_ != ReflectionPeer::kSssrTrace) {
      for (const PassIndex index : {kReproject, kPrefilter, kResolve}) run_indirect(index, 12);
    }
    record_copies(commands, set);
  }
  uint64_t bytes() const override { return sets_.image_bytes(); }

 private:
  static constexpr vulkan::Accesses kCommandReads{VK_PIPELINE_STAGE_DRAW_INDIRECT_BIT,
                                                  VK_ACCESS_INDIRECT_COMMAND_READ_BIT};

  // The output, and with the denoiser the histories of normals, roughness and depth.
  void record_copies(VkCommandBuffer commands, size_t set) const {
    const SssrView& view = views_[set % sets_.views()];
    constexpr VkImageLayout kGeneral = VK_IMAGE_LAYOUT_GENERAL;
    barrier(commands, vulkan::kTransferReads | vulkan::kTransferWrites);
    record_copy(gpu_, commands, view.radiance[turn(set)].image(), kGeneral, sets_[set].target);
    if (peer_ != ReflectionPeer::kSssrTrace) {
      record_copy(gpu_, commands, sets_[set].normals, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                  view.normal_history.image());
      record_copy(gpu_, commands, view.roughness.image(), kGeneral, view.roughness_history.image());
      record_copy(gpu_, commands, images_[set].depths.image(), kGeneral, view.depth_history.image());
    }
    record_barrier(gpu_.impl(), commands,
                   {.before = vulkan::kTransferReads | vulkan::kTransferWrites,
                    .after = vulkan::kShaderReads | vulkan::kShaderWrites});
  }

  // Which of each pair is this frame's.
  [[nodiscard]] size_t turn(size_t set) const { return set / sets_.views(); }

  void barrier(VkCommandBuffer commands, const vulkan::Accesses& after) const {
    record_barrier(gpu_.impl(), commands, {.before = vulkan::kShaderReads | vulkan::kShaderWrites, .after = after});
  }

  void bind(VkCommandBuffer commands, PassIndex index, size_t set, uint32_t constants) const {
    const ComputePipeline& pipeline = *pipelines_[index];
    const VkDescriptorSet descriptors = (*descriptors_[index])[set];
    gpu_.vk().vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.handle());
    gpu_.vk().vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline.layout(), 0, 1, &descriptors,
                                      1, &constants);
  }

  // Of both places and kFrames frames, after each other.
  Result<void> write_constants(uint32_t rays_per_quad) {
    auto buffer = vulkan::Buffer::create(gpu_.impl(), 2 * kDenoiserAt, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, true,
                                         VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (!buffer) return buffer.error();
    constants_ = std::move(*buffer);
    auto* at = static_cast<std::byte*>(constants_.mapped);
    const Extent size = sets_.size();
    for (uint32_t place = 0; place < 2; ++place) {
      const SceneCamera camera(size, place), last(size, 1 - place);
      SssrConstants sssr{
          .inv_view_projection = flipped_columns(camera.world_from_clip()),
          .projection = flipped_rows(camera.clip_from_view()),
          .inv_projection = flipped_columns(camera.view_from_clip()),
          .view = camera.view_from_world(),
          .inv_view = camera.world_from_view(),
          .prev_view_projection = flipped_rows(last.clip_from_world()),
          .render_size = {size.width, size.height},
          .inverse_render_size = {1.0F / static_cast<float>(size.width), 1.0F / static_cast<float>(size.height)},
          .samples_per_quad = rays_per_quad};
      const DenoiserConstants denoiser{.inv_projection = sssr.inv_projection,
                                       .inv_view = sssr.inv_view,
                                       .prev_view_projection = sssr.prev_view_projection,
                                       .render_size = sssr.render_size,
                                       .inverse_render_size = sssr.inverse_render_size};
      for (sssr.frame = 0; sssr.frame < kFrames; ++sssr.frame, at += kConstants) {
        std::memcpy(at, &sssr, sizeof(sssr));
        std::memcpy(at + kDenoiserAt, &denoiser, sizeof(denoiser));
      }
    }
    return {};
  }

  Result<void> add_pipeline(const Pass& pass) {
    const std::vector<Binding> bindings = bindings_of(pass);
    PipelineRequest request;
    request.code = peer_ == ReflectionPeer::kSssrHalf && !pass.half.empty() ? pass.half : pass.code;
    request.bindings = bindings;
    // The tiles are classified by exchanges between neighbours in a subgroup.
    request.full_subgroups =
        pass.code.data() == kernel_peer_sssr_classify && gpu_.device().handles().features.compute_full_subgroups;
    request.linear_filter = true;
    auto pipeline = ComputePipeline::create(gpu_, request);
    if (!pipeline) return pipeline.error();
    auto sets = DescriptorSets::create(gpu_, **pipeline, bindings, static_cast<uint32_t>(sets_.count()));
    if (!sets) return sets.error();
    for (size_t i = 0; i < sets_.count(); ++i) {
      write_set(**sets, i, pass, (*pipeline)->sampler());
    }
    pipelines_.push_back(std::move(*pipeline));
    descriptors_.push_back(std::move(*sets));
    return {};
  }

  void write_set(const DescriptorSets& sets, size_t set, const Pass& pass, VkSampler sampler) const {
    for (const Slot& slot : pass.slots) {
      if (is_buffer(slot.item)) {
        sets.write_buffer(set, slot.number, buffer_of(slot.item, set));
        continue;
      }
      const bool stored = slot.number >= kStored;
      const bool input = slot.item <= Item::kMotion;
      sets.write_image(set, slot.number, stored ? VK_DESCRIPTOR_TYPE_STORAGE_IMAGE : VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE,
                       {VK_NULL_HANDLE, view_of(slot.item, set),
                        input ? VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL : VK_IMAGE_LAYOUT_GENERAL});
    }
    for (uint32_t i = 0; i < 2; ++i) {
      sets.write_image(set, kSamplers + i, VK_DESCRIPTOR_TYPE_SAMPLER,
                       {sampler, VK_NULL_HANDLE, VK_IMAGE_LAYOUT_UNDEFINED});
    }
    sets.write_uniform(set, kUniform, {constants_.buffer, pass.denoiser ? kDenoiserAt : 0, kConstants});
  }

  [[nodiscard]] VkBuffer buffer_of(Item item, size_t set) const {
    const SssrView& view = views_[set % sets_.views()];
    const vulkan::Buffer* const all[] = {&view.rays, &view.tiles, &view.counters, &view.arguments};
    return all[static_cast<size_t>(item) - static_cast<size_t>(Item::kRays)]->buffer;
  }

  // In the order of Item.
  [[nodiscard]] VkImageView view_of(Item item, size_t set) const {
    const SssrSet& images = images_[set];
    const SssrView& view = views_[set % sets_.views()];
    const size_t now = turn(set), last = 1 - now;
    const SssrImage* const all[] = {
        &images.color,       &images.normals,      &images.motion,     &images.depths,          &environment_,
        &noise_.sobol,       &noise_.scrambling,   &noise_.noise,      &view.radiance[now],     &view.radiance[last],
        &view.variance[now], &view.variance[last], &view.samples[now], &view.samples[last],     &view.average[now],
        &view.average[last], &view.reprojected,    &view.roughness,    &view.roughness_history, &view.depth_history,
        &view.normal_history};
    return all[static_cast<size_t>(item)]->view();
  }

  const Gpu& gpu_;
  const ReflectionSets& sets_;
  ReflectionPeer peer_;
  std::vector<Pass> passes_;
  SssrNoise noise_;
  SssrImage environment_;
  std::vector<SssrSet> images_;  // one per set
  std::vector<SssrView> views_;
  vulkan::Buffer constants_;
  std::vector<std::unique_ptr<ComputePipeline>> pipelines_;   // one per pass
  std::vector<std::unique_ptr<DescriptorSets>> descriptors_;  // one per pass, with a set for each of the images
  mutable std::vector<uint32_t> frames_;                      // recorded so far, per view
};

}  // namespace

TechniqueResult make_sssr(const Gpu& gpu, const ReflectionSets& sets, ReflectionPeer peer, uint32_t rays_per_quad) {
  constexpr VkSubgroupFeatureFlags kSubgroup =
      VK_SUBGROUP_FEATURE_BASIC_BIT | VK_SUBGROUP_FEATURE_BALLOT_BIT | VK_SUBGROUP_FEATURE_SHUFFLE_BIT;
  const bool supported = gpu.has_storage_formats() && (gpu.impl().subgroup_operations & kSubgroup) == kSubgroup;
  if (!supported || (peer == ReflectionPeer::kSssrHalf && !gpu.has_peer_features())) {
    return Error{ErrorCode::kUnsupported, "needs subgroup operations, storage formats or half floats",
                 std::string(peer_word(peer))};
  }
  auto out = std::make_unique<Sssr>(gpu, sets, peer);
  if (auto made = out->init(rays_per_quad); !made) return made.error();
  return std::unique_ptr<VulkanTechnique>(std::move(out));
}

}  // namespace onepass::bench

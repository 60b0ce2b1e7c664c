// effects.cpp: pipelines and descriptor sets of the compute shaders, with a barrier before each dispatch. Fog is
// computed per tile of 4x4 or 8x8 texels, light of particles in a buffer of integers that atomics can add to.
#include "effects.hpp"

#include "kernels/compare_comp.h"
#include "kernels/compose_comp.h"
#include "kernels/fog_comp.h"
#include "kernels/particles_comp.h"
#include "kernels/reflect_comp.h"

namespace samples::frame {
namespace {

constexpr VkDescriptorType kBuffer = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr VkDescriptorType kTexture = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;

onepass::Extent fog_columns(onepass::Extent size) {
  const uint32_t tile = fog_tile(size);
  return {(size.width + tile - 1) / tile, (size.height + tile - 1) / tile};
}

template <typename Params>
std::span<const std::byte> bytes_of(const Params& params) {
  return std::as_bytes(std::span(&params, 1));
}

}  // namespace

uint32_t fog_tile(onepass::Extent size) { return size.width < 1280 ? 4 : 8; }

Effects::Effects(Gpu& gpu, const SceneBuffers& buffers, const Targets& targets, const Pyramids& pyramids)
    : gpu_(gpu), targets_(targets) {
  const VkDeviceSize texels = VkDeviceSize{targets.size.width} * targets.size.height * targets.eyes;
  const onepass::Extent columns = fog_columns(targets.size);
  constexpr VkBufferUsageFlags kCleared = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  counters_ = gpu.buffer(sizeof(Counters), kCleared | VK_BUFFER_USAGE_TRANSFER_SRC_BIT, Memory::kDevice);
  particle_light_ = gpu.buffer(texels * 3 * sizeof(uint32_t), kCleared, Memory::kDevice);
  fog_ = gpu.buffer(VkDeviceSize{columns.width} * columns.height * targets.eyes * FOG_SLICES * 2 * sizeof(uint32_t),
                    kCleared, Memory::kDevice);
  kept_ = gpu.buffer(texels * 4 * sizeof(uint32_t), kCleared, Memory::kDevice);

  const ImageResource depth{targets.depth.view, kDepthRead};
  const ImageResource shadow{targets.shadow.view, kDepthRead};
  const ImageResource min_max{pyramids.min_max.image().view, VK_IMAGE_LAYOUT_GENERAL};
  const ImageResource lit{targets.lit.view, kRead};
  const ImageResource normals{targets.normals.view, kRead};
  const ImageResource reflectance{targets.reflectance.view, kRead};
  const ImageResource reflections{targets.reflections.view, VK_IMAGE_LAYOUT_GENERAL};
  const ImageResource reflected{targets.reflected.view, VK_IMAGE_LAYOUT_GENERAL};
  const ImageResource scene{targets.scene.view, VK_IMAGE_LAYOUT_GENERAL};
  const VkBuffer params = buffers.params.handle;

  reflect_.pipeline = gpu.compute(
      kernel_reflect_comp, {kBuffer, kTexture, kTexture, kTexture, kTexture, kTexture, kTexture, kStorage, kBuffer},
      sizeof(ReflectParams));
  reflect_.set = gpu.descriptors(
      reflect_.pipeline, {params, shadow, depth, lit, normals, reflectance, reflections, reflected, counters_.handle});
  particles_.pipeline = gpu.compute(kernel_particles_comp, {kBuffer, kTexture, kTexture, kTexture, kBuffer, kBuffer},
                                    sizeof(ParticleParams));
  particles_.set =
      gpu.descriptors(particles_.pipeline, {params, shadow, depth, min_max, particle_light_.handle, counters_.handle});
  fog_step_.pipeline = gpu.compute(kernel_fog_comp, {kBuffer, kTexture, kTexture, kBuffer, kBuffer}, sizeof(FogParams));
  fog_step_.set = gpu.descriptors(fog_step_.pipeline, {params, shadow, min_max, fog_.handle, counters_.handle});
  compose_.pipeline = gpu.compute(kernel_compose_comp, {kBuffer, kTexture, kTexture, kBuffer, kBuffer, kStorage},
                                  sizeof(ComposeParams));
  compose_.set =
      gpu.descriptors(compose_.pipeline, {params, depth, reflected, fog_.handle, particle_light_.handle, scene});
  compare_.pipeline =
      gpu.compute(kernel_compare_comp, {kBuffer, kTexture, kTexture, kBuffer, kBuffer}, sizeof(CompareParams));
  compare_.set = gpu.descriptors(compare_.pipeline, {params, depth, scene, kept_.handle, counters_.handle});
}

void Effects::dispatch_texels(VkCommandBuffer commands, const Step& step, std::span<const std::byte> push,
                              onepass::Extent size) const {
  const auto groups = [](uint32_t texels) { return (texels + GROUP_SIZE - 1) / GROUP_SIZE; };
  gpu_.dispatch(commands, step.pipeline, step.set, push, groups(size.width), groups(size.height), targets_.eyes);
}

void Effects::record_clear(VkCommandBuffer commands) const {
  constexpr Gpu::Access kCleared{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
  gpu_.barrier(commands,
               {VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_SHADER_WRITE_BIT},
               kCleared);
  gpu_.vk.vkCmdFillBuffer(commands, counters_.handle, 0, VK_WHOLE_SIZE, 0);
  gpu_.barrier(commands, kCleared, kComputeBoth);
}

void Effects::record_reflected(VkCommandBuffer commands, bool reflections) const {
  const ReflectParams params{reflections ? 1U : 0U};
  gpu_.barrier(commands, kComputeWrite, kComputeBoth);
  dispatch_texels(commands, reflect_, bytes_of(params), targets_.size);
}

void Effects::record_particles(VkCommandBuffer commands, const FrameParams& frame, bool cell_first) const {
  const ParticleParams params{cell_first ? 1U : 0U};
  constexpr Gpu::Access kCleared{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
  gpu_.barrier(commands, kComputeWrite, kCleared);
  gpu_.vk.vkCmdFillBuffer(commands, particle_light_.handle, 0, VK_WHOLE_SIZE, 0);
  gpu_.barrier(commands, kCleared, kComputeBoth);
  gpu_.dispatch(commands, particles_.pipeline, particles_.set, bytes_of(params),
                (frame.particle_count + LIST_GROUP_SIZE - 1) / LIST_GROUP_SIZE);
}

void Effects::record_fog(VkCommandBuffer commands, const FrameParams& frame, bool bounded) const {
  const FogParams params{bounded ? 1U : 0U};
  gpu_.barrier(commands, kComputeWrite, kComputeBoth);
  dispatch_texels(commands, fog_step_, bytes_of(params), fog_columns({frame.width, frame.height}));
}

void Effects::record_compose(VkCommandBuffer commands, bool fog, bool particles) const {
  const ComposeParams params{fog ? 1U : 0U, particles ? 1U : 0U};
  gpu_.barrier(commands, kComputeWrite, kComputeBoth);
  dispatch_texels(commands, compose_, bytes_of(params), targets_.size);
  gpu_.barrier(commands, kComputeWrite, kComputeRead);
}

void Effects::record_compare(VkCommandBuffer commands, bool compare) const {
  const CompareParams params{compare ? 1U : 0U};
  gpu_.barrier(commands, kComputeWrite, kComputeBoth);
  dispatch_texels(commands, compare_, bytes_of(params), targets_.size);
}

}  // namespace samples::frame

// vulkan_technique.hpp: techniques and baselines that can be timed on a GPU.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "onepass/vulkan/pyramid.hpp"
#include "onepass/vulkan/tile_reduction.hpp"
#include "vulkan_images.hpp"

namespace onepass::bench {

/// Records commands that work on one set of memory.
class VulkanTechnique {
 public:
  virtual ~VulkanTechnique() = default;
  virtual void record(VkCommandBuffer commands, size_t set) const = 0;
  /// The least that the commands of one record() can move.
  [[nodiscard]] virtual uint64_t bytes() const = 0;
  /// Copies the results of record() to the target of the set, if they are elsewhere. Never timed.
  virtual void record_results(VkCommandBuffer /*commands*/, size_t /*set*/) const {}
  /// The layout in which it needs sources.
  [[nodiscard]] virtual VkImageLayout source_layout() const { return VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL; }
  /// The stage on both sides of a barrier between two records.
  [[nodiscard]] virtual VkPipelineStageFlagBits stage() const { return VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT; }
};

/// Result of the factories below. Errors: kUnsupported if the device cannot do it. Images must outlive the technique.
using TechniqueResult = Result<std::unique_ptr<VulkanTechnique>>;

/// The library's pyramid, with scratch memory for each set.
TechniqueResult make_pyramid_technique(const Gpu& gpu, const ImageSets& images, const PyramidOptions& options,
                                       const vulkan::PyramidTuning& tuning);

/// The library's tile reduction, into level kTileLevel.
TechniqueResult make_tile_technique(const Gpu& gpu, const ImageSets& images, const TileReductionOptions& options,
                                    const vulkan::TileReductionTuning& tuning);

/// Images for read_only.comp. Targets are never written.
struct ReadOnlyImages {
  Format source = Format::kUndefined;
  Format target = Format::kUndefined;
  Extent size;
  uint32_t slices = 1;
  std::vector<std::pair<VkImage, VkImage>> sets;  ///< Source and target.
};

/// read_only.comp.
TechniqueResult make_read_only(const Gpu& gpu, const ReadOnlyImages& images);
TechniqueResult make_read_only(const Gpu& gpu, const ImageSets& images);

/// speed_of_light.comp. `contiguous`: its second mapping.
TechniqueResult make_speed_of_light(const Gpu& gpu, const ImageSets& images, bool contiguous);

/// vkCmdBlitImage with a linear filter, level by level: the usual way to make mip chains.
TechniqueResult make_blit_chain(const Gpu& gpu, const ImageSets& images);

/// Copies `bytes` / 2 bytes from the buffer of one set to that of another by copy.comp: reads and writes are `bytes`
/// together.
TechniqueResult make_copy(const Gpu& gpu, const std::vector<VkBuffer>& buffers, uint64_t bytes);

/// A dispatch of one workgroup that does nothing.
TechniqueResult make_empty(const Gpu& gpu);

}  // namespace onepass::bench

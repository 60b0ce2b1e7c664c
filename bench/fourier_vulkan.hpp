// fourier_vulkan.hpp: memory for transforms on a GPU, and what is timed on it: transforms, their stages, and a copy of
// the same bytes.
#pragma once

#include <memory>
#include <vector>

#include "fourier_cases.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "vulkan_technique.hpp"

namespace onepass::bench {

/// Sets of a source, a spectrum in SpectrumOrder::kColumns, a target and scratch memory. All sources hold the same
/// random texels. A set is one buffer,
///     | spectrum | scratch | source | target | up to half the bytes that forward and inverse move
/// so that the copy that a transform is measured against goes from the buffer of a set to that of another. Sources and
/// targets that are images lie beside it.
class FourierSets final : public MemorySets {
 public:
  /// As many sets as fill kColdBytes, but at least two and at most `most`.
  static Result<std::unique_ptr<FourierSets>> create(const Gpu& gpu, const FourierVulkanBenchmark& benchmark,
                                                     uint32_t most);

  [[nodiscard]] const FourierVulkanBenchmark& benchmark() const { return benchmark_; }
  [[nodiscard]] const TransformPlan& plan() const { return plan_; }
  [[nodiscard]] uint64_t bytes() const;  ///< That forward and inverse move at least.
  [[nodiscard]] const vulkan::Buffer& buffer(size_t set) const { return sets_[set].buffer; }
  [[nodiscard]] ImageView host_source() const { return host_source_.view(); }
  [[nodiscard]] vulkan::TransformSides sides() const;

  /// What a binding takes. Scratch memory is the set's if it is enough, else left to the binding.
  [[nodiscard]] vulkan::TransformResources resources(size_t set, uint64_t scratch_bytes) const;

  [[nodiscard]] size_t count() const override { return sets_.size(); }
  [[nodiscard]] bool larger_than_caches() const override { return set_bytes_ * sets_.size() >= kColdBytes; }
  /// Source images stay in VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL: nothing else is done with them.
  Result<void> use_sources_as(VkImageLayout /*layout*/) override { return {}; }

  /// What a transform leaves in a set.
  struct Output {
    std::vector<std::byte> spectrum;
    Image target;
  };

  /// Fills spectrum and target of set 0 with what no transform of the source leaves there.
  Result<void> clear() const;
  [[nodiscard]] Result<Output> download() const;

 private:
  struct Set {
    vulkan::Buffer buffer;
    vulkan::DeviceImage source;
    vulkan::DeviceImage target;
  };
  struct Offsets {
    uint64_t scratch = 0;
    uint64_t source = 0;
    uint64_t target = 0;
    uint64_t end = 0;
  };
  FourierSets(const Gpu& gpu, const FourierVulkanBenchmark& benchmark) : gpu_(gpu), benchmark_(benchmark) {}
  Result<void> create_set();
  Result<void> upload();

  const Gpu& gpu_;
  FourierVulkanBenchmark benchmark_;
  TransformPlan plan_;
  Offsets offsets_;
  Image host_source_;
  std::vector<Set> sets_;
  uint64_t set_bytes_ = 0;
};

/// A transform bound to every set.
struct BoundTransform {
  vulkan::Transform transform;
  std::vector<vulkan::TransformBinding> bindings;

  static Result<std::shared_ptr<const BoundTransform>> create(const Gpu& gpu, const FourierSets& sets,
                                                              const vulkan::TransformTuning& tuning);
};

/// A compute shader that copies from one set's buffer to another's: copy.comp.
class CopyKernel {
 public:
  /// Errors: kUnsupported where the device cannot bind a whole set.
  static Result<std::shared_ptr<const CopyKernel>> create(const Gpu& gpu, const FourierSets& sets);
  void record(VkCommandBuffer commands, size_t set, uint64_t bytes) const;

 private:
  std::unique_ptr<ComputePipeline> pipeline_;
  std::unique_ptr<DescriptorSets> descriptors_;
};

[[nodiscard]] vulkan::TransformTuning tuning_of(FourierPath path);

/// Forward and inverse, or one stage. What it counts as bytes: of the whole, the least that two passes an image can
/// move; of a stage, what its plan says.
std::unique_ptr<VulkanTechnique> make_fourier_technique(const Gpu& gpu, std::shared_ptr<const BoundTransform> bound,
                                                        FourierWork work);

/// Half of `bytes` copied, which moves all of them: by `kernel`, or without one by vkCmdCopyBuffer.
std::unique_ptr<VulkanTechnique> make_device_copy(const Gpu& gpu, const FourierSets& sets,
                                                  std::shared_ptr<const CopyKernel> kernel, uint64_t bytes);

}  // namespace onepass::bench

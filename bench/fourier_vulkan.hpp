// fourier_vulkan.hpp: memory for transforms on a GPU, and the techniques that are timed on it: transforms, their
// stages, and a copy of the same bytes.
#pragma once

#include <memory>
#include <vector>

#include "fourier_cases.hpp"
#include "onepass/vulkan/fourier.hpp"
#include "vulkan_technique.hpp"

namespace onepass::bench {

/// Sets of a source, a spectrum in SpectrumOrder::kColumns, a target and scratch memory. All sources hold the same
/// random texels. A set is one buffer,
///     | spectrum | scratch | source | target | padding to half the bytes that forward and inverse move
/// so that the reference copy of a transform goes from the buffer of one set to that of another. Sources and targets
/// that are images are separate.
class FourierSets final : public MemorySets {
 public:
  /// As many sets as fill kColdBytes, but at least two and at most `most`.
  static Result<std::unique_ptr<FourierSets>> create(const Gpu& gpu, const FourierVulkanBenchmark& benchmark,
                                                     uint32_t most);

  [[nodiscard]] const FourierVulkanBenchmark& benchmark() const { return benchmark_; }
  [[nodiscard]] const TransformPlan& plan() const { return plan_; }
  [[nodiscard]] uint64_t bytes() const;  ///< The least that forward and inverse can move.
  [[nodiscard]] const vulkan::Buffer& buffer(size_t set) const { return sets_[set].buffer; }
  [[nodiscard]] ImageView host_source() const { return host_source_.view(); }
  [[nodiscard]] vulkan::TransformSides sides() const;

  /// Arguments of a binding. If the set's scratch memory is too small, the binding allocates its own.
  [[nodiscard]] vulkan::TransformResources resources(size_t set, uint64_t scratch_bytes) const;

  [[nodiscard]] size_t count() const override { return sets_.size(); }
  [[nodiscard]] bool larger_than_caches() const override { return set_bytes_ * sets_.size() >= kColdBytes; }
  /// Does nothing: source images are only sampled and stay in VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL.
  Result<void> use_sources_as(VkImageLayout /*layout*/) override { return {}; }

  /// Results of a transform in a set.
  struct Output {
    std::vector<std::byte> spectrum;
    Image target;
  };

  /// Fills spectrum and target of set 0 with values that no transform of the source yields.
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
  /// Errors: kUnsupported if a set is larger than a storage buffer of the device may be.
  static Result<std::shared_ptr<const CopyKernel>> create(const Gpu& gpu, const FourierSets& sets);
  void record(VkCommandBuffer commands, size_t set, uint64_t bytes) const;

 private:
  std::unique_ptr<ComputePipeline> pipeline_;
  std::unique_ptr<DescriptorSets> descriptors_;
};

[[nodiscard]] vulkan::TransformTuning tuning_of(FourierPath path);

/// Forward and inverse, or one stage. bytes() is for the whole the least that two passes per direction can move, for a
/// stage the number in its plan.
std::unique_ptr<VulkanTechnique> make_fourier_technique(const Gpu& gpu, std::shared_ptr<const BoundTransform> bound,
                                                        FourierWork work);

/// Spectrum and target of the sets' source by the CPU engine.
[[nodiscard]] Result<FourierSets::Output> expected_output(const FourierSets& sets);

/// Runs a forward and inverse transform of set 0 and compares its output. `name`: of the benchmark, for errors.
/// Errors: kBadData for wrong output.
Result<void> verify_output(const Gpu& gpu, const FourierSets& sets, const VulkanTechnique& technique,
                           const FourierSets::Output& expected, const std::string& name);

/// Copies `bytes` / 2 bytes, which moves `bytes` in reads and writes together: by `kernel`, or by vkCmdCopyBuffer if
/// `kernel` is null.
std::unique_ptr<VulkanTechnique> make_device_copy(const Gpu& gpu, const FourierSets& sets,
                                                  std::shared_ptr<const CopyKernel> kernel, uint64_t bytes);

}  // namespace onepass::bench

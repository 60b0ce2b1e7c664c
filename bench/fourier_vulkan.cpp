// fourier_vulkan.cpp: see fourier_vulkan.hpp.
#include "fourier_vulkan.hpp"

#include <algorithm>
#include <array>

#include "fourier/vulkan_impl.hpp"
// The words of the kernel, made by the build.
#include "kernels/bench_copy.h"

namespace onepass::bench {
namespace {

constexpr VkBufferUsageFlags kTransferBuffer = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
constexpr VkImageUsageFlags kTransferImage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
constexpr VkPipelineStageFlags kAllStages = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
constexpr VkAccessFlags kAllAccess = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

uint64_t sum(const Traffic& traffic) { return traffic.bytes_read + traffic.bytes_written; }

uint64_t image_bytes(const FourierCase& transform) {
  return uint64_t{transform.size.width} * transform.size.height * format_info(transform.format).bytes_per_texel;
}

// These changes of layout are never timed: the widest dependency is good enough.
void change_layout(const vulkan::DeviceImage& image, VkCommandBuffer commands, VkImageLayout from, VkImageLayout to) {
  image.transition(commands, from, kAllStages, kAllAccess, to, kAllStages, kAllAccess);
}

class FourierTechniqueOf final : public VulkanTechnique {
 public:
  FourierTechniqueOf(const Gpu& gpu, std::shared_ptr<const BoundTransform> bound, FourierWork work)
      : gpu_(gpu), bound_(std::move(bound)), work_(work) {}

  void record(VkCommandBuffer commands, size_t set) const override {
    const vulkan::TransformBinding& binding = bound_->bindings[set];
    if (work_ == FourierWork::kForwardInverse) {
      bound_->transform.record_forward(commands, binding);
      stage_barrier(gpu_, commands, stage());
      bound_->transform.record_inverse(commands, binding);
      return;
    }
    // As the library records them: docs of vulkan::TransformBinding::Impl say which sets are whose.
    const vulkan::TransformBinding::Impl& b = binding.impl();
    switch (work_) {
      case FourierWork::kRowsForward:
        b.transform->forward[0].record(commands, b.sets.data(), b.source_side.row, b.source_side.slice);
        break;
      case FourierWork::kColumnsForward:
        b.transform->forward[1].record(commands, &b.sets[2], 0, 0);
        break;
      case FourierWork::kColumnsInverse:
        b.transform->inverse[0].record(commands, &b.sets[4], 0, 0);
        break;
      default:
        b.transform->inverse[1].record(commands, &b.sets[6], b.target_side.row, b.target_side.slice);
        break;
    }
  }

  uint64_t bytes() const override {
    const vulkan::TransformDispatchPlan& plan = bound_->transform.plan();
    switch (work_) {
      case FourierWork::kRowsForward:
        return sum(plan.forward[0].traffic);
      case FourierWork::kColumnsForward:
        return sum(plan.forward[1].traffic);
      case FourierWork::kColumnsInverse:
        return sum(plan.inverse[0].traffic);
      case FourierWork::kRowsInverse:
        return sum(plan.inverse[1].traffic);
      default:
        return sum(plan.plan.forward) + sum(plan.plan.inverse);
    }
  }

 private:
  const Gpu& gpu_;
  std::shared_ptr<const BoundTransform> bound_;
  FourierWork work_;
};

// To the set that is half a round away: neither what was read nor what was written is in a cache when its turn comes.
size_t copy_target(const FourierSets& sets, size_t set) { return (set + sets.count() / 2) % sets.count(); }

class DeviceCopy final : public VulkanTechnique {
 public:
  DeviceCopy(const Gpu& gpu, const FourierSets& sets, std::shared_ptr<const CopyKernel> kernel, uint64_t copied)
      : gpu_(gpu), sets_(sets), kernel_(std::move(kernel)), copied_(copied) {}

  void record(VkCommandBuffer commands, size_t set) const override {
    if (kernel_) {
      kernel_->record(commands, set, copied_);
      return;
    }
    const VkBufferCopy region{0, 0, copied_};
    gpu_.vk().vkCmdCopyBuffer(commands, sets_.buffer(set).buffer, sets_.buffer(copy_target(sets_, set)).buffer, 1,
                              &region);
  }
  uint64_t bytes() const override { return 2 * copied_; }
  VkPipelineStageFlagBits stage() const override {
    return kernel_ ? VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT : VK_PIPELINE_STAGE_TRANSFER_BIT;
  }

 private:
  const Gpu& gpu_;
  const FourierSets& sets_;
  std::shared_ptr<const CopyKernel> kernel_;
  uint64_t copied_;
};

}  // namespace

Result<std::unique_ptr<FourierSets>> FourierSets::create(const Gpu& gpu, const FourierVulkanBenchmark& benchmark,
                                                         uint32_t most) {
  std::unique_ptr<FourierSets> out(new FourierSets(gpu, benchmark));
  auto plan = plan_transform(benchmark.transform.options(SpectrumOrder::kColumns));
  if (!plan) return plan.error();
  out->plan_ = *plan;
  const uint64_t spectrum = vulkan::aligned_range(plan->spectrum_bytes);
  const uint64_t image = vulkan::aligned_range(image_bytes(benchmark.transform));
  Offsets& offsets = out->offsets_;
  offsets.scratch = spectrum;
  offsets.source = offsets.scratch + spectrum;
  offsets.target = offsets.source + (benchmark.images ? 0 : image);
  offsets.end = offsets.target + (benchmark.images ? 0 : image);
  out->set_bytes_ = 2 * spectrum + 2 * image;
  const uint64_t count = std::clamp<uint64_t>(kColdBytes / out->set_bytes_ + 1, 2, most);
  for (uint64_t i = 0; i < count; ++i) {
    if (auto created = out->create_set(); !created) return created.error();
  }
  auto source = random_image(benchmark.transform.format, benchmark.transform.size, 1);
  if (!source) return source.error();
  out->host_source_ = std::move(*source);
  if (auto uploaded = out->upload(); !uploaded) return uploaded.error();
  return out;
}

Result<void> FourierSets::create_set() {
  Set set;
  const uint64_t size = std::max(offsets_.end, vulkan::aligned_range(bytes() / 2));
  auto buffer = vulkan::Buffer::create(gpu_.impl(), size, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | kTransferBuffer, false);
  if (!buffer) return buffer.error();
  set.buffer = std::move(*buffer);
  if (benchmark_.images) {
    vulkan::DeviceImage::Request request = {.format = benchmark_.transform.format,
                                            .size = benchmark_.transform.size,
                                            .usage = VK_IMAGE_USAGE_SAMPLED_BIT | kTransferImage};
    auto source = vulkan::DeviceImage::create(gpu_.impl(), request);
    if (!source) return source.error();
    request.usage = VK_IMAGE_USAGE_STORAGE_BIT | kTransferImage;
    auto target = vulkan::DeviceImage::create(gpu_.impl(), request);
    if (!target) return target.error();
    set.source = std::move(*source);
    set.target = std::move(*target);
  }
  sets_.push_back(std::move(set));
  return {};
}

// The source everywhere: what is copied is then as random as what is transformed.
Result<void> FourierSets::upload() {
  const uint64_t packed = image_bytes(benchmark_.transform);
  auto staging = vulkan::Buffer::create(gpu_.impl(), packed, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, true);
  if (!staging) return staging.error();
  vulkan::pack_view(host_source_.view(), static_cast<std::byte*>(staging->mapped));
  for (const Set& set : sets_) {
    auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
      const auto fill = [&](uint64_t begin, uint64_t end) {
        for (uint64_t at = begin; at < end; at += packed) {
          const VkBufferCopy region{0, at, std::min(packed, end - at)};
          gpu_.vk().vkCmdCopyBuffer(commands, staging->buffer, set.buffer.buffer, 1, &region);
        }
      };
      fill(0, offsets_.source);
      fill(offsets_.source, offsets_.target);
      fill(offsets_.target, set.buffer.size);
      if (benchmark_.images) {
        change_layout(set.target, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
        change_layout(set.source, commands, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
        copy_levels(set.source, *staging, 0, 0, 1, true, commands);
        change_layout(set.source, commands, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                      VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
      }
      full_barrier(gpu_, commands);
    });
    if (!ran) return ran;
  }
  return {};
}

uint64_t FourierSets::bytes() const { return sum(plan_.forward) + sum(plan_.inverse); }

vulkan::TransformSides FourierSets::sides() const {
  const vulkan::SideKind kind = benchmark_.images ? vulkan::SideKind::kImage : vulkan::SideKind::kBuffer;
  return {.source = kind, .target = kind};
}

vulkan::TransformResources FourierSets::resources(size_t set, uint64_t scratch_bytes) const {
  const Set& s = sets_[set];
  vulkan::TransformResources out;
  out.spectrum = {s.buffer.buffer, 0};
  if (scratch_bytes <= offsets_.source - offsets_.scratch) out.scratch = {s.buffer.buffer, offsets_.scratch};
  if (benchmark_.images) {
    out.source.image = s.source.image;
    out.target.image = s.target.image;
  } else {
    out.source.buffer = s.buffer.buffer;
    out.source.offset = offsets_.source;
    out.target.buffer = s.buffer.buffer;
    out.target.offset = offsets_.target;
  }
  return out;
}

Result<void> FourierSets::clear() const {
  const Set& set = sets_[0];
  return gpu_.device().run([&](VkCommandBuffer commands) {
    constexpr uint32_t kValue = 0x447A447A;  // about 1000 as a float, 4.5 as two halves
    full_barrier(gpu_, commands);
    gpu_.vk().vkCmdFillBuffer(commands, set.buffer.buffer, 0, offsets_.source, kValue);
    if (benchmark_.images) {
      const VkClearColorValue value = {{0.75F, 0.75F, 0.75F, 0.75F}};
      const VkImageSubresourceRange range = {set.target.aspect(), 0, 1, 0, 1};
      gpu_.vkCmdClearColorImage(commands, set.target.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &range);
    } else {
      gpu_.vk().vkCmdFillBuffer(commands, set.buffer.buffer, offsets_.target, offsets_.end - offsets_.target, kValue);
    }
    full_barrier(gpu_, commands);
  });
}

Result<FourierSets::Output> FourierSets::download() const {
  const Set& set = sets_[0];
  const uint64_t spectrum = vulkan::aligned_range(plan_.spectrum_bytes);
  const uint64_t packed = image_bytes(benchmark_.transform);
  auto staging = vulkan::Buffer::create(gpu_.impl(), spectrum + packed, VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
  if (!staging) return staging.error();
  auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
    full_barrier(gpu_, commands);
    const VkBufferCopy region{0, 0, plan_.spectrum_bytes};
    gpu_.vk().vkCmdCopyBuffer(commands, set.buffer.buffer, staging->buffer, 1, &region);
    if (benchmark_.images) {
      change_layout(set.target, commands, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
      copy_levels(set.target, *staging, spectrum, 0, 1, false, commands);
      change_layout(set.target, commands, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_GENERAL);
    } else {
      const VkBufferCopy target{offsets_.target, spectrum, packed};
      gpu_.vk().vkCmdCopyBuffer(commands, set.buffer.buffer, staging->buffer, 1, &target);
    }
    full_barrier(gpu_, commands);
  });
  if (!ran) return ran.error();
  Output out;
  const auto* bytes = static_cast<const std::byte*>(staging->mapped);
  out.spectrum.assign(bytes, bytes + plan_.spectrum_bytes);
  auto target = Image::create(benchmark_.transform.format, benchmark_.transform.size);
  if (!target) return target.error();
  vulkan::unpack_view(bytes + spectrum, target->view());
  out.target = std::move(*target);
  return out;
}

Result<std::shared_ptr<const BoundTransform>> BoundTransform::create(const Gpu& gpu, const FourierSets& sets,
                                                                     const vulkan::TransformTuning& tuning) {
  auto transform = vulkan::Transform::create(gpu.device(), sets.plan().options, sets.sides(), tuning);
  if (!transform) return transform.error();
  std::vector<vulkan::TransformBinding> bindings;
  for (size_t i = 0; i < sets.count(); ++i) {
    auto binding = transform->bind(sets.resources(i, transform->plan().scratch_bytes));
    if (!binding) return binding.error();
    bindings.push_back(std::move(*binding));
  }
  return std::shared_ptr<const BoundTransform>(new BoundTransform{std::move(*transform), std::move(bindings)});
}

Result<std::shared_ptr<const CopyKernel>> CopyKernel::create(const Gpu& gpu, const FourierSets& sets) {
  if (sets.buffer(0).size > gpu.impl().limits.maxStorageBufferRange) {
    return Error{ErrorCode::kUnsupported, "a set is larger than a storage buffer may be", gpu.device().info().name};
  }
  auto out = std::make_shared<CopyKernel>();
  PipelineRequest request;
  request.code = kernel_bench_copy;
  request.bindings = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER};
  request.push_bytes = sizeof(uint32_t);
  auto pipeline = ComputePipeline::create(gpu, request);
  if (!pipeline) return pipeline.error();
  out->pipeline_ = std::move(*pipeline);
  auto descriptors =
      DescriptorSets::create(gpu, *out->pipeline_, request.bindings, static_cast<uint32_t>(sets.count()));
  if (!descriptors) return descriptors.error();
  out->descriptors_ = std::move(*descriptors);
  for (size_t i = 0; i < sets.count(); ++i) {
    out->descriptors_->write_buffer(i, 0, sets.buffer(i).buffer);
    out->descriptors_->write_buffer(i, 1, sets.buffer(copy_target(sets, i)).buffer);
  }
  return std::shared_ptr<const CopyKernel>(std::move(out));
}

void CopyKernel::record(VkCommandBuffer commands, size_t set, uint64_t bytes) const {
  constexpr uint32_t kGroupWords = 256 * 8;  // invocations, items: copy.comp
  const std::array<uint32_t, 1> words = {static_cast<uint32_t>(bytes / 16)};
  pipeline_->dispatch(commands, (*descriptors_)[set], words, (words[0] + kGroupWords - 1) / kGroupWords);
}

vulkan::TransformTuning tuning_of(FourierPath path) {
  vulkan::TransformTuning tuning;
  const bool shared = path <= FourierPath::kSharedMemoryComputed;
  const bool computed = path == FourierPath::kSharedMemoryComputed || path == FourierPath::kPingPong16Computed ||
                        path == FourierPath::kPingPong2Computed;
  const bool radix_2 = path == FourierPath::kPingPong2 || path == FourierPath::kPingPong2Computed;
  tuning.technique = shared                           ? FourierTechnique::kSharedMemory
                     : path == FourierPath::kFourStep ? FourierTechnique::kFourStep
                                                      : FourierTechnique::kPingPong;
  if (computed) tuning.twiddles = vulkan::Twiddles::kComputed;
  if (radix_2) tuning.most_radix = 2;
  return tuning;
}

std::unique_ptr<VulkanTechnique> make_fourier_technique(const Gpu& gpu, std::shared_ptr<const BoundTransform> bound,
                                                        FourierWork work) {
  return std::make_unique<FourierTechniqueOf>(gpu, std::move(bound), work);
}

std::unique_ptr<VulkanTechnique> make_device_copy(const Gpu& gpu, const FourierSets& sets,
                                                  std::shared_ptr<const CopyKernel> kernel, uint64_t bytes) {
  const uint64_t copied = std::min<uint64_t>(bytes / 2, sets.buffer(0).size) / 16 * 16;
  return std::make_unique<DeviceCopy>(gpu, sets, std::move(kernel), copied);
}

}  // namespace onepass::bench

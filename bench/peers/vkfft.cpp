// vkfft.cpp: VkFFT 1.3.4 with its Vulkan backend, in place on buffers, its inverse scaled like the library's.
//
// Where only the inverse is timed, it goes from one buffer to another: repeated inverse transforms in place would scale
// the values to 0.
//
// A plan of VkFFT ("application") is bound to one buffer, so that every set has a plan of its own. VkFFT compiles its
// shaders when the first plan is made; the others load the compiled ones.
#include <vulkan/vulkan.h>

// The header of VkFFT defines functions that are static and not all used, and warns; it is included as a system header.
#include <vkFFT.h>

#include "peers/fourier_peers.hpp"

namespace onepass::bench {
namespace {

constexpr VkBufferUsageFlags kUsage =
    VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;

Result<void> check(VkFFTResult result, const char* function) {
  if (result == VKFFT_SUCCESS) return {};
  return Error{ErrorCode::kDevice, std::string("error ") + getVkFFTErrorString(result), function};
}

/// The handles that VkFFT gets by pointer, and a fence of its own.
struct Handles {
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  VkCommandPool pool = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;

  explicit Handles(const Gpu& gpu)
      : physical(gpu.device().handles().physical_device),
        device(gpu.handle()),
        queue(gpu.impl().owned->queue),
        pool(gpu.impl().owned->pool) {}
  Handles(const Handles&) = delete;
  Handles& operator=(const Handles&) = delete;
  ~Handles() { vkDestroyFence(device, fence, nullptr); }

  Result<void> create_fence() {
    VkFenceCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
    const VkResult result = vkCreateFence(device, &info, nullptr, &fence);
    return result == VK_SUCCESS ? Result<void>() : vulkan::vulkan_error(result, "vkCreateFence");
  }
};

/// A buffer and the plan that transforms it.
class Set {
 public:
  /// `input`: from which the transforms go to `buffer`; null: they are in place.
  Set(vulkan::Buffer buffer, vulkan::Buffer input)
      : buffer_(std::move(buffer)), input_(std::move(input)), bytes_(buffer_.size) {}
  Set(const Set&) = delete;
  Set& operator=(const Set&) = delete;
  ~Set() { deleteVkFFT(&application_); }

  /// `first`: of the sets, whose shaders this one loads; null: this is the first one.
  Result<void> init(Handles& handles, const PeerSignal& signal, const Set* first) {
    VkFFTConfiguration configuration{};
    configuration.FFTdim = 2;
    configuration.size[0] = signal.size.width;
    configuration.size[1] = signal.size.height;
    configuration.numberBatches = signal.planes();
    configuration.performR2C = signal.complex ? 0 : 1;
    configuration.normalize = 1;
    configuration.physicalDevice = &handles.physical;
    configuration.device = &handles.device;
    configuration.queue = &handles.queue;
    configuration.commandPool = &handles.pool;
    configuration.fence = &handles.fence;
    configuration.buffer = &buffer_.buffer;
    configuration.bufferSize = &bytes_;
    if (input_.buffer != VK_NULL_HANDLE) {
      configuration.isInputFormatted = 1;
      configuration.inputBuffer = &input_.buffer;
      configuration.inputBufferSize = &bytes_;
    }
    if (first == nullptr) {
      configuration.saveApplicationToString = 1;
    } else {
      configuration.loadApplicationFromString = 1;
      configuration.loadApplicationString = first->application_.saveApplicationString;
    }
    return check(initializeVkFFT(&application_, configuration), "initializeVkFFT");
  }

  /// VkFFT waits with a barrier after each of its dispatches.
  VkFFTResult record(VkCommandBuffer commands, bool inverse) {
    VkFFTLaunchParams parameters{};
    parameters.commandBuffer = &commands;
    parameters.buffer = &buffer_.buffer;
    if (input_.buffer != VK_NULL_HANDLE) parameters.inputBuffer = &input_.buffer;
    return VkFFTAppend(&application_, inverse ? 1 : -1, &parameters);
  }

  [[nodiscard]] VkBuffer buffer() const { return buffer_.buffer; }
  [[nodiscard]] VkBuffer input() const { return input_.buffer != VK_NULL_HANDLE ? input_.buffer : buffer_.buffer; }

 private:
  vulkan::Buffer buffer_;
  vulkan::Buffer input_;
  pfUINT bytes_;
  VkFFTApplication application_{};
};

class Vkfft final : public FourierPeerPlan, public VulkanTechnique {
 public:
  Vkfft(const Gpu& gpu, const PeerSignal& signal)
      : gpu_(gpu), handles_(gpu), bytes_(signal.floats() * sizeof(float)), only_inverse_(signal.only_inverse) {}

  Result<void> init(const PeerSignal& signal, size_t sets) {
    if (bytes_ > gpu_.impl().limits.maxStorageBufferRange) {
      return Error{ErrorCode::kUnsupported, "the planes exceed maxStorageBufferRange", gpu_.device().info().name};
    }
    if (auto created = handles_.create_fence(); !created) return created;
    for (size_t i = 0; i < sets; ++i) {
      auto buffer = vulkan::Buffer::create(gpu_.impl(), bytes_, kUsage, false);
      if (!buffer) return buffer.error();
      vulkan::Buffer input;
      if (only_inverse_) {
        auto created = vulkan::Buffer::create(gpu_.impl(), bytes_, kUsage, false);
        if (!created) return created.error();
        input = std::move(*created);
      }
      auto set = std::make_unique<Set>(std::move(*buffer), std::move(input));
      if (auto made = set->init(handles_, signal, i == 0 ? nullptr : sets_[0].get()); !made) return made;
      sets_.push_back(std::move(set));
    }
    auto staging = vulkan::Buffer::create(gpu_.impl(), bytes_,
                                          VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT, true);
    if (!staging) return staging.error();
    staging_ = std::move(*staging);
    return {};
  }

  Result<void> upload(std::span<const float> planes) override {
    std::copy(planes.begin(), planes.end(), static_cast<float*>(staging_.mapped));
    return gpu_.device().run([&](VkCommandBuffer commands) {
      const VkBufferCopy region{0, 0, bytes_};
      for (const auto& set : sets_) {
        gpu_.vk().vkCmdCopyBuffer(commands, staging_.buffer, set->input(), 1, &region);
      }
      full_barrier(gpu_, commands);
    });
  }

  Result<void> forward() override { return run(false); }
  Result<void> inverse() override {
    if (only_inverse_) {  // the spectrum becomes the input
      auto copied = gpu_.device().run([&](VkCommandBuffer commands) {
        const VkBufferCopy region{0, 0, bytes_};
        gpu_.vk().vkCmdCopyBuffer(commands, sets_[0]->buffer(), sets_[0]->input(), 1, &region);
        full_barrier(gpu_, commands);
      });
      if (!copied) return copied;
    }
    return run(true);
  }

  Result<std::vector<float>> download() override {
    auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
      const VkBufferCopy region{0, 0, bytes_};
      gpu_.vk().vkCmdCopyBuffer(commands, sets_[0]->buffer(), staging_.buffer, 1, &region);
      full_barrier(gpu_, commands);
    });
    if (!ran) return ran.error();
    const auto* values = static_cast<const float*>(staging_.mapped);
    return std::vector<float>(values, values + bytes_ / sizeof(float));
  }

  double round_trip_factor() const override { return 1; }

  Result<Comparison> compare(VulkanTimer& timer, MemorySets& sets, const VulkanTechnique& reference,
                             Mode mode) override {
    auto times = timer.compare(sets, *this, reference, mode);
    if (auto checked = check(failure_, "VkFFTAppend"); !checked) return checked.error();
    return times;
  }

  void record(VkCommandBuffer commands, size_t set) const override {
    if (!only_inverse_) append(commands, set, false);
    append(commands, set, true);
  }
  uint64_t bytes() const override { return (only_inverse_ ? 4 : 8) * bytes_; }  // two passes per direction

 private:
  void append(VkCommandBuffer commands, size_t set, bool inverse) const {
    const VkFFTResult result = sets_[set]->record(commands, inverse);
    if (result != VKFFT_SUCCESS) failure_ = result;
  }

  Result<void> run(bool inverse) {
    auto ran = gpu_.device().run([&](VkCommandBuffer commands) {
      append(commands, 0, inverse);
      full_barrier(gpu_, commands);
    });
    return ran ? check(failure_, "VkFFTAppend") : ran;
  }

  const Gpu& gpu_;
  Handles handles_;
  uint64_t bytes_;
  bool only_inverse_;
  std::vector<std::unique_ptr<Set>> sets_;
  vulkan::Buffer staging_;
  mutable VkFFTResult failure_ = VKFFT_SUCCESS;  // of the last record that failed
};

}  // namespace

FourierPeerResult make_vkfft(const Gpu& gpu, const PeerSignal& signal, size_t sets) {
  auto out = std::make_unique<Vkfft>(gpu, signal);
  if (auto made = out->init(signal, sets); !made) return made.error();
  return std::unique_ptr<FourierPeerPlan>(std::move(out));
}

}  // namespace onepass::bench

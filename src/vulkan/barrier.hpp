// barrier.hpp: memory barriers: which accesses are done and visible before which others begin.
#pragma once

#include "vulkan/device_impl.hpp"

namespace onepass::vulkan {

/// Memory accesses of pipeline stages: one side of a barrier.
struct Accesses {
  VkPipelineStageFlags stages = 0;
  VkAccessFlags types = 0;
};

constexpr Accesses operator|(const Accesses& a, const Accesses& b) { return {a.stages | b.stages, a.types | b.types}; }

inline constexpr Accesses kNoAccesses{VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, 0};  // only as the side before
inline constexpr Accesses kShaderReads{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT};
inline constexpr Accesses kShaderWrites{VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT};
inline constexpr Accesses kTransferReads{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT};
inline constexpr Accesses kTransferWrites{VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT};
inline constexpr Accesses kHostReads{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT};
inline constexpr Accesses kHostWrites{VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_WRITE_BIT};
inline constexpr Accesses kAllAccesses{VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                                       VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};

struct Barrier {
  Accesses before;
  Accesses after;
};

/// Barrier between two dispatches, the second of which reads what the first wrote, and writes what the first read or
/// wrote.
inline constexpr Barrier kBetweenDispatches{kShaderReads | kShaderWrites, kShaderReads | kShaderWrites};

/// Barrier between all commands and reads of the host, for tests and benchmarks.
inline constexpr Barrier kFullBarrier{kAllAccesses, kAllAccesses | Accesses{VK_PIPELINE_STAGE_HOST_BIT, 0}};

/// Records a barrier for all memory: `before` is done and its writes are visible when `after` begins.
inline void record_barrier(const Device::Impl& device, VkCommandBuffer commands, const Barrier& barrier) {
  VkMemoryBarrier memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  memory.srcAccessMask = barrier.before.types;
  memory.dstAccessMask = barrier.after.types;
  device.functions.vkCmdPipelineBarrier(commands, barrier.before.stages, barrier.after.stages, 0, 1, &memory, 0,
                                        nullptr, 0, nullptr);
}

}  // namespace onepass::vulkan

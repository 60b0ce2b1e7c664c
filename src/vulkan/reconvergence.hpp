// reconvergence.hpp: declares in a kernel's SPIR-V that the invocations of a subgroup come together again after
// divergent control flow. The build cannot do it: a module with the declaration is invalid on devices without the
// feature.
#pragma once

#include <cstdint>
#include <vector>

#include "onepass/vulkan/device.hpp"

namespace onepass::vulkan {

/// An execution mode of a kernel.
enum class Reconvergence : uint32_t {
  kUndeclared,
  kSubgroupUniform,  ///< SubgroupUniformControlFlowKHR: at the merge block of a construct that the subgroup has entered
                     ///< as a whole and leaves through that block.
  kMaximal,          ///< MaximallyReconvergesKHR: at every merge block and continue target, and after calls.
};

/// The strongest mode that the device enabled.
Reconvergence reconvergence_of(const EnabledFeatures& features);

/// The module, which has one entry point, with the extension and the execution mode of `declared`. Unchanged for
/// kUndeclared, if the kernel has no subgroup operations, and if it is no module.
/// Source: Khronos Group, "SPV_KHR_subgroup_uniform_control_flow" 2 and "SPV_KHR_maximal_reconvergence" 2; "SPIR-V
/// Specification", 1.5, section 2.4.
std::vector<uint32_t> declare_reconvergence(std::vector<uint32_t> spirv, Reconvergence declared);

}  // namespace onepass::vulkan

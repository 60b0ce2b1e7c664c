// kernels.hpp: the SPIR-V that the build embedded.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace onepass::vulkan {

/// The code of a kernel variant as named in a technique's kernels.cmake; empty if there is none.
std::span<const uint32_t> find_kernel(std::string_view name);

}  // namespace onepass::vulkan

// kernels.hpp: the SPIR-V modules that the build embeds, compressed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace onepass::vulkan {

/// The kernel variant `name` of a technique's kernels.cmake in embedded form: SPIR-V, or an LZ4 frame of it. Empty if
/// there is no such variant.
std::span<const uint32_t> packed_kernel(std::string_view name);

/// Whether there is a variant of this name.
inline bool has_kernel(std::string_view name) { return !packed_kernel(name).empty(); }

/// Decompresses a SPIR-V module; no value if `packed` is damaged.
/// Source: Y. Collet, "LZ4 Frame Format Description", 1.6.1, and "LZ4 Block Format Description".
std::optional<std::vector<uint32_t>> unpack_kernel(std::span<const uint32_t> packed);

/// The SPIR-V of the kernel variant `name`; no value if there is no such variant.
std::optional<std::vector<uint32_t>> find_kernel(std::string_view name);

}  // namespace onepass::vulkan

// kernels.hpp: the SPIR-V modules that the build embeds, in one set per technique, so that a static program has the
// kernels of the techniques that it calls. Kernels of a technique resemble each other: they are compressed together, in
// groups that are small enough to be decompressed whenever a pipeline is created.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace onepass::vulkan {

/// Kernels one after another.
struct KernelGroup {
  std::span<const uint32_t> content;  ///< SPIR-V, or compressed bytes (cmake/pack_kernels.pl).
  uint32_t compressed_bytes = 0;      ///< 0: `content` is SPIR-V.
};

/// A kernel variant of a technique's kernels.cmake.
struct KernelEntry {
  std::string_view name;
  uint32_t group = 0;
  uint32_t first = 0;  ///< Bytes before it in its group, decompressed.
  uint32_t bytes = 0;
};

struct KernelSet {
  std::span<const KernelEntry> entries;
  std::span<const KernelGroup> groups;
};

extern const KernelSet kBlocksKernels;
extern const KernelSet kBloomKernels;
extern const KernelSet kFourierKernels;
extern const KernelSet kFrameToneMapKernels;
extern const KernelSet kLuminanceKernels;
extern const KernelSet kPyramidKernels;
extern const KernelSet kReflectionKernels;
extern const KernelSet kTileReductionKernels;
extern const KernelSet kToneMapKernels;

/// Whether the set has a variant of this name.
bool has_kernel(const KernelSet& set, std::string_view name);

/// The SPIR-V of an entry; no value if its group is damaged.
std::optional<std::vector<uint32_t>> unpack_kernel(const KernelSet& set, const KernelEntry& entry);

/// The SPIR-V of the variant `name`; no value if the set has no such variant.
std::optional<std::vector<uint32_t>> find_kernel(const KernelSet& set, std::string_view name);

}  // namespace onepass::vulkan

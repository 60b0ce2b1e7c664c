// blocks_bench.hpp: the benchmarks of block compression on a GPU: all levels of a picture, alone and behind its
// pyramid.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "onepass/vulkan/blocks.hpp"
#include "vulkan_bench.hpp"

namespace onepass::bench {

/// One case.
struct BlocksCase {
  std::string_view word;  ///< As in names.
  BlockFormat format = BlockFormat::kBc7Unorm;
  Extent size;
  bool with_mips = false;  ///< Makes the levels, too.
  bool alpha = false;      ///< The picture has transparent texels.

  [[nodiscard]] BlockCompressorOptions options() const;
  [[nodiscard]] std::string name() const;  ///< Without mode.
};

/// Sets of a picture with its levels, and memory for their blocks.
class BlockSets;

/// Measures cases. Reuses the images of the last case if the next one has the same picture.
class BlocksRunner {
 public:
  /// Uses the device and the timer of `runner`, which must outlive this object, and frees the runner's images before it
  /// allocates its own.
  explicit BlocksRunner(VulkanRunner& runner);
  BlocksRunner(const BlocksRunner&) = delete;
  BlocksRunner& operator=(const BlocksRunner&) = delete;
  ~BlocksRunner();

  /// Checks the blocks, then times the technique, alternating with a copy of as many bytes as it reads and writes.
  /// Errors: kUnsupported if the device cannot do it; kBadData for wrong output.
  Result<Row> measure(const BlocksCase& blocks, Mode mode);

 private:
  VulkanRunner& runner_;
  std::unique_ptr<BlockSets> sets_;
};

/// Registers all cases, throughput and isolated; a null runner can only list them.
void register_blocks(BlocksRunner* runner, Report& report);

}  // namespace onepass::bench

// kept_level.hpp: unrounded numbers of the last level of a pass, in one file per block, plane after plane: what the
// next pass is made from.
#pragma once

#include <vector>

#include "files/target.hpp"
#include "volume_files/block_plan.hpp"

namespace onepass::volumes {

/// Writes the file of a block.
class KeptWriter {
 public:
  Result<void> open(const VolumeLayout& layout, const Pass& pass, uint32_t number);

  /// Appends a plane of `bytes` bytes without gaps. Errors: kIo.
  Result<void> add(const std::byte* plane, size_t bytes);

  [[nodiscard]] uint64_t bytes_written() const { return end_; }

  /// Closes the file. Errors: kIo.
  Result<void> finish();

 private:
  std::filesystem::path path_;
  files::Handle file_;
  uint64_t end_ = 0;
};

/// Reads boxes of the level that the blocks of `pass` have kept.
class KeptReader {
 public:
  KeptReader(const VolumeLayout& layout, const Pass& pass) : layout_(layout), pass_(pass) {}

  /// As VolumeSource::read(), in numbers of unrounded_bytes(). Errors: kIo, kBadData.
  Result<void> read(uint32_t volume, const VolumeBox& box, std::byte* out, size_t row_stride, size_t plane_stride);

 private:
  Result<void> read_block(const Block& block, const VolumeBox& box, std::byte* out, size_t row_stride,
                          size_t plane_stride);

  const VolumeLayout& layout_;
  Pass pass_;
  std::vector<std::byte> rows_;
};

}  // namespace onepass::volumes

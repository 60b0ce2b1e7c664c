// writers.hpp: checks and errors that the writers of all file types share.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "onepass/files.hpp"

namespace onepass::files {

/// Refuses levels that are wrong for every file type: none, unknown format, zero size, more than kMaxSize, null data,
/// overlapping rows, sizes that do not halve, differing formats or slice counts.
Result<void> check_levels(const std::filesystem::path& path, std::span<const ImageView> levels);

/// The same for levels of blocks.
Result<void> check_levels(const std::filesystem::path& path, std::span<const BlockView> levels);

/// Replaces `levels` by `copies` with the alpha association of the file, if theirs differs. `given` kNone: it does not;
/// `stored_alpha` kNone: kStraight.
Result<void> associate(const std::filesystem::path& path, std::vector<ImageView>& levels, AlphaAssociation given,
                       AlphaAssociation stored_alpha, std::vector<Image>& copies);

/// A level of texels or of blocks, as rows of bytes.
struct StoredLevel {
  const std::byte* data = nullptr;
  Extent size;        ///< In texels.
  uint32_t rows = 0;  ///< Of texels or of blocks.
  uint32_t slices = 1;
  size_t row_bytes = 0;
  size_t row_stride = 0;
  size_t slice_stride = 0;

  [[nodiscard]] uint64_t bytes() const { return uint64_t{row_bytes} * rows * slices; }
};
StoredLevel stored_level(const ImageView& level);
StoredLevel stored_level(const BlockView& level);

/// Calls take(bytes) with the bytes of a slice in the order of files, in pieces as large as the stride allows. Errors:
/// those of `take`.
template <typename Take>
Result<void> for_each_piece(const StoredLevel& level, uint32_t slice, Take&& take) {
  const bool tight = level.row_stride == level.row_bytes || level.rows == 1;
  const uint32_t rows_at_once = tight ? level.rows : 1;
  const std::byte* const first = level.data + slice * level.slice_stride;
  for (uint32_t y = 0; y < level.rows; y += rows_at_once) {
    Result<void> done = take(std::span(first + y * level.row_stride, level.row_bytes * rows_at_once));
    if (!done) return done;
  }
  return {};
}

/// An error about the file at `path`.
Error file_error(const std::filesystem::path& path, ErrorCode code, std::string message);

/// Runs `body`, which returns Result<void>, and turns exceptions into errors.
template <typename Body>
Result<void> guarded(const std::filesystem::path& path, Body&& body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return file_error(path, ErrorCode::kOutOfMemory, "out of memory");
  } catch (const std::exception& exception) {
    return file_error(path, ErrorCode::kIo, exception.what());
  }
}

}  // namespace onepass::files

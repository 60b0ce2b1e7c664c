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

// input_file.hpp: an input that is read more than once, though it may be a pipe.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "onepass/files.hpp"

namespace onepass::cli {

/// A file that is read more than once. The bytes of a pipe or device come only once: they are kept, up to a limit, if
/// they begin as an image file does.
class InputFile {
 public:
  /// What is kept of a regular file: its beginning; or everything, so that each reading sees the same bytes even where
  /// the file is replaced in between.
  enum class Keep { kBeginning, kAll };

  /// `max_bytes`: the most memory for the bytes kept and what read() takes, together. What goes wrong is said by
  /// read().
  explicit InputFile(std::string path, uint64_t max_bytes = files::kDefaultMaxBytes, Keep keep = Keep::kBeginning);

  /// Errors: those of files::read; kOutOfMemory for a pipe or device with more than `max_bytes` bytes.
  [[nodiscard]] Result<files::ImageFile> read(files::ReadOptions options) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_exr() const;  ///< By its contents.

  /// All bytes of a pipe, or of a file that is kept; the first of another file.
  [[nodiscard]] std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  [[nodiscard]] Error failed(ErrorCode code, std::string message) const { return {code, std::move(message), path_}; }
  Result<void> load(int descriptor, uint64_t max_bytes, Keep keep);
  Result<void> fill(int descriptor, size_t count);
  bool reserve(size_t capacity);

  std::string path_;
  uint64_t max_bytes_;
  bool kept_ = false;  // all bytes are here
  std::optional<Error> error_;
  std::unique_ptr<std::byte, Free> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace onepass::cli

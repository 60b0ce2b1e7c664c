// input_file.hpp: an input file, pipe or device that the program can read more than once.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "onepass/files.hpp"
#include "system.hpp"

namespace onepass::cli {

/// An input that can be read more than once. It is opened once, and its bytes are kept in memory, up to a limit, if
/// they begin like an image file: a pipe delivers them only once, and a file may be replaced between two readings.
class InputFile {
 public:
  /// `max_bytes`: limit of the memory for the kept bytes and for the result of read(), together. Errors that occur here
  /// are returned by read().
  explicit InputFile(std::string path, uint64_t max_bytes = files::kDefaultMaxBytes);

  /// Errors: those of files::read; kOutOfMemory for an input of more than `max_bytes` bytes.
  [[nodiscard]] Result<files::ImageFile> read(files::ReadOptions options) const;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_exr() const;  ///< By its contents.

  /// All bytes; of unknown types the first ones.
  [[nodiscard]] std::span<const std::byte> bytes() const { return {bytes_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::byte* bytes) const;
  };
  [[nodiscard]] Error failed(ErrorCode code, std::string message) const { return {code, std::move(message), path_}; }
  Result<void> load(const system::Input& input, uint64_t max_bytes);
  Result<void> fill(const system::Input& input, size_t count);
  bool reserve(size_t capacity);

  std::string path_;
  uint64_t max_bytes_;
  bool kept_ = false;  // read() uses bytes_ instead of the file
  std::optional<Error> error_;
  std::unique_ptr<std::byte, Free> bytes_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace onepass::cli

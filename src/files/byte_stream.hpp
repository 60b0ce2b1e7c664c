// byte_stream.hpp: the bytes of a source in order. A file in memory is used in place; of an open file a window is read.
#pragma once

#include <optional>
#include <vector>

#include "files/readers.hpp"

namespace onepass::files {

class ByteStream {
 public:
  /// `source` must outlive the stream.
  explicit ByteStream(const Source& source) : source_(source) { seek(0); }

  [[nodiscard]] uint64_t position() const { return window_at_ + static_cast<size_t>(next_ - window_.data()); }
  [[nodiscard]] uint64_t left() const { return source_.size() - position(); }
  /// Bytes that an open file's window takes, if has() is called for at most `most`.
  [[nodiscard]] uint64_t memory_bytes(uint64_t most = 0) const {
    return source_.in_memory() ? 0 : std::max<uint64_t>(most, kWindow);
  }

  void seek(uint64_t position);

  /// Whether `count` more bytes are there, which begin at data() then. False also if they cannot be read.
  [[nodiscard]] bool has(size_t count) { return static_cast<size_t>(end_ - next_) >= count || fill(count); }
  [[nodiscard]] const std::byte* data() const { return next_; }
  /// Moves on; `count`: as many as has() has found, or fewer.
  void skip(size_t count) { next_ += count; }
  /// The next byte, after has().
  uint8_t take() { return std::to_integer<uint8_t>(*next_++); }

  /// The next line without its end; it is valid until the next call of any function. No value if the file ends before
  /// the line does, or if the line is longer than 64 KiB.
  std::optional<std::string_view> line();

  /// The error after has() was false: kIo if reading failed, else kBadData with `message`.
  [[nodiscard]] Error ended(const std::string& message) const;

 private:
  static constexpr size_t kWindow = size_t{16} << 10;
  bool fill(size_t count);

  const Source& source_;
  std::vector<std::byte> buffer_;      // of an open file
  std::span<const std::byte> window_;  // of the source
  uint64_t window_at_ = 0;
  const std::byte* next_ = nullptr;
  const std::byte* end_ = nullptr;
  int error_ = 0;
};

}  // namespace onepass::files

// tiff_handle.hpp: an owning handle of libtiff, and its messages, which are kept instead of printed.
#pragma once

#include <tiffio.h>

#include <array>
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <string>

namespace onepass::files {

/// Keeps the first error and the first warning. libtiff calls it from C, so nothing may throw.
class TiffMessages {
 public:
  /// "TIFF: " and the first error, without a final stop.
  [[nodiscard]] std::string error() const { return "TIFF: " + text(error_); }
  [[nodiscard]] std::string warning() const { return text(warning_); }
  [[nodiscard]] bool has_warning() const { return warning_[0] != '\0'; }
  /// Whether libjpeg found damage, for which it invents pixels.
  [[nodiscard]] bool made_up() const { return made_up_; }
  void clear();

  /// For TIFFOpenOptions; `self` is a TiffMessages.
  static int on_error(TIFF* tiff, void* self, const char* module, const char* format, va_list arguments);
  static int on_warning(TIFF* tiff, void* self, const char* module, const char* format, va_list arguments);

 private:
  using Text = std::array<char, 256>;
  static std::string text(const Text& text);

  Text error_{};
  Text warning_{};
  bool made_up_ = false;
};

struct TiffClose {
  void operator()(TIFF* tiff) const { TIFFClose(tiff); }
};
using TiffHandle = std::unique_ptr<TIFF, TiffClose>;

/// The value of a tag of 16 bits, or its default; 0 if it has none.
inline uint16_t tag16(TIFF* tiff, uint32_t tag) {
  uint16_t value = 0;
  TIFFGetFieldDefaulted(tiff, tag, &value);
  return value;
}

/// Data and callbacks that libtiff reads from and writes to.
struct TiffClient {
  void* data = nullptr;
  TIFFReadWriteProc read = nullptr;
  TIFFReadWriteProc write = nullptr;
  TIFFSeekProc seek = nullptr;
  TIFFSizeProc size = nullptr;
  TIFFMapFileProc map = nullptr;
  TIFFUnmapFileProc unmap = nullptr;
};

/// Opens `client`, which must outlive the handle, as must `messages`. Null: see messages.error(). A single allocation
/// of libtiff has at most `largest` bytes.
TiffHandle open_tiff(const TiffClient& client, const char* mode, uint64_t largest, TiffMessages& messages);

}  // namespace onepass::files

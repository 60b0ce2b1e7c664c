// tiff_handle.hpp: libtiff without anything printed: a handle that closes itself, and what libtiff said meanwhile.
#pragma once

#include <tiffio.h>

#include <array>
#include <cstdarg>
#include <cstdint>
#include <memory>
#include <string>

namespace onepass::files {

/// Keeps the first error and the first warning. libtiff calls from C, which nothing may throw through.
class TiffMessages {
 public:
  /// "TIFF: " and the first error, without a final stop.
  [[nodiscard]] std::string error() const { return "TIFF: " + text(error_); }
  [[nodiscard]] std::string warning() const { return text(warning_); }
  [[nodiscard]] bool has_warning() const { return warning_[0] != '\0'; }
  /// libjpeg found damage that it makes pixels up for.
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

/// What libtiff reads from and writes to.
struct TiffClient {
  void* data = nullptr;
  TIFFReadWriteProc read = nullptr;
  TIFFReadWriteProc write = nullptr;
  TIFFSeekProc seek = nullptr;
  TIFFSizeProc size = nullptr;
  TIFFMapFileProc map = nullptr;
  TIFFUnmapFileProc unmap = nullptr;
};

/// Opens `client`, which has to outlive the handle as `messages` has; null: messages.error(). libtiff allocates at most
/// `largest` bytes at a time for itself.
TiffHandle open_tiff(const TiffClient& client, const char* mode, uint64_t largest, TiffMessages& messages);

}  // namespace onepass::files

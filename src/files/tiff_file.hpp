// tiff_file.hpp: an open TIFF file for one thread, because a handle of libtiff serves one thread at a time. Several can
// read the same source.
#pragma once

#include <memory>

#include "files/readers.hpp"
#include "files/tiff_handle.hpp"

namespace onepass::files {

/// libtiff's memory for any file: its lists of tags and the tables of a codec.
inline constexpr uint64_t kTiffLibraryBytes = uint64_t{512} << 10;

class TiffFile {
 public:
  /// Opens the first page of `source`, which must outlive the file. A single allocation of libtiff has at most
  /// `largest` bytes.
  static Result<std::unique_ptr<TiffFile>> open(const Source& source, uint64_t largest);
  TiffFile(const TiffFile&) = delete;
  TiffFile& operator=(const TiffFile&) = delete;

  [[nodiscard]] TIFF* tiff() const { return tiff_.get(); }
  [[nodiscard]] TiffMessages& messages() { return messages_; }

  /// Makes page `page` current, with JPEG's YCbCr as RGB. False if there is no such page.
  bool select(uint32_t page);
  /// The same of the page whose directory is at `offset`, without a walk along the pages before it.
  bool select_at(uint64_t offset);

  /// What libtiff's last error means: kIo, kOutOfMemory or kBadData.
  [[nodiscard]] Error failed() const;

 private:
  explicit TiffFile(const Source& source) : source_(source) {}
  static tmsize_t on_read(thandle_t self, void* target, tmsize_t count);
  static tmsize_t on_write(thandle_t self, void* bytes, tmsize_t count);
  static toff_t on_seek(thandle_t self, toff_t offset, int whence);
  static toff_t on_size(thandle_t self);
  static int on_map(thandle_t self, void** base, toff_t* size);
  static void on_unmap(thandle_t self, void* base, toff_t size);

  void convert_jpeg();

  const Source& source_;
  uint64_t position_ = 0;
  uint32_t page_ = 0;
  int read_error_ = 0;  // an errno
  TiffMessages messages_;
  TiffHandle tiff_;
};

}  // namespace onepass::files

// tiff_file.hpp: a TIFF file opened once per thread, because a handle of libtiff serves one thread at a time.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <vector>

#include "files/target.hpp"
#include "files/tiff_handle.hpp"
#include "onepass/result.hpp"

namespace onepass::tiles {

/// An open file and the position of one handle of libtiff in it.
class TiffFile {
 public:
  static Result<std::unique_ptr<TiffFile>> open(const std::filesystem::path& path);

  [[nodiscard]] TIFF* tiff() const { return tiff_.get(); }
  [[nodiscard]] files::TiffMessages& messages() { return messages_; }
  [[nodiscard]] int descriptor() const { return file_.number(); }
  [[nodiscard]] uint64_t size() const { return size_; }

  /// Makes page `page` current, with colours of JPEG as RGB. False if there is no such page.
  bool select(uint32_t page);

 private:
  TiffFile() = default;
  static tmsize_t on_read(thandle_t self, void* target, tmsize_t count);
  static tmsize_t on_write(thandle_t self, void* bytes, tmsize_t count);
  static toff_t on_seek(thandle_t self, toff_t offset, int whence);
  static toff_t on_size(thandle_t self);

  files::Handle file_;
  uint64_t size_ = 0;
  uint64_t position_ = 0;
  uint32_t page_ = 0;
  files::TiffMessages messages_;
  files::TiffHandle tiff_;
};

}  // namespace onepass::tiles

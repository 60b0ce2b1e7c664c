// tiff_file.cpp: callbacks of libtiff on a file descriptor; see tiff_file.hpp.
#include "tiles/tiff_file.hpp"

#include <cstdio>
#include <span>

#include "files/system.hpp"
#include "files/writers.hpp"
#include "tiles/file_io.hpp"

namespace onepass::tiles {
namespace {

constexpr uint64_t kLargestAllocation = uint64_t{1} << 32;  // of libtiff: tables of offsets, a tile

}  // namespace

tmsize_t TiffFile::on_read(thandle_t self, void* target, tmsize_t count) {
  auto* file = static_cast<TiffFile*>(self);
  std::span rest(static_cast<std::byte*>(target), static_cast<size_t>(count));
  while (!rest.empty()) {
    const ptrdiff_t n = files::system::read_at(file->file_.number(), rest, file->position_);
    if (n <= 0) break;
    rest = rest.subspan(static_cast<size_t>(n));
    file->position_ += static_cast<uint64_t>(n);
  }
  return count - static_cast<tmsize_t>(rest.size());
}

tmsize_t TiffFile::on_write(thandle_t /*self*/, void* /*bytes*/, tmsize_t /*count*/) { return -1; }

toff_t TiffFile::on_seek(thandle_t self, toff_t offset, int whence) {
  auto* file = static_cast<TiffFile*>(self);
  const uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->position_ : file->size_;
  return file->position_ = from + offset;
}

toff_t TiffFile::on_size(thandle_t self) { return static_cast<TiffFile*>(self)->size_; }

Result<std::unique_ptr<TiffFile>> TiffFile::open(const std::filesystem::path& path) {
  std::unique_ptr<TiffFile> file(new TiffFile);
  Result<InputHandle> opened = open_input(path);
  if (!opened) return opened.error();
  file->file_ = std::move(opened->handle);
  file->size_ = opened->size;
  const files::TiffClient client{.data = file.get(),
                                 .read = &TiffFile::on_read,
                                 .write = &TiffFile::on_write,
                                 .seek = &TiffFile::on_seek,
                                 .size = &TiffFile::on_size};
  // m: no mapping. O: offsets of strips and tiles are read when they are needed.
  file->tiff_ = files::open_tiff(client, "rmO", kLargestAllocation, file->messages_);
  if (!file->tiff_) return files::file_error(path, ErrorCode::kBadData, file->messages_.error());
  return file;
}

bool TiffFile::select(uint32_t page) {
  if (page != page_ && TIFFSetDirectory(tiff_.get(), page) == 0) return false;
  page_ = page;
  uint16_t compression = 0;
  uint16_t photometric = 0;
  TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_COMPRESSION, &compression);
  TIFFGetField(tiff_.get(), TIFFTAG_PHOTOMETRIC, &photometric);
  if (compression == COMPRESSION_JPEG && photometric == PHOTOMETRIC_YCBCR) {
    TIFFSetField(tiff_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
  return true;
}

}  // namespace onepass::tiles

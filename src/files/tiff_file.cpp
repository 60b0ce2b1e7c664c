// tiff_file.cpp: libtiff's callbacks. A file in memory is given to libtiff as mapped memory, of which it copies
// nothing.
#include "files/tiff_file.hpp"

#include <algorithm>
#include <cstdio>

namespace onepass::files {

tmsize_t TiffFile::on_read(thandle_t self, void* target, tmsize_t count) {
  auto* file = static_cast<TiffFile*>(self);
  const uint64_t size = file->source_.size();
  const uint64_t left = file->position_ < size ? size - file->position_ : 0;
  const uint64_t got = std::min<uint64_t>(left, count < 0 ? 0 : static_cast<uint64_t>(count));
  const int number = file->source_.read_at(file->position_, {static_cast<std::byte*>(target), got});
  if (number != 0) {
    file->read_error_ = std::max(number, 0);
    return 0;  // libtiff adds a negative number to its position in a buffer
  }
  file->position_ += got;
  return static_cast<tmsize_t>(got);
}

tmsize_t TiffFile::on_write(thandle_t /*self*/, void* /*bytes*/, tmsize_t /*count*/) { return -1; }

toff_t TiffFile::on_seek(thandle_t self, toff_t offset, int whence) {
  auto* file = static_cast<TiffFile*>(self);
  const uint64_t from = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? file->position_ : file->source_.size();
  return file->position_ = from + offset;
}

toff_t TiffFile::on_size(thandle_t self) { return static_cast<TiffFile*>(self)->source_.size(); }

int TiffFile::on_map(thandle_t self, void** base, toff_t* size) {
  const Source& source = static_cast<TiffFile*>(self)->source_;
  if (!source.in_memory()) return 0;
  *base = const_cast<std::byte*>(source.bytes.data());  // libtiff reads only
  *size = source.bytes.size();
  return 1;
}

void TiffFile::on_unmap(thandle_t /*self*/, void* /*base*/, toff_t /*size*/) {}

Result<std::unique_ptr<TiffFile>> TiffFile::open(const Source& source, uint64_t largest) {
  std::unique_ptr<TiffFile> file(new TiffFile(source));
  const TiffClient client{file.get(),         &TiffFile::on_read, &TiffFile::on_write, &TiffFile::on_seek,
                          &TiffFile::on_size, &TiffFile::on_map,  &TiffFile::on_unmap};
  // O: offsets of strips and tiles are loaded when they are needed, after sizes have been checked. m: no mapping.
  file->tiff_ = open_tiff(client, source.in_memory() ? "rO" : "rmO", largest, file->messages_);
  if (!file->tiff_) return file->failed();
  file->messages_.clear();  // drops warnings about unknown tags
  file->select(0);
  return file;
}

bool TiffFile::select(uint32_t page) {
  if (page != page_ && TIFFSetDirectory(tiff_.get(), page) == 0) return false;
  page_ = page;
  convert_jpeg();
  return true;
}

bool TiffFile::select_at(uint64_t offset) {
  if (offset == TIFFCurrentDirOffset(tiff_.get())) return true;
  if (TIFFSetSubDirectory(tiff_.get(), offset) == 0) return false;
  page_ = UINT32_MAX;  // select() reads its page anew
  convert_jpeg();
  return true;
}

void TiffFile::convert_jpeg() {
  uint16_t compression = 0;
  uint16_t photometric = 0;
  TIFFGetFieldDefaulted(tiff_.get(), TIFFTAG_COMPRESSION, &compression);
  TIFFGetField(tiff_.get(), TIFFTAG_PHOTOMETRIC, &photometric);
  if (compression == COMPRESSION_JPEG && photometric == PHOTOMETRIC_YCBCR) {
    TIFFSetField(tiff_.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  }
}

Error TiffFile::failed() const {
  if (read_error_ != 0) {
    return source_.unreadable(read_error_);
  }
  const std::string message = messages_.error();
  const bool memory = message.find("emory") != std::string::npos || message.find("No space") != std::string::npos;
  return source_.error(memory ? ErrorCode::kOutOfMemory : ErrorCode::kBadData, message);
}

}  // namespace onepass::files

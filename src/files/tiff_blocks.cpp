// tiff_blocks.cpp: a block that ends early, or for which libjpeg invents pixels, is an error.
#include "files/tiff_blocks.hpp"

namespace onepass::files {

Result<bool> decode_tiff_block(const Source& source, TiffFile& file, const TiffPage& page, uint32_t number,
                               size_t bytes, std::vector<std::byte>& decoded) {
  TIFF* tiff = file.tiff();
  int error_number = 0;
  const uint64_t stored = TIFFGetStrileByteCountWithErr(tiff, number, &error_number);
  const uint64_t offset = TIFFGetStrileOffsetWithErr(tiff, number, &error_number);
  if (error_number != 0) return file.failed();
  if (stored == 0 && offset == 0) return false;
  decoded.assign(bytes, std::byte{0});  // a damaged block may end early
  const auto wanted = static_cast<tmsize_t>(bytes);
  const tmsize_t got = page.tiled ? TIFFReadEncodedTile(tiff, number, decoded.data(), wanted)
                                  : TIFFReadEncodedStrip(tiff, number, decoded.data(), wanted);
  if (got < 0 || file.messages().made_up()) return file.failed();
  if (got < wanted) {
    return source.bad(std::string("TIFF: ") + (page.tiled ? "tile " : "strip ") + std::to_string(number) + " has " +
                      std::to_string(got) + " bytes, not " + std::to_string(bytes));
  }
  return true;
}

}  // namespace onepass::files

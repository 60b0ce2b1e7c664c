// absent.cpp: stand-ins for the file types that this build lacks; they return kUnsupported.
#include "files/readers.hpp"
#include "files/row_reader.hpp"

namespace onepass::files {

#ifndef ONEPASS_HAS_TIFF
Result<ImageFile> read_tiff(const Source& source, const ReadOptions& /*options*/) {
  return source.unsupported("is a TIFF file, and onepass was built without TIFF");
}

Result<std::unique_ptr<RowReader>> open_tiff_rows(const Source& /*source*/, const RowOptions& /*options*/) {
  return std::unique_ptr<RowReader>();
}

Result<void> write_tiff(const std::filesystem::path& path, const ImageView& /*image*/, const TiffOptions& /*options*/) {
  return Error{ErrorCode::kUnsupported, "onepass was built without TIFF", path.string()};
}
#endif

#ifndef ONEPASS_HAS_WEBP
Result<ImageFile> read_webp(const Source& source, const ReadOptions& /*options*/) {
  return source.unsupported("is a WebP file, and onepass was built without WebP");
}
#endif

}  // namespace onepass::files

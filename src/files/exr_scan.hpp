// exr_scan.hpp: the check that lengths and sizes in the headers of an OpenEXR file can be true.
#pragma once

#include "files/readers.hpp"

namespace onepass::files {

/// Refuses files whose headers claim more than the file holds, sizes above kMaxSize, and headers that OpenEXR needs
/// more than options.max_bytes for. Allocates nothing.
Result<void> check_exr_headers(const Source& source, const ReadOptions& options);

}  // namespace onepass::files

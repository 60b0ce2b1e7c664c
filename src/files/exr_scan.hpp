// exr_scan.hpp: the check that lengths and sizes in the headers of an OpenEXR file can be true.
#pragma once

#include "files/readers.hpp"

namespace onepass::files {

/// Refuses files whose headers claim more than the file holds, and sizes above kMaxSize. Allocates nothing.
Result<void> check_exr_headers(const Source& source);

}  // namespace onepass::files

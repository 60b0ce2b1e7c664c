// exr_scan.hpp: checks that the lengths and sizes in the headers of an OpenEXR file are possible.
#pragma once

#include "files/readers.hpp"

namespace onepass::files {

/// Least bytes of a chunk: an entry in the offset table, and the chunk's header.
inline constexpr uint64_t kMinChunkBytes = 16;

/// Refuses files whose headers claim more than the file holds, sizes above kMaxSize, and headers for which OpenEXR
/// needs more than options.max_bytes. Allocates nothing.
Result<void> check_exr_headers(const Source& source, const ReadOptions& options);

}  // namespace onepass::files

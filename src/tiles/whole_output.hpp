// whole_output.hpp: outputs that are written as a whole: KTX2 and mip-mapped OpenEXR.
#pragma once

#include "tiles/output.hpp"
#include "tiles/row_source.hpp"

namespace onepass::tiles {

/// Reads all rows, makes the levels with footprint covering and writes the file.
/// Errors: kUnsupported for pixels that the file type cannot hold, kOutOfMemory above TileInput::max_bytes.
Result<TileReport> make_whole(const OutputPlan& plan, RowSource& source);

}  // namespace onepass::tiles

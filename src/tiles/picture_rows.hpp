// picture_rows.hpp: the rows of a source as the picture is meant: upright, and with sRGB or linear values.
//
//     source --stored values--> sRGB values, if its curve is another one --> turned by its orientation --> rows
//
// This is done once for all types, behind their readers.
#pragma once

#include "tiles/row_source.hpp"

namespace onepass::tiles {

/// Applies what `source` says of its colours and its orientation. Values of another curve than sRGB or linear become
/// sRGB values of as many bits, as in files::read(). Primaries other than those of BT.709 become a profile for the
/// outputs. Statements that cannot be applied become warnings. `color` other than kAuto decides instead of the source.
/// A picture that must be turned is decoded into memory at its first row, unless it is only mirrored.
/// Errors: kOutOfMemory for a picture that must be turned and needs more than `max_bytes`.
Result<SourcePtr> as_meant(SourcePtr source, files::Color color, uint64_t max_bytes);

}  // namespace onepass::tiles

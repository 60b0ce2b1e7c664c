// stream_reducer.hpp: the reduction by cpu::PyramidStream.
#pragma once

#include <memory>

#include "tiles/reducer.hpp"

namespace onepass::tiles {

/// The format that stores rows of this layout; kUndefined if there is none or if a stream does not weigh its alpha.
Format stream_format(const PixelLayout& layout, bool srgb);

/// The format of labels with these samples, one channel; kUndefined if labels have no such samples.
Format label_format(Sample sample);

/// A reducer of rows in `format`, which is stream_format() of its layout or, for Reduction::kMode, label_format().
Result<std::unique_ptr<Reducer>> make_stream_reducer(const ReducerOptions& options, Format format, Reducer::Sink sink);

}  // namespace onepass::tiles

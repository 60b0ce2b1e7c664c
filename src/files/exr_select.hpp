// exr_select.hpp: which part of an OpenEXR file is read, and which of its channels.
#pragma once

#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfMultiPartInputFile.h>

#include <string>
#include <vector>

#include "files/readers.hpp"

namespace onepass::files {

/// What the channels of a selection are, and so where they go in a texel.
enum class Content {
  kChannels,         ///< Up to four, in the order of the list.
  kLuminanceAlpha,   ///< Y, A: grey in R, G and B.
  kLuminanceChroma,  ///< RY, Y, BY and perhaps A: read into R, G, B and A, then converted.
};

struct Selection {
  int part = 0;
  std::vector<std::string> channels;  ///< None: the part lacks what was asked for.
  Content content = Content::kChannels;
};

/// The channels that the options ask for and the first part that has them.
/// Errors: kNotFound, kInvalidArgument; kUnsupported if only a deep part has them.
Result<Selection> select_channels(const Source& source, const Imf::MultiPartInputFile& file,
                                  const ReadOptions& options);

/// Which channel of a texel the n-th channel of the selection becomes.
size_t slot_of(const Selection& selection, size_t n);

/// The last channel is the alpha of the others.
bool reads_alpha(const Selection& selection);

/// Empty if the part has none.
std::string part_name(const Imf::Header& header);

std::vector<std::string> channel_names(const Imf::Header& header);

}  // namespace onepass::files

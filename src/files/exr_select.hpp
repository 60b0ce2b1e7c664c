// exr_select.hpp: selects the part of an OpenEXR file to read, and its channels.
#pragma once

#include <OpenEXR/ImfHeader.h>
#include <OpenEXR/ImfMultiPartInputFile.h>

#include <string>
#include <vector>

#include "files/readers.hpp"

namespace onepass::files {

/// Kind of the selected channels, which determines their positions in a texel.
enum class Content {
  kChannels,         ///< Up to four, in the order of the list.
  kLuminanceAlpha,   ///< Y, A: grey in R, G and B.
  kLuminanceChroma,  ///< RY, Y, BY and perhaps A: read into R, G, B and A, then converted.
};

struct Selection {
  int part = 0;
  std::vector<std::string> channels;  ///< Empty: the part lacks the requested channels.
  Content content = Content::kChannels;
};

/// The requested channels, and the first part that has them.
/// Errors: kNotFound, kInvalidArgument; kUnsupported if only a deep part has them.
Result<Selection> select_channels(const Source& source, const Imf::MultiPartInputFile& file,
                                  const ReadOptions& options);

/// The channel of a texel that receives the n-th selected channel.
size_t slot_of(const Selection& selection, size_t n);

/// Whether the last channel is the alpha of the others.
bool reads_alpha(const Selection& selection);

/// The name of a part; empty if it has none.
std::string part_name(const Imf::Header& header);

std::vector<std::string> channel_names(const Imf::Header& header);

}  // namespace onepass::files

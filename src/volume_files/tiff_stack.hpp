// tiff_stack.hpp: the pages of a TIFF file as planes of volumes.
//
//     pages     0 1 2 3 4 5 ...     one directory each; or one directory and planes behind the first (ImageJ, > 4 GB)
//     planes    (t, c, z)           which page each is: OME-XML, the description of ImageJ, or the order of the pages
//
// A page of several samples holds as many channels.
// Sources: Open Microscopy Environment, "OME-TIFF specification", 2016; ImageJ (imagej_description.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "files/tiff_file.hpp"
#include "files/tiff_layout.hpp"
#include "volume_files/volume_source.hpp"

namespace onepass::volumes {

/// Where a page is.
struct StackPage {
  uint64_t directory = 0;        ///< Offset in the file.
  std::optional<uint64_t> flat;  ///< Offset of the first voxel, if rows lie in the file as in memory.
};

struct TiffStack {
  files::TiffPage page;  ///< How every page stores its pixels.
  std::vector<StackPage> pages;
  uint32_t times = 1, channels = 1, planes = 1;
  bool has_time_axis = false, has_channel_axis = false;
  bool all_flat = true;           ///< No page must be decoded.
  std::vector<uint32_t> page_of;  ///< By (t * page channels + c) * planes + z, where c counts pages.
  bool swapped = false;           ///< Flat pages are not in the byte order of the machine.
  VolumeMetadata metadata;

  /// The page of a plane; `channel` includes the samples of a page.
  [[nodiscard]] const StackPage& find(uint32_t t, uint32_t channel, uint32_t z) const {
    const uint32_t page_channels = channels / page.samples;
    return pages[page_of[(size_t{t} * page_channels + channel / page.samples) * planes + z]];
  }
};

/// Reads all directories of an open file, which must look alike, and what the first one describes.
/// Errors: kIo, kBadData, kUnsupported, kOutOfMemory.
Result<TiffStack> read_tiff_stack(const files::Source& source, files::TiffFile& file);

}  // namespace onepass::volumes

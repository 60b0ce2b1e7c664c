// tiff_stack.cpp: walks along the directories once, then asks the description of the first one.
#include "volume_files/tiff_stack.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

#include "files/ome_xml.hpp"
#include "tiles/text.hpp"
#include "volume_files/imagej_description.hpp"

namespace onepass::volumes {
namespace {

using tiles::text_of;

constexpr size_t kMostPages = size_t{1} << 24;
constexpr uint32_t kMostAxis = 1U << 20;  // of z, c and t

// Rows, one behind the other, in the whole page: uncompressed strips without gaps.
std::optional<uint64_t> flat_offset(TIFF* tiff, const files::TiffPage& page) {
  const bool plain = page.compression == COMPRESSION_NONE && !page.tiled && page.samples == 1 && page.verbatim() &&
                     files::tag16(tiff, TIFFTAG_FILLORDER) != FILLORDER_LSB2MSB;
  if (!plain) return std::nullopt;
  const uint64_t row = page.block_row_bytes();
  const uint64_t first = TIFFGetStrileOffset(tiff, 0);
  uint64_t expected = first;
  for (uint64_t strip = 0; strip < page.blocks_down(); ++strip) {
    const uint64_t rows = std::min<uint64_t>(page.block_height, page.size.height - strip * page.block_height);
    const auto number = static_cast<uint32_t>(strip);
    if (TIFFGetStrileOffset(tiff, number) != expected || TIFFGetStrileByteCount(tiff, number) < row * rows) return {};
    expected += row * rows;
  }
  return first != 0 ? std::optional(first) : std::nullopt;
}

bool is_alike(const files::TiffPage& a, const files::TiffPage& b) {
  return a.size == b.size && a.samples == b.samples && a.bits == b.bits && a.sample == b.sample &&
         a.photometric == b.photometric && a.compression == b.compression && a.planes == b.planes &&
         a.tiled == b.tiled && a.block_width == b.block_width && a.block_height == b.block_height;
}

Result<void> read_pages(const files::Source& source, files::TiffFile& file, TiffStack& stack) {
  TIFF* tiff = file.tiff();
  do {
    uint32_t kind = 0;
    TIFFGetField(tiff, TIFFTAG_SUBFILETYPE, &kind);
    if ((kind & FILETYPE_REDUCEDIMAGE) != 0 && !stack.pages.empty()) continue;
    auto page = files::tiff_page(source, tiff);
    if (!page) return page.error();
    page->palette.clear();  // indices are the voxels
    if (stack.pages.empty()) {
      stack.page = *page;
    } else if (!is_alike(stack.page, *page)) {
      return source.unsupported(text_of("TIFF: page ", stack.pages.size(), " differs from page 0 in size or layout"));
    }
    if (stack.pages.size() == kMostPages) return source.unsupported("TIFF: has more than 2^24 pages");
    stack.pages.push_back({TIFFCurrentDirOffset(tiff), flat_offset(tiff, *page)});
    stack.all_flat = stack.all_flat && stack.pages.back().flat;
  } while (TIFFReadDirectory(tiff) != 0);
  if (stack.page.bits == 64) return source.unsupported("TIFF: samples have 64 bits; up to 32 are read");
  if (!file.select_at(stack.pages.front().directory)) return file.failed();
  return {};
}

void take_lengths(std::optional<double> x, std::optional<double> y, std::optional<double> z, uint32_t planes,
                  VolumeMetadata& metadata) {
  const auto is_length = [](const std::optional<double>& length) { return length && *length > 0; };
  if (!is_length(x) || !is_length(y) || (!is_length(z) && planes > 1)) return;
  metadata.voxel = VoxelSize{*x, *y, is_length(z) ? *z : 1.0};
}

// "s" of OME-XML as OME-NGFF calls it.
std::string time_unit_of(std::string_view text) {
  constexpr std::pair<std::string_view, const char*> kUnits[] = {
      {"s", "second"}, {"ms", "millisecond"}, {"min", "minute"}, {"h", "hour"}, {"d", "day"}};
  for (const auto& [known, unit] : kUnits) {
    if (known == text) return unit;
  }
  return {};
}

Error wrong_sizes(const files::Source& source, const std::string& text, const TiffStack& stack) {
  return source.bad(text_of(text, ", but it has ", stack.pages.size(), " pages of ", stack.page.samples, " samples"));
}

// The pages of an OME-TIFF: planes are numbered in DimensionOrder; TiffData moves them to other pages.
Result<void> place_ome_pages(const files::Source& source, const files::OmePixels& ome, TiffStack& stack) {
  const uint32_t page_channels = stack.channels / stack.page.samples;
  const size_t count = size_t{stack.times} * page_channels * stack.planes;
  size_t z_step = 0, c_step = 0, t_step = 0, step = 1;
  for (const char axis : ome.order) {
    if (axis == 'Z') z_step = std::exchange(step, step * stack.planes);
    if (axis == 'C') c_step = std::exchange(step, step * page_channels);
    if (axis == 'T') t_step = std::exchange(step, step * stack.times);
  }
  if (ome.order.size() != 5 || z_step * c_step * t_step == 0) {
    return source.bad("OME-TIFF: DimensionOrder is '" + ome.order + "'");
  }
  constexpr uint32_t kNone = UINT32_MAX;
  std::vector<uint32_t> by_order(count, kNone);
  std::vector<files::OmeTiffData> tiff_data = ome.tiff_data;
  if (tiff_data.empty()) tiff_data.emplace_back();
  for (const files::OmeTiffData& data : tiff_data) {
    const size_t first = data.z * z_step + data.c / stack.page.samples * c_step + data.t * t_step;
    const size_t planes = data.count ? *data.count : data.has_ifd ? 1 : count;
    for (size_t i = 0; i < planes && first + i < count; ++i) by_order[first + i] = static_cast<uint32_t>(data.ifd + i);
  }
  for (uint32_t t = 0; t < stack.times; ++t) {
    for (uint32_t c = 0; c < page_channels; ++c) {
      for (uint32_t z = 0; z < stack.planes; ++z) {
        const uint32_t page = by_order[t * t_step + c * c_step + z * z_step];
        if (page >= stack.pages.size()) {
          return wrong_sizes(source,
                             page == kNone ? text_of("OME-TIFF: no page holds plane z ", z, ", c ", c, ", t ", t)
                                           : text_of("OME-TIFF: plane z ", z, ", c ", c, ", t ", t, " is page ", page),
                             stack);
        }
        stack.page_of.push_back(page);
      }
    }
  }
  return {};
}

Result<void> take_ome(const files::Source& source, const files::OmePixels& ome, TiffStack& stack) {
  const uint32_t samples = stack.page.samples;
  const auto is_wrong = [](uint32_t size) { return size == 0 || size > kMostAxis; };
  if (is_wrong(ome.channels) || is_wrong(ome.depth) || is_wrong(ome.times) || ome.channels % samples != 0 ||
      uint64_t{ome.channels} * ome.depth * ome.times > uint64_t{stack.pages.size()} * samples) {
    return wrong_sizes(
        source, text_of("OME-TIFF: SizeZ is ", ome.depth, ", SizeC ", ome.channels, " and SizeT ", ome.times), stack);
  }
  if (ome.has_more_files) return source.unsupported("OME-TIFF: its planes are in several files");
  stack.times = ome.times;
  stack.channels = ome.channels;
  stack.planes = ome.depth;
  if (auto done = place_ome_pages(source, ome, stack); !done) return done;
  VolumeMetadata& metadata = stack.metadata;
  take_lengths(ome.pixel_width_um, ome.pixel_height_um, ome.voxel_depth_um, stack.planes, metadata);
  if (metadata.voxel) metadata.unit = "micrometer";
  if (ome.time_step && *ome.time_step > 0 && !time_unit_of(ome.time_unit).empty()) {
    metadata.time_step = *ome.time_step;
    metadata.time_unit = time_unit_of(ome.time_unit);
  }
  const auto is_named = [](const std::string& name) { return !name.empty(); };
  if (ome.channel_names.size() == ome.channels &&
      std::any_of(ome.channel_names.begin(), ome.channel_names.end(), is_named)) {
    metadata.channel_names = ome.channel_names;
  }
  return {};
}

// Pages in the order c, z, t, channels fastest. Of a large file only the first page has a directory.
Result<void> take_imagej(const files::Source& source, files::TiffFile& file, ImagejDescription imagej,
                         TiffStack& stack) {
  const uint64_t product = uint64_t{imagej.channels} * imagej.slices * imagej.frames;
  if (product == 1) imagej.slices = imagej.images;  // a stack without axes
  const bool fits = imagej.channels <= kMostAxis && imagej.slices <= kMostAxis && imagej.frames <= kMostAxis &&
                    uint64_t{imagej.channels} * imagej.slices * imagej.frames == imagej.images;
  if (imagej.images == 0 || imagej.images > kMostPages || !fits) {
    return wrong_sizes(source,
                       text_of("ImageJ: images is ", imagej.images, ", channels ", imagej.channels, ", slices ",
                               imagej.slices, " and frames ", imagej.frames),
                       stack);
  }
  if (stack.pages.size() == 1 && imagej.images > 1) {
    const StackPage first = stack.pages.front();
    const uint64_t bytes = stack.page.block_row_bytes() * stack.page.size.height;
    if (!first.flat || (source.size() - std::min(*first.flat, source.size())) / bytes < imagej.images) {
      return wrong_sizes(
          source,
          text_of("ImageJ: images is ", imagej.images, ", of ", bytes, " bytes each, in ", source.size(), " bytes"),
          stack);
    }
    for (uint32_t i = 1; i < imagej.images; ++i) stack.pages.push_back({first.directory, *first.flat + i * bytes});
  }
  if (stack.pages.size() < imagej.images) {
    return wrong_sizes(source, text_of("ImageJ: images is ", imagej.images), stack);
  }
  stack.times = imagej.frames;
  stack.channels = imagej.channels * stack.page.samples;
  stack.planes = imagej.slices;
  for (uint32_t t = 0; t < imagej.frames; ++t) {
    for (uint32_t c = 0; c < imagej.channels; ++c) {
      for (uint32_t z = 0; z < imagej.slices; ++z) {
        stack.page_of.push_back((t * imagej.slices + z) * imagej.channels + c);
      }
    }
  }
  float x = 0;
  float y = 0;
  VolumeMetadata& metadata = stack.metadata;
  if (!imagej.unit.empty() && TIFFGetField(file.tiff(), TIFFTAG_XRESOLUTION, &x) != 0 &&
      TIFFGetField(file.tiff(), TIFFTAG_YRESOLUTION, &y) != 0 && x > 0 && y > 0) {
    take_lengths(1.0 / x, 1.0 / y, imagej.spacing, stack.planes, metadata);
    metadata.unit = imagej.unit;
  }
  if (imagej.interval && *imagej.interval > 0) {
    metadata.time_step = *imagej.interval;
    metadata.time_unit = "second";
  }
  return {};
}

}  // namespace

Result<TiffStack> read_tiff_stack(const files::Source& source, files::TiffFile& file) {
  TiffStack stack;
  if (auto done = read_pages(source, file, stack); !done) return done.error();
  stack.swapped = TIFFIsByteSwapped(file.tiff()) != 0;
  const char* text = nullptr;
  if (TIFFGetField(file.tiff(), TIFFTAG_IMAGEDESCRIPTION, &text) == 0 || text == nullptr) text = "";
  Result<void> done;
  if (const auto ome = files::parse_ome(text)) {
    done = take_ome(source, *ome, stack);
  } else if (const auto imagej = parse_imagej(text)) {
    done = take_imagej(source, file, *imagej, stack);
  } else {
    stack.channels = stack.page.samples;
    stack.planes = static_cast<uint32_t>(stack.pages.size());
    for (uint32_t z = 0; z < stack.planes; ++z) stack.page_of.push_back(z);
  }
  if (!done) return done.error();
  stack.has_time_axis = stack.times > 1;
  stack.has_channel_axis = stack.channels > 1;
  return stack;
}

}  // namespace onepass::volumes

// dds_read.cpp: reads DDS files: all levels and slices, of texels, of words with masks, and of blocks.
#include <algorithm>
#include <bit>
#include <utility>
#include <vector>

#include "files/dds_format.hpp"
#include "files/pixels.hpp"
#include "files/readers.hpp"
#include "files/row_reader.hpp"
#include "onepass/process_limits.hpp"

namespace onepass::files {
namespace {

using dds::Header;

constexpr uint64_t kSmallBytes = 8192;  // lists of levels, objects of threads

// What becomes of stored texels.
struct Steps {
  Format stored = Format::kUndefined;  ///< Of the texels, as they are read.
  Format label = Format::kUndefined;   ///< The same bytes under another name: UNORM taken as sRGB, or the reverse.
  bool decode = false;                 ///< Values of a format without an sRGB counterpart are decoded to floats.
};

Steps steps_of(const Header& header, const ReadOptions& options) {
  Steps steps{.stored = header.layout.format};
  const bool eight = header.layout.bits <= 8;
  const bool assumed = !header.layout.says_encoding && header.layout.is_color && eight;
  const bool srgb = options.color == Color::kSrgb || (options.color == Color::kAuto && assumed);
  steps.label = options.color == Color::kLinear ? without_srgb(steps.stored) : steps.stored;
  if (srgb) steps.label = with_srgb(steps.label);
  const FormatInfo& info = format_info(steps.label);
  steps.decode = srgb && info.type != ChannelType::kSrgb && !info.depth;
  return steps;
}

/// Bytes of rows that decompression keeps for each thread.
uint64_t decompression_bytes(const Header& header) {
  if (header.layout.blocks == BlockFormat::kUndefined) return 0;
  return uint64_t{80} * (uint64_t{header.size.width} + 3);
}

/// Checks the peak of memory: all levels as they are returned, beside one of them before it is decoded, and the rows of
/// threads. `threads`: as many as fit.
Result<void> check_dds_memory(const Source& source, const ReadOptions& options, const Header& header,
                              const Steps& steps, uint32_t& threads) {
  const Format result = steps.decode ? float_format(format_info(steps.label).channels) : steps.label;
  uint64_t all = kSmallBytes;
  uint64_t beside = 0;
  for (uint32_t n = 0; n < header.levels; ++n) {
    const Extent size = dds::level_size(header.size, n);
    all += image_bytes(result, size.width, size.height, header.slices);
    if (!steps.decode) continue;
    beside =
        std::max(beside, image_bytes(steps.stored, size.width, size.height, header.slices) + uint64_t{16} * size.width);
  }
  all += beside;
  const uint64_t rows = decompression_bytes(header);
  threads = options.threads == 0 ? usable_threads() : options.threads;
  if (all + rows * threads + source.held > options.max_bytes) threads = 1;
  const std::string what = "DDS: an image of " + size_text(header.size.width, header.size.height) + " pixels, " +
                           std::to_string(header.levels) + " levels, " + std::to_string(header.slices) + " slices";
  return check_memory(source, options, all + rows * threads, what);
}

/// A channel of a word, scaled to `most`, rounded to nearest.
uint32_t channel_of(uint32_t word, uint32_t mask, uint32_t most) {
  if (mask == 0) return 0;
  const uint64_t largest = mask >> std::countr_zero(mask);
  const uint64_t value = (word & mask) >> std::countr_zero(mask);
  return static_cast<uint32_t>((2 * value * most + largest) / (2 * largest));
}

template <typename Channel>
void expand_masks(const dds::Layout& layout, const std::byte* stored, size_t texels, bool grey, Channel* out) {
  constexpr uint32_t kMost = static_cast<Channel>(~Channel{0});
  for (size_t i = 0; i < texels; ++i) {
    uint32_t word = 0;
    std::memcpy(&word, stored + i * layout.texel_bytes, layout.texel_bytes);
    for (size_t c = 0; c < (grey ? 1 : 4); ++c) {
      const bool opaque = c == 3 && layout.masks[c] == 0;
      *out++ = static_cast<Channel>(opaque ? kMost : channel_of(word, layout.masks[c], kMost));
    }
  }
}

void copy_texels(const dds::Layout& layout, Format format, const std::byte* stored, size_t texels, std::byte* out) {
  if (layout.three_floats) {
    constexpr float kOne = 1;
    for (size_t i = 0; i < texels; ++i) {
      std::memcpy(out + 16 * i, stored + 12 * i, 12);
      std::memcpy(out + 16 * i + 12, &kOne, 4);
    }
  } else if (!layout.has_masks) {
    std::memcpy(out, stored, texels * layout.texel_bytes);
  } else if (const FormatInfo& info = format_info(format); info.bytes_per_texel / info.channels == 1) {
    expand_masks(layout, stored, texels, info.channels == 1, reinterpret_cast<uint8_t*>(out));
  } else {
    expand_masks(layout, stored, texels, info.channels == 1, reinterpret_cast<uint16_t*>(out));
  }
}

/// Reads a level of all slices, which are slice_bytes() apart; `offset`: of the level in a slice.
Result<Image> read_level(const Source& source, const Header& header, const Steps& steps, uint32_t level,
                         uint64_t offset, uint32_t threads) {
  const Extent size = dds::level_size(header.size, level);
  Result<Image> image = create_image(source, steps.label, size, header.slices);
  if (!image) return image;
  const std::byte* const stored = source.bytes.data() + header.pixels + offset;
  const uint64_t stride = dds::slice_bytes(header);
  if (header.layout.blocks != BlockFormat::kUndefined) {
    const size_t row = size_t{size_in_blocks(header.layout.blocks, size).width} *
                       block_format_info(header.layout.blocks).bytes_per_block;
    MutableImageView target = image->view();
    target.format = steps.stored;
    const auto done =
        cpu::decompress({stored, header.layout.blocks, size, header.slices, row, stride}, target, {threads});
    if (!done) return source.error(done.error().code, done.error().message);
  } else {
    for (uint32_t slice = 0; slice < header.slices; ++slice) {
      copy_texels(header.layout, steps.stored, stored + slice * stride, size_t{size.width} * size.height,
                  image->view().row(0, slice));
    }
  }
  if (!steps.decode) return image;
  image = decoded_from_srgb(image->view());
  if (!image) return source.error(image.error().code, image.error().message);
  return image;
}

}  // namespace

Result<ImageFile> read_dds(const Source& source, const ReadOptions& options) {
  const Result<Header> header = dds::read_header(source);
  if (!header) return header.error();
  const Steps steps = steps_of(*header, options);
  uint32_t threads = 1;
  if (auto fine = check_dds_memory(source, options, *header, steps, threads); !fine) return fine.error();
  ImageFile file;
  file.warnings = header->warnings;
  uint64_t offset = 0;
  for (uint32_t n = 0; n < header->levels; ++n) {
    Result<Image> image = read_level(source, *header, steps, n, offset, threads);
    if (!image) return image.error();
    if (n == 0) {
      add_level(file, Type::kDds, std::move(*image));
    } else {
      file.levels.push_back(std::move(*image));
    }
    offset += dds::level_bytes(*header, n);
  }
  file.cube = header->cube;
  file.array = header->array;
  file.alpha = header->alpha;
  file.blocks = header->layout.blocks;
  file.stored_channels = header->layout.channels;
  file.stored_bits = header->layout.bits;
  const bool says = header->layout.says_encoding;
  const ChannelType type = format_info(header->layout.format).type;
  file.transfer = !says || type == ChannelType::kFloat ? 0 : type == ChannelType::kSrgb ? 13 : 0;
  return file;
}

}  // namespace onepass::files

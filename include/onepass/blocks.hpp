// blocks.hpp: block-compressed textures, BC1 to BC7 and ASTC: formats, images of blocks, compression and decompression.
//
// GPUs sample textures that are stored in blocks of 4x4 texels, of 8 or 16 bytes each. A texture takes a quarter (BC3,
// BC5, BC7) or an eighth (BC1, BC4) of the memory of 8-bit RGBA, and its texels are decoded when they are sampled. ASTC
// has blocks of 4x4 to 12x12 texels, all of 16 bytes, down to a 36th of the memory.
//
//     format         bytes   channels   for
//     BC1             8      RGB(A)     colours; alpha is 0 or 1
//     BC2, BC3       16      RGBA       colours with alpha
//     BC4             8      R          masks, heights, roughness; signed: values of -1 to 1
//     BC5            16      RG         normal maps: x and y, from which shaders compute z
//     BC6H           16      RGB        half floats: light
//     BC7            16      RGB(A)     colours at the best quality
//     ASTC           16      RGB(A)     colours on mobile devices; float: light
//
// Blocks of a level lie row by row; a level whose size is no multiple of the blocks' has partial blocks at its right
// and bottom edge, and a level of 1x1 has one block. docs/textures.md has the ideas, qualities and speeds.
//
//     auto blocks = onepass::BlockImage::create(onepass::BlockFormat::kBc7Srgb, photo.size);
//     if (!blocks) return blocks.error();
//     auto done = onepass::cpu::compress(photo, blocks->view());
//
// Source: Khronos Data Format Specification 1.3, sections "S3TC", "RGTC", "BPTC" and "ASTC"; Microsoft, "Direct3D 11.3
// Functional Specification", section 19.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "onepass/export.h"
#include "onepass/image.hpp"
#include "onepass/result.hpp"

namespace onepass {

/// Formats of blocks. The enumerators have the numbers of VkFormat. They are no Format: pyramids and all other
/// techniques take texels only.
enum class BlockFormat : uint32_t {
  kUndefined = 0,
  kBc1RgbUnorm = 131,   ///< Opaque: the code of transparent black is black.
  kBc1RgbSrgb = 132,    ///< The same.
  kBc1RgbaUnorm = 133,  ///< Alpha is 0 or 1; transparent texels are black.
  kBc1RgbaSrgb = 134,   ///< The same.
  kBc2Unorm = 135,      ///< Alpha of 4 bits. Is decompressed only: BC3 and BC7 take the same memory and are better.
  kBc2Srgb = 136,       ///< The same.
  kBc3Unorm = 137,
  kBc3Srgb = 138,
  kBc4Unorm = 139,
  kBc4Snorm = 140,
  kBc5Unorm = 141,
  kBc5Snorm = 142,
  kBc6hUfloat = 143,  ///< Half floats of 0 to 65504.
  kBc6hSfloat = 144,  ///< Half floats of -65504 to 65504.
  kBc7Unorm = 145,
  kBc7Srgb = 146,
  kAstc4x4Unorm = 157,  ///< ASTC: blocks of 4x4 to 12x12 texels in 16 bytes; 8-bit colours with alpha.
  kAstc4x4Srgb = 158,
  kAstc5x4Unorm = 159,
  kAstc5x4Srgb = 160,
  kAstc5x5Unorm = 161,
  kAstc5x5Srgb = 162,
  kAstc6x5Unorm = 163,
  kAstc6x5Srgb = 164,
  kAstc6x6Unorm = 165,
  kAstc6x6Srgb = 166,
  kAstc8x5Unorm = 167,
  kAstc8x5Srgb = 168,
  kAstc8x6Unorm = 169,
  kAstc8x6Srgb = 170,
  kAstc8x8Unorm = 171,
  kAstc8x8Srgb = 172,
  kAstc10x5Unorm = 173,
  kAstc10x5Srgb = 174,
  kAstc10x6Unorm = 175,
  kAstc10x6Srgb = 176,
  kAstc10x8Unorm = 177,
  kAstc10x8Srgb = 178,
  kAstc10x10Unorm = 179,
  kAstc10x10Srgb = 180,
  kAstc12x10Unorm = 181,
  kAstc12x10Srgb = 182,
  kAstc12x12Unorm = 183,
  kAstc12x12Srgb = 184,
  kAstc4x4Sfloat = 1000066000,  ///< ASTC of half floats: light of 0 to 65504, alpha of 0 to 1.
  kAstc5x4Sfloat = 1000066001,
  kAstc5x5Sfloat = 1000066002,
  kAstc6x5Sfloat = 1000066003,
  kAstc6x6Sfloat = 1000066004,
  kAstc8x5Sfloat = 1000066005,
  kAstc8x6Sfloat = 1000066006,
  kAstc8x8Sfloat = 1000066007,
  kAstc10x5Sfloat = 1000066008,
  kAstc10x6Sfloat = 1000066009,
  kAstc10x8Sfloat = 1000066010,
  kAstc10x10Sfloat = 1000066011,
  kAstc12x10Sfloat = 1000066012,
  kAstc12x12Sfloat = 1000066013,
};

/// The properties of a BlockFormat.
struct BlockFormatInfo {
  BlockFormat format = BlockFormat::kUndefined;
  std::string_view name;         ///< Lower-case Vulkan name without "_block": "bc7_srgb".
  uint32_t channels = 0;         ///< 1 to 4.
  Extent size{4, 4};             ///< Width and height of a block in texels.
  uint32_t bytes_per_block = 0;  ///< 8 or 16.
  ChannelType type = ChannelType::kUnorm;
  bool has_sign = false;  ///< Values of -1 to 1 (BC4, BC5), or floats of both signs (BC6H).
  /// The format that holds decompressed texels: RGBA8 of BC1, BC2, BC3, BC7 and ASTC; R8 and RG8 of BC4 and BC5, signed
  /// R16 and RG16 floats; RGBA16 floats of BC6H and of ASTC with floats.
  Format texels = Format::kUndefined;
};

/// Every format of blocks, in the order of the enum.
[[nodiscard]] ONEPASS_API std::span<const BlockFormatInfo> all_block_formats();

/// The properties of `format`; a BlockFormatInfo with `channels == 0` if it is unknown.
[[nodiscard]] ONEPASS_API const BlockFormatInfo& block_format_info(BlockFormat format);

/// Is this a format of ASTC? Compression and decompression need astcenc, see has_astc().
[[nodiscard]] constexpr bool is_astc(BlockFormat format) { return format >= BlockFormat::kAstc4x4Unorm; }

/// Can this library compress and decompress ASTC? If it was built without astcenc, both return kUnsupported.
[[nodiscard]] ONEPASS_API bool has_astc();

/// Width and height in blocks of a level of `size` texels: the quotients by the size of a block, rounded up.
[[nodiscard]] inline Extent size_in_blocks(BlockFormat format, Extent size) {
  const Extent block = block_format_info(format).size;
  return {size.width / block.width + (size.width % block.width != 0),
          size.height / block.height + (size.height % block.height != 0)};
}

/// Blocks that the caller owns and onepass reads.
struct BlockView {
  const void* data = nullptr;
  BlockFormat format = BlockFormat::kUndefined;
  Extent size;  ///< In texels, 1 to 65535 per axis.
  uint32_t slices = 1;
  size_t row_stride = 0;  ///< Bytes from a row of blocks to the next; at least those of size_in_blocks().width blocks.
  size_t slice_stride = 0;  ///< Bytes from one slice to the next; not used if there is one slice.

  /// The first byte of row `y` of blocks; of BC1 to BC7 it has the texel rows 4y to 4y + 3.
  [[nodiscard]] const std::byte* row(uint32_t y, uint32_t slice = 0) const {
    return static_cast<const std::byte*>(data) + slice * slice_stride + y * row_stride;
  }
};

/// Blocks that the caller owns and onepass writes.
struct MutableBlockView {
  void* data = nullptr;
  BlockFormat format = BlockFormat::kUndefined;
  Extent size;  ///< As in BlockView.
  uint32_t slices = 1;
  size_t row_stride = 0;    ///< As in BlockView.
  size_t slice_stride = 0;  ///< As in BlockView.

  /// The first byte of a row of blocks.
  [[nodiscard]] std::byte* row(uint32_t y, uint32_t slice = 0) const {
    return static_cast<std::byte*>(data) + slice * slice_stride + y * row_stride;
  }
  /// A writable view converts to a read-only one.
  operator BlockView() const {  // NOLINT(google-explicit-constructor)
    return {data, format, size, slices, row_stride, slice_stride};
  }
};

/// An image of blocks that owns them: tightly packed, slices one after the other.
class ONEPASS_API BlockImage {
 public:
  BlockImage() = default;

  /// Allocates uninitialised blocks, aligned to 64 bytes. `size`: in texels.
  /// Errors: kInvalidArgument for an unknown format, a size of 0 or above 65535, zero slices; kOutOfMemory.
  static Result<BlockImage> create(BlockFormat format, Extent size, uint32_t slices = 1);

  [[nodiscard]] BlockFormat format() const { return view_.format; }  ///< kUndefined if there are no blocks.
  [[nodiscard]] Extent size() const { return view_.size; }           ///< In texels.
  [[nodiscard]] uint32_t slices() const { return view_.slices; }     ///< Array layers or cube faces.
  [[nodiscard]] BlockView view() const { return view_; }             ///< The blocks, read-only.
  [[nodiscard]] MutableBlockView view() { return view_; }            ///< The blocks, writable.
  /// The size of all blocks in bytes.
  [[nodiscard]] size_t size_in_bytes() const { return view_.slice_stride * view_.slices; }

  /// Takes the blocks of `other`, which then has none.
  BlockImage(BlockImage&& other) noexcept { std::swap(view_, other.view_); }
  /// Exchanges the blocks of the two images.
  BlockImage& operator=(BlockImage&& other) noexcept {
    std::swap(view_, other.view_);
    return *this;
  }
  BlockImage(const BlockImage&) = delete;
  BlockImage& operator=(const BlockImage&) = delete;
  ~BlockImage();

 private:
  MutableBlockView view_;
};

/// How much work compression does for each block. docs/textures.md has the figures. ASTC: astcenc's presets fastest,
/// medium and thorough.
enum class BlockQuality {
  kFast,    ///< Few candidates: for previews, and for textures that are made while a program runs.
  kNormal,  ///< The default: near the best quality.
  kBest,    ///< All modes of the format: for textures that are made once.
};

/// The error that compression makes small, a sum of squared differences of stored values. Values of sRGB formats are
/// compared as they are encoded, where equal steps are about equally visible in dark and in bright colours; half floats
/// of BC6H and ASTC as the integers that their bits form, where equal steps are about equal ratios of light.
enum class BlockMetric {
  kUniform,  ///< All channels count the same: for data, and for the best PSNR.
  kLuma,     ///< Red, green and blue count as in luma (BT.709): 0.2126, 0.7152 and 0.0722 of the sum of the three.
};

/// Which texels count how much in the error of colours, for formats with alpha.
enum class BlockAlpha {
  kIndependent,  ///< All the same: for alpha that is no coverage, and for premultiplied colours.
  kWeighted,     ///< By their alpha, so that invisible texels do not count: for straight colours.
};

/// Options of cpu::compress().
struct BlockOptions {
  BlockQuality quality = BlockQuality::kNormal;
  BlockMetric metric = BlockMetric::kUniform;
  BlockAlpha alpha = BlockAlpha::kIndependent;
  /// BC1 with alpha: texels with less alpha become transparent, others opaque. 0 (all opaque) to 1.
  float alpha_threshold = 0.5F;
};

/// Options of vulkan::BlockCompressor: which image it compresses, and how. The quality is BlockQuality::kFast.
struct BlockCompressorOptions {
  Extent size;          ///< Of the first level, in texels: 1 to 65535 per axis.
  uint32_t slices = 1;  ///< Array layers or cube faces.
  uint32_t levels = 1;  ///< Level n has the size max(1, size >> n); 0: all levels down to 1x1.
  /// Any format but depth and labels.
  Format source = Format::kRGBA8Unorm;
  /// Any format but BC2 and ASTC. Values are converted as by cpu::compress().
  BlockFormat blocks = BlockFormat::kBc7Unorm;
  BlockMetric metric = BlockMetric::kUniform;
  BlockAlpha alpha = BlockAlpha::kIndependent;
  float alpha_threshold = 0.5F;  ///< As in BlockOptions.
};

/// The blocks of a level in a buffer. Those of slice s begin at offset + s * slice_bytes, row by row without gaps.
struct BlockLevel {
  Extent size;               ///< In texels.
  Extent blocks;             ///< Blocks per row, rows of blocks.
  uint64_t offset = 0;       ///< Bytes from the first level.
  uint64_t slice_bytes = 0;  ///< Bytes of one slice.
};

/// Sizes and bytes of a compression.
struct BlockCompressorPlan {
  std::vector<BlockLevel> levels;
  uint64_t bytes = 0;       ///< Of all blocks.
  uint64_t bytes_read = 0;  ///< Texels, each once.
};

/// Lays out the blocks of all levels and slices.
/// Errors: kInvalidArgument, naming the field and its value.
[[nodiscard]] ONEPASS_API Result<BlockCompressorPlan> plan_block_compressor(const BlockCompressorOptions& options);

namespace cpu {

/// Tuning of compression and decompression; it never changes a result.
struct BlockTuning {
  uint32_t threads = 0;  ///< At most this many threads; 0 = usable_threads().
};

/// Compresses all slices of `source` to `blocks`, which has the same size and number of slices.
///
/// `source` has any format but depth and labels (RGB without alpha is possible). Values are converted as everywhere in
/// the library: sRGB is decoded, and encoded if the blocks are sRGB; missing colour channels are 0, a missing alpha 1.
/// A grey source therefore suits BC4; of BC5 red and green are stored. In signed formats 0 to 1 of integer sources
/// stands for -1 to 1, as normal maps store it, and floats for themselves. BC1, BC3, BC7 and ASTC without floats take 8
/// bits per channel. BC6H takes linear light, alpha is lost. Values outside the format's range are clamped; NaN becomes
/// 0.
///
/// Texels of partial blocks outside the image do not count; ASTC repeats the last row and column there. Opaque texels
/// stay opaque exactly. Blocks are the same for any number of threads and any SIMD target.
///
/// Cost: reads the source once; memory for a few rows per thread, of ASTC for a million texels.
/// Errors: kInvalidArgument, naming the field and its value, for views that do not match each other, options out of
/// range, and BC2; kUnsupported for ASTC without has_astc(); kOutOfMemory.
/// Threads: any number of calls at once, for different blocks.
[[nodiscard]] ONEPASS_API Result<void> compress(const ImageView& source, const MutableBlockView& blocks,
                                                const BlockOptions& options = {}, const BlockTuning& tuning = {});

/// Decompresses all slices of `blocks` to `target`, which has the same size and number of slices, and any format but
/// depth and labels; block_format_info().texels loses nothing but fractions of an 8-bit code.
///
/// BC6H and BC7 are decoded as their specification says, bit for bit. Texels of BC1, BC2 and BC3 are the exact values
/// of the definition rounded to 8 bits, those of BC4 and BC5 the exact values rounded to floats; GPUs may differ from
/// them by one or two 8-bit codes. Blocks with reserved modes are 0 in all channels (BC6H: alpha 1). astcenc decodes
/// ASTC; its reserved blocks are opaque magenta, floats NaN. Values are converted to `target` as encode_row() does;
/// those of signed formats by the rule of compress().
///
/// Errors: kInvalidArgument for views that do not match each other or unknown formats; kUnsupported for ASTC without
/// has_astc(); kOutOfMemory.
/// Threads: any number of calls at once, for different targets.
[[nodiscard]] ONEPASS_API Result<void> decompress(const BlockView& blocks, const MutableImageView& target,
                                                  const BlockTuning& tuning = {});

}  // namespace cpu
}  // namespace onepass

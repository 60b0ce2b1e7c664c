// astc.cpp: compresses and decompresses ASTC by astcenc, the encoder of Arm.
//
// astcenc takes whole images without gaps between rows, of 8-bit or half-float RGBA. An image of any format passes
// through it in bands, some rows of blocks each, so that memory does not grow with the image. No block depends on its
// neighbours. Source: astcenc 4.2, astcenc.h.
#include "blocks/astc.hpp"

#include "image/error.hpp"

#ifdef ONEPASS_HAS_ASTC

#ifndef ASTCENC_DYNAMIC_LIBRARY
#define ASTCENC_DYNAMIC_LIBRARY
#endif
#include <astcenc.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "blocks/encode.hpp"
#include "cpu/workers.hpp"

namespace onepass::blocks {
namespace {

constexpr float kMostHalf = 65504;

struct FreeContext {
  void operator()(astcenc_context* context) const { astcenc_context_free(context); }
};
using Context = std::unique_ptr<astcenc_context, FreeContext>;

Result<void> result_of(astcenc_error error, const char* what) {
  if (error == ASTCENC_SUCCESS) return {};
  if (error == ASTCENC_ERR_OUT_OF_MEM) throw std::bad_alloc();
  return Error{ErrorCode::kUnsupported, std::string(what) + ": astcenc refuses: " + astcenc_get_error_string(error),
               ""};
}

float preset(BlockQuality quality) {
  switch (quality) {
    case BlockQuality::kFast:
      return ASTCENC_PRE_FASTEST;
    case BlockQuality::kNormal:
      return ASTCENC_PRE_MEDIUM;
    case BlockQuality::kBest:
      break;
  }
  return ASTCENC_PRE_THOROUGH;
}

/// A context of astcenc, for images of one format and a number of concurrent calls.
Result<Context> make_context(const BlockFormatInfo& info, const BlockOptions* options, uint32_t calls) {
  const astcenc_profile profile = info.type == ChannelType::kSrgb    ? ASTCENC_PRF_LDR_SRGB
                                  : info.type == ChannelType::kFloat ? ASTCENC_PRF_HDR_RGB_LDR_A
                                                                     : ASTCENC_PRF_LDR;
  unsigned flags = options == nullptr ? ASTCENC_FLG_DECOMPRESS_ONLY : 0;
  if (options != nullptr && options->alpha == BlockAlpha::kWeighted) flags |= ASTCENC_FLG_USE_ALPHA_WEIGHT;
  astcenc_config config{};
  const float quality = options == nullptr ? ASTCENC_PRE_FASTEST : preset(options->quality);
  auto fine =
      result_of(astcenc_config_init(profile, info.size.width, info.size.height, 1, quality, flags, &config), "blocks");
  if (!fine) return fine.error();
  if (options != nullptr && options->metric == BlockMetric::kLuma) {
    config.cw_r_weight = 3 * kLuma[0];
    config.cw_g_weight = 3 * kLuma[1];
    config.cw_b_weight = 3 * kLuma[2];
  }
  astcenc_context* context = nullptr;
  fine = result_of(astcenc_context_alloc(&config, calls, &context), "blocks");
  if (!fine) return fine.error();
  return Context(context);
}

/// The rows of blocks that pass through astcenc at once, and their texels.
class Bands {
 public:
  Bands(const BlockView& blocks, uint32_t threads)
      : blocks_(blocks),
        info_(block_format_info(blocks.format)),
        count_(size_in_blocks(blocks.format, blocks.size)),
        texel_bytes_(texel_info(info_.texels).bytes_per_texel),
        workers_(threads) {
    const size_t rows = std::max<size_t>(1, kAstcBandTexels / (size_t{blocks.size.width} * info_.size.height));
    rows_ = static_cast<uint32_t>(std::min<size_t>(rows, count_.height));
    texels_.resize(size_t{rows_} * info_.size.height * row_bytes());
    data_.resize(size_t{rows_} * block_row());
    floats_.resize(workers_.slots());
    for (auto& row : floats_) row.resize(size_t{4} * blocks.size.width);
  }

  [[nodiscard]] uint32_t calls() const { return workers_.slots(); }
  [[nodiscard]] size_t row_bytes() const { return size_t{blocks_.size.width} * texel_bytes_; }
  [[nodiscard]] size_t block_row() const { return size_t{count_.width} * info_.bytes_per_block; }

  /// Calls use(first, rows) for each band: rows of blocks.
  template <typename Use>
  Result<void> for_each(const Use& use) const {
    for (uint32_t first = 0; first < count_.height; first += rows_) {
      if (auto done = use(first, std::min(rows_, count_.height - first)); !done) return done;
    }
    return {};
  }

  /// Reads the texels of a band from `source`, converted to what astcenc takes.
  void gather(const ImageView& source, uint32_t slice, uint32_t first, uint32_t rows) {
    for_each_row(first, rows, [&](uint32_t y, std::byte* texels, uint32_t slot) {
      const std::byte* const row = source.row(y, slice);
      if (source.format == info_.texels && info_.type != ChannelType::kFloat) {
        std::memcpy(texels, row, row_bytes());
        return;
      }
      std::vector<float>& values = floats_[slot];
      decode_row(source.format, row, blocks_.size.width, values.data());
      if (info_.type == ChannelType::kFloat) {
        for (float& value : values) value = std::isnan(value) ? 0 : std::clamp(value, 0.0F, kMostHalf);
      }
      encode_row(info_.texels, values.data(), blocks_.size.width, texels);
    });
  }

  /// Writes the texels of a band to `target`.
  void scatter(const MutableImageView& target, uint32_t slice, uint32_t first, uint32_t rows) {
    for_each_row(first, rows, [&](uint32_t y, std::byte* texels, uint32_t slot) {
      std::byte* const row = target.row(y, slice);
      if (target.format == info_.texels) {
        std::memcpy(row, texels, row_bytes());
        return;
      }
      decode_row(info_.texels, texels, blocks_.size.width, floats_[slot].data());
      encode_row(target.format, floats_[slot].data(), blocks_.size.width, row);
    });
  }

  /// Calls astcenc from all threads: call(image, blocks, size in bytes, index of the call).
  template <typename Call>
  Result<void> run(uint32_t first, uint32_t rows, const Call& call) {
    void* texels = texels_.data();
    astcenc_image image{blocks_.size.width, texel_rows(first, rows), 1,
                        info_.type == ChannelType::kFloat ? ASTCENC_TYPE_F16 : ASTCENC_TYPE_U8, &texels};
    std::atomic<astcenc_error> error = ASTCENC_SUCCESS;
    workers_.run(calls(), [&](size_t index, uint32_t) {
      const astcenc_error code = call(image, data_.data(), rows * block_row(), static_cast<unsigned>(index));
      if (code != ASTCENC_SUCCESS) error = code;
    });
    return result_of(error, "blocks");
  }

  /// The blocks of the band, without gaps: row `y` of it.
  [[nodiscard]] uint8_t* blocks(uint32_t y) { return data_.data() + y * block_row(); }

 private:
  [[nodiscard]] uint32_t texel_rows(uint32_t first, uint32_t rows) const {
    const uint32_t height = info_.size.height;
    return std::min(rows * height, blocks_.size.height - first * height);
  }

  template <typename Use>
  void for_each_row(uint32_t first, uint32_t rows, const Use& use) {
    workers_.run(texel_rows(first, rows), [&](size_t y, uint32_t slot) {
      use(first * info_.size.height + static_cast<uint32_t>(y), texels_.data() + y * row_bytes(), slot);
    });
  }

  BlockView blocks_;
  const BlockFormatInfo& info_;
  Extent count_;
  size_t texel_bytes_;
  cpu::Workers workers_;
  uint32_t rows_ = 0;  ///< Of blocks in a band.
  std::vector<std::byte> texels_;
  std::vector<uint8_t> data_;
  std::vector<std::vector<float>> floats_;  ///< A row of texels per slot.
};

constexpr astcenc_swizzle kAsStored{ASTCENC_SWZ_R, ASTCENC_SWZ_G, ASTCENC_SWZ_B, ASTCENC_SWZ_A};

}  // namespace

Result<void> compress_astc(const ImageView& source, const MutableBlockView& blocks, const BlockOptions& options,
                           uint32_t threads) {
  Bands bands(blocks, threads);
  const auto context = make_context(block_format_info(blocks.format), &options, bands.calls());
  if (!context) return context.error();
  const auto compress = [&](astcenc_image& image, uint8_t* data, size_t size, unsigned index) {
    return astcenc_compress_image(context->get(), &image, &kAsStored, data, size, index);
  };
  for (uint32_t slice = 0; slice < blocks.slices; ++slice) {
    auto done = bands.for_each([&](uint32_t first, uint32_t rows) -> Result<void> {
      bands.gather(source, slice, first, rows);
      if (auto fine = bands.run(first, rows, compress); !fine) return fine;
      for (uint32_t y = 0; y < rows; ++y) std::memcpy(blocks.row(first + y, slice), bands.blocks(y), bands.block_row());
      return result_of(astcenc_compress_reset(context->get()), "blocks");
    });
    if (!done) return done;
  }
  return {};
}

Result<void> decompress_astc(const BlockView& blocks, const MutableImageView& target, uint32_t threads) {
  Bands bands(blocks, threads);
  const auto context = make_context(block_format_info(blocks.format), nullptr, bands.calls());
  if (!context) return context.error();
  const auto decompress = [&](astcenc_image& image, const uint8_t* data, size_t size, unsigned index) {
    return astcenc_decompress_image(context->get(), data, size, &image, &kAsStored, index);
  };
  for (uint32_t slice = 0; slice < blocks.slices; ++slice) {
    auto done = bands.for_each([&](uint32_t first, uint32_t rows) -> Result<void> {
      for (uint32_t y = 0; y < rows; ++y) std::memcpy(bands.blocks(y), blocks.row(first + y, slice), bands.block_row());
      if (auto fine = bands.run(first, rows, decompress); !fine) return fine;
      bands.scatter(target, slice, first, rows);
      return result_of(astcenc_decompress_reset(context->get()), "blocks");
    });
    if (!done) return done;
  }
  return {};
}

}  // namespace onepass::blocks

namespace onepass {
bool has_astc() { return true; }
}  // namespace onepass

#else

namespace onepass::blocks {
namespace {

Result<void> refused(BlockFormat format) {
  return Error{ErrorCode::kUnsupported,
               "blocks: format " + std::string(block_format_info(format).name) +
                   " needs astcenc, which this library was built without",
               ""};
}

}  // namespace

Result<void> compress_astc(const ImageView& /*source*/, const MutableBlockView& blocks, const BlockOptions& /*options*/,
                           uint32_t /*threads*/) {
  return refused(blocks.format);
}

Result<void> decompress_astc(const BlockView& blocks, const MutableImageView& /*target*/, uint32_t /*threads*/) {
  return refused(blocks.format);
}

}  // namespace onepass::blocks

namespace onepass {
bool has_astc() { return false; }
}  // namespace onepass

#endif

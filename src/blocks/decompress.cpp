// decompress.cpp: cpu::decompress: decodes rows of blocks to rows of texels, each task one row of blocks.
#include <algorithm>
#include <cstring>
#include <new>
#include <vector>

#include "blocks/astc.hpp"
#include "blocks/decode.hpp"
#include "blocks/views.hpp"
#include "cpu/workers.hpp"
#include "onepass/blocks.hpp"

namespace onepass::cpu {
namespace {

/// The rows of texels of one row of blocks, in decoded form.
struct DecodedRows {
  std::vector<uint8_t> bytes;  ///< RGBA8, of formats with byte texels.
  std::vector<float> floats;   ///< RGBA of one row, to be encoded.
};

class Decompressor {
 public:
  Decompressor(const BlockView& blocks, const MutableImageView& target)
      : blocks_(blocks),
        target_(target),
        info_(block_format_info(blocks.format)),
        width_(size_in_blocks(blocks.format, blocks.size).width * 4),
        bytes_(blocks::has_byte_texels(blocks.format)),
        maps_sign_(blocks::maps_sign(info_, texel_info(target.format))) {}

  void make_row(uint32_t row, uint32_t slice, DecodedRows& rows) const {
    if (bytes_) {
      rows.bytes.resize(size_t{16} * width_);
      decode<blocks::ByteTexels>(row, slice, blocks::decode_bytes, rows.bytes);
    } else {
      rows.floats.resize(size_t{16} * width_);
      decode<blocks::FloatTexels>(row, slice, blocks::decode_floats, rows.floats);
    }
    const uint32_t count = std::min(4U, blocks_.size.height - 4 * row);
    for (uint32_t y = 0; y < count; ++y) store(y, target_.row(4 * row + y, slice), rows);
  }

 private:
  /// Decodes a row of blocks to four rows of `width_` texels.
  template <typename Texels, typename Decode, typename Rows>
  void decode(uint32_t row, uint32_t slice, Decode decode_block, Rows& rows) const {
    Texels texels;
    constexpr size_t kRow = sizeof texels / 4;
    for (uint32_t x = 0; x < width_ / 4; ++x) {
      decode_block(blocks_.format, blocks_.row(row, slice) + size_t{x} * info_.bytes_per_block, texels);
      for (uint32_t y = 0; y < 4; ++y) {
        std::memcpy(rows.data() + 4 * (size_t{y} * width_ + 4 * x), texels.data() + 16 * y, kRow);
      }
    }
  }

  void store(uint32_t y, std::byte* out, DecodedRows& rows) const {
    const uint32_t width = blocks_.size.width;
    if (!bytes_) {
      float* const texels = rows.floats.data() + size_t{4} * y * width_;
      if (maps_sign_) {
        for (size_t i = 0; i < size_t{4} * width; ++i)
          texels[i] = i % 4 < info_.channels ? 0.5F * texels[i] + 0.5F : texels[i];
      }
      return encode_row(target_.format, texels, width, out);
    }
    const uint8_t* const texels = rows.bytes.data() + size_t{4} * y * width_;
    if (target_.format == info_.texels) {
      std::memcpy(out, texels, size_t{4} * width);
      return;
    }
    rows.floats.resize(size_t{4} * width);
    decode_row(info_.texels, texels, width, rows.floats.data());
    encode_row(target_.format, rows.floats.data(), width, out);
  }

  BlockView blocks_;
  MutableImageView target_;
  const BlockFormatInfo& info_;
  uint32_t width_;  ///< Texels of a row of whole blocks.
  bool bytes_;
  bool maps_sign_;
};

}  // namespace

Result<void> decompress(const BlockView& blocks, const MutableImageView& target, const BlockTuning& tuning) {
  if (auto fine = blocks::check_blocks("blocks", blocks); !fine) return fine;
  if (auto fine = blocks::check_texels("target", target, blocks); !fine) return fine;
  try {
    if (is_astc(blocks.format)) return blocks::decompress_astc(blocks, target, tuning.threads);
    const Decompressor decompressor(blocks, target);
    const uint32_t rows = size_in_blocks(blocks.format, blocks.size).height;
    Workers workers(tuning.threads);
    std::vector<DecodedRows> scratch(workers.slots());
    workers.run(size_t{rows} * blocks.slices, [&](size_t index, uint32_t slot) {
      decompressor.make_row(static_cast<uint32_t>(index % rows), static_cast<uint32_t>(index / rows), scratch[slot]);
    });
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for rows of decompressed texels", ""};
  }
  return {};
}

}  // namespace onepass::cpu

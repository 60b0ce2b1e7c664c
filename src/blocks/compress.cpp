// compress.cpp: cpu::compress: gathers the texels of blocks from rows of any format and hands them to an encoder.
//
// A task owns kTaskBlocks blocks that follow each other in rows of blocks, so that small levels, whose rows have few
// blocks, fill the lanes of the encoders as well.
//
//     rows of texels --> RGBA8, or floats by channel, block by block --> encoder --> rows of blocks
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "blocks/astc.hpp"
#include "blocks/encode.hpp"
#include "blocks/views.hpp"
#include "cpu/workers.hpp"
#include "image/div_up.hpp"
#include "image/error.hpp"
#include "image/small_float.hpp"
#include "onepass/blocks.hpp"

namespace onepass::cpu {
namespace {

constexpr uint32_t kTaskBlocks = 256;
constexpr float kMostHalf = 65504;

/// Which encoder makes a format.
enum class Encoder { kBc1, kBc3, kChannels, kBc6h, kBc7 };

/// Memory of one task.
struct TaskMemory {
  std::vector<uint32_t> texels;              ///< 16 per block.
  std::array<std::vector<float>, 3> values;  ///< 16 per block, of each channel.
  std::vector<uint16_t> inside;
  std::vector<float> row;       ///< Decoded texels.
  std::vector<uint32_t> bytes;  ///< The same as RGBA8.
  std::vector<std::byte> out;
};

/// Blocks next to each other in a row of blocks.
struct Segment {
  uint32_t row = 0;
  uint32_t first = 0;
  uint32_t count = 0;
  size_t at = 0;  ///< Index of the first one in the task.
};

class Compressor {
 public:
  Compressor(const ImageView& source, const MutableBlockView& blocks, const BlockOptions& options)
      : source_(source),
        blocks_(blocks),
        info_(block_format_info(blocks.format)),
        size_(size_in_blocks(blocks.format, blocks.size)) {
    switch (info_.bytes_per_block == 8 ? info_.channels : 10 + info_.channels) {
      case 3:
      case 4:
        encoder_ = Encoder::kBc1;
        break;
      case 1:
      case 12:
        encoder_ = Encoder::kChannels;
        break;
      default:
        encoder_ = info_.type == ChannelType::kFloat         ? Encoder::kBc6h
                   : blocks.format >= BlockFormat::kBc7Unorm ? Encoder::kBc7
                                                             : Encoder::kBc3;
    }
    settings_.quality = options.quality;
    if (options.metric == BlockMetric::kLuma) {
      for (size_t c = 0; c < 3; ++c) settings_.weights[c] = 3 * blocks::kLuma[c];
    }
    settings_.transparent = encoder_ == Encoder::kBc1 && info_.channels == 4;
    settings_.weighted_by_alpha = options.alpha == BlockAlpha::kWeighted;
    settings_.alpha_threshold = 255 * options.alpha_threshold;
    if (encoder_ == Encoder::kChannels) {
      maps_sign_ = blocks::maps_sign(info_, texel_info(source.format));
      range_ = info_.has_sign ? 127.0F : 255.0F;
    } else {
      range_ = kMostHalf;
    }
    least_ = info_.has_sign ? -range_ : 0.0F;
  }

  [[nodiscard]] size_t tasks_per_slice() const {
    return div_up(size_t{size_.width} * size_.height, size_t{kTaskBlocks});
  }

  void run(size_t task, uint32_t slice, TaskMemory& memory) const {
    const size_t first = task * kTaskBlocks;
    const size_t count = std::min<size_t>(kTaskBlocks, size_t{size_.width} * size_.height - first);
    reserve(memory);
    for_each_segment(first, count, [&](const Segment& segment) { gather(segment, slice, memory); });
    encode(count, memory);
    for_each_segment(first, count, [&](const Segment& segment) {
      const size_t bytes = info_.bytes_per_block;
      std::memcpy(blocks_.row(segment.row, slice) + segment.first * bytes, memory.out.data() + segment.at * bytes,
                  segment.count * bytes);
    });
  }

 private:
  template <typename Use>
  void for_each_segment(size_t first, size_t count, const Use& use) const {
    for (size_t at = 0; at < count;) {
      const auto row = static_cast<uint32_t>((first + at) / size_.width);
      const auto column = static_cast<uint32_t>((first + at) % size_.width);
      const auto length = static_cast<uint32_t>(std::min<size_t>(size_.width - column, count - at));
      use(Segment{row, column, length, at});
      at += length;
    }
  }

  void reserve(TaskMemory& memory) const {
    if (!memory.inside.empty()) return;
    constexpr size_t kTexels = size_t{16} * kTaskBlocks;
    memory.row.resize(size_t{16} * kTaskBlocks);
    if (takes_floats()) {
      for (uint32_t c = 0; c < info_.channels; ++c) memory.values[c].resize(kTexels);
    } else {
      memory.texels.resize(kTexels);
      memory.bytes.resize(size_t{4} * kTaskBlocks);
      if (encoder_ == Encoder::kBc3) memory.values[0].resize(kTexels);
    }
    memory.out.resize(size_t{kTaskBlocks} * info_.bytes_per_block);
    memory.inside.resize(kTaskBlocks);
  }

  /// Copies the texels of a segment; those outside the image repeat the nearest one, and do not count.
  void gather(const Segment& segment, uint32_t slice, TaskMemory& memory) const {
    const uint32_t x = 4 * segment.first;
    const uint32_t width = std::min(4 * segment.count, source_.size.width - x);
    const uint32_t height = std::min(4U, source_.size.height - 4 * segment.row);
    const uint32_t columns = width - 4 * (segment.count - 1);  // of the last block
    const uint32_t rows = (1U << (4 * height)) - 1;
    const uint32_t partial = ((1U << columns) - 1) * 0x1111U;
    for (uint32_t b = 0; b < segment.count; ++b) {
      memory.inside[segment.at + b] = static_cast<uint16_t>(rows & (b + 1 < segment.count ? 0xFFFFU : partial));
    }
    const uint32_t texel_bytes = texel_info(source_.format).bytes_per_texel;
    for (uint32_t y = 0; y < 4; ++y) {
      const std::byte* const row =
          source_.row(4 * segment.row + std::min(y, height - 1), slice) + size_t{x} * texel_bytes;
      const size_t to = 16 * segment.at + 4 * y;
      if (takes_floats()) {
        gather_values(row, width, segment.count, to, memory);
      } else {
        scatter(color_row(row, width, memory), width, segment.count, memory.texels.data() + to);
      }
    }
  }

  /// A row of texels as RGBA8 in the encoding of the blocks.
  const uint32_t* color_row(const std::byte* row, uint32_t width, TaskMemory& memory) const {
    if (source_.format == info_.texels) {
      std::memcpy(memory.bytes.data(), row, size_t{4} * width);
    } else {
      decode_row(source_.format, row, width, memory.row.data());
      encode_row(info_.texels, memory.row.data(), width, memory.bytes.data());
    }
    return memory.bytes.data();
  }

  /// Distributes a row of `width` texels to blocks of 16.
  template <typename T>
  static void scatter(const T* row, uint32_t width, uint32_t blocks, T* to) {
    const uint32_t whole = width / 4;
    for (uint32_t b = 0; b < whole; ++b) std::memcpy(to + size_t{16} * b, row + size_t{4} * b, 4 * sizeof(T));
    for (uint32_t x = 4 * whole; x < 4 * blocks; ++x) {
      to[size_t{16} * (x / 4) + x % 4] = row[std::min(x, width - 1)];
    }
  }

  [[nodiscard]] bool takes_floats() const { return encoder_ == Encoder::kChannels || encoder_ == Encoder::kBc6h; }

  /// A value in the unit of its encoder.
  [[nodiscard]] float stored_value(float value) const {
    if (std::isnan(value)) return 0;
    if (encoder_ == Encoder::kBc6h) return half_code(std::clamp(value, least_, range_));
    return std::clamp(maps_sign_ ? 2 * range_ * value - range_ : range_ * value, least_, range_);
  }

  /// The bits of a half float as an integer, negative for negative halves.
  static float half_code(float value) {
    const auto code = static_cast<float>(encode_half(std::abs(value)));
    return value < 0 ? -code : code;
  }

  void gather_values(const std::byte* row, uint32_t width, uint32_t blocks, size_t to, TaskMemory& memory) const {
    float* const texels = memory.row.data();
    decode_row(source_.format, row, width, texels);
    std::array<float, 4> channel;
    for (uint32_t c = 0; c < info_.channels; ++c) {
      for (uint32_t x = 0; x < 4 * blocks; ++x) {
        channel[x % 4] = stored_value(texels[size_t{4} * std::min(x, width - 1) + c]);
        if (x % 4 == 3)
          std::memcpy(memory.values[c].data() + to + size_t{16} * (x / 4), channel.data(), sizeof channel);
      }
    }
  }

  void encode(size_t count, TaskMemory& memory) const {
    const blocks::ColorBlocks colors{memory.texels.data(), memory.inside.data(), count};
    std::byte* const out = memory.out.data();
    const auto channel = [&](uint32_t c, size_t offset) {
      const blocks::ChannelBlocks values{memory.values[c].data(), memory.inside.data(), count};
      blocks::encode_bc4(values, settings_.quality, info_.has_sign, out + offset, info_.bytes_per_block);
    };
    switch (encoder_) {
      case Encoder::kBc1:
        return blocks::encode_bc1(colors, settings_, false, out, 8);
      case Encoder::kBc3:
        for (size_t i = 0; i < 16 * count; ++i) memory.values[0][i] = static_cast<float>(memory.texels[i] >> 24);
        channel(0, 0);
        return blocks::encode_bc1(colors, settings_, true, out + 8, 16);
      case Encoder::kChannels:
        for (uint32_t c = 0; c < info_.channels; ++c) channel(c, size_t{8} * c);
        return;
      case Encoder::kBc6h:
        return blocks::encode_bc6h({memory.values[0].data(), memory.values[1].data(), memory.values[2].data()},
                                   memory.inside.data(), count, settings_, info_.has_sign, out);
      case Encoder::kBc7:
        return blocks::encode_bc7(colors, settings_, out);
    }
  }

  ImageView source_;
  MutableBlockView blocks_;
  const BlockFormatInfo& info_;
  Extent size_;  ///< In blocks.
  Encoder encoder_ = Encoder::kBc7;
  blocks::EncodeSettings settings_;
  bool maps_sign_ = false;
  float range_ = 0;  ///< The largest value that the encoder takes, before half floats become codes.
  float least_ = 0;
};

Result<void> check_options(const BlockOptions& options, BlockFormat format) {
  if (auto fine = check_enumerators("quality", options.quality, "metric", options.metric, "alpha", options.alpha);
      !fine) {
    return fine;
  }
  if (!(options.alpha_threshold >= 0 && options.alpha_threshold <= 1)) {
    return invalid("alpha_threshold: " + number_text(options.alpha_threshold) + " is not 0 to 1");
  }
  const BlockFormatInfo& info = block_format_info(format);
  if (format == BlockFormat::kBc2Unorm || format == BlockFormat::kBc2Srgb) {
    return invalid("blocks: format " + std::string(info.name) + " can only be decompressed");
  }
  return {};
}

}  // namespace

Result<void> compress(const ImageView& source, const MutableBlockView& blocks, const BlockOptions& options,
                      const BlockTuning& tuning) {
  if (auto fine = blocks::check_blocks("blocks", blocks); !fine) return fine;
  if (auto fine = blocks::check_texels("source", source, blocks); !fine) return fine;
  if (auto fine = check_options(options, blocks.format); !fine) return fine;
  try {
    if (is_astc(blocks.format)) return blocks::compress_astc(source, blocks, options, tuning.threads);
    const Compressor compressor(source, blocks, options);
    const size_t tasks = compressor.tasks_per_slice();
    Workers workers(tuning.threads);
    std::vector<TaskMemory> memory(workers.slots());
    workers.run(tasks * blocks.slices, [&](size_t index, uint32_t slot) {
      compressor.run(index % tasks, static_cast<uint32_t>(index / tasks), memory[slot]);
    });
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for the texels of blocks", ""};
  }
  return {};
}

}  // namespace onepass::cpu

// cpu_rows.cpp: the row passes of cpu::Transform: image rows to strips of work memory and back.
//
// A task owns a block of 16 or 32 rows. It transposes them, so that a vector holds a texel of all rows, transforms them
// side by side, and transposes them back on the way to the strips.
#include <algorithm>
#include <cstring>

#include "cpu/rgb_texels.hpp"
#include "fourier/cpu_impl.hpp"
#include "image/div_up.hpp"

namespace onepass::cpu {
namespace {

/// Value of an alpha that is not transformed.
alignas(64) constexpr float kOnes[kLanes] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

}  // namespace

/// For 16 consecutive values of a row with `stored` channels: the first value of their channel in the lines, and the
/// step to the next texel. Channels from `used` on go to `elsewhere`.
std::array<Transform::Impl::Place, kLanes> Transform::Impl::places_of(uint32_t group, uint32_t stored, uint32_t used,
                                                                      float* elsewhere, Scratch& scratch) const {
  std::array<Place, kLanes> places;
  for (uint32_t i = 0; i < kLanes; ++i) {
    const uint32_t channel = i % stored;
    if (channel >= used) {
      places[i] = {elsewhere, 0};
      continue;
    }
    const ChannelBatch& home = channel_batches_[group][real() ? channel : channel / 2];
    const bool imaginary = real() ? home.part == Part::kSecond : channel % 2 == 1;
    places[i] = {lines(scratch, home.batch) + (imaginary ? kLanes : 0), kElementFloats};
  }
  return places;
}

/// Transposes rows of texels, 16 at a time, into lines. Rows outside the crop are zero, and so are rows that do not
/// occur in the domain: two rows may share a complex signal, and with it rounding errors and NaN.
void Transform::Impl::load_rows(const ImageView& source, uint32_t slice, uint32_t first_row, const RowPart& load,
                                Scratch& scratch) const {
  const TransformOptions& o = plan.options;
  const uint32_t channels = decoder_.spec().stored_channels;
  const uint32_t chunk = kChunkFloats / channels;
  const uint32_t turned = kLanes / channels;  // texels per transpose
  const bool direct = decoder_.spec().storage == image::Storage::kF32 && !is_rgb(source.format);
  auto* decoded = reinterpret_cast<float*>(scratch.decoded);
  alignas(64) float nowhere[kLanes];
  alignas(64) float colours[kChunkFloats];  // texels with alpha
  Transpose transpose_blocks;
  transpose_blocks.in_steps.fill(kLanes);
  for (uint32_t g = 0; g < groups_; ++g) {
    const auto places = places_of(g, channels, o.channels, nowhere, scratch);
    for (uint32_t x = 0; x < o.crop.width; x += chunk) {
      const uint32_t count = std::min(chunk, o.crop.width - x);
      std::array<const float*, kLanes> rows;
      for (uint32_t i = 0; i < kLanes; ++i) {
        const uint32_t y = first_row + g * kLanes + i;
        float* row = decoded + i * kChunkFloats;
        rows[i] = row;
        if (y < seen_rows_.begin || y >= seen_rows_.end) {
          std::fill_n(row, kChunkFloats, 0.0F);
          continue;
        }
        if (load) {
          load(slice, y, x, count, row);
          continue;
        }
        const std::byte* texels = source.row(o.crop.y + y, slice) + (o.crop.x + x) * texel_bytes(source);
        if (direct && count == chunk) {
          rows[i] = reinterpret_cast<const float*>(texels);
        } else {
          decoder_.decode(texels_with_alpha(source.format, texels, count, colours), count, row, row);
        }
      }
      for (uint32_t i = 0; i < kLanes; ++i) {
        transpose_blocks.in[i] = rows[i];
        transpose_blocks.out[i] = places[i].first + (x + i / channels) * places[i].step;
        transpose_blocks.out_steps[i] = turned * places[i].step;
      }
      // Texels beyond the row overwrite elements that are not in use yet.
      transpose_blocks.count = div_up(count, turned);
      kernels_.transpose_blocks(transpose_blocks);
    }
  }
}

/// The inverse, for the columns of the result. Channels that are not transformed are 0, alpha is 1. A target without
/// data gets nothing: `change` sees the texels.
void Transform::Impl::store_rows(const MutableImageView& target, uint32_t slice, uint32_t first_row,
                                 const RowPart& change, Scratch& scratch) const {
  const TransformOptions& o = plan.options;
  const uint32_t channels = encoder_.spec().stored_channels;
  const uint32_t chunk = kChunkFloats / channels;
  const uint32_t turned = kLanes / channels;
  const bool drops_alpha = is_rgb(target.format);
  const bool writes = target.data != nullptr;
  const bool direct = writes && encoder_.spec().stores_as_is() && !drops_alpha;
  auto* rows = reinterpret_cast<float*>(scratch.decoded);
  Transpose transpose_blocks;
  transpose_blocks.out_steps.fill(kLanes);
  transpose_blocks.in_map = row_plan_.positions.data();
  transpose_blocks.in_texels = turned;
  alignas(64) float zeros[kLanes] = {};
  alignas(64) float colours[kChunkFloats];  // texels with alpha
  for (uint32_t g = 0; g < groups_; ++g) {
    const auto places = places_of(g, channels, o.channels, zeros, scratch);
    const uint32_t y = first_row + g * kLanes;
    if (y >= o.result.height) return;
    const uint32_t valid = std::min(kLanes, o.result.height - y);
    for (uint32_t x = 0; x < o.result.width; x += chunk) {
      const uint32_t count = std::min(chunk, o.result.width - x);
      const bool in_place = direct && count == chunk;
      std::array<std::byte*, kLanes> texels;
      std::array<float*, kLanes> out;
      for (uint32_t i = 0; i < kLanes; ++i) {
        out[i] = rows + i * kChunkFloats;
        if (i >= valid || !writes) continue;
        texels[i] = target.row(y + i, slice) + x * texel_bytes(target);
        if (in_place) out[i] = reinterpret_cast<float*>(texels[i]);
      }
      for (uint32_t i = 0; i < kLanes; ++i) {
        transpose_blocks.in[i] = places[i].first;
        transpose_blocks.in_steps[i] = places[i].step;
        transpose_blocks.in_first[i] = o.result.x + x + i / channels;
        transpose_blocks.out[i] = out[i];
        if (places[i].step == 0 && i % channels == 3) transpose_blocks.in[i] = kOnes;
      }
      transpose_blocks.count = div_up(count, turned);
      kernels_.transpose_blocks_mapped(transpose_blocks);
      for (uint32_t i = 0; i < valid && change; ++i) change(slice, y + i, x, count, out[i]);
      for (uint32_t i = 0; i < valid && writes && !in_place; ++i) {
        float* row = rows + i * kChunkFloats;
        std::byte* to = drops_alpha ? reinterpret_cast<std::byte*>(colours) : texels[i];
        encoder_.encode(encoder_.finish(row, count, {}, row), count, to);
        if (drops_alpha) image::drop_alpha(target.format, to, count, texels[i]);
      }
    }
  }
}

void Transform::Impl::transform_rows(bool inverse, Scratch& scratch) const {
  const uint32_t zero = plan.options.crop.width;
  for (uint32_t b = 0; b < batches_; ++b) {
    float* batch = lines(scratch, b);
    if (!inverse) std::fill_n(batch + zero * kElementFloats, kElementFloats, 0.0F);
    const bool in_order = inverse || texels_in_order_;
    auto* scratch_lines = reinterpret_cast<float*>(scratch.passes);
    kernels_.transform({.plan = &row_plan_,
                        .source = batch,
                        .source_elements = in_order ? row_plan_.identity.data() : texel_of_x_.data(),
                        .target = batch,
                        .target_elements = row_plan_.positions.data(),
                        .scratch = in_order && row_plan_.chirp == nullptr ? batch : scratch_lines,
                        .inverse = inverse});
  }
}

StripRows Transform::Impl::strip_rows(uint32_t group, uint32_t row, uint32_t rows, uint32_t slice,
                                      Scratch& scratch) const {
  StripRows described;
  described.size = plan.options.size.width;
  described.columns = plan.spectrum_size.width;
  described.channels = plan.spectrum_channels;
  described.strip_columns = strip_columns_;
  described.rows = rows;
  described.positions = row_plan_.positions.data();
  for (uint32_t c = 0; c < plan.spectrum_channels; ++c) {
    described.lines[c] = {lines(scratch, channel_batches_[group][c].batch), channel_batches_[group][c].part};
  }
  described.strips = work_strip(slice, 0) + row * (half() ? 2 : 4) * kElementFloats;
  described.strip_stride = strip_bytes_;
  if (half()) described.halves = &halves_;
  return described;
}

void Transform::Impl::rows_to_strips(const ImageView& source, Slices slices, double part, const RowPart& load) {
  const uint32_t rows = plan.options.crop.height;
  const uint32_t blocks = div_up(rows, block_rows());
  const double unit = load ? 1.0 : decoder_.spec().unit;
  const double factor = row_factor_ / unit * (real() ? 0.5 : 1.0);
  run_pass(size_t{blocks} * slices.count, slices, part, [&](size_t index, uint32_t slot) {
    Scratch& s = scratch(slot);
    const auto slice = static_cast<uint32_t>(index / blocks);
    const uint32_t first = static_cast<uint32_t>(index % blocks) * block_rows();
    load_rows(source, slices.first + slice, first, load, s);
    transform_rows(false, s);
    for (uint32_t g = 0, row = first; g < groups_ && row < rows; ++g, row += kLanes) {
      StripRows strip = strip_rows(g, row, std::min(kLanes, rows - row), slice, s);
      strip.scale = static_cast<float>(factor);
      kernels_.scatter(strip);
    }
  });
}

void Transform::Impl::strips_to_rows(const MutableImageView& target, Slices slices, double factor, double part,
                                     const RowPart& change) {
  const uint32_t blocks = result_blocks();
  run_pass(size_t{blocks} * slices.count, slices, part, [&](size_t index, uint32_t slot) {
    strips_to_block(target, slices, static_cast<uint32_t>(index / blocks), static_cast<uint32_t>(index % blocks),
                    factor, change, scratch(slot));
  });
}

uint32_t Transform::Impl::result_blocks() const { return div_up(plan.options.result.height, block_rows()); }

void Transform::Impl::strips_to_block(const MutableImageView& target, Slices slices, uint32_t slice, uint32_t block,
                                      double factor, const RowPart& change, Scratch& scratch) {
  const uint32_t rows = plan.options.result.height;
  const uint32_t first = block * block_rows();
  for (uint32_t g = 0, row = first; g < groups_ && row < rows; ++g, row += kLanes) {
    StripRows strip = strip_rows(g, row, std::min(kLanes, rows - row), slice, scratch);
    strip.scale = static_cast<float>(factor);
    kernels_.gather(strip);
  }
  transform_rows(true, scratch);
  store_rows(target, slices.first + slice, first, change, scratch);
}

}  // namespace onepass::cpu

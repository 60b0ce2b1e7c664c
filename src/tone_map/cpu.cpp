// cpu.cpp: cpu::ToneMap, the CPU engine of the tone map. Rows are decoded to RGBA floats (halves are not), mapped and
// encoded in pieces that stay in the first-level cache. With local exposure, a pass before makes the grid.
#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "cpu/aligned_vector.hpp"
#include "cpu/rgb_texels.hpp"
#include "cpu/views.hpp"
#include "cpu/workers.hpp"
#include "hwy/cache_control.h"
#include "image/div_up.hpp"
#include "image/row_codec.hpp"
#include "onepass/tone_map.hpp"
#include "tone_map/code_table.hpp"
#include "tone_map/row_local.hpp"
#include "tone_map/row_tone.hpp"

namespace onepass::cpu {
namespace {

using tone_map::RowStore;

constexpr uint32_t kPieceTexels = 512;     // 8 KB of floats
constexpr uint32_t kTaskTexels = 1 << 15;  // enough that scheduling costs little
// Larger targets are written with non-temporal stores: they leave the cache before they are read.
constexpr uint64_t kNonTemporalBytes = uint64_t{1} << 22;

/// The buffers of one thread: `rgba` for a piece of a row, `stored` for its stored channels, before they become RGBA or
/// after.
struct Scratch {
  static constexpr size_t kTexels = kPieceTexels + tone_map::kTexelPadding;
  AlignedVector<float> rgba;
  AlignedVector<float> stored;
  AlignedVector<float> colours;  // source texels with alpha; empty unless the source is RGB
  AlignedVector<float> mapped;   // target texels with alpha; empty unless the target is RGB
  // Local exposure only.
  AlignedVector<tone_map::LocalSums> sums;  // of a row of regions
  AlignedVector<float> nodes;               // interpolated between two rows of regions
  Scratch() : rgba(4 * kTexels), stored(4 * kTexels) {}
};

bool has_four_equal_channels(Format format) {
  const FormatInfo& info = format_info(format);
  return info.channels == 4 && !info.packed;
}

RowStore store_of(Format target) {
  if (target == Format::kA2B10G10R10Unorm) return RowStore::k10Bits;
  const bool bytes = target == Format::kRGBA8Unorm || target == Format::kRGBA8Srgb;
  return bytes ? RowStore::kBytes : RowStore::kFloats;
}

/// The program applies the transfer and gives values in quantisation steps.
image::EncodeSpec encode_spec(Format target) {
  Format stored = target;
  if (target == Format::kR8Srgb) stored = Format::kR8Unorm;
  if (target == Format::kBGRA8Srgb) stored = Format::kBGRA8Unorm;
  return image::make_encode_spec(stored, {.unit = tone_map::target_unit(target).color});
}

}  // namespace

struct ONEPASS_INTERNAL ToneMap::Impl {
  /// The parameters of map_rows() for one exposure.
  struct Frame {
    tone_map::RowTone tone;
    tone_map::MapRow map_row = nullptr;
    tone_map::LocalScale local;                 // without its nodes
    const tone_map::LocalGrid* grid = nullptr;  // of the slice; null without local exposure
  };

  ToneMapOptions options;
  ToneMapPlan plan;
  Workers workers;
  std::shared_ptr<const tone_map::Program> program;
  tone_map::RowTone tone;
  tone_map::MapRow map_row;
  bool halves;  // map_row reads the source's halves directly
  image::RowDecoder<float> decoder;
  image::RowEncoder<float> encoder;
  std::vector<Scratch> scratch;  // one per slot of `workers`
  // One per slice, made by prepare(). apply(), with one exposure for all slices, uses the first table only.
  std::vector<tone_map::CodeTable> tables;
  std::vector<Frame> frames;
  std::optional<tone_map::LocalPlan> local;
  tone_map::LocalRowFunctions local_rows{};
  uint32_t target_bytes;  // per texel of the options' format

  Impl(const ToneMapOptions& wanted, const ToneMapPlan& planned, const ToneMapTuning& tuning)
      : options(wanted),
        plan(planned),
        workers(tuning.threads),
        program(tone_map::find_program(wanted)),
        decoder(image::make_decode_spec(wanted.source)),
        encoder(encode_spec(wanted.target)),
        scratch(workers.slots()),
        target_bytes(format_info(wanted.target).bytes_per_texel) {
    tone.program = program.get();
    tone.unit = tone_map::target_unit(options.target);
    tone.dithers = options.dither == Dither::kOn;
    tone.clips = options.transfer == Transfer::kLinear;
    tone.non_temporal = plan.bytes_written >= kNonTemporalBytes;
    tone.store = store_of(options.target);
    if (options.local.enabled()) local = tone_map::plan_local_exposure(options);
    halves = options.source == Format::kRGBA16Sfloat;
    if (local) local_rows = tone_map::find_local_rows(halves);
    map_row = tone_map::find_map_row(tone, halves, local.has_value());
  }
  Impl(const Impl&) = delete;

  Frame make_frame(float exposure, uint64_t texels, size_t table);
  const std::byte* texels_at(const ImageView& source, uint32_t x, uint32_t y, uint32_t slice, uint32_t count,
                             Scratch& s) const;
  void decode(const std::byte* texels, uint32_t count, Scratch& s) const;
  void encode(const float* rgba, uint32_t count, std::byte* texels, Scratch& s) const;
  void map_rows(const ImageView& source, const MutableImageView& target, const Frame& frame, size_t first, size_t count,
                Scratch& s) const;
  void sum_regions(const ImageView& source, uint32_t slice, uint32_t row, uint32_t begin, uint32_t end, Scratch& s,
                   tone_map::LocalGrid& grid) const;
  void make_grid(const ImageView& source, uint32_t slice, tone_map::LocalGrid& grid);
};

/// The parameters for mapping `texels` texels. Fills tables[table] if that saves more time than it takes.
ToneMap::Impl::Frame ToneMap::Impl::make_frame(float exposure, uint64_t texels, size_t table) {
  Frame frame{.tone = tone, .map_row = map_row};
  frame.tone.exposure = options.exposure * usable_exposure(exposure);
  const uint64_t least = workers.slots() * tone_map::CodeTable::kLeastTexels;
  if (halves && !local && texels >= least && tone_map::CodeTable::fits(tone)) {
    if (tables.size() <= table) tables.resize(table + 1);
    tables[table].fill(frame.tone, map_row);
    frame.tone.codes = tables[table].data();
    frame.map_row = tone_map::find_map_row_by_codes(tone);
  }
  return frame;
}

/// Texels of a row of the source, with alpha.
const std::byte* ToneMap::Impl::texels_at(const ImageView& source, uint32_t x, uint32_t y, uint32_t slice,
                                          uint32_t count, Scratch& s) const {
  const std::byte* texels = source.row(y, slice) + size_t{x} * texel_bytes(source);
  if (is_rgb(source.format)) s.colours.resize(4 * Scratch::kTexels);
  return texels_with_alpha(source.format, texels, count, s.colours.data());
}

/// Decodes source texels to RGBA, grey in three channels.
void ToneMap::Impl::decode(const std::byte* texels, uint32_t count, Scratch& s) const {
  float* rgba = s.rgba.data();
  if (has_four_equal_channels(options.source)) return decoder.decode(texels, count, rgba, s.stored.data());
  decode_row(options.source, texels, count, rgba);
  const uint32_t channels = format_info(options.source).channels;
  if (channels > 2) return;
  for (uint32_t i = 0; i < count; ++i, rgba += 4) {
    if (channels == 2) rgba[3] = rgba[1];
    rgba[1] = rgba[2] = rgba[0];
  }
}

/// Encodes mapped RGBA floats to texels of the target. Only for RowStore::kFloats.
void ToneMap::Impl::encode(const float* rgba, uint32_t count, std::byte* texels, Scratch& s) const {
  const uint32_t channels = format_info(options.target).channels;
  if (channels == 3) return encode_row(options.target, rgba, count, texels);
  float* packed = s.stored.data();
  if (channels == 4) return encoder.encode(encoder.finish(rgba, count, {}, packed), count, texels);
  for (uint32_t i = 0; i < count; ++i) {
    packed[i * channels] = rgba[4 * i];
    if (channels == 2) packed[2 * i + 1] = rgba[4 * i + 3];
  }
  encoder.encode(packed, count, texels);
}

/// Adds the texels of a row of regions, of the columns from `begin` to `end`, to the sums of their nodes: as many rows
/// of texels at a time as a tally has room for.
void ToneMap::Impl::sum_regions(const ImageView& source, uint32_t slice, uint32_t row, uint32_t begin, uint32_t end,
                                Scratch& s, tone_map::LocalGrid& grid) const {
  const uint32_t rows = tone_map::LocalTally::kMostTexels / local->side;
  const uint32_t bottom = std::min((row + 1) * local->side, options.size.height);
  tone_map::LocalTally tally;
  s.sums.assign(end - begin, {});
  for (uint32_t first = row * local->side; first < bottom; first += rows) {
    for (uint32_t column = begin; column < end; ++column) {
      const uint32_t x = column * local->side;
      const uint32_t texels = std::min(local->side, options.size.width - x);
      for (uint32_t y = first; y < std::min(first + rows, bottom); ++y) {
        const std::byte* from = texels_at(source, x, y, slice, texels, s);
        if (!halves) decode(from, texels, s);
        local_rows.add(halves ? reinterpret_cast<const uint16_t*>(from) : nullptr, s.rgba.data(), texels, tally);
      }
      local_rows.move(tally, s.sums[column - begin]);
    }
  }
  for (uint32_t column = begin; column < end; ++column) grid.take(row, column, s.sums[column - begin]);
}

void ToneMap::Impl::make_grid(const ImageView& source, uint32_t slice, tone_map::LocalGrid& grid) {
  // Rows of regions are tasks. If they are too few for all threads, their parts are.
  constexpr uint32_t kTasksPerThread = 4;
  const uint32_t columns = local->columns;
  const uint32_t parts = std::min(div_up(kTasksPerThread * workers.slots(), local->rows), columns);
  workers.run(size_t{local->rows} * parts, [&](size_t task, uint32_t slot) {
    const auto row = static_cast<uint32_t>(task / parts);
    const auto part = static_cast<uint32_t>(task % parts);
    sum_regions(source, slice, row, columns * part / parts, columns * (part + 1) / parts, scratch[slot], grid);
  });
  workers.run(local->rows, [&](size_t row, uint32_t) { grid.blur_row(static_cast<uint32_t>(row)); });
}

void ToneMap::Impl::map_rows(const ImageView& source, const MutableImageView& target, const Frame& frame, size_t first,
                             size_t count, Scratch& s) const {
  const bool drops_alpha = is_rgb(target.format);
  tone_map::RowTone now = frame.tone;
  if (drops_alpha) {
    now.non_temporal = false;
    s.mapped.resize(4 * Scratch::kTexels);
  }
  tone_map::LocalScale local_scale = frame.local;
  now.local = &local_scale;
  for (size_t row = first; row < first + count; ++row) {
    const auto y = static_cast<uint32_t>(row % options.size.height);
    const auto slice = static_cast<uint32_t>(row / options.size.height);
    std::byte* out = target.row(y, slice);
    if (frame.grid != nullptr) {
      s.nodes.resize(frame.grid->row_size());
      const auto [a, b, share] = frame.grid->rows_at(y);
      local_rows.interpolate(a, b, share, s.nodes.size(), s.nodes.data());
      local_scale.nodes = s.nodes.data();
    }
    for (uint32_t x = 0; x < options.size.width; x += kPieceTexels) {
      const uint32_t texels = std::min(kPieceTexels, options.size.width - x);
      const std::byte* from = texels_at(source, x, y, slice, texels, s);
      if (!halves) decode(from, texels, s);
      const auto* read = halves ? reinterpret_cast<const uint16_t*>(from) : nullptr;
      std::byte* stored = out + size_t{x} * texel_bytes(target);
      std::byte* to = drops_alpha ? reinterpret_cast<std::byte*>(s.mapped.data()) : stored;
      if (now.store != RowStore::kFloats && reinterpret_cast<uintptr_t>(to) % alignof(uint32_t) == 0) {
        frame.map_row(now, read, s.rgba.data(), texels, x, y, reinterpret_cast<uint32_t*>(to));
      } else if (now.store != RowStore::kFloats) {
        auto* words = reinterpret_cast<uint32_t*>(s.stored.data());
        frame.map_row(now, read, s.rgba.data(), texels, x, y, words);
        std::memcpy(to, words, size_t{texels} * target_bytes);
      } else {
        frame.map_row(now, read, s.rgba.data(), texels, x, y, nullptr);
        encode(s.rgba.data(), texels, to, s);
      }
      if (drops_alpha) image::drop_alpha(target.format, to, texels, stored);
    }
  }
  if (now.non_temporal) hwy::FlushStream();  // completes non-temporal stores before another thread reads the target
}

Result<ToneMap> ToneMap::create(const ToneMapOptions& options, const ToneMapTuning& tuning) {
  auto plan = plan_tone_map(options);
  if (!plan) return plan.error();
  try {
    return ToneMap(std::make_unique<Impl>(options, *plan, tuning));
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory for a tone map", ""};
  }
}

Result<void> ToneMap::check(const ImageView& source, const MutableImageView& target) const {
  const ToneMapOptions& options = impl_->options;
  auto checked = check_color_view("source", source, options.source, options.size, options.slices);
  return checked ? check_color_view("target", target, options.target, options.size, options.slices) : checked;
}

void ToneMap::prepare(uint32_t slice, float exposure) const {
  const Extent size = impl_->options.size;
  impl_->frames.resize(impl_->options.slices);
  impl_->frames[slice] = impl_->make_frame(exposure, uint64_t{size.width} * size.height, slice);
}

void ToneMap::apply_rows(const ImageView& source, const MutableImageView& target, uint32_t slice, uint32_t first,
                         uint32_t count) const {
  Scratch scratch;
  impl_->map_rows(source, target, impl_->frames[slice], size_t{slice} * impl_->options.size.height + first, count,
                  scratch);
}

Result<void> ToneMap::apply(const ImageView& source, const MutableImageView& target, float exposure) const {
  const ToneMapOptions& options = impl_->options;
  if (auto checked = check(source, target); !checked) return checked;
  const size_t height = options.size.height;
  const size_t rows_per_task = std::max<size_t>(1, kTaskTexels / options.size.width);
  Impl::Frame frame;
  const auto map_band = [&](size_t begin, size_t rows) {
    impl_->workers.run(div_up(rows, rows_per_task), [&](size_t task, uint32_t slot) {
      const size_t first = task * rows_per_task;
      const size_t count = std::min(rows_per_task, rows - first);
      impl_->map_rows(source, target, frame, begin + first, count, impl_->scratch[slot]);
    });
  };
  // In place with shorter rows, the target is written over source rows above: bands follow one another, so that no row
  // is overwritten before it is read.
  const bool shrinks = options.slices == 1 && target.data == source.data && target.row_stride < source.row_stride &&
                       texel_bytes(target) <= texel_bytes(source);
  const auto map = [&](size_t begin, size_t rows) {
    if (!shrinks) return map_band(begin, rows);
    // The target's rows from `done` to `end` lie where source rows before `done` were.
    for (size_t done = 0, end = 0; done < rows; done = end) {
      end = std::clamp(done * source.row_stride / target.row_stride, done + 1, rows);
      map_band(done, end - done);
    }
  };
  try {
    frame = impl_->make_frame(exposure, uint64_t{options.size.width} * height * options.slices, 0);
    if (impl_->local) {
      frame.local.params = tone_map::make_local_params(options);
      tone_map::set_exposure(frame.tone.exposure, frame.local);
      tone_map::LocalGrid grid(*impl_->local);
      frame.grid = &grid;
      for (uint32_t slice = 0; slice < options.slices; ++slice) {
        impl_->make_grid(source, slice, grid);
        map(slice * height, height);
      }
    } else {
      map(0, height * options.slices);
    }
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "no memory to map tones", ""};
  }
  return {};
}

const ToneMapPlan& ToneMap::plan() const { return impl_->plan; }
const ToneMapOptions& ToneMap::options() const { return impl_->options; }

ToneMap::ToneMap(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ToneMap::ToneMap(ToneMap&&) noexcept = default;
ToneMap& ToneMap::operator=(ToneMap&&) noexcept = default;
ToneMap::~ToneMap() = default;

}  // namespace onepass::cpu

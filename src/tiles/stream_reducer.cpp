// stream_reducer.cpp: the reduction by cpu::PyramidStream, for all layouts that a onepass::Format stores the same way.
#include "tiles/stream_reducer.hpp"

#include <cstring>
#include <optional>
#include <utility>

#include "onepass/pyramid_stream.hpp"

namespace onepass::tiles {
namespace {

class StreamReducer final : public Reducer {
 public:
  explicit StreamReducer(Sink sink, size_t pixel_bytes) : sink_(std::move(sink)), pixel_bytes_(pixel_bytes) {}

  Result<void> open(const PyramidOptions& pyramid, const ReducerOptions& options) {
    cpu::StreamPart part{.first_level = options.first_level,
                         .last_level = options.last_level,
                         .first_row = options.rows.begin,
                         .rows = options.rows.count()};
    if (sink_.keep_row) part.kept = [this](const cpu::LevelRows& rows) { return keep(rows); };
    auto stream = cpu::PyramidStream::create(pyramid, [this](const cpu::LevelRows& rows) { return take(rows); }, part,
                                             {.threads = options.threads});
    if (!stream) return stream.error();
    stream_.emplace(std::move(*stream));
    return {};
  }

  Result<void> push(const std::byte* rows, size_t stride, uint32_t count) override {
    return stream_->push(rows, stride, count);
  }

  [[nodiscard]] size_t unrounded_row_bytes() const override { return stream_->row_bytes(); }

 private:
  Result<void> take(const cpu::LevelRows& rows) {
    const auto* from = static_cast<const std::byte*>(rows.data);
    for (uint32_t i = 0; i < rows.count; ++i, from += rows.row_stride) {
      std::memcpy(sink_.next_row(rows.level), from, rows.width * pixel_bytes_);
      sink_.row_done(rows.level);
    }
    return {};
  }

  [[nodiscard]] Result<void> keep(const cpu::LevelRows& rows) const {
    const auto* from = static_cast<const std::byte*>(rows.data);
    for (uint32_t i = 0; i < rows.count; ++i, from += rows.row_stride) {
      if (auto done = sink_.keep_row(std::span(from, rows.row_stride)); !done) return done;
    }
    return {};
  }

  Sink sink_;
  size_t pixel_bytes_;
  std::optional<cpu::PyramidStream> stream_;
};

}  // namespace

Format stream_format(const PixelLayout& layout, bool srgb) {
  const uint32_t c = layout.channels;
  const bool grey_alpha = c == 2 && layout.has_alpha();  // alpha is not weighted with two channels
  if (c > 4 || grey_alpha) return Format::kUndefined;
  const auto pick = [&](Format one, Format two, Format three, Format four) {
    return c == 1 ? one : c == 2 ? two : c == 3 ? three : four;
  };
  switch (layout.sample) {
    case Sample::kU8:
      if (srgb) return pick(Format::kR8Srgb, Format::kUndefined, Format::kRGB8Srgb, Format::kRGBA8Srgb);
      return pick(Format::kR8Unorm, Format::kRG8Unorm, Format::kRGB8Unorm, Format::kRGBA8Unorm);
    case Sample::kU16:
      if (srgb) return Format::kUndefined;
      return pick(Format::kR16Unorm, Format::kRG16Unorm, Format::kRGB16Unorm, Format::kRGBA16Unorm);
    case Sample::kF16:
      return pick(Format::kR16Sfloat, Format::kRG16Sfloat, Format::kUndefined, Format::kRGBA16Sfloat);
    case Sample::kF32:
      return pick(Format::kR32Sfloat, Format::kRG32Sfloat, Format::kRGB32Sfloat, Format::kRGBA32Sfloat);
    default:
      return Format::kUndefined;
  }
}

Format label_format(Sample sample) {
  return sample == Sample::kU8    ? Format::kR8Uint
         : sample == Sample::kU16 ? Format::kR16Uint
         : sample == Sample::kU32 ? Format::kR32Uint
                                  : Format::kUndefined;
}

Result<std::unique_ptr<Reducer>> make_stream_reducer(const ReducerOptions& options, Format format, Reducer::Sink sink) {
  const bool weighted = options.layout.channels == 4 && options.layout.alpha == AlphaAssociation::kStraight &&
                        options.reduction == Reduction::kMean;
  auto reducer = std::make_unique<StreamReducer>(std::move(sink), options.layout.pixel_bytes());
  const PyramidOptions pyramid{.size = options.size,
                               .levels = options.levels,
                               .source = format,
                               .target = format,
                               .reduction = options.reduction,
                               .footprint = Footprint::kCeil,
                               .alpha = weighted ? Alpha::kWeighted : Alpha::kIndependent};
  if (auto done = reducer->open(pyramid, options); !done) return done.error();
  return std::unique_ptr<Reducer>(std::move(reducer));
}

}  // namespace onepass::tiles

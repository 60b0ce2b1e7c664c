// cpu_stage.cpp: weights of the columns and rows of a level, sizes of buffers. Column weights are repeated for every
// channel, so that SIMD code reads them sequentially; row weights are computed per band.
#include "pyramid/cpu_stage.hpp"

namespace onepass::cpu {
namespace {

image::PixelSemantics semantics_of(const PyramidOptions& options) {
  if (options.normal_map == NormalMap::kRenormalize) return image::PixelSemantics::kNormal;
  if (options.alpha == Alpha::kWeighted) return image::PixelSemantics::kWeighted;
  if (options.alpha == Alpha::kCoverage) return image::PixelSemantics::kCoverage;
  return image::PixelSemantics::kPlain;
}

}  // namespace

BoxSpec box_spec(const PyramidOptions& options) {
  return reduction::make_box_spec(options.source, options.target, options.reduction, semantics_of(options));
}

template <typename T>
LevelStep<T>::LevelStep(const PyramidOptions& options, const BoxSpec& spec, uint32_t level)
    : x(make_axis_step(options.footprint, options.size.width, level)),
      y(make_axis_step(options.footprint, options.size.height, level)) {
  // Above 65535 texels the weighted sums exceed 2^24, and the weights 16 bits.
  sums_integers = level == 1 && spec.sums_integers() && x.taps == Taps::kThree && x.fine <= 65535;
  is_mean = options.reduction == Reduction::kMean;
  if (!is_mean || x.taps != Taps::kThree) return;
  const T scale = sums_integers ? T(1) : row_scale(y.taps);  // scale is a power of two: no rounding
  for (uint32_t i = 0; i < x.coarse; ++i) {
    std::array<T, 3> weights = round_weights<T>(x.weights(i), 3);
    if (sums_integers) weights = {static_cast<T>(x.coarse - i), static_cast<T>(x.coarse), static_cast<T>(i + 1)};
    first.insert(first.end(), spec.channels(), weights[0] * scale);
    middle = weights[1] * scale;  // the same for every texel
    last.insert(last.end(), spec.channels(), weights[2] * scale);
    if (spec.channels() == 1) continue;
    texel_first.push_back(first.back());
    texel_last.push_back(last.back());
  }
  for (AlignedVector<T>* weights : {&first, &last, &texel_first, &texel_last}) {
    if (!weights->empty()) weights->resize(weights->size() + kRowPadding);
  }
}

template <typename T>
void LevelStep<T>::set_rows(TexelRange range) {
  rows.clear();
  rows_begin = range.begin;
  for (uint32_t i = range.begin; i < range.end && is_mean && y.taps == Taps::kThree; ++i) {
    rows.push_back(round_weights<T>(y.weights(i), 3, weights_scale()));
  }
}

template <typename T>
ColumnFold<T> LevelStep<T>::columns(size_t element, T scale) const {
  ColumnFold<T> fold;
  fold.taps = x.taps;
  fold.scale = x.taps == Taps::kTwo ? scale * T(0.5) : scale;
  if (!first.empty()) {
    fold.first = first.data() + element;
    fold.middle = middle;
    fold.last = last.data() + element;
  }
  if (!texel_first.empty()) {
    const size_t texel = element * x.coarse / (first.size() - kRowPadding);
    fold.texel_first = texel_first.data() + texel;
    fold.texel_last = texel_last.data() + texel;
  }
  return fold;
}

template <typename T>
void BandScratch<T>::reserve(size_t row_elements) {
  rows.resize(kStageLevels * kRingRows * row_elements);
  strips.resize(kStripBuffers * kStripSpace);
  targets.resize(kTileRows * kTileStripBytes + kLineBytes);
}

template struct LevelStep<float>;
template struct LevelStep<double>;
template struct BandScratch<float>;
template struct BandScratch<double>;

}  // namespace onepass::cpu

// row_fused.cpp: BoxKernels::fused_rows, in SIMD: fused rows of three levels with three column taps each (covering
// footprint, odd widths), for large pyramids: targets are written with non-temporal stores. Formats: mean of RGBA8
// UNORM to RGBA8 UNORM, all reductions of float to float.
//
// The loop advances all rows together by 256 source elements: what a coarser level reads has just been computed, and
// what a target receives is still in the L1 cache, so that memory is read and written during the arithmetic.
//
//     level 1   ------------------>        four rows
//     level 2   --------------->           two
//     level 3   ------------>              one
#include <algorithm>

#include "reduction/box_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reduction/row_fused.cpp"
#include "hwy/foreach_target.h"  // first: includes this file once per target

#include "cpu/simd_dispatch.hpp"
#include "image/row_quantised-inl.hpp"
#include "reduction/row_fold_unorm8-inl.hpp"
#include "reduction/row_fold_wide-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::reduction {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: levels are computed one by one

bool set_fused_rows(const BoxSpec& /*spec*/, BoxKernels<float>& /*kernels*/) { return true; }

#else

constexpr size_t kLine = 64;      ///< Bytes of a cache line.
constexpr size_t kAdvance = 256;  ///< Elements of the source per iteration.

// ---- Non-temporal stores of whole cache lines

struct FloatLine {
  static constexpr size_t kElements = kLine / sizeof(float);
  static HWY_INLINE void write(const float* in, std::byte* to) {
    const Floats d;
    auto* out = reinterpret_cast<float*>(to);
    for (size_t i = 0; i < kElements; i += hn::Lanes(d)) hn::Stream(hn::LoadU(d, in + i), d, out + i);
  }
};

struct QuantisedLine {
  static constexpr size_t kElements = kLine;
  static HWY_INLINE void write(const float* in, std::byte* to) {
    const WriteUnorm8 writer{image::EncodeSpec{}};
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    writer.template write4<true>(in, reinterpret_cast<uint8_t*>(to));
#else
    const hn::Repartition<uint8_t, Floats> d8;
    HWY_ALIGN uint8_t line[kLine];
    for (size_t i = 0; i < kLine; i += hn::Lanes(Floats())) writer.write(hn::LoadU(Floats(), in + i), line + i);
    for (size_t i = 0; i < kLine; i += hn::Lanes(d8)) {
      hn::Stream(hn::Load(d8, line + i), d8, reinterpret_cast<uint8_t*>(to) + i);
    }
#endif
  }
};

/// Writes the rows of one level to its target.
template <class Line>
class TargetRows {
 public:
  TargetRows(const image::RowEncoder<float>& encoder, const FusedLevel<float>& level)
      : encoder_(encoder),
        level_(level),
        channels_(encoder.spec().stored_channels),
        count_(level.fold.texels * channels_) {
    for (size_t y = 0; y < level_.fold.count; ++y) written_[y] = head(y);
  }

  /// Writes the whole lines of the first `made` elements.
  HWY_INLINE void write(size_t made) {
    for (size_t y = 0; y < level_.fold.count; ++y) {
      if (level_.targets[y] == nullptr) continue;
      size_t at = written_[y];
      for (; at + Line::kElements <= made; at += Line::kElements) {
        Line::write(level_.coarse[y] + at, level_.targets[y] + at * (kLine / Line::kElements));
      }
      written_[y] = at;
    }
  }

  /// Writes the elements after the last whole line, and those before the first.
  void finish() {
    write(count_);
    for (size_t y = 0; y < level_.fold.count; ++y) {
      if (level_.targets[y] == nullptr) continue;
      const size_t rest = written_[y];
      encoder_.encode(level_.coarse[y], head(y) / channels_, level_.targets[y]);
      encoder_.encode(level_.coarse[y] + rest, (count_ - rest) / channels_,
                      level_.targets[y] + rest * (kLine / Line::kElements));
    }
  }

 private:
  /// Elements of row y before the first whole line.
  [[nodiscard]] size_t head(size_t y) const {
    const size_t beyond = reinterpret_cast<uintptr_t>(level_.targets[y]) % kLine;
    return beyond == 0 ? 0 : std::min(count_, (kLine - beyond) * Line::kElements / kLine);
  }

  const image::RowEncoder<float>& encoder_;
  const FusedLevel<float>& level_;
  size_t channels_;
  size_t count_;  ///< Elements of a row.
  size_t written_[kMostPairs] = {};
};

// ---- Levels

/// The rows of one level, of two or three row taps. `Strip` is a template over this number.
template <template <uint32_t> class Strip>
class Rows {
 public:
  Rows(const FusedLevel<float>& level, FloatV signs)
      : is_empty_(level.fold.count == 0),
        two_taps_(level.fold.row_taps == 2),
        of_two_(level.fine.data(), level.fold, level.coarse.data(), signs),
        of_three_(level.fine.data(), level.fold, level.coarse.data(), signs) {}
  HWY_NOINLINE size_t advance(size_t fine) {
    if (is_empty_) return 0;
    return two_taps_ ? of_two_.advance(fine) : of_three_.advance(fine);
  }

 private:
  bool is_empty_;
  bool two_taps_;
  Strip<2> of_two_;
  Strip<3> of_three_;
};

template <class Line, template <uint32_t> class First, template <uint32_t> class Coarser>
HWY_NOINLINE void make_rows(const FusedRows<float>& fused_rows, FloatV signs) {
  const auto& levels = fused_rows.levels;
  Rows<First> first(levels[0], signs);
  Rows<Coarser> second(levels[1], signs);
  Rows<Coarser> third(levels[2], signs);
  TargetRows<Line> first_target(*fused_rows.encoder, levels[0]);
  TargetRows<Line> second_target(*fused_rows.encoder, levels[1]);
  TargetRows<Line> third_target(*fused_rows.encoder, levels[2]);
  const size_t source = levels[0].fold.readable;
  for (size_t read = 0; read < source;) {
    read = std::min(read + kAdvance, source);
    const size_t made1 = first.advance(read);
    const size_t made2 = second.advance(made1);
    const size_t made3 = third.advance(made2);
    first_target.write(made1);
    second_target.write(made2);
    third_target.write(made3);
  }
  first_target.finish();
  second_target.finish();
  third_target.finish();
}

// ---- Selection of functions

template <class Op, uint32_t kChannels>
struct Strips {
  template <uint32_t kRowTaps>
  using Source = WideStrip<LoadF32, Op, kChannels, true, kRowTaps, Taps::kThree>;
  template <uint32_t kRowTaps>
  using Working = WideStrip<LoadF32, Op, kChannels, false, kRowTaps, Taps::kThree>;
};

template <uint32_t kRowTaps>
struct QuantisedStrip : Unorm8Strip<4, kRowTaps> {
  HWY_INLINE QuantisedStrip(const void* const* rows, const WideFold<float>& fold, float* const* outs, FloatV /*signs*/)
      : Unorm8Strip<4, kRowTaps>(rows, fold, outs) {}
};

void fused_quantised(const FusedRows<float>& rows) {
  make_rows<QuantisedLine, QuantisedStrip, Strips<Sum, 4>::Working>(rows, hn::Zero(Floats()));
}

template <class Op, uint32_t kChannels>
void fused_floats(const FusedRows<float>& rows) {
  using Shared = Strips<SharedOp<Op, kChannels>, kChannels>;
  make_rows<FloatLine, Shared::template Source, Shared::template Working>(rows, signs_of<Op>());
}

/// False if the target AVX3 serves `spec`: only sums of integers have instructions of AVX3_DL.
bool set_fused_rows(const BoxSpec& spec, BoxKernels<float>& kernels) {
  if (spec.sums_integers() && spec.target.has_quantised_values() && spec.channels() == 4) {
    kernels.fused_rows = fused_quantised;
    return true;
  }
#if HWY_TARGET != HWY_AVX3_DL || (HWY_TARGETS & HWY_AVX3) == 0
  if (spec.source.storage != Storage::kF32 || spec.source.prepares() || !spec.target.stores_as_is()) return true;
  with_reduction(spec, [&]<class Op, uint32_t kChannels>() { kernels.fused_rows = fused_floats<Op, kChannels>; });
  return true;
#else
  return false;
#endif
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::reduction
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::reduction {

ONEPASS_SIMD_EXPORT(set_fused_rows);

void add_fused_rows(const BoxSpec& spec, BoxKernels<float>& kernels) {
  ONEPASS_SIMD_FIND(set_fused_rows, spec, kernels);
}

}  // namespace onepass::reduction
#endif

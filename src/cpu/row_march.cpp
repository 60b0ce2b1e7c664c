// row_march.cpp: three levels side by side where texels take three columns: RowKernels::march, in SIMD.
//
// The rows of a step grow together, a few vectors at a time: what a coarser level reads has just been made and what a
// target receives is still in the L1 cache, so that memory is read and written while the next texels are computed.
//
//     level 1   ------------------>        four rows
//     level 2   --------------->           two
//     level 3   ------------>              one
#include <algorithm>

#include "cpu/row_kernels.hpp"

#define HWY_WANT_AVX3_DL
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/row_march.cpp"
#include "hwy/foreach_target.h"  // includes this file once a target: first

#include "cpu/row_codes-inl.hpp"
#include "cpu/row_fold_codes-inl.hpp"
#include "cpu/row_fold_wide-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR  // no vectors: rows are made level by level

RowKernels<float> choose_march(const RowSpec& /*spec*/) { return {}; }

#else

constexpr size_t kLine = 64;      ///< Bytes of a cache line.
constexpr size_t kAdvance = 256;  ///< Elements of the source at a time.

// ---- How whole cache lines are written past the caches

struct FloatLine {
  static constexpr size_t kElements = kLine / sizeof(float);
  static HWY_INLINE void write(const float* in, std::byte* to) {
    const Floats d;
    auto* out = reinterpret_cast<float*>(to);
    for (size_t i = 0; i < kElements; i += hn::Lanes(d)) hn::Stream(hn::LoadU(d, in + i), d, out + i);
  }
};

struct CodeLine {
  static constexpr size_t kElements = kLine;
  static HWY_INLINE void write(const float* in, std::byte* to) {
    const WriteCodes8 writer{RowSpec{}};
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

/// The rows of one level on their way to its target.
template <class Line>
class TargetRows {
 public:
  TargetRows(const RowSpec& spec, const MarchLevel<float>& level)
      : spec_(spec), level_(level), count_(level.fold.texels * spec.channels) {
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

  /// Writes the rest, and what comes before the first line.
  void finish(void (*encode)(const RowSpec&, const float*, size_t, void*)) {
    write(count_);
    for (size_t y = 0; y < level_.fold.count; ++y) {
      if (level_.targets[y] == nullptr) continue;
      const size_t rest = written_[y];
      encode(spec_, level_.coarse[y], head(y) / spec_.channels, level_.targets[y]);
      encode(spec_, level_.coarse[y] + rest, (count_ - rest) / spec_.channels,
             level_.targets[y] + rest * (kLine / Line::kElements));
    }
  }

 private:
  /// Elements of row y before the first whole line.
  [[nodiscard]] size_t head(size_t y) const {
    const size_t beyond = reinterpret_cast<uintptr_t>(level_.targets[y]) % kLine;
    return beyond == 0 ? 0 : std::min(count_, (kLine - beyond) * Line::kElements / kLine);
  }

  const RowSpec& spec_;
  const MarchLevel<float>& level_;
  size_t count_;  ///< Elements of a row.
  size_t written_[kMostPairs] = {};
};

// ---- Levels

template <class Strip>
class Rows {
 public:
  explicit Rows(const MarchLevel<float>& level) : strip_(level.fine.data(), level.fold, level.coarse.data()) {}
  HWY_NOINLINE size_t advance(size_t fine) { return strip_.advance(fine); }

 private:
  Strip strip_;
};

template <class Line, class First, class Second, class Third>
void march_levels(const RowSpec& spec, const March<float>& march) {
  const auto& levels = march.levels;
  Rows<First> first(levels[0]);
  Rows<Second> second(levels[1]);
  Rows<Third> third(levels[2]);
  TargetRows<Line> first_target(spec, levels[0]);
  TargetRows<Line> second_target(spec, levels[1]);
  TargetRows<Line> third_target(spec, levels[2]);
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
  first_target.finish(march.encode);
  second_target.finish(march.encode);
  third_target.finish(march.encode);
}

/// `Strip` is a template over the number of rows that become one: two or three of each level.
template <class Line, template <uint32_t> class First, template <uint32_t> class Coarser>
void march(const RowSpec& spec, const March<float>& march) {
  const auto with_third = [&]<class A, class B>() {
    return march.levels[2].fold.row_taps == 2 ? march_levels<Line, A, B, Coarser<2>>(spec, march)
                                              : march_levels<Line, A, B, Coarser<3>>(spec, march);
  };
  const auto with_second = [&]<class A>() {
    return march.levels[1].fold.row_taps == 2 ? with_third.template operator()<A, Coarser<2>>()
                                              : with_third.template operator()<A, Coarser<3>>();
  };
  return march.levels[0].fold.row_taps == 2 ? with_second.template operator()<First<2>>()
                                            : with_second.template operator()<First<3>>();
}

// ---- The choice

template <class Op, uint32_t kChannels>
struct Strips {
  template <uint32_t kRowTaps>
  using Source = WideStrip<LoadF32, Op, kChannels, true, kRowTaps, Taps::kThree>;
  template <uint32_t kRowTaps>
  using Working = WideStrip<LoadF32, Op, kChannels, false, kRowTaps, Taps::kThree>;
  template <uint32_t kRowTaps>
  using Codes = CodeStrip<kChannels, kRowTaps>;
};

RowKernels<float> choose_march(const RowSpec& spec) {
  RowKernels<float> kernels;
  if (spec.sums_codes() && spec.target == Storage::kU8 && spec.has_codes() && spec.channels == 4) {
    kernels.march = march<CodeLine, Strips<Sum, 4>::Codes, Strips<Sum, 4>::Working>;
  }
  if (spec.source != Storage::kF32 || !spec.stores_as_is() || spec.prepares()) return kernels;
  return choose_reduction(spec, []<class Op, uint32_t kChannels>() {
    RowKernels<float> floats;
    floats.march = march<FloatLine, Strips<Op, kChannels>::template Source, Strips<Op, kChannels>::template Working>;
    return floats;
  });
}

#endif

}  // namespace HWY_NAMESPACE
}  // namespace onepass::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace onepass::cpu {

HWY_EXPORT(choose_march);

RowKernels<float> find_march_kernels(const RowSpec& spec) { return HWY_DYNAMIC_DISPATCH(choose_march)(spec); }

}  // namespace onepass::cpu
#endif

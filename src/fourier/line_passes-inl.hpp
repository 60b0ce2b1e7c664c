// line_passes-inl.hpp: Cooley-Tukey passes and Bluestein's convolution over sixteen lines side by side. Included once
// per SIMD target.
//
// An inverse transform is a forward one with real and imaginary parts exchanged in input and result.
#if defined(ONEPASS_FOURIER_LINE_PASSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_FOURIER_LINE_PASSES_INL
#undef ONEPASS_FOURIER_LINE_PASSES_INL
#else
#define ONEPASS_FOURIER_LINE_PASSES_INL
#endif

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fourier/line_butterflies-inl.hpp"
#include "fourier/line_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

// ---- Access to elements: work memory, and source and target of a LineJob

constexpr ptrdiff_t kImaginary = kLanes;

/// Elements of work memory, in order.
struct WorkElements {
  float* first;
  HWY_INLINE Complex load(size_t i, size_t lane) const {
    return onepass::cpu::HWY_NAMESPACE::load(first + kElementFloats * i + lane, kImaginary);
  }
  HWY_INLINE void store(Complex value, size_t i, size_t lane) const {
    onepass::cpu::HWY_NAMESPACE::store(value, first + kElementFloats * i + lane, kImaginary);
  }
};

/// Elements by index table. `first` is the part taken as real; `imaginary` as in load().
struct MappedElements {
  float* first;
  const uint32_t* elements;
  ptrdiff_t imaginary;
  HWY_INLINE Complex load(size_t i, size_t lane) const {
    return onepass::cpu::HWY_NAMESPACE::load(first + kElementFloats * elements[i] + lane, imaginary);
  }
  HWY_INLINE void store(Complex value, size_t i, size_t lane) const {
    onepass::cpu::HWY_NAMESPACE::store(value, first + kElementFloats * elements[i] + lane, imaginary);
  }
};

/// Unaligned rows of 16 pairs by index table; stores scale. kSwapped: re and im are exchanged.
template <bool kSwapped>
struct PairElements {
  float* first;
  const uint32_t* elements;
  size_t stride;
  FloatV scale;
  HWY_INLINE Complex load(size_t i, size_t lane) const {
    const float* p = first + stride * elements[i] + 2 * lane;
    Complex value;
#if HWY_TARGET == HWY_SCALAR
    value = {hn::LoadU(Floats(), p), hn::LoadU(Floats(), p + 1)};
#else
    hn::LoadInterleaved2(Floats(), p, value.re, value.im);
#endif
    return kSwapped ? Complex{value.im, value.re} : value;
  }
  HWY_INLINE void store(Complex value, size_t i, size_t lane) const {
    float* p = first + stride * elements[i] + 2 * lane;
    value = value * scale;
    if (kSwapped) value = {value.im, value.re};
#if HWY_TARGET == HWY_SCALAR
    hn::StoreU(value.re, Floats(), p);
    hn::StoreU(value.im, Floats(), p + 1);
#else
    hn::StoreInterleaved2(value.re, value.im, Floats(), p);
#endif
  }
};

/// Calls function with the source or target given by these fields of a LineJob.
template <class Function>
HWY_INLINE void with_elements(float* first, const uint32_t* elements, size_t pair_stride, float scale, bool inverse,
                              const Function& function) {
  if (pair_stride == 0) {
    if (inverse) return function(MappedElements{first + kLanes, elements, -kImaginary});
    return function(MappedElements{first, elements, kImaginary});
  }
  if (inverse) return function(PairElements<true>{first, elements, pair_stride, constant(scale)});
  return function(PairElements<false>{first, elements, pair_stride, constant(scale)});
}

/// Source or target to prefetch: the hardware does not predict accesses to rows that are far apart.
struct FarRows {
  const float* first = nullptr;  ///< Null: in the cache.
  const uint32_t* elements = nullptr;
  size_t stride = 0;  ///< In floats.

  HWY_INLINE void fetch(size_t i) const {
    if (first == nullptr) return;
    const float* p = first + stride * elements[i];
    __builtin_prefetch(p, 1);
    __builtin_prefetch(p + kLanes, 1);
    __builtin_prefetch(p + kElementFloats - 1, 1);  // unaligned rows touch one more line
  }
};

/// Work memory of passes, and what the first one prefetches.
struct PassMemory {
  float* work;
  FarRows source, target;
};

// ---- Passes

constexpr size_t kAhead = 4;  ///< Prefetch distance in butterflies.

/// One butterfly of all lines, from elements in_index(q) to elements out_index(q).
template <size_t kRadix, bool kTwiddles, class In, class Out, class InIndex, class OutIndex>
HWY_INLINE void butterfly(const In& in, InIndex in_index, const Out& out, OutIndex out_index, const float* twiddles) {
  for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(Floats())) {
    Complex x[kRadix];
    unroll<kRadix>([&](auto q) ONEPASS_UNROLLED { x[q()] = in.load(in_index(q()), lane); });
    Butterfly<kRadix>::run(x);
    out.store(x[0], out_index(0), lane);
    unroll<kRadix - 1>([&](auto i) ONEPASS_UNROLLED {
      constexpr size_t q = i() + 1;
      const Complex value = kTwiddles ? x[q] * pair(twiddles + 2 * (q - 1)) : x[q];
      out.store(value, out_index(q), lane);
    });
  }
}

/// The first of several passes, from the source.
template <size_t kRadix, class Source>
void first_pass(const LinePlan& plan, const Source source, const PassMemory& memory) {
  const FarRows far_source = memory.source;
  const FarRows far_target = memory.target;
  const WorkElements work = {memory.work};
  const size_t span = plan.passes[0].span;
  const float* twiddles = plan.twiddles.data() + 2 * plan.passes[0].twiddles;
  for (size_t m = 0; m < span; ++m, twiddles += 2 * (kRadix - 1)) {
    const auto index = [&](size_t q) ONEPASS_UNROLLED { return m + q * span; };
    const size_t ahead = std::min(m + kAhead, span - 1);
    unroll<kRadix>([&](auto q) ONEPASS_UNROLLED {
      far_source.fetch(ahead + q() * span);
      far_target.fetch(m + q() * span);
    });
    butterfly<kRadix, true>(source, index, work, index, twiddles);
  }
}

/// A pass over one block, in place.
template <size_t kRadix>
void middle_pass(const LinePlan& plan, const LinePass& pass, float* block) {
  const size_t span = pass.span;
  const float* twiddles = plan.twiddles.data() + 2 * pass.twiddles;
  const auto index = [&](size_t q) ONEPASS_UNROLLED { return q * span; };
  butterfly<kRadix, false>(WorkElements{block}, index, WorkElements{block}, index, nullptr);  // all twiddles are 1
  for (size_t m = 1; m < span; ++m) {
    block += kElementFloats;
    twiddles += 2 * (kRadix - 1);
    butterfly<kRadix, true>(WorkElements{block}, index, WorkElements{block}, index, twiddles);
  }
}

/// The last pass, over `count` blocks, to the target. Value j of block q has index first + (q + count * j) * step.
template <size_t kRadix, class Target>
void last_pass(const float* blocks, size_t count, const Target target, size_t first, size_t step) {
  const size_t stride = count * step;
  for (size_t q = 0; q < count; ++q, blocks += kElementFloats * kRadix, first += step) {
    const auto in = [&](size_t j) ONEPASS_UNROLLED { return j; };
    const auto out = [&](size_t j) ONEPASS_UNROLLED { return first + j * stride; };
    butterfly<kRadix, false>(WorkElements{const_cast<float*>(blocks)}, in, target, out, nullptr);
  }
}

template <class In, class Out>
void copy(size_t count, const In& in, const Out& out) {
  for (size_t i = 0; i < count; ++i) {
    for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(Floats())) out.store(in.load(i, lane), i, lane);
  }
}

/// Calls function(std::integral_constant<size_t, radix>).
template <class Function>
HWY_INLINE void with_radix(uint32_t radix, const Function& function) {
  switch (radix) {
    case 2:
      return function(std::integral_constant<size_t, 2>());
    case 3:
      return function(std::integral_constant<size_t, 3>());
    case 4:
      return function(std::integral_constant<size_t, 4>());
    case 5:
      return function(std::integral_constant<size_t, 5>());
    case 7:
      return function(std::integral_constant<size_t, 7>());
    case 8:
      return function(std::integral_constant<size_t, 8>());
    default:
      return function(std::integral_constant<size_t, 9>());
  }
}

/// Runs the passes after `done` on a block, depth first. The block holds values first, first + step, ...
template <class Target>
void finish_block(const LinePlan& plan, size_t done, float* block, const Target& target, size_t first, size_t step) {
  const LinePass& pass = plan.passes[done];
  const LinePass& next = plan.passes[done + 1];
  if (done + 2 == plan.passes.size()) {
    return with_radix(next.radix, [&](auto radix) { last_pass<radix()>(block, pass.radix, target, first, step); });
  }
  for (size_t q = 0; q < pass.radix; ++q) {
    float* part = block + kElementFloats * q * pass.span;
    with_radix(next.radix, [&](auto radix) { middle_pass<radix()>(plan, next, part); });
    finish_block(plan, done + 1, part, target, first + q * step, step * pass.radix);
  }
}

/// The passes up to the one that finish_passes() begins with, from the source to work memory.
template <class Source>
void start_passes(const LinePlan& plan, const Source& source, const PassMemory& memory) {
  if (plan.passes.size() < 2) return copy(plan.size, source, WorkElements{memory.work});
  with_radix(plan.passes[0].radix, [&](auto radix) { first_pass<radix()>(plan, source, memory); });
}

/// The other passes, from work memory to the target.
template <class Target>
void finish_passes(const LinePlan& plan, const Target& target, float* work) {
  if (plan.passes.empty()) return copy(1, WorkElements{work}, target);  // length 1
  if (plan.passes.size() > 1) return finish_block(plan, 0, work, target, 0, 1);
  with_radix(plan.passes[0].radix, [&](auto radix) { last_pass<radix()>(work, 1, target, 0, 1); });
}

// ---- Bluestein's algorithm

/// Elements with real and imaginary parts exchanged.
struct SwappedElements {
  float* first;
  HWY_INLINE Complex load(size_t i, size_t lane) const {
    return onepass::cpu::HWY_NAMESPACE::load(first + kElementFloats * i + kLanes + lane, -kImaginary);
  }
  HWY_INLINE void store(Complex value, size_t i, size_t lane) const {
    onepass::cpu::HWY_NAMESPACE::store(value, first + kElementFloats * i + kLanes + lane, -kImaginary);
  }
};

/// out[i] = in[i] * factors[i]
template <class In, class Out>
void multiply(size_t count, const In& in, const float* factors, const Out& out) {
  for (size_t n = 0; n < count; ++n) {
    const Complex factor = pair(factors + 2 * n);
    for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(Floats())) out.store(in.load(n, lane) * factor, n, lane);
  }
}

/// Convolves `plan.size` values of work memory, already multiplied by the factors, with the chirp.
inline void convolve_with_chirp(const LinePlan& plan, float* work) {
  const LinePlan::Chirp& chirp = *plan.chirp;
  const size_t inner = chirp.inner.size;
  const WorkElements lines = {work};
  for (size_t i = plan.size; i < inner; ++i) {
    for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(Floats())) {
      lines.store({hn::Zero(Floats()), hn::Zero(Floats())}, i, lane);
    }
  }
  float* rest = work + kElementFloats * inner;
  start_passes(chirp.inner, lines, {work, {}, {}});
  finish_passes(chirp.inner, WorkElements{rest}, work);
  multiply(inner, WorkElements{rest}, chirp.filter.data(), WorkElements{rest});
  start_passes(chirp.inner, SwappedElements{rest}, {rest, {}, {}});
  finish_passes(chirp.inner, SwappedElements{work}, rest);
}

void transform_lines(const LineJob& job) {
  const LinePlan& plan = *job.plan;
  const auto far_rows = [&](const float* first, const uint32_t* elements, size_t pair_stride) {
    if (pair_stride != 0) return FarRows{first, elements, pair_stride};
    return job.far ? FarRows{first, elements, kElementFloats} : FarRows{};
  };
  with_elements(const_cast<float*>(job.source), job.source_elements, job.source_pair_stride, 1, job.inverse,
                [&](const auto& source) {
                  if (plan.chirp != nullptr) {
                    return multiply(plan.size, source, plan.chirp->factors.data(), WorkElements{job.scratch});
                  }
                  start_passes(plan, source,
                               {job.scratch, far_rows(job.source, job.source_elements, job.source_pair_stride),
                                far_rows(job.target, job.target_elements, job.target_pair_stride)});
                });
  if (plan.chirp != nullptr) convolve_with_chirp(plan, job.scratch);
  with_elements(job.target, job.target_elements, job.target_pair_stride, job.scale, job.inverse,
                [&](const auto& target) {
                  if (plan.chirp != nullptr) {
                    return multiply(plan.size, WorkElements{job.scratch}, plan.chirp->factors.data(), target);
                  }
                  finish_passes(plan, target, job.scratch);
                });
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

// line_passes-inl.hpp: butterflies over sixteen lines side by side. Included once per SIMD target.
//
// An inverse transform is a forward one with real and imaginary parts exchanged on the way in and out.
#if defined(ONEPASS_FOURIER_LINE_PASSES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_FOURIER_LINE_PASSES_INL
#undef ONEPASS_FOURIER_LINE_PASSES_INL
#else
#define ONEPASS_FOURIER_LINE_PASSES_INL
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "fourier/line_kernels.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// At most the lanes of an element: wider registers do not exist yet.
using Floats = hn::CappedTag<float, kLanes>;
using FloatV = hn::Vec<Floats>;

struct Complex {
  FloatV re;
  FloatV im;
};

HWY_INLINE Complex operator+(Complex a, Complex b) { return {hn::Add(a.re, b.re), hn::Add(a.im, b.im)}; }
HWY_INLINE Complex operator-(Complex a, Complex b) { return {hn::Sub(a.re, b.re), hn::Sub(a.im, b.im)}; }
HWY_INLINE Complex operator*(Complex a, FloatV s) { return {hn::Mul(a.re, s), hn::Mul(a.im, s)}; }
HWY_INLINE Complex operator*(Complex a, Complex b) {
  return {hn::Sub(hn::Mul(a.re, b.re), hn::Mul(a.im, b.im)), hn::Add(hn::Mul(a.re, b.im), hn::Mul(a.im, b.re))};
}
/// a - i b and a + i b.
HWY_INLINE Complex sub_i(Complex a, Complex b) { return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)}; }
HWY_INLINE Complex add_i(Complex a, Complex b) { return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)}; }

HWY_INLINE FloatV constant(float value) { return hn::Set(Floats(), value); }
/// The same factor for all lines.
HWY_INLINE Complex pair(const float* p) { return {constant(p[0]), constant(p[1])}; }

/// Part of an element that a vector holds; `imaginary`: floats from the part to be taken as real to the other one.
HWY_INLINE Complex load(const float* p, ptrdiff_t imaginary) {
  return {hn::Load(Floats(), p), hn::Load(Floats(), p + imaginary)};
}
HWY_INLINE void store(Complex value, float* p, ptrdiff_t imaginary) {
  hn::Store(value.re, Floats(), p);
  hn::Store(value.im, Floats(), p + imaginary);
}

// ---- Butterflies: x becomes its transform

template <size_t kRadix>
struct Butterfly {  // odd radices
  static constexpr size_t kHalf = kRadix / 2;
  static constexpr std::array<float, kHalf + 1> cosines() {
    if constexpr (kRadix == 3) return {1.0F, -0.5F};
    if constexpr (kRadix == 5) return {1.0F, 0.30901699437494742410F, -0.80901699437494742410F};
    if constexpr (kRadix == 7) {
      return {1.0F, 0.62348980185873353053F, -0.22252093395631440429F, -0.90096886790241912624F};
    }
  }
  static constexpr std::array<float, kHalf + 1> sines() {
    if constexpr (kRadix == 3) return {0.0F, 0.86602540378443864676F};
    if constexpr (kRadix == 5) return {0.0F, 0.95105651629515357212F, 0.58778525229247312917F};
    if constexpr (kRadix == 7) {
      return {0.0F, 0.78183148246802980871F, 0.97492791218182360702F, 0.43388373911755812048F};
    }
  }
  static HWY_INLINE void run(Complex (&x)[kRadix]) {
    constexpr auto c = cosines();
    constexpr auto s = sines();
    Complex sum[kHalf + 1];
    Complex difference[kHalf + 1];
    Complex total = x[0];
    for (size_t j = 1; j <= kHalf; ++j) {
      sum[j] = x[j] + x[kRadix - j];
      difference[j] = x[j] - x[kRadix - j];
      total = total + sum[j];
    }
    const Complex first = x[0];
    x[0] = total;
    for (size_t k = 1; k <= kHalf; ++k) {
      Complex even = first;
      Complex odd = difference[1] * constant(s[k]);
      for (size_t j = 1; j <= kHalf; ++j) {
        const size_t turn = j * k % kRadix;
        const bool upper = turn > kHalf;
        even = even + sum[j] * constant(c[upper ? kRadix - turn : turn]);
        if (j == 1) continue;
        const Complex term = difference[j] * constant(s[upper ? kRadix - turn : turn]);
        odd = upper ? odd - term : odd + term;
      }
      x[k] = sub_i(even, odd);
      x[kRadix - k] = add_i(even, odd);
    }
  }
};

template <>
struct Butterfly<2> {
  static HWY_INLINE void run(Complex (&x)[2]) {
    const Complex difference = x[0] - x[1];
    x[0] = x[0] + x[1];
    x[1] = difference;
  }
};

HWY_INLINE void butterfly4(Complex& a, Complex& b, Complex& c, Complex& d) {
  const Complex even = a + c;
  const Complex even_difference = a - c;
  const Complex odd = b + d;
  const Complex odd_difference = b - d;
  a = even + odd;
  c = even - odd;
  b = sub_i(even_difference, odd_difference);
  d = add_i(even_difference, odd_difference);
}

template <>
struct Butterfly<4> {
  static HWY_INLINE void run(Complex (&x)[4]) { butterfly4(x[0], x[1], x[2], x[3]); }
};

template <>
struct Butterfly<8> {
  static HWY_INLINE void run(Complex (&x)[8]) {
    butterfly4(x[0], x[2], x[4], x[6]);
    butterfly4(x[1], x[3], x[5], x[7]);
    const FloatV half_root = constant(0.70710678118654752440F);
    const Complex e0 = x[0], e1 = x[2], e2 = x[4], e3 = x[6];
    const Complex o0 = x[1];
    const Complex o1 = sub_i(x[3], x[3]) * half_root;  // times exp(-i pi/4)
    const Complex o2 = x[5];
    const Complex o3 = add_i(x[7], x[7]) * half_root;  // times -exp(-3 i pi/4)
    x[0] = e0 + o0;
    x[4] = e0 - o0;
    x[1] = e1 + o1;
    x[5] = e1 - o1;
    x[2] = sub_i(e2, o2);
    x[6] = add_i(e2, o2);
    x[3] = e3 - o3;
    x[7] = e3 + o3;
  }
};

// ---- Passes

/// How a pass finds its elements.
struct Passes {
  const LinePlan& plan;
  const float* source;
  const uint32_t* source_elements;
  float* target;
  const uint32_t* target_elements;
  float* work;
  ptrdiff_t imaginary;  ///< As load() has it, in source and target.
};

/// One butterfly of all lines. `in` and `out` say where element q is; twiddles may be null.
template <size_t kRadix, class In, class Out>
HWY_INLINE void butterfly(In in, ptrdiff_t in_imaginary, Out out, ptrdiff_t out_imaginary, const float* twiddles) {
  const Floats d;
  for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    Complex x[kRadix];
    for (size_t q = 0; q < kRadix; ++q) x[q] = load(in(q) + lane, in_imaginary);
    Butterfly<kRadix>::run(x);
    store(x[0], out(0) + lane, out_imaginary);
    for (size_t q = 1; q < kRadix; ++q) {
      if (twiddles != nullptr) x[q] = x[q] * pair(twiddles + 2 * (q - 1));
      store(x[q], out(q) + lane, out_imaginary);
    }
  }
}

/// The first of several passes: from the source.
template <size_t kRadix>
void first_pass(const Passes& p) {
  const LinePass& pass = p.plan.passes[0];
  const size_t span = pass.span;
  const float* twiddles = p.plan.twiddles.data() + 2 * pass.twiddles;
  const float* source = p.source + (p.imaginary < 0 ? kLanes : 0);
  for (size_t m = 0; m < span; ++m, twiddles += 2 * (kRadix - 1)) {
    const auto in = [&](size_t q) { return source + kElementFloats * p.source_elements[m + q * span]; };
    const auto out = [&](size_t q) { return p.work + kElementFloats * (m + q * span); };
    butterfly<kRadix>(in, p.imaginary, out, kLanes, twiddles);
  }
}

/// A pass over the block at `base`, in place.
template <size_t kRadix>
void middle_pass(const Passes& p, const LinePass& pass, size_t base) {
  const size_t span = pass.span;
  const float* twiddles = p.plan.twiddles.data() + 2 * pass.twiddles;
  for (size_t m = 0; m < span; ++m, twiddles += 2 * (kRadix - 1)) {
    const auto element = [&](size_t q) { return p.work + kElementFloats * (base + m + q * span); };
    butterfly<kRadix>(element, kLanes, element, kLanes, m == 0 ? nullptr : twiddles);
  }
}

/// The last pass over `count` blocks from `base` on, to the target. Value j of block q is number
/// first + (q + count * j) * step of the line.
template <size_t kRadix>
void last_pass(const Passes& p, size_t base, size_t count, size_t first, size_t step) {
  float* target = p.target + (p.imaginary < 0 ? kLanes : 0);
  for (size_t q = 0; q < count; ++q) {
    const auto in = [&](size_t j) { return p.work + kElementFloats * (base + q * kRadix + j); };
    const auto out = [&](size_t j) {
      return target + kElementFloats * p.target_elements[first + (q + count * j) * step];
    };
    butterfly<kRadix>(in, kLanes, out, p.imaginary, nullptr);
  }
}

/// The only pass.
template <size_t kRadix>
void only_pass(const Passes& p) {
  const size_t real = p.imaginary < 0 ? kLanes : 0;
  const auto in = [&](size_t q) { return p.source + real + kElementFloats * p.source_elements[q]; };
  const auto out = [&](size_t q) { return p.target + real + kElementFloats * p.target_elements[q]; };
  butterfly<kRadix>(in, p.imaginary, out, p.imaginary, nullptr);
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
    default:
      return function(std::integral_constant<size_t, 8>());
  }
}

/// Finishes the block at `base` that pass `done` has been over. Its values are first, first + step, ...
void finish_block(const Passes& p, size_t done, size_t base, size_t first, size_t step) {
  const LinePass& pass = p.plan.passes[done];
  const LinePass& next = p.plan.passes[done + 1];
  if (done + 2 == p.plan.passes.size()) {
    return with_radix(next.radix, [&](auto radix) { last_pass<radix()>(p, base, pass.radix, first, step); });
  }
  for (size_t q = 0; q < pass.radix; ++q) {
    const size_t block = base + q * pass.span;
    with_radix(next.radix, [&](auto radix) { middle_pass<radix()>(p, next, block); });
    finish_block(p, done + 1, block, first + q * step, step * pass.radix);
  }
}

void run_passes(const Passes& p) {
  const auto& passes = p.plan.passes;
  if (passes.empty()) {  // one texel
    float* target = p.target + kElementFloats * p.target_elements[0];
    const float* source = p.source + kElementFloats * p.source_elements[0];
    for (size_t i = 0; i < kElementFloats; i += hn::Lanes(Floats())) {
      hn::Store(hn::Load(Floats(), source + i), Floats(), target + i);
    }
    return;
  }
  if (passes.size() == 1) {
    return with_radix(passes[0].radix, [&](auto radix) { only_pass<radix()>(p); });
  }
  with_radix(passes[0].radix, [&](auto radix) { first_pass<radix()>(p); });
  finish_block(p, 0, 0, 0, 1);
}

// ---- Chirps

/// out[i] = in[i] * factors[i]
template <class In, class Out>
HWY_INLINE void multiply(size_t count, In in, ptrdiff_t in_imaginary, const float* factors, Out out,
                         ptrdiff_t out_imaginary) {
  for (size_t n = 0; n < count; ++n) {
    const Complex factor = pair(factors + 2 * n);
    for (size_t lane = 0; lane < kLanes; lane += hn::Lanes(Floats())) {
      store(load(in(n) + lane, in_imaginary) * factor, out(n) + lane, out_imaginary);
    }
  }
}

void run_chirp(const Passes& p) {
  const LinePlan::Chirp& chirp = *p.plan.chirp;
  const size_t size = p.plan.size;
  const size_t inner = chirp.inner.size;
  const size_t real = p.imaginary < 0 ? kLanes : 0;
  float* lines = p.work;
  const auto source = [&](size_t n) { return p.source + real + kElementFloats * p.source_elements[n]; };
  const auto target = [&](size_t k) { return p.target + real + kElementFloats * p.target_elements[k]; };
  const auto line = [&](size_t n) { return lines + kElementFloats * n; };
  multiply(size, source, p.imaginary, chirp.factors.data(), line, kLanes);
  for (size_t i = kElementFloats * size; i < kElementFloats * inner; i += hn::Lanes(Floats())) {
    hn::Store(hn::Zero(Floats()), Floats(), lines + i);
  }
  const uint32_t* identity = chirp.inner.identity.data();
  Passes passes = {chirp.inner, lines, identity, lines, identity, p.work + kElementFloats * inner, kLanes};
  run_passes(passes);
  multiply(inner, line, kLanes, chirp.filter.data(), line, kLanes);
  passes.imaginary = -static_cast<ptrdiff_t>(kLanes);
  run_passes(passes);
  multiply(size, line, kLanes, chirp.factors.data(), target, p.imaginary);
}

void transform_lines(const LineJob& job) {
  const ptrdiff_t imaginary = job.inverse ? -static_cast<ptrdiff_t>(kLanes) : kLanes;
  const Passes passes = {*job.plan,   job.source, job.source_elements, job.target, job.target_elements,
                         job.scratch, imaginary};
  if (job.plan->chirp != nullptr) return run_chirp(passes);
  run_passes(passes);
}

}  // namespace HWY_NAMESPACE
}  // namespace onepass::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

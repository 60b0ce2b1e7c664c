// line_butterflies-inl.hpp: complex arithmetic on vectors that hold one value of each line, and butterflies: transforms
// of 2, 3, 4, 5, 7, 8 and 9 such values in registers. Included once per SIMD target.
#if defined(ONEPASS_FOURIER_LINE_BUTTERFLIES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef ONEPASS_FOURIER_LINE_BUTTERFLIES_INL
#undef ONEPASS_FOURIER_LINE_BUTTERFLIES_INL
#else
#define ONEPASS_FOURIER_LINE_BUTTERFLIES_INL
#endif

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "fourier/line_plan.hpp"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace onepass::cpu {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Vectors of at most 16 floats, one per line of a batch.
using Floats = hn::CappedTag<float, kLanes>;
using FloatV = hn::Vec<Floats>;

/// Calls function(std::integral_constant) for 0 .. kCount - 1, without a loop: indexed arrays stay in registers.
template <size_t... kIndex, class Function>
HWY_INLINE void unroll(std::index_sequence<kIndex...> /*all*/, const Function& function) {
  (function(std::integral_constant<size_t, kIndex>()), ...);
}
template <size_t kCount, class Function>
HWY_INLINE void unroll(const Function& function) {
  unroll(std::make_index_sequence<kCount>(), function);
}
/// For lambdas passed to unroll().
#define ONEPASS_UNROLLED __attribute__((always_inline))

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
/// sub_i: a - i b. add_i: a + i b.
HWY_INLINE Complex sub_i(Complex a, Complex b) { return {hn::Add(a.re, b.im), hn::Sub(a.im, b.re)}; }
HWY_INLINE Complex add_i(Complex a, Complex b) { return {hn::Sub(a.re, b.im), hn::Add(a.im, b.re)}; }

HWY_INLINE FloatV constant(float value) { return hn::Set(Floats(), value); }
/// A pair, broadcast to all lines.
HWY_INLINE Complex pair(const float* p) { return {constant(p[0]), constant(p[1])}; }

/// A vector of an element. `imaginary`: floats from the part taken as real to the other part.
HWY_INLINE Complex load(const float* p, ptrdiff_t imaginary) {
  return {hn::Load(Floats(), p), hn::Load(Floats(), p + imaginary)};
}
HWY_INLINE void store(Complex value, float* p, ptrdiff_t imaginary) {
  hn::Store(value.re, Floats(), p);
  hn::Store(value.im, Floats(), p + imaginary);
}

// ---- Butterflies: transform x in place

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
    unroll<kHalf>([&](auto i) ONEPASS_UNROLLED {
      constexpr size_t j = i() + 1;
      sum[j] = x[j] + x[kRadix - j];
      difference[j] = x[j] - x[kRadix - j];
      total = total + sum[j];
    });
    const Complex first = x[0];
    x[0] = total;
    unroll<kHalf>([&](auto row) ONEPASS_UNROLLED {
      constexpr size_t k = row() + 1;
      Complex even = first + sum[1] * constant(c[k]);
      Complex odd = difference[1] * constant(s[k]);
      unroll<kHalf - 1>([&](auto column) ONEPASS_UNROLLED {
        constexpr size_t j = column() + 2;
        constexpr size_t turn = j * k % kRadix;
        constexpr bool upper = turn > kHalf;
        constexpr size_t index = upper ? kRadix - turn : turn;
        even = even + sum[j] * constant(c[index]);
        const Complex term = difference[j] * constant(s[index]);
        odd = upper ? odd - term : odd + term;
      });
      x[k] = sub_i(even, odd);
      x[kRadix - k] = add_i(even, odd);
    });
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

/// x exp(-2 pi i kTurn / 9)
template <size_t kTurn>
HWY_INLINE Complex times_ninth_root(Complex x) {
  if constexpr (kTurn == 0) {
    return x;
  } else {
    static_assert(kTurn == 1 || kTurn == 2 || kTurn == 4);
    constexpr float cosine = kTurn == 1   ? 0.76604444311897803520F
                             : kTurn == 2 ? 0.17364817766693034885F
                                          : -0.93969262078590838405F;
    constexpr float sine = kTurn == 1   ? 0.64278760968653932632F
                           : kTurn == 2 ? 0.98480775301220805937F
                                        : 0.34202014332566873304F;
    return x * Complex{constant(cosine), constant(-sine)};
  }
}

template <>
struct Butterfly<9> {  // 3 x 3
  static HWY_INLINE void run(Complex (&x)[9]) {
    Complex rows[3][3];
    unroll<3>([&](auto b) ONEPASS_UNROLLED {
      Complex column[3] = {x[b()], x[3 + b()], x[6 + b()]};
      Butterfly<3>::run(column);
      unroll<3>([&](auto k) ONEPASS_UNROLLED { rows[k()][b()] = times_ninth_root<b() * k()>(column[k()]); });
    });
    unroll<3>([&](auto k) ONEPASS_UNROLLED {
      Butterfly<3>::run(rows[k()]);
      unroll<3>([&](auto j) ONEPASS_UNROLLED { x[k() + 3 * j()] = rows[k()][j()]; });
    });
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace onepass::cpu
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard

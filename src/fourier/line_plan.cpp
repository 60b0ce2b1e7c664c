// line_plan.cpp: factors a length into radices, large ones first, and fills the tables of twiddle factors, digit
// reversal and chirps. Tables are computed in double, so that rounding to float is their only error.
#include "fourier/line_plan.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <functional>

#include "fourier/root.hpp"
#include "image/div_up.hpp"
#include "onepass/fourier.hpp"

namespace onepass::cpu {
namespace {

using Complex = std::complex<double>;
using fourier::root;

/// Radices of a smooth size, in the order of the passes; empty for others. Large radices first, so that the blocks they
/// leave fit the nearest cache.
std::vector<uint32_t> radices_of(uint32_t size) {
  std::vector<uint32_t> radices;
  uint32_t rest = size;
  uint32_t twos = 0;
  for (; rest % 2 == 0; rest /= 2) ++twos;
  for (uint32_t passes = (twos + 2) / 3; passes > 0; --passes) {  // radix 16 is slower: it spills registers
    const uint32_t bits = div_up(twos, passes);
    radices.push_back(1U << bits);
    twos -= bits;
  }
  for (const uint32_t radix : {9U, 7U, 5U, 3U}) {
    for (; rest % radix == 0; rest /= radix) radices.push_back(radix);
  }
  if (rest != 1) return {};
  std::sort(radices.begin(), radices.end(), std::greater<>());
  return radices;
}

void push(AlignedVector<float>& pairs, Complex value) {
  pairs.push_back(static_cast<float>(value.real()));
  pairs.push_back(static_cast<float>(value.imag()));
}

/// Recursive transform in double, for tables. roots[k] = exp(-2 pi i k / roots.size()).
void transform_double(const std::vector<Complex>& roots, const Complex* in, size_t stride, size_t size, Complex* out) {
  if (size == 1) {
    *out = *in;
    return;
  }
  size_t radix = 2;
  while (size % radix != 0) ++radix;
  const size_t part = size / radix;
  for (size_t i = 0; i < radix; ++i) transform_double(roots, in + i * stride, stride * radix, part, out + i * part);
  std::array<Complex, 7> column;
  for (size_t k = 0; k < part; ++k) {
    for (size_t i = 0; i < radix; ++i) column[i] = out[i * part + k];
    for (size_t j = 0; j < radix; ++j) {
      Complex sum = column[0];
      for (size_t i = 1; i < radix; ++i) sum += column[i] * roots[i * (k + j * part) % size * (roots.size() / size)];
      out[k + j * part] = sum;
    }
  }
}

/// LinePlan::positions, by digit reversal: the digits of an element, in mixed radix, are those of its value in reverse.
std::vector<uint32_t> positions_of(const std::vector<LinePass>& passes, uint32_t size) {
  std::vector<uint32_t> positions(size + kLanes);
  for (uint32_t element = 0; element < size; ++element) {
    uint32_t rest = element;
    uint32_t value = passes.empty() ? element : 0;
    uint32_t step = 1;
    for (const LinePass& pass : passes) {
      value += rest / pass.span * step;
      rest %= pass.span;
      step *= pass.radix;
    }
    positions[value] = element;
  }
  return positions;
}

/// exp(-pi i n n / size)
Complex chirp_at(uint64_t n, uint64_t size) { return root(n * n % (2 * size), 2 * size); }

std::unique_ptr<const LinePlan::Chirp> make_chirp(uint32_t size) {
  auto chirp = std::make_unique<LinePlan::Chirp>(LinePlan::Chirp{LinePlan(next_smooth_size(2 * size - 1)), {}, {}});
  const size_t inner = chirp->inner.size;
  std::vector<Complex> filter(inner);
  for (uint32_t n = 0; n < size; ++n) {
    const Complex factor = chirp_at(n, size);
    push(chirp->factors, factor);
    filter[n] = std::conj(factor) / static_cast<double>(inner);
    filter[(inner - n) % inner] = filter[n];
  }
  std::vector<Complex> roots(inner);
  for (size_t k = 0; k < inner; ++k) roots[k] = root(k, inner);
  std::vector<Complex> spectrum(inner);
  transform_double(roots, filter.data(), 1, inner, spectrum.data());
  for (const Complex value : spectrum) push(chirp->filter, value);
  return chirp;
}

}  // namespace

LinePlan::LinePlan(uint32_t wanted) : size(wanted), identity(wanted) {
  for (uint32_t i = 0; i < size; ++i) identity[i] = i;
  positions = positions_of({}, size);
  if (size == 1) return;
  uint32_t block = size;
  for (const uint32_t radix : radices_of(size)) {
    const uint32_t span = block / radix;
    passes.push_back({.radix = radix, .span = span, .twiddles = twiddles.size() / 2});
    for (uint32_t m = 0; m < span && span > 1; ++m) {
      for (uint32_t q = 1; q < radix; ++q) push(twiddles, root(uint64_t{m} * q, block));
    }
    block = span;
  }
  if (passes.empty()) chirp = make_chirp(size);
  positions = positions_of(passes, size);
}

LinePlan::LinePlan(LinePlan&&) noexcept = default;
LinePlan::~LinePlan() = default;

size_t LinePlan::scratch_elements() const { return chirp == nullptr ? size : 2 * size_t{chirp->inner.size}; }

}  // namespace onepass::cpu

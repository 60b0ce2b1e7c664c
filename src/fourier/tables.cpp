// tables.cpp: computes twiddle factors and Bluestein's chirps in double precision, and the chirp's spectrum by a
// recursive Cooley-Tukey transform.
#include "fourier/tables.hpp"

#include <complex>

#include "fourier/root.hpp"

namespace onepass::fourier {
namespace {

using Complex = std::complex<double>;

// Recursive Cooley-Tukey transform; lengths are products of 2, 3, 5 and 7.
void transform(const Complex* in, uint64_t stride, Complex* out, uint64_t n) {
  if (n == 1) {
    out[0] = in[0];
    return;
  }
  const uint64_t radix = n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : n % 5 == 0 ? 5 : 7;
  const uint64_t rest = n / radix;
  for (uint64_t j = 0; j < radix; ++j) transform(in + j * stride, stride * radix, out + j * rest, rest);
  Complex part[7];
  for (uint64_t k = 0; k < rest; ++k) {
    for (uint64_t j = 0; j < radix; ++j) part[j] = out[j * rest + k] * root(j * k, n);
    for (uint64_t q = 0; q < radix; ++q) {
      Complex sum = part[0];
      for (uint64_t j = 1; j < radix; ++j) sum += part[j] * root(j * q, radix);
      out[q * rest + k] = sum;
    }
  }
}

void append(std::vector<float>& table, Complex value) {
  table.push_back(static_cast<float>(value.real()));
  table.push_back(static_cast<float>(value.imag()));
}

}  // namespace

std::vector<float> make_tables(uint32_t length, uint32_t transform_length) {
  std::vector<float> table;
  table.reserve(2 * (uint64_t{transform_length} * 2 + length));
  for (uint32_t k = 0; k < transform_length; ++k) append(table, root(k, transform_length));
  if (length == transform_length) return table;

  std::vector<Complex> chirp(length);
  for (uint64_t n = 0; n < length; ++n) chirp[n] = root(n * n, uint64_t{2} * length);
  for (const Complex& value : chirp) append(table, value);
  std::vector<Complex> wrapped(transform_length);
  for (uint32_t n = 0; n < length; ++n) {
    wrapped[n] = std::conj(chirp[n]);
    if (n != 0) wrapped[transform_length - n] = wrapped[n];
  }
  std::vector<Complex> spectrum(transform_length);
  transform(wrapped.data(), 1, spectrum.data(), transform_length);
  for (const Complex& value : spectrum) append(table, value / static_cast<double>(transform_length));
  return table;
}

}  // namespace onepass::fourier

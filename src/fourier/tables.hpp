// tables.hpp: the table of twiddle factors, and of Bluestein's chirp, that GPU kernels read.
#pragma once

#include <cstdint>
#include <vector>

namespace onepass::fourier {

/// Twiddle factors exp(-2 pi i k / transform_length), as pairs of floats rounded from double. If `length` differs
/// (Bluestein), the chirp exp(-pi i n n / length), n < length, follows, then the transform_length values of the
/// spectrum of the conjugate chirp, divided by transform_length. Layout of `tables` in
/// src/fourier/fourier_constants.glsl.
std::vector<float> make_tables(uint32_t length, uint32_t transform_length);

}  // namespace onepass::fourier

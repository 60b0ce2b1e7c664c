// tables.hpp: the table a transform of a line looks its factors up in.
#pragma once

#include <cstdint>
#include <vector>

namespace onepass::fourier {

/// exp(-2 pi i k / transform_length), as pairs of floats rounded from double; where `length` differs (Bluestein), then
/// exp(-pi i n n / length), n < length, and the transform_length values of the spectrum of the conjugate chirp, divided
/// by transform_length: the layout of `tables` in src/fourier/fourier_constants.glsl.
std::vector<float> make_tables(uint32_t length, uint32_t transform_length);

}  // namespace onepass::fourier

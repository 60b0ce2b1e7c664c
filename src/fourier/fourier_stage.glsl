// fourier_stage.glsl: the load and store functions of each stage; a stage transforms all rows or all columns.
//
// STAGE, a macro, one of the numbers in fourier_constants.glsl:
//     rows forward      image -> intermediate       a line is a row of the crop (one channel: two rows)
//     rows inverse      intermediate -> image
//     rows of buffers   one of these, by INVERSE, with a buffer of texels instead of the image
//     columns           by INVERSE: intermediate -> spectrum, or spectrum -> intermediate. A line is column kx of a
//                       signal (real signals: kx <= W/2)
//     columns both      forward, an operation on the spectrum, inverse: the spectrum is never stored
//
// Real packing: the intermediate buffer holds real channels as z = red + i green and blue + i alpha. Column kx of z
// takes two lines, a = z(kx) and b = conj z(W - kx):  red = (a + b) / 2,  green = -i (a - b) / 2,  before or after the
// transform, which is linear. Inverse: a = red + i green, b = red - i green. A single channel enters as pairs of rows,
// r and r + ceil(rows / 2); its inverse column stage writes the half spectra of all rows.
//
// The values of a line are float2, or float4 with both signals of a texel: ONEPASS_FOURIER_SIGNALS. That is the number
// of signals in the intermediate buffer, except in column passes of four-step and ping-pong, where it is 1.
#define T ONEPASS_FOURIER_T

#include "fourier/fourier_memory.glsl"
#if STAGE == COLUMNS || STAGE == COLUMNS_BOTH
#include "fourier/fourier_columns.glsl"
#else
#include "fourier/fourier_rows.glsl"
#endif

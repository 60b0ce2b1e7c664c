// fourier_stage.glsl: the load and store functions of each stage; a stage transforms all rows or all columns.
//
// STAGE, a macro:
//     1 rows forward      image -> intermediate       a line is a row of the crop (one channel: two rows)
//     2 columns forward   intermediate -> spectrum    a line is column kx of a signal (real signals: kx <= W/2)
//     3 columns inverse   spectrum -> intermediate
//     4 rows inverse      intermediate -> image
//     5 columns both      2, an operation on the spectrum, 3: the spectrum is never stored
//
// Real packing: the intermediate buffer holds real channels as z = red + i green and blue + i alpha. Column kx of z
// takes two lines, a = z(kx) and b = conj z(W - kx):  red = (a + b) / 2,  green = -i (a - b) / 2,  before or after the
// transform, which is linear. Inverse: a = red + i green, b = red - i green. A single channel enters as pairs of rows,
// r and r + ceil(rows / 2); its inverse column stage writes the half spectra of all rows.
//
// The values of a line are float2, or float4 with both signals of a texel: ONEPASS_FOURIER_SIGNALS. That is the number
// of signals in the intermediate buffer, except in column passes of four-step and ping-pong, where it is 1.
#define ROWS_FORWARD 1
#define COLUMNS_FORWARD 2
#define COLUMNS_INVERSE 3
#define ROWS_INVERSE 4
#define COLUMNS_BOTH 5
#define COLUMNS (STAGE == COLUMNS_FORWARD || STAGE == COLUMNS_INVERSE || STAGE == COLUMNS_BOTH)

#define T ONEPASS_FOURIER_T

#include "fourier/fourier_memory.glsl"
#if COLUMNS
#include "fourier/fourier_columns.glsl"
#else
#include "fourier/fourier_rows.glsl"
#endif

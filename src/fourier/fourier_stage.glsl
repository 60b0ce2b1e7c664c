// fourier_stage.glsl: where the values of a line come from and where the results go, for each of the stages of a transform.
//
// STAGE, a macro:
//     1 rows forward      image -> lines between       a line is a row of the crop (one channel: two rows)
//     2 columns forward   lines between -> spectrum    a line is column kx of a signal (of real ones: kx <= W/2)
//     3 columns inverse   spectrum -> lines between
//     4 rows inverse      lines between -> image
//     5 columns there and back, with an operation on the spectrum: 2 and 3, the spectrum never stored
//
// Real channels lie between the stages as z = red + i green and blue + i alpha. Their column kx takes two lines, a = z(kx)
// and b = conj z(W - kx):  red = (a + b) / 2,  green = -i (a - b) / 2,  before or after the transform, which is linear. Back,
// a = red + i green and b = red - i green. One channel enters as two rows, r and r + ceil(rows / 2), and leaves as half
// spectra of rows.
//
// The values of a line are float2, or float4, both signals of a texel: ONEPASS_FOURIER_SIGNALS, which is the number of
// signals between the stages except where passes between buffers take the columns of two one by one.
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

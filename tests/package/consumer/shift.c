/* shift.c: an external program in C: measures how far a bright square has moved. */
#include <stdio.h>

#include "onepass/onepass.h"

enum { SIDE = 32 };

static void draw(float* texels, int left, int top) {
  for (int y = 0; y < SIDE; ++y) {
    for (int x = 0; x < SIDE; ++x)
      texels[y * SIDE + x] = x >= left && x < left + 5 && y >= top && y < top + 5 ? 1.0F : 0.0F;
  }
}

int main(void) {
  static float before[SIDE * SIDE], after[SIDE * SIDE];
  draw(before, 13, 11);
  draw(after, 10, 12);
  const onepass_extent size = {SIDE, SIDE};
  const onepass_image_view first = {before, ONEPASS_FORMAT_R32_SFLOAT, size, 1, 0, 0};
  const onepass_image_view second = {after, ONEPASS_FORMAT_R32_SFLOAT, size, 1, 0, 0};

  onepass_error error;
  onepass_correlation_options options;
  onepass_correlation_options_init(&options, sizeof options);
  options.size = size;
  options.first = ONEPASS_FORMAT_R32_SFLOAT;
  options.kind = ONEPASS_CORRELATION_KIND_CROSS;
  options.window = ONEPASS_CORRELATION_WINDOW_NONE;
  options.refinement = ONEPASS_PEAK_REFINEMENT_NONE;
  onepass_cpu_correlator* correlator = NULL;
  onepass_shift shift = {0, 0, 0};
  onepass_code code = onepass_cpu_correlator_create(&options, NULL, &correlator, &error);
  if (code == ONEPASS_OK) code = onepass_cpu_correlator_estimate(correlator, &first, &second, &shift, &error);
  onepass_cpu_correlator_destroy(correlator);
  if (code != ONEPASS_OK) return printf("%s: %s\n", onepass_code_text(code), error.message), 1;
  printf("moved by %g, %g\n", shift.x, shift.y);
  return shift.x == 3 && shift.y == -1 ? 0 : 1;
}

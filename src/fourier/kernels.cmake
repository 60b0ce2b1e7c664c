# The kernels of the transforms, one per row: its name and the macros that differ from the defaults. kernel_names.hpp has
# the same names. STAGE has the numbers of fourier_constants.glsl.
#     rows_forward, rows_inverse   from an image, to an image
#     rows_buffer                  in either direction, with a buffer instead of the image
#     columns                      in either direction
#     columns_both                 forward, an operation on the spectrum, inverse
#     _1, _2      signals per value: two serve three and four real channels, and two complex signals
#     _over       a source image is read again: its alpha is copied, or (bloom) the result is added to it
#     _bluestein  line lengths with prime factors other than 2, 3, 5 and 7
set(defaults ONEPASS_FOURIER_SIGNALS=1 OVER_SOURCE=0)

# Lines in shared memory. The INLINED kernels contain two transforms; as calls these take five times as long on NVIDIA.
onepass_add_kernel_table(SOURCE fourier.comp DEFAULTS ${defaults} BLUESTEIN=0 ROWS
  "fourier_rows_forward_1                STAGE=1"
  "fourier_rows_forward_1_bluestein      STAGE=1 BLUESTEIN=1"
  "fourier_rows_forward_2                STAGE=1 ONEPASS_FOURIER_SIGNALS=2"
  "fourier_rows_forward_2_bluestein      STAGE=1 ONEPASS_FOURIER_SIGNALS=2 BLUESTEIN=1"
  "fourier_rows_inverse_1                STAGE=2"
  "fourier_rows_inverse_1_bluestein      STAGE=2 BLUESTEIN=1"
  "fourier_rows_inverse_2                STAGE=2 ONEPASS_FOURIER_SIGNALS=2"
  "fourier_rows_inverse_2_bluestein      STAGE=2 ONEPASS_FOURIER_SIGNALS=2 BLUESTEIN=1"
  "fourier_rows_inverse_over_1           STAGE=2 OVER_SOURCE=1"
  "fourier_rows_inverse_over_1_bluestein STAGE=2 OVER_SOURCE=1 BLUESTEIN=1"
  "fourier_rows_inverse_over_2           STAGE=2 ONEPASS_FOURIER_SIGNALS=2 OVER_SOURCE=1"
  "fourier_rows_inverse_over_2_bluestein STAGE=2 ONEPASS_FOURIER_SIGNALS=2 OVER_SOURCE=1 BLUESTEIN=1"
  "fourier_rows_buffer_1                 STAGE=3"
  "fourier_rows_buffer_1_bluestein       STAGE=3 BLUESTEIN=1"
  "fourier_rows_buffer_2                 STAGE=3 ONEPASS_FOURIER_SIGNALS=2"
  "fourier_rows_buffer_2_bluestein       STAGE=3 ONEPASS_FOURIER_SIGNALS=2 BLUESTEIN=1"
  "fourier_columns_1                     STAGE=4"
  "fourier_columns_1_bluestein           STAGE=4 BLUESTEIN=1"
  "fourier_columns_2                     STAGE=4 ONEPASS_FOURIER_SIGNALS=2"
  "fourier_columns_2_bluestein           STAGE=4 ONEPASS_FOURIER_SIGNALS=2 BLUESTEIN=1"
  "fourier_columns_both_1                INLINED STAGE=5"
  "fourier_columns_both_2                INLINED STAGE=5 ONEPASS_FOURIER_SIGNALS=2")

# Passes between buffers, for lines of any length. Columns have one signal per value.
onepass_add_kernel_table(SOURCE fourier_four_step.comp DEFAULTS ${defaults} ROWS
  "fourier_four_step_rows_forward_1      STAGE=1"
  "fourier_four_step_rows_forward_2      STAGE=1 ONEPASS_FOURIER_SIGNALS=2"
  "fourier_four_step_rows_inverse_1      STAGE=2"
  "fourier_four_step_rows_inverse_2      STAGE=2 ONEPASS_FOURIER_SIGNALS=2"
  "fourier_four_step_rows_inverse_over_1 STAGE=2 OVER_SOURCE=1"
  "fourier_four_step_rows_inverse_over_2 STAGE=2 ONEPASS_FOURIER_SIGNALS=2 OVER_SOURCE=1"
  "fourier_four_step_rows_buffer_1       INLINED STAGE=3"
  "fourier_four_step_rows_buffer_2       INLINED STAGE=3 ONEPASS_FOURIER_SIGNALS=2"
  "fourier_four_step_columns_1           INLINED STAGE=4"
  "fourier_four_step_columns_both_1      STAGE=5")
onepass_add_kernel_table(SOURCE fourier_ping_pong.comp DEFAULTS ${defaults} ROWS
  "fourier_ping_pong_rows_forward_1      STAGE=1"
  "fourier_ping_pong_rows_forward_2      STAGE=1 ONEPASS_FOURIER_SIGNALS=2"
  "fourier_ping_pong_rows_inverse_1      STAGE=2"
  "fourier_ping_pong_rows_inverse_2      STAGE=2 ONEPASS_FOURIER_SIGNALS=2"
  "fourier_ping_pong_rows_inverse_over_1 STAGE=2 OVER_SOURCE=1"
  "fourier_ping_pong_rows_inverse_over_2 STAGE=2 ONEPASS_FOURIER_SIGNALS=2 OVER_SOURCE=1"
  "fourier_ping_pong_rows_buffer_1       STAGE=3"
  "fourier_ping_pong_rows_buffer_2       STAGE=3 ONEPASS_FOURIER_SIGNALS=2"
  "fourier_ping_pong_columns_1           STAGE=4"
  "fourier_ping_pong_columns_both_1      STAGE=5")
onepass_add_kernel_table(SOURCE fourier_ping_pong_pass.comp ROWS
  "fourier_ping_pong_pass")

# The steps before, between and after the transforms of operations on spectra. STEP, with the numbers of
# fourier_operation_params.h, is a specialization constant: steps that bind the same kinds of images share a kernel.
onepass_add_kernel_table(SOURCE fourier_spectrum.comp ROWS
  "fourier_spectrum")
onepass_add_kernel_table(SOURCE fourier_texels.comp DEFAULTS READS_IMAGE=0 WRITES_IMAGE=0 ROWS
  "fourier_texels"
  "fourier_texels_load READS_IMAGE=1"
  "fourier_texels_store WRITES_IMAGE=1")
onepass_add_kernel_table(SOURCE fourier_correlation.comp DEFAULTS READS_IMAGES=0 ROWS
  "fourier_correlation"
  "fourier_correlation_images READS_IMAGES=1")

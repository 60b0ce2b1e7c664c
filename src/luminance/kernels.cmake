# The meter's kernels. luminance is one dispatch, with subgroup shuffles luminance_subgroup. luminance_partial and
# luminance_join are the two dispatches without MeterTuning::divergent_barriers.
onepass_add_kernel_table(SOURCE luminance.comp DEFAULTS ONEPASS_LUMINANCE_PASS=0 ONEPASS_SUBGROUP=0 ROWS
  "luminance"
  "luminance_subgroup ONEPASS_SUBGROUP=1")
onepass_add_kernel_table(SOURCE luminance.comp ROWS
  "luminance_partial ONEPASS_LUMINANCE_PASS=1"
  "luminance_join ONEPASS_LUMINANCE_PASS=2")

# In CUDA C++.
onepass_add_cuda_kernels(SOURCE luminance.cu ROWS
  "cuda_luminance")

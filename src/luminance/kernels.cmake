# The meter's kernels. luminance is one dispatch; variants: _memory_model (Vulkan memory model), _subgroup (subgroup
# shuffles). luminance_partial and luminance_join are the two dispatches of MeterTuning::two_pass.
onepass_add_kernel_table(SOURCE luminance.comp
  DEFAULTS ONEPASS_LUMINANCE_PASS=0 ONEPASS_MEMORY_MODEL=0 ONEPASS_SUBGROUP=0 ROWS
  "luminance"
  "luminance_subgroup ONEPASS_SUBGROUP=1"
  "luminance_memory_model ONEPASS_MEMORY_MODEL=1"
  "luminance_memory_model_subgroup ONEPASS_MEMORY_MODEL=1 ONEPASS_SUBGROUP=1")
onepass_add_kernel_table(SOURCE luminance.comp DEFAULTS ONEPASS_MEMORY_MODEL=0 ROWS
  "luminance_partial ONEPASS_LUMINANCE_PASS=1"
  "luminance_join ONEPASS_LUMINANCE_PASS=2")

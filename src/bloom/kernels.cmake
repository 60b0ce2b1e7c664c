# The steps of a bloom whose glow is stored. STEP has the numbers of bloom_params.h. Bloom by convolution at full
# resolution has no kernels of its own: those of the transforms have its bright pass and composite.
onepass_add_kernel_table(SOURCE bloom.comp ROWS
  "bloom_bright STEP=1"
  "bloom_add STEP=2"
  "bloom_compose STEP=3")

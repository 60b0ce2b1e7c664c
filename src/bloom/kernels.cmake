# The steps of a bloom whose glow is stored: bright pass and composite, by a specialization constant, and the sums of a
# mip chain. Bloom by convolution at full resolution has no kernels of its own: those of the transforms have its bright
# pass and composite.
onepass_add_kernel_table(SOURCE bloom.comp DEFAULTS ADDS=0 ROWS
  "bloom"
  "bloom_add ADDS=1")

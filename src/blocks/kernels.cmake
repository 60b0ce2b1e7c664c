# The kernels that compress blocks, one per kind of block: BC1 and BC4 have 8 bytes, others 16.
onepass_add_kernel_table(SOURCE blocks.comp ROWS
  "blocks_bc1 INLINED_TIDY BC=1"
  "blocks_bc3 INLINED_TIDY BC=3"
  "blocks_bc4 INLINED_TIDY BC=4"
  "blocks_bc5 INLINED_TIDY BC=5"
  "blocks_bc6h INLINED_TIDY BC=6"
  "blocks_bc7 INLINED_TIDY BC=7")

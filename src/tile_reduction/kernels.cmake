# The variants of the tile reduction kernel, tile_reduction_<components>_<strategy>. STRATEGY has the numbers of enum
# TileStrategy and of shaders/onepass/tile_reduction.glsl.
onepass_add_kernel_table(SOURCE tile_reduction.comp DEFAULTS ONEPASS_SUBGROUP=0 MULTISAMPLE=0 STORAGE_SOURCE=0 ROWS
  "tile_reduction_1_tree COMPONENTS=1 STRATEGY=2"
  "tile_reduction_1_subgroup COMPONENTS=1 STRATEGY=3 ONEPASS_SUBGROUP=1"
  "tile_reduction_2_tree COMPONENTS=2 STRATEGY=2"
  "tile_reduction_2_subgroup COMPONENTS=2 STRATEGY=3 ONEPASS_SUBGROUP=1"
  "tile_reduction_4_tree COMPONENTS=4 STRATEGY=2"
  "tile_reduction_4_subgroup COMPONENTS=4 STRATEGY=3 ONEPASS_SUBGROUP=1"
  "tile_reduction_1_tree_multisample COMPONENTS=1 STRATEGY=2 MULTISAMPLE=1"
  "tile_reduction_2_tree_multisample COMPONENTS=2 STRATEGY=2 MULTISAMPLE=1"
  "tile_reduction_1_tree_storage COMPONENTS=1 STRATEGY=2 STORAGE_SOURCE=1"
  "tile_reduction_2_tree_storage COMPONENTS=2 STRATEGY=2 STORAGE_SOURCE=1"
  "tile_reduction_4_tree_storage COMPONENTS=4 STRATEGY=2 STORAGE_SOURCE=1")

# In CUDA C++. CHANNELS=2: each of source and target in whole texels or channel by channel, as the constants say.
# Texels of four components have 4 bytes at least, and threads 64 bytes in flight: 4 blocks at most (shares.cpp).
onepass_add_cuda_kernels(SOURCE tile_reduction.cu ROWS
  "cuda_tile_reduction_1 COMPONENTS=1 MOST_READS=16"
  "cuda_tile_reduction_2 COMPONENTS=2 MOST_READS=16 CHANNELS=2"
  "cuda_tile_reduction_4 COMPONENTS=4 MOST_READS=4 CHANNELS=2")

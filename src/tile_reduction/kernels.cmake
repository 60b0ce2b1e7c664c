# All variants of the tile reduction kernel: tile_reduction_<components>_<strategy>. Strategies have the numbers of enum
# TileStrategy and of shaders/onepass/tile_reduction.glsl.
foreach(components 1 2 4)
  onepass_add_kernel(tile_reduction_${components}_tree ${CMAKE_CURRENT_LIST_DIR}/tile_reduction.comp
    COMPONENTS=${components} STRATEGY=2 ONEPASS_SUBGROUP=0)
  onepass_add_kernel(tile_reduction_${components}_subgroup ${CMAKE_CURRENT_LIST_DIR}/tile_reduction.comp
    COMPONENTS=${components} STRATEGY=3 ONEPASS_SUBGROUP=1)
endforeach()

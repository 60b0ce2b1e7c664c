# The variants of the pyramid kernels, one per row: the name (C is the number of components) and the macros that are not 0.
# Options that GLSL can specialise are specialization constants instead; see pyramid_texel.glsl.
set(variants
  "pyramid_C"
  "pyramid_C_subgroup ONEPASS_SUBGROUP=1"
  "pyramid_C_subgroup_two_to_one ONEPASS_SUBGROUP=1 ONEPASS_TWO_TO_ONE_ONLY=1"
  "pyramid_C_subgroup_window ONEPASS_SUBGROUP=1 ONEPASS_WINDOW_ONLY=1"
  "pyramid_C_indexed INDEXED_IMAGES=1"
  "pyramid_C_indexed_subgroup INDEXED_IMAGES=1 ONEPASS_SUBGROUP=1"
  "pyramid_C_indexed_subgroup_window INDEXED_IMAGES=1 ONEPASS_SUBGROUP=1 ONEPASS_WINDOW_ONLY=1"
  "pyramid_tight_C TIGHT=1")
# Drivers that keep calls have a higher register pressure. At odd sizes kernels of two components are faster without
# inlining, and so are those of four where the base's texels have less than 16 bytes: pyramid/vulkan.cpp chooses.
if(SPIRV_OPT)
  set(inlined INLINED_TIDY INDEXED_IMAGES=1 ONEPASS_SUBGROUP=1)
  list(JOIN inlined " " inlined)
  list(APPEND variants "pyramid_C_indexed_subgroup_two_to_one ${inlined} ONEPASS_TWO_TO_ONE_ONLY=1")
  set(inlined_1 "pyramid_1_indexed_subgroup_inlined ${inlined} ONEPASS_WINDOW_ROWS=8"
                "pyramid_1_indexed_subgroup_window_inlined ${inlined} ONEPASS_WINDOW_ROWS=8 ONEPASS_WINDOW_ONLY=1")
  set(inlined_4 "pyramid_4_indexed_subgroup_inlined ${inlined} ONEPASS_WINDOW_ROWS=4"
                "pyramid_4_indexed_subgroup_window_inlined ${inlined} ONEPASS_WINDOW_ROWS=4 ONEPASS_WINDOW_ONLY=1")
endif()

# Sources other than sampled images of one sample (src/vulkan/source_image.glsl). Multisampled ones have no means, and with
# that no four components.
set(storage "pyramid_C_storage STORAGE_SOURCE=1")
set(multisample "pyramid_C_subgroup_multisample MULTISAMPLE=1 ONEPASS_SUBGROUP=1")
set(sources_1 ${storage} ${multisample})
set(sources_2 ${storage} ${multisample})
set(sources_4 ${storage})
foreach(components 1 2 4)
  string(REPLACE "_C" "_${components}" rows "${variants};${sources_${components}}")
  onepass_add_kernel_table(SOURCE pyramid.comp
    DEFAULTS COMPONENTS=${components} TIGHT=0 INDEXED_IMAGES=0 ONEPASS_SUBGROUP=0
             MULTISAMPLE=0 STORAGE_SOURCE=0
    ROWS ${rows} ${inlined_${components}})
endforeach()
onepass_add_kernel_table(SOURCE pyramid_per_level.comp DEFAULTS MULTISAMPLE=0 STORAGE_SOURCE=0 ROWS
  "pyramid_per_level_1 COMPONENTS=1"
  "pyramid_per_level_2 COMPONENTS=2"
  "pyramid_per_level_4 COMPONENTS=4"
  "pyramid_per_level_1_multisample COMPONENTS=1 MULTISAMPLE=1"
  "pyramid_per_level_2_multisample COMPONENTS=2 MULTISAMPLE=1"
  "pyramid_per_level_1_storage COMPONENTS=1 STORAGE_SOURCE=1"
  "pyramid_per_level_2_storage COMPONENTS=2 STORAGE_SOURCE=1"
  "pyramid_per_level_4_storage COMPONENTS=4 STORAGE_SOURCE=1")
onepass_add_kernel_table(SOURCE pyramid_coverage.comp DEFAULTS COMPONENTS=4 INDEXED_IMAGES=0 MULTISAMPLE=0
                                                               STORAGE_SOURCE=0 ROWS
  "pyramid_coverage_count COVERAGE_count=1"
  "pyramid_coverage_scale COVERAGE_scale=1")
onepass_add_kernel_table(SOURCE pyramid_filter.comp DEFAULTS STORAGE_SOURCE=0 ROWS
  "pyramid_filter_1 COMPONENTS=1"
  "pyramid_filter_2 COMPONENTS=2"
  "pyramid_filter_4 COMPONENTS=4"
  "pyramid_filter_1_storage COMPONENTS=1 STORAGE_SOURCE=1"
  "pyramid_filter_2_storage COMPONENTS=2 STORAGE_SOURCE=1"
  "pyramid_filter_4_storage COMPONENTS=4 STORAGE_SOURCE=1")

# In CUDA C++. STAGES of sliding windows decide the size of shared memory; elsewhere they are constants of the loaded kernel.
set(cuda_variants
  "pyramid_C"
  "pyramid_C_two_to_one ONEPASS_TWO_TO_ONE_ONLY=1"
  "pyramid_C_window_base ONEPASS_WINDOW_ONLY=1 ONLY_STAGES=ONEPASS_STAGES_BASE"
  "pyramid_C_window_later ONEPASS_WINDOW_ONLY=1 ONLY_STAGES=ONEPASS_STAGES_LATER")
foreach(components "1 COMPONENTS=1 ONEPASS_WINDOW_ROWS=8" "2 COMPONENTS=2" "2_channels COMPONENTS=2 CHANNELS=1"
    "4 COMPONENTS=4 ONEPASS_WINDOW_ROWS=4" "4_channels COMPONENTS=4 ONEPASS_WINDOW_ROWS=4 CHANNELS=1")
  foreach(row IN LISTS cuda_variants)
    string(REGEX MATCH "^([^ ]*) (.*)$" unused "${components}")
    string(REPLACE "_C" "_${CMAKE_MATCH_1}" named "${row}")
    list(APPEND cuda_rows "cuda_${named} ${CMAKE_MATCH_2}")
  endforeach()
endforeach()
onepass_add_cuda_kernels(SOURCE pyramid.cu ROWS ${cuda_rows})

# The variants of the pyramid kernels, one per row: the name (C is the number of components) and the macros that are not 0.
# Options that GLSL can specialise are specialization constants instead; see pyramid_texel.glsl.
set(folder ${CMAKE_CURRENT_LIST_DIR})
set(pyramid_defaults HALF=0 TIGHT=0 INDEXED_IMAGES=0 ONEPASS_MEMORY_MODEL=0 ONEPASS_SUBGROUP=0)
set(pyramid_variants
  "pyramid_C"
  "pyramid_C_subgroup ONEPASS_SUBGROUP=1"
  "pyramid_C_indexed INDEXED_IMAGES=1"
  "pyramid_C_indexed_subgroup INDEXED_IMAGES=1 ONEPASS_SUBGROUP=1"
  "pyramid_C_half HALF=1"
  "pyramid_C_half_subgroup HALF=1 ONEPASS_SUBGROUP=1"
  "pyramid_C_memory_model ONEPASS_MEMORY_MODEL=1"
  "pyramid_C_memory_model_subgroup ONEPASS_MEMORY_MODEL=1 ONEPASS_SUBGROUP=1"
  "pyramid_tight_C TIGHT=1"
  "pyramid_tight_C_memory_model TIGHT=1 ONEPASS_MEMORY_MODEL=1")

foreach(components 1 2 4)
  foreach(variant IN LISTS pyramid_variants)
    string(REPLACE " " ";" definitions "${variant}")
    list(POP_FRONT definitions name)
    string(REPLACE "_C" "_${components}" name ${name})
    foreach(default IN LISTS pyramid_defaults)
      string(REGEX REPLACE "=.*" "" macro ${default})
      if(NOT definitions MATCHES "(^|;)${macro}=")
        list(APPEND definitions ${default})
      endif()
    endforeach()
    onepass_add_kernel(${name} ${folder}/pyramid.comp COMPONENTS=${components} ${definitions})
  endforeach()
  # Inlined by spirv-opt: drivers that keep the calls have a higher register pressure.
  if(SPIRV_OPT)
    set(subgroup_kernel ${folder}/pyramid.comp COMPONENTS=${components} HALF=0 TIGHT=0 INDEXED_IMAGES=1
      ONEPASS_MEMORY_MODEL=0 ONEPASS_SUBGROUP=1)
    onepass_add_inlined_kernel(pyramid_${components}_indexed_subgroup_two_to_one ${subgroup_kernel} ONEPASS_TWO_TO_ONE_ONLY=1)
    # At odd sizes kernels of two components are faster without inlining, and so are those of four where the base's
    # texels have less than 16 bytes.
    if(components EQUAL 1)
      onepass_add_inlined_kernel(pyramid_1_indexed_subgroup_inlined ${subgroup_kernel} ONEPASS_WINDOW_ROWS=8)
    elseif(components EQUAL 4)
      onepass_add_inlined_kernel(pyramid_4_indexed_subgroup_inlined ${subgroup_kernel} ONEPASS_WINDOW_ROWS=4)
    endif()
  endif()
  onepass_add_kernel(pyramid_per_level_${components} ${folder}/pyramid_per_level.comp COMPONENTS=${components} HALF=0)
endforeach()
foreach(pass count scale)
  onepass_add_kernel(pyramid_coverage_${pass} ${folder}/pyramid_coverage.comp COMPONENTS=4 HALF=0 INDEXED_IMAGES=0
    COVERAGE_${pass}=1)
endforeach()

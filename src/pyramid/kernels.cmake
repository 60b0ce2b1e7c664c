# Every variant of the pyramid kernels. Everything that GLSL can specialise is a specialization constant instead; see
# pyramid_texel.glsl. Names: pyramid_<components>[_half][_memory_model][_indexed][_subgroup][_inlined or _plain], in
# this order.
set(folder ${CMAKE_CURRENT_LIST_DIR})

# switch(VALUE WORD OUT): _WORD if VALUE is 1, nothing otherwise.
function(switch value word out)
  set(text "")
  if(value)
    set(text _${word})
  endif()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

foreach(components 1 2 4)
  foreach(memory_model 0 1)
    switch(${memory_model} memory_model model_name)
    foreach(half 0 1)
      switch(${half} half half_name)
      foreach(indexed 0 1)
        switch(${indexed} indexed indexed_name)
        foreach(subgroup 0 1)
          switch(${subgroup} subgroup subgroup_name)
          onepass_add_kernel(pyramid_${components}${half_name}${model_name}${indexed_name}${subgroup_name}
            ${folder}/pyramid.comp COMPONENTS=${components} HALF=${half} TIGHT=0 INDEXED_IMAGES=${indexed}
            ONEPASS_MEMORY_MODEL=${memory_model} ONEPASS_SUBGROUP=${subgroup})
        endforeach()
      endforeach()
    endforeach()
    onepass_add_kernel(pyramid_tight_${components}${model_name} ${folder}/pyramid.comp COMPONENTS=${components} HALF=0
      TIGHT=1 INDEXED_IMAGES=0 ONEPASS_MEMORY_MODEL=${memory_model} ONEPASS_SUBGROUP=0)
  endforeach()
  # A driver that leaves calls in them needs more registers.
  if(SPIRV_OPT)
    set(subgroup_kernel ${folder}/pyramid.comp COMPONENTS=${components} HALF=0 TIGHT=0 INDEXED_IMAGES=1
      ONEPASS_MEMORY_MODEL=0 ONEPASS_SUBGROUP=1)
    onepass_add_inlined_kernel(pyramid_${components}_indexed_subgroup_plain ${subgroup_kernel} ONEPASS_PLAIN_ONLY=1)
    # At odd sizes it does better left alone with two components, and with four where the base's texels have less than 16
    # bytes.
    if(components EQUAL 1)
      onepass_add_inlined_kernel(pyramid_1_indexed_subgroup_inlined ${subgroup_kernel} ONEPASS_STREAM_ROWS=8)
    elseif(components EQUAL 4)
      onepass_add_inlined_kernel(pyramid_4_indexed_subgroup_inlined ${subgroup_kernel} ONEPASS_STREAM_ROWS=4)
    endif()
  endif()
  foreach(half 0 1)
    switch(${half} half half_name)
    onepass_add_kernel(pyramid_per_level_${components}${half_name} ${folder}/pyramid_per_level.comp
      COMPONENTS=${components} HALF=${half} ONEPASS_MEMORY_MODEL=0 ONEPASS_SUBGROUP=0)
  endforeach()
endforeach()
foreach(pass count scale)
  onepass_add_kernel(pyramid_coverage_${pass} ${folder}/pyramid_coverage.comp COMPONENTS=4 HALF=0 INDEXED_IMAGES=0
    COVERAGE_${pass}=1)
endforeach()

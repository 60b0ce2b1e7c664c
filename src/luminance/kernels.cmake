# The meter's kernels. luminance is one dispatch; variants: _memory_model (Vulkan memory model), _subgroup (subgroup
# shuffles). luminance_partial and luminance_join are the two dispatches of MeterTuning::two_pass.
set(luminance_comp ${CMAKE_CURRENT_LIST_DIR}/luminance.comp)
foreach(subgroup 0 1)
  set(suffix)
  if(subgroup)
    set(suffix _subgroup)
  endif()
  onepass_add_kernel(luminance${suffix} ${luminance_comp}
    ONEPASS_LUMINANCE_PASS=0 ONEPASS_MEMORY_MODEL=0 ONEPASS_SUBGROUP=${subgroup})
  onepass_add_kernel(luminance_memory_model${suffix} ${luminance_comp}
    ONEPASS_LUMINANCE_PASS=0 ONEPASS_MEMORY_MODEL=1 ONEPASS_SUBGROUP=${subgroup})
endforeach()
onepass_add_kernel(luminance_partial ${luminance_comp} ONEPASS_LUMINANCE_PASS=1 ONEPASS_MEMORY_MODEL=0)
onepass_add_kernel(luminance_join ${luminance_comp} ONEPASS_LUMINANCE_PASS=2 ONEPASS_MEMORY_MODEL=0)

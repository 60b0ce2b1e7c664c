# Tests that scripts/test leaves to scripts/test-more, by the label "more": suites that run again with kernels compiled
# from HLSL, and further builds of the library.
set(more hlsl_pyramid_test hlsl_tile_reduction_test hlsl_luminance_test hlsl_tone_map_test hlsl_local_exposure_test
  hlsl_frame_tone_map_test hlsl_depth_query_test)
foreach(name build_shared install_shared find_shared pkg_config_shared shows_onepass shows_onepass_files debian declared
    subproject vulkan_only)
  list(APPEND more package_${name})
endforeach()
foreach(name IN LISTS more)
  if(TEST ${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS more)
  endif()
endforeach()

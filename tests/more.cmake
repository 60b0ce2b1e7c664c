# Tests that scripts/test leaves to scripts/test-more, by the label "more": suites that run again with kernels compiled
# from HLSL or in the Vulkan memory model, the samples, the benchmark, seeds of the fuzz targets, other software drivers,
# further builds of the library, its headers alone. Further below: parts of long programs.
set(more hlsl_pyramid_test hlsl_tile_reduction_test hlsl_fourier_ping_pong_test
  memory_model_pyramid_test memory_model_pyramid_reuse_test memory_model_luminance_test
  sample_occlusion_test sample_frame_test sample_ocean_test sample_particles_test sample_first_dispatch sample_resize
  sample_first_frame sample_vma_memory
  package_samples package_headers_gcc package_headers_clang)
# The shortest of the long tests of software_drivers.cmake, for each driver.
list(APPEND more swiftshader_tile_reduction swiftshader_nonfinite swiftshader_luminance lanes_4_pyramid
  lanes_4_tile_reduction lanes_16_fourier lanes_16_tile_reduction)
foreach(name build_shared install_shared find_shared pkg_config_shared shows_onepass shows_onepass_files debian declared
    subproject vulkan_only)
  list(APPEND more package_${name})
endforeach()
foreach(name IN LISTS more)
  if(TEST ${name})
    set_property(TEST ${name} APPEND PROPERTY LABELS more)
  endif()
endforeach()

# Too long for scripts/test-more: label "long".
set(long hlsl_fourier_test hlsl_local_exposure_test hlsl_frame_tone_map_test hlsl_reflection_test hlsl_depth_query_test
  hlsl_luminance_test hlsl_tone_map_test pictures_test package_headers_clang16)
foreach(name IN LISTS long)
  if(TEST ${name})
    set_property(TEST ${name} PROPERTY LABELS long)
  endif()
endforeach()

# The programs that run longest are divided by GoogleTest. NAME runs the first part of its tests; the other parts have the
# label "long", but for the second part of the programs in `twice`, which has the label "more".
set(twice vulkan_pyramid_test cli_tests tiles_test cpu_pyramid_formats_test cpu_pyramid_test cpu_fourier_test)
set(divided vulkan_pyramid_test 6 vulkan_pyramid_reuse_test 6 integration_test 6 vulkan_fourier_test 6 vulkan_fourier_ops_test 6
  cli_tests 3 cli_fourier_test 3 vulkan_bloom_test 3 cpu_pyramid_formats_test 3 cpu_pyramid_test 3 cpu_fourier_test 3
  c_api_vulkan_host_test 3 shader_headers_test 3 vulkan_luminance_test 3 custom_reduction_test 3 spd_test 3 vulkan_misuse_test 3
  tiles_test 3 vulkan_grey_srgb_test 3)
while(divided)
  list(POP_FRONT divided name parts)
  if(NOT TEST ${name})
    continue()
  endif()
  get_test_property(${name} ENVIRONMENT environment)
  get_test_property(${name} LABELS labels)
  get_test_property(${name} TIMEOUT timeout)
  get_test_property(${name} COST cost)
  if(NOT environment)
    set(environment "")
  endif()
  if(NOT cost)
    set(cost 20)
  endif()
  foreach(part RANGE 1 ${parts})
    set(part_name ${name})
    if(part GREATER 1)
      set(part_name ${name}_part_${part})
      add_test(NAME ${part_name} COMMAND ${name})
      set(when long)
      if(part EQUAL 2 AND name IN_LIST twice)
        set(when more)
      endif()
      set_tests_properties(${part_name} PROPERTIES LABELS "${labels};${when}" TIMEOUT ${timeout} COST ${cost})
    endif()
    # GoogleTest names its report after the program: a folder for each part.
    set_tests_properties(${part_name} PROPERTIES
      ENVIRONMENT_MODIFICATION GTEST_OUTPUT=string_append:part_${part}/)
    math(EXPR index "${part} - 1")
    set_tests_properties(${part_name} PROPERTIES
      ENVIRONMENT "${environment};GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index}")
  endforeach()
endwhile()

# What the other tests need; scripts/test builds nothing else. Programs of the tests in `more` and `long`, and of other
# folders but the command line's, are left out.
add_custom_target(short_tests)
get_property(programs DIRECTORY PROPERTY BUILDSYSTEM_TARGETS)
foreach(name IN LISTS programs)
  get_target_property(type ${name} TYPE)
  get_target_property(excluded ${name} EXCLUDE_FROM_ALL)
  if(type STREQUAL EXECUTABLE AND NOT excluded AND NOT name IN_LIST more AND NOT name IN_LIST long)
    add_dependencies(short_tests ${name})
  endif()
endforeach()
foreach(name onepass onepass_files onepass_cli onepass_manual sample_mip_chain)  # the manual page is installed
  if(TARGET ${name})
    add_dependencies(short_tests ${name})
  endif()
endforeach()

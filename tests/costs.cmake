# Long tests start first, so that none is left running alone at the end: about how many seconds each takes on two cores. The
# cost of a package test includes the tests that need it.
set(costs
  vulkan_pyramid_test 95 vulkan_pyramid_reuse_test 65 package_build_shared 90 custom_reduction_test 20 spd_test 60
  integration_test 55 cli_tests 90 vulkan_fourier_test 45 package_headers_gcc 48 package_headers_clang 47
  vulkan_fourier_ops_test 35 hlsl_pyramid_test 50 hlsl_reflection_test 90 memory_model_pyramid_test 20 memory_model_pyramid_reuse_test 20 package_subproject 45 package_install_static 30
  package_headers_clang16 29 vulkan_misuse_test 26 cpu_pyramid_formats_test 23 cpu_pyramid_test 22
  cpu_pyramid_stream_test 26 tiles_test 23 vulkan_block_compressor_test 13 hlsl_block_compressor_test 13 vulkan_reflection_test 40 cuda_pyramid_test 50 vulkan_fourier_traffic_test 20 fork_test 12)
while(costs)
  list(POP_FRONT costs name seconds)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST ${seconds})
  endif()
endwhile()

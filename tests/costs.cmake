# Long tests start first, so that none is left running alone at the end: about how many seconds each takes on two cores. The
# cost of a package test includes the tests that need it.
set(costs
  vulkan_pyramid_test 220 vulkan_fourier_test 115 vulkan_luminance_test 110 vulkan_pyramid_reuse_test 90
  package_build_shared 90 vulkan_fourier_ops_test 75 custom_reduction_test 75 integration_test 65
  vulkan_misuse_test 50 cpu_pyramid_formats_test 60 cpu_pyramid_test 55
  hlsl_pyramid_test 50 package_subproject 45 cli_tests 30 cli_fourier_test 30 package_install_static 30
  vulkan_fourier_traffic_test 27 cpu_fourier_test 27)
while(costs)
  list(POP_FRONT costs name seconds)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST ${seconds})
  endif()
endwhile()

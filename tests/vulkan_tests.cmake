# Tests of the Vulkan engine on lavapipe with validation layers, unless the environment names another device.
foreach(name vulkan_pyramid_test vulkan_pyramid_reuse_test vulkan_misuse_test vulkan_drivers_test)
  onepass_test(${name} gpu ${name}.cpp vulkan_testing.cpp coverage_oracle.cpp pyramid_oracle.cpp pyramid_testing.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endforeach()
# lavapipe runs up to 4 workgroups at once, so that some wait for the results of others, but not for long.
set_tests_properties(vulkan_pyramid_reuse_test PROPERTIES ENVIRONMENT LP_NUM_THREADS=4)
# Validation would report the mistakes that the test makes.
set_tests_properties(vulkan_misuse_test PROPERTIES ENVIRONMENT "LP_NUM_THREADS=4;ONEPASS_TEST_VALIDATION=0")
if(TARGET sample_mip_chain)
  add_test(NAME sample_mip_chain COMMAND sample_mip_chain)
  set_tests_properties(sample_mip_chain PROPERTIES LABELS gpu PASS_REGULAR_EXPRESSION "10 levels of 1920x1080 in 2 dispatches")
endif()
# The library's host side, on adopted devices whose entry points the tests replace.
foreach(name vulkan_host_test vulkan_shared_objects_test vulkan_limits_test vulkan_minimum_limits_test)
  onepass_test(${name} gpu ${name}.cpp own_device.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
# Depth that is drawn, in the formats and with the samples that the device offers.
onepass_add_kernel_header(multisample_depth_vert ${CMAKE_CURRENT_LIST_DIR}/multisample_depth.vert)
onepass_add_kernel_header(multisample_depth_frag ${CMAKE_CURRENT_LIST_DIR}/multisample_depth.frag)
onepass_test(vulkan_sources_test gpu vulkan_sources_test.cpp own_device.cpp tile_reduction_oracle.cpp pyramid_oracle.cpp
  pyramid_testing.cpp ${PROJECT_BINARY_DIR}/kernels/multisample_depth_vert.h
  ${PROJECT_BINARY_DIR}/kernels/multisample_depth_frag.h)
target_include_directories(vulkan_sources_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR})
target_link_libraries(vulkan_sources_test PRIVATE ${CMAKE_DL_LIBS})
onepass_test(unpack_kernel_test unit unpack_kernel_test.cpp)
target_include_directories(unpack_kernel_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(unpack_kernel_test PRIVATE ONEPASS_KERNEL_FOLDER="${PROJECT_BINARY_DIR}/kernels")
onepass_test(reconvergence_test unit reconvergence_test.cpp)
target_include_directories(reconvergence_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(reconvergence_test PRIVATE ONEPASS_KERNEL_FOLDER="${PROJECT_BINARY_DIR}/kernels")
find_program(SPIRV_VAL spirv-val)
if(SPIRV_VAL)
  target_compile_definitions(reconvergence_test PRIVATE ONEPASS_SPIRV_VAL="${SPIRV_VAL}")
endif()
onepass_test(vulkan_grey_srgb_test gpu vulkan_grey_srgb_test.cpp vulkan_testing.cpp pyramid_oracle.cpp pyramid_testing.cpp)
target_include_directories(vulkan_grey_srgb_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
onepass_test(vulkan_tile_reduction_test gpu vulkan_tile_reduction_test.cpp tile_reduction_oracle.cpp vulkan_testing.cpp
  pyramid_oracle.cpp pyramid_testing.cpp)
target_include_directories(vulkan_tile_reduction_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
onepass_test(nonfinite_policy_test gpu nonfinite_policy_test.cpp tile_reduction_oracle.cpp vulkan_testing.cpp
  pyramid_oracle.cpp pyramid_testing.cpp)
target_include_directories(nonfinite_policy_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

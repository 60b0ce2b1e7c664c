# Tests of what the Vulkan engines of all techniques share, on lavapipe with validation layers, unless the environment names
# another device.
set(vulkan_testing vulkan_testing.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)
onepass_test(vulkan_drivers_test gpu vulkan_drivers_test.cpp pyramid/coverage_oracle.cpp ${vulkan_testing})
target_include_directories(vulkan_drivers_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
# The library's host side, on adopted devices whose entry points the tests replace.
foreach(name vulkan_host_test vulkan_shared_objects_test vulkan_limits_test vulkan_minimum_limits_test vulkan_tunings_test)
  onepass_test(${name} gpu ${name}.cpp own_device.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE ${CMAKE_DL_LIBS})
endforeach()
onepass_test(tunings_text_test unit tunings_text_test.cpp)
target_include_directories(tunings_text_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
# Depth that is drawn, in the formats and with the samples that the device offers.
onepass_add_kernel_header(multisample_depth_vert ${CMAKE_CURRENT_LIST_DIR}/multisample_depth.vert)
onepass_add_kernel_header(multisample_depth_frag ${CMAKE_CURRENT_LIST_DIR}/multisample_depth.frag)
onepass_test(vulkan_sources_test gpu vulkan_sources_test.cpp own_device.cpp tile_reduction/tile_reduction_oracle.cpp
  pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp ${PROJECT_BINARY_DIR}/kernels/multisample_depth_vert.h
  ${PROJECT_BINARY_DIR}/kernels/multisample_depth_frag.h)
target_include_directories(vulkan_sources_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR})
target_link_libraries(vulkan_sources_test PRIVATE ${CMAKE_DL_LIBS})
# A source release has the packed kernels alone.
if(ONEPASS_COMPILED_KERNELS AND NOT EXISTS ${ONEPASS_KERNEL_FOLDER}/pyramid_4.spv)
  onepass_left_out("unpack_kernel_test, reconvergence_test: the kernels' modules are not in ${ONEPASS_KERNEL_FOLDER}")
else()
  foreach(name unpack_kernel_test reconvergence_test)
    onepass_test(${name} unit ${name}.cpp)
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    target_compile_definitions(${name} PRIVATE ONEPASS_KERNEL_FOLDER="${ONEPASS_KERNEL_FOLDER}")
  endforeach()
  if(XZ_PROGRAM AND TARGET files_support AND NOT WIN32)  # by a shell of POSIX
    target_link_libraries(unpack_kernel_test PRIVATE files_support)
    target_compile_definitions(unpack_kernel_test PRIVATE ONEPASS_XZ="${XZ_PROGRAM}")
  endif()
  find_program(SPIRV_VAL spirv-val)
  if(SPIRV_VAL)
    target_compile_definitions(reconvergence_test PRIVATE ONEPASS_SPIRV_VAL="${SPIRV_VAL}")
  endif()
endif()
onepass_test(vulkan_grey_srgb_test gpu vulkan_grey_srgb_test.cpp ${vulkan_testing})
target_include_directories(vulkan_grey_srgb_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
onepass_test(nonfinite_policy_test gpu nonfinite_policy_test.cpp tile_reduction/tile_reduction_oracle.cpp ${vulkan_testing})
target_include_directories(nonfinite_policy_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

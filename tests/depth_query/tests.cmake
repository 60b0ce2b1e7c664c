# Tests of depth queries: the C++ functions against oracles, the shader header against the C++ functions.
onepass_test(depth_query_test unit depth_query_cells_test.cpp depth_query_depth_test.cpp depth_query_testing.cpp
  pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)
onepass_test(depth_query_property_test property depth_query_occlusion_test.cpp depth_query_march_test.cpp
  depth_query_testing.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)

# Not part of the library, but where scripts/validate-shaders finds it.
onepass_add_kernel_header(test_depth_query ${CMAKE_CURRENT_LIST_DIR}/depth_query_test.comp)
onepass_add_kernel_header(test_depth_query_fragment ${CMAKE_CURRENT_LIST_DIR}/depth_query_test.frag)
onepass_add_kernel_header(test_depth_query_beside_pyramid ${CMAKE_CURRENT_LIST_DIR}/depth_query_beside_pyramid.comp)
onepass_test(vulkan_depth_query_test gpu vulkan_depth_query_test.cpp depth_query_gpu.cpp depth_query_testing.cpp
  vulkan/vulkan_testing.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp
  ${PROJECT_BINARY_DIR}/kernels/test_depth_query.h
  ${PROJECT_BINARY_DIR}/kernels/test_depth_query_fragment.h ${PROJECT_BINARY_DIR}/kernels/test_depth_query_beside_pyramid.h)
target_include_directories(vulkan_depth_query_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR})

# The header needs only Vulkan 1.0, in any shader stage.
add_test(NAME depth_query_vulkan_1_0 COMMAND ${GLSLANG_VALIDATOR} --quiet --target-env vulkan1.0 -DONEPASS_KEEP_NAMES
  -I${PROJECT_SOURCE_DIR}/shaders -o ${CMAKE_CURRENT_BINARY_DIR}/depth_query_test.frag.spv
  ${CMAKE_CURRENT_LIST_DIR}/depth_query_test.frag)
set_tests_properties(depth_query_vulkan_1_0 PROPERTIES LABELS unit)

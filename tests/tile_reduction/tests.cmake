# Tests of tile reductions: the CPU engine, and the Vulkan engine on lavapipe with validation layers.
set(tile_reduction_testing tile_reduction_oracle.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)
onepass_test(cpu_tile_reduction_test cpu cpu_tile_reduction_test.cpp ${tile_reduction_testing})
target_link_libraries(cpu_tile_reduction_test PRIVATE TBB::tbb)
target_include_directories(cpu_tile_reduction_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
onepass_test(vulkan_tile_reduction_test gpu vulkan_tile_reduction_test.cpp vulkan/vulkan_testing.cpp
  ${tile_reduction_testing})
target_include_directories(vulkan_tile_reduction_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

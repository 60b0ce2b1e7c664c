# Tests of meters: the CPU engine, and the Vulkan engine on lavapipe with validation layers.
set(luminance_testing luminance_oracle.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)
onepass_test(cpu_luminance_test cpu cpu_luminance_test.cpp ${luminance_testing})
target_include_directories(cpu_luminance_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(cpu_luminance_test PRIVATE TBB::tbb)
onepass_test(vulkan_luminance_test gpu vulkan_luminance_test.cpp vulkan/vulkan_testing.cpp ${luminance_testing})
target_include_directories(vulkan_luminance_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

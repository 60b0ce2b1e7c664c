# Tests of pixel formats, images and the CPU engine.
find_package(HWY REQUIRED)  # to select SIMD targets
find_package(TBB REQUIRED)  # to allow more threads than cores

set(pyramid_testing pyramid_oracle.cpp pyramid_testing.cpp)
onepass_test(color_test unit color_test.cpp)
onepass_test(image_test unit image_test.cpp)
onepass_test(coverage_test unit coverage_test.cpp)
target_include_directories(coverage_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
onepass_test(cpu_bits_test cpu cpu_bits_test.cpp pyramid_testing.cpp)
target_link_libraries(cpu_bits_test PRIVATE hwy::hwy TBB::tbb)
onepass_test(cpu_pyramid_test cpu cpu_pyramid_test.cpp ${pyramid_testing})
onepass_test(cpu_pyramid_formats_test cpu cpu_pyramid_formats_test.cpp ${pyramid_testing})
target_link_libraries(cpu_pyramid_formats_test PRIVATE hwy::hwy TBB::tbb)
onepass_test(cpu_pyramid_modes_test cpu cpu_pyramid_modes_test.cpp ${pyramid_testing})
onepass_test(cpu_pyramid_update_test cpu cpu_pyramid_update_test.cpp ${pyramid_testing})
target_link_libraries(cpu_pyramid_update_test PRIVATE hwy::hwy TBB::tbb)
onepass_test(cpu_pyramid_stream_test cpu cpu_pyramid_stream_test.cpp allocation_counter.cpp
  ${pyramid_testing})
target_link_libraries(cpu_pyramid_stream_test PRIVATE hwy::hwy TBB::tbb)
onepass_test(cpu_custom_pyramid_test cpu cpu_custom_pyramid_test.cpp ${pyramid_testing})
onepass_test(cpu_pyramid_property_test property cpu_pyramid_property_test.cpp ${pyramid_testing})
onepass_test(cpu_tile_reduction_test cpu cpu_tile_reduction_test.cpp tile_reduction_oracle.cpp ${pyramid_testing})
target_link_libraries(cpu_tile_reduction_test PRIVATE hwy::hwy TBB::tbb)
onepass_test(nonfinite_test cpu nonfinite_test.cpp pyramid_testing.cpp)
target_link_libraries(nonfinite_test PRIVATE hwy::hwy TBB::tbb)
target_include_directories(nonfinite_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

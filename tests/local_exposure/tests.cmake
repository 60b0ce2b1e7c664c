# Tests of local exposure: the CPU engine with every SIMD target, and the Vulkan engine on lavapipe with validation.
set(local_exposure_testing local_exposure_oracle.cpp pyramid/pyramid_testing.cpp)
onepass_test(cpu_local_exposure_test cpu cpu_local_exposure_test.cpp ${local_exposure_testing})
target_link_libraries(cpu_local_exposure_test PRIVATE TBB::tbb)
target_include_directories(cpu_local_exposure_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
onepass_test(vulkan_local_exposure_test gpu vulkan_local_exposure_test.cpp vulkan/vulkan_testing.cpp
  pyramid/pyramid_oracle.cpp
  ${local_exposure_testing})
target_include_directories(vulkan_local_exposure_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

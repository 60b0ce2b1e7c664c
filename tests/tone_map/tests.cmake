# Tests of tone maps: the CPU engine with every SIMD target, and the Vulkan engine on lavapipe with validation.
onepass_test(cpu_tone_map_test cpu cpu_tone_map_test.cpp cpu_tone_map_codes_test.cpp tone_map_values_test.cpp
  tone_map_headroom_test.cpp tone_map_cache_test.cpp tone_map_docs_test.cpp tone_map_oracle.cpp pyramid/pyramid_testing.cpp)
target_include_directories(cpu_tone_map_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(cpu_tone_map_test PRIVATE TBB::tbb)
target_compile_definitions(cpu_tone_map_test PRIVATE ONEPASS_DOCS="${PROJECT_SOURCE_DIR}/docs")
onepass_test(vulkan_tone_map_test gpu vulkan_tone_map_test.cpp tone_map_oracle.cpp vulkan/vulkan_testing.cpp
  pyramid/pyramid_oracle.cpp
  pyramid/pyramid_testing.cpp)
target_include_directories(vulkan_tone_map_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

# Tests of metering and tone mapping in one pass: the CPU engine, and the Vulkan engine on lavapipe with validation.
set(frame_tone_map_testing luminance/luminance_oracle.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)
onepass_test(cpu_frame_tone_map_test cpu cpu_frame_tone_map_test.cpp ${frame_tone_map_testing})
target_link_libraries(cpu_frame_tone_map_test PRIVATE TBB::tbb)
target_include_directories(cpu_frame_tone_map_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
onepass_test(vulkan_frame_tone_map_test gpu vulkan_frame_tone_map_test.cpp tone_map/tone_map_oracle.cpp
  vulkan/vulkan_testing.cpp
  ${frame_tone_map_testing})
target_include_directories(vulkan_frame_tone_map_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

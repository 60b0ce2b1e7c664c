# Tests of block-compressed formats: decoders against their definition and against the device's sampler.
onepass_test(blocks_decode_test cpu blocks_decode_test.cpp blocks_oracle.cpp)
onepass_test(vulkan_blocks_test gpu vulkan_blocks_test.cpp blocks_oracle.cpp vulkan/own_device.cpp)
target_include_directories(vulkan_blocks_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(vulkan_blocks_test PRIVATE ${CMAKE_DL_LIBS})
onepass_test(blocks_encode_test cpu blocks_encode_test.cpp blocks_oracle.cpp)
target_link_libraries(blocks_encode_test PRIVATE TBB::tbb)
target_include_directories(blocks_encode_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

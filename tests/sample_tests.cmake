# Tests of the sample programs that check their own results: small sizes, on software Vulkan with validation.
if(NOT TARGET sample_occlusion)
  return()
endif()
onepass_test(sample_occlusion_test gpu ${CMAKE_CURRENT_LIST_DIR}/sample_occlusion_test.cpp)
target_link_libraries(sample_occlusion_test PRIVATE onepass::files)
target_compile_definitions(sample_occlusion_test PRIVATE ONEPASS_SAMPLE="$<TARGET_FILE:sample_occlusion>")
add_dependencies(sample_occlusion_test sample_occlusion)

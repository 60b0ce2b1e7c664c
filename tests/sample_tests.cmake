# Tests of the sample programs that check their own results: small sizes, on software Vulkan with validation.
foreach(sample occlusion frame)
  if(TARGET sample_${sample})
    onepass_test(sample_${sample}_test gpu ${CMAKE_CURRENT_LIST_DIR}/sample_${sample}_test.cpp)
    target_link_libraries(sample_${sample}_test PRIVATE onepass::files)
    target_compile_definitions(sample_${sample}_test PRIVATE ONEPASS_SAMPLE="$<TARGET_FILE:sample_${sample}>")
    add_dependencies(sample_${sample}_test sample_${sample})
  endif()
endforeach()

# Tests of the sample programs: small sizes, on software Vulkan with validation.
if(TARGET sample_mip_chain)
  add_test(NAME sample_mip_chain COMMAND sample_mip_chain)
  set_tests_properties(sample_mip_chain PROPERTIES LABELS gpu PASS_REGULAR_EXPRESSION "10 levels of 1920x1080 in 2 dispatches")
endif()
# Samples that check their own results.
foreach(sample occlusion frame)
  if(TARGET sample_${sample})
    onepass_test(sample_${sample}_test gpu sample_${sample}_test.cpp)
    target_link_libraries(sample_${sample}_test PRIVATE onepass::files)
    target_compile_definitions(sample_${sample}_test PRIVATE ONEPASS_SAMPLE="$<TARGET_FILE:sample_${sample}>")
    add_dependencies(sample_${sample}_test sample_${sample})
  endif()
endforeach()
foreach(sample ocean particles)
  if(TARGET sample_${sample})
    add_test(NAME sample_${sample}_test COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:sample_${sample}>
      -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/sample_${sample} -P ${CMAKE_CURRENT_LIST_DIR}/sample_${sample}_test.cmake)
    set_tests_properties(sample_${sample}_test PROPERTIES LABELS gpu TIMEOUT 300)
  endif()
endforeach()
# The sample of docs/integration.md under validation; integration_docs_test compares it with the page.
if(TARGET first_dispatch)
  add_test(NAME sample_first_dispatch COMMAND first_dispatch)
  set_tests_properties(sample_first_dispatch PROPERTIES LABELS gpu
    PASS_REGULAR_EXPRESSION "farthest depth 0.875, 10 levels, dispatches per frame: [12]\n$"
    FAIL_REGULAR_EXPRESSION "VUID;SYNC-HAZARD;Validation Error"
    ENVIRONMENT "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation;VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT")
endif()
if(TARGET resize)
  add_test(NAME sample_resize COMMAND resize)
  set_tests_properties(sample_resize PROPERTIES LABELS gpu
    PASS_REGULAR_EXPRESSION "11 frames, adapted in 9 of them\n$"
    FAIL_REGULAR_EXPRESSION "VUID;SYNC-HAZARD;Validation Error"
    ENVIRONMENT "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation;VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT")
endif()
if(TARGET first_frame)
  add_test(NAME sample_first_frame COMMAND first_frame)
  set_tests_properties(sample_first_frame PROPERTIES LABELS gpu
    PASS_REGULAR_EXPRESSION "first frame after .* by the fast one after [0-9.]* ms\n$"
    FAIL_REGULAR_EXPRESSION "VUID;SYNC-HAZARD;Validation Error"
    ENVIRONMENT "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation;VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT")
endif()
# The sample of device memory from the Vulkan Memory Allocator, under validation.
if(TARGET vma_memory)
  add_test(NAME sample_vma_memory COMMAND vma_memory)
  set_tests_properties(sample_vma_memory PROPERTIES LABELS gpu
    PASS_REGULAR_EXPRESSION "allocations of the library: [1-9][0-9]*; grey: 11[78]\n$"
    FAIL_REGULAR_EXPRESSION "VUID;SYNC-HAZARD;Validation Error"
    ENVIRONMENT "VK_INSTANCE_LAYERS=VK_LAYER_KHRONOS_validation;VK_LAYER_ENABLES=VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT")
else()
  onepass_left_out("sample_vma_memory: vk_mem_alloc.h not found")
endif()
# Pictures: what the frame sample draws, and those of ONEPASS_TEST_PICTURES.
if(COMMAND onepass_fourier_test AND TARGET sample_frame AND TARGET onepass_files)
  onepass_fourier_test(pictures_test gpu fourier/fourier_testing.cpp fourier/fourier_oracle.cpp pyramid/pyramid_oracle.cpp
    pyramid/pyramid_testing.cpp luminance/luminance_oracle.cpp tone_map/tone_map_oracle.cpp vulkan/vulkan_testing.cpp)
  target_link_libraries(pictures_test PRIVATE onepass::files)
  target_compile_definitions(pictures_test PRIVATE ONEPASS_SAMPLE="$<TARGET_FILE:sample_frame>")
  add_dependencies(pictures_test sample_frame)
endif()

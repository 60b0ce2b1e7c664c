# Tests of the C API. The client is C99 without extensions and compiles without warnings.
enable_language(C)
add_library(c_api_client OBJECT c_api_client.c)
target_link_libraries(c_api_client PRIVATE onepass::onepass)
set_target_properties(c_api_client PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_compile_options(c_api_client PRIVATE -pedantic -Wall -Wextra -Werror)

onepass_test(c_api_test cpu c_api_test.cpp c_api_operations_test.cpp c_api_nonfinite_test.cpp
  pyramid_testing.cpp)
target_link_libraries(c_api_test PRIVATE c_api_client)

# The library used by C and C++ programs on Vulkan devices that the programs created.
add_library(c_api_vulkan_client OBJECT c_api_vulkan_client.c c_api_zero_client.c)
target_link_libraries(c_api_vulkan_client PRIVATE onepass::onepass)
set_target_properties(c_api_vulkan_client PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_compile_options(c_api_vulkan_client PRIVATE -pedantic -Wall -Wextra -Werror)
onepass_add_kernel_header(test_user_sets ${CMAKE_CURRENT_LIST_DIR}/user_sets.comp)
onepass_test(integration_test gpu integration_test.cpp integration_mistakes_test.cpp caller_memory_test.cpp
  c_api_vulkan_test.cpp c_driver.cpp command_state_test.cpp defaults_test.cpp descriptor_buffer_test.cpp own_device.cpp
  reset_scratch_test.cpp technique_rig.cpp placed_image.cpp pyramid_testing.cpp ${PROJECT_BINARY_DIR}/kernels/test_user_sets.h)
target_link_libraries(integration_test PRIVATE c_api_vulkan_client)
target_include_directories(integration_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/kernels)
target_compile_definitions(integration_test PRIVATE ONEPASS_ROOT="${PROJECT_SOURCE_DIR}")
# With sanitizers operator new is theirs.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  onepass_test(record_allocations_test gpu record_allocations_test.cpp own_device.cpp technique_rig.cpp placed_image.cpp
    pyramid_testing.cpp)
  target_include_directories(record_allocations_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
endif()
find_path(ONEPASS_VOLK_INCLUDE volk.h)
if(ONEPASS_VOLK_INCLUDE)
  target_include_directories(integration_test SYSTEM PRIVATE ${ONEPASS_VOLK_INCLUDE})
  target_compile_definitions(integration_test PRIVATE ONEPASS_TEST_VOLK)
else()
  onepass_left_out("Integration.WorksInAProgramThatLoadsByVolk: volk.h not found")
endif()

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
onepass_test(integration_docs_test unit integration_docs_test.cpp)
target_compile_definitions(integration_docs_test PRIVATE ONEPASS_ROOT="${PROJECT_SOURCE_DIR}")

# Every code block of the README and the pages, as it stands.
find_program(ONEPASS_PYTHON NAMES python3 PATHS /usr/bin NO_DEFAULT_PATH)
if(ONEPASS_PYTHON AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME pages COMMAND ${ONEPASS_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/pages.py ${PROJECT_SOURCE_DIR}
    ${CMAKE_CURRENT_BINARY_DIR}/pages ${CMAKE_CXX_COMPILER} ${CMAKE_C_COMPILER} ${GLSLANG_VALIDATOR} ${CMAKE_COMMAND})
  set_tests_properties(pages PROPERTIES LABELS unit TIMEOUT 600)
  # The sizes are those of a build with all tools.
  if(SPIRV_OPT AND LZ4_PROGRAM AND PERL_PROGRAM AND NOT ONEPASS_COMPILED_KERNELS)
    add_test(NAME kernel_page COMMAND ${ONEPASS_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/kernel-page --check ${PROJECT_BINARY_DIR})
    set_tests_properties(kernel_page PROPERTIES LABELS unit)
  else()
    onepass_left_out("kernel_page: spirv-opt, lz4 or perl not found")
  endif()
else()
  onepass_left_out("pages, kernel_page: python3 not found, or a build for another platform")
endif()
if(ONEPASS_PYTHON)
  # Files that follow from the C++ headers and api/table.py.
  add_test(NAME api_files COMMAND ${PROJECT_SOURCE_DIR}/scripts/generate-api --check)
  set_tests_properties(api_files PROPERTIES LABELS unit)
else()
  onepass_left_out("api_files: python3 not found")
endif()
onepass_test(c_api_options_test unit c_api_options_test.cpp)
target_include_directories(c_api_options_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

# The library used by C and C++ programs on Vulkan devices that the programs created.
onepass_add_kernel_header(test_user_sets ${CMAKE_CURRENT_LIST_DIR}/user_sets.comp)
onepass_test(integration_test gpu integration_test.cpp integration_mistakes_test.cpp caller_memory_test.cpp
  command_state_test.cpp defaults_test.cpp descriptor_buffer_test.cpp reset_scratch_test.cpp c_api/c_api_vulkan_test.cpp
  c_driver.cpp cpp_driver.cpp technique_rig.cpp hall_images.cpp placed_image.cpp reflection/reflection_scene.cpp
  vulkan/own_device.cpp pyramid/pyramid_testing.cpp
  ${PROJECT_BINARY_DIR}/kernels/test_user_sets.h)
target_link_libraries(integration_test PRIVATE c_api_vulkan_client)
target_include_directories(integration_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/kernels)
target_compile_definitions(integration_test PRIVATE ONEPASS_ROOT="${PROJECT_SOURCE_DIR}")
# With sanitizers operator new is theirs.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  onepass_test(record_allocations_test gpu record_allocations_test.cpp vulkan/own_device.cpp c_driver.cpp
    cpp_driver.cpp technique_rig.cpp hall_images.cpp placed_image.cpp reflection/reflection_scene.cpp
    pyramid/pyramid_testing.cpp)
  target_link_libraries(record_allocations_test PRIVATE c_api_vulkan_client)
  target_include_directories(record_allocations_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
endif()
find_path(ONEPASS_VOLK_INCLUDE volk.h)
if(ONEPASS_VOLK_INCLUDE)
  target_include_directories(integration_test SYSTEM PRIVATE ${ONEPASS_VOLK_INCLUDE})
  target_compile_definitions(integration_test PRIVATE ONEPASS_TEST_VOLK)
else()
  onepass_left_out("Integration.WorksInAProgramThatLoadsByVolk: volk.h not found")
endif()
onepass_test(integration_docs_test unit integration_docs_test.cpp)
target_compile_definitions(integration_docs_test PRIVATE ONEPASS_ROOT="${PROJECT_SOURCE_DIR}")

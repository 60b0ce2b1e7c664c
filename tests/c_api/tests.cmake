# Tests of the C API. The client is C99 without extensions and compiles without warnings.
enable_language(C)
add_library(c_api_client OBJECT c_api/c_api_client.c)
target_link_libraries(c_api_client PRIVATE onepass::onepass)
target_include_directories(c_api_client PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(c_api_client PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_compile_options(c_api_client PRIVATE -pedantic -Wall -Wextra -Werror)

onepass_test(c_api_test cpu c_api_test.cpp c_api_operations_test.cpp c_api_nonfinite_test.cpp c_api_volume_test.cpp
  c_api_whole_image_test.cpp pyramid/pyramid_testing.cpp)
target_link_libraries(c_api_test PRIVATE c_api_client)
target_compile_definitions(c_api_test PRIVATE ONEPASS_TEST_VERSION="${PROJECT_VERSION}")

# C programs on Vulkan devices that they created, which integration_test runs.
add_library(c_api_vulkan_client OBJECT c_api/c_api_vulkan_client.c c_api/c_api_zero_client.c)
target_link_libraries(c_api_vulkan_client PRIVATE onepass::onepass)
target_include_directories(c_api_vulkan_client PRIVATE ${PROJECT_SOURCE_DIR})
set_target_properties(c_api_vulkan_client PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_compile_options(c_api_vulkan_client PRIVATE -pedantic -Wall -Wextra -Werror)
onepass_test(c_api_vulkan_host_test gpu c_api_vulkan_host_test.cpp pyramid/pyramid_testing.cpp)
onepass_test(c_api_options_test unit c_api_options_test.cpp)
target_include_directories(c_api_options_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
if(TARGET files_support)
  onepass_test(c_api_files_test unit c_api_files_test.cpp pyramid/pyramid_testing.cpp)
  target_link_libraries(c_api_files_test PRIVATE files_support)
endif()

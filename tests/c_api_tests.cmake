# Tests of the interface for C. The client is C99 without extensions and without a warning.
enable_language(C)
add_library(c_api_client OBJECT c_api_client.c)
target_link_libraries(c_api_client PRIVATE onepass::onepass)
set_target_properties(c_api_client PROPERTIES C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
target_compile_options(c_api_client PRIVATE -pedantic -Wall -Wextra -Werror)

onepass_test(c_api_test cpu c_api_test.cpp pyramid_testing.cpp)
target_link_libraries(c_api_test PRIVATE c_api_client)

# Tests that run the built program.
if(NOT TARGET onepass_cli)
  return()
endif()
find_package(JPEG REQUIRED)
find_package(nlohmann_json REQUIRED)
onepass_test(cli_tests cli
  cli_admission_test.cpp
  cli_batch_test.cpp
  cli_colour_test.cpp
  cli_errors_test.cpp
  cli_files_test.cpp
  cli_inputs_test.cpp
  cli_interrupt_test.cpp
  cli_light_test.cpp
  cli_manual_test.cpp
  cli_many_test.cpp
  cli_memory_test.cpp
  cli_options_test.cpp
  cli_shard_test.cpp
  cli_streams_test.cpp
  cli_textures_test.cpp
  cli_tiles_test.cpp
  cli_traits_test.cpp files/trait_files.cpp
  cli_tune_test.cpp
  cli_volume_test.cpp
  cli_support.cpp
  ${PROJECT_SOURCE_DIR}/cli/admission.cpp
  ${PROJECT_SOURCE_DIR}/cli/input_file.cpp
  ${PROJECT_SOURCE_DIR}/cli/shard.cpp
  ${PROJECT_SOURCE_DIR}/cli/system_${ONEPASS_SYSTEM}.cpp)
foreach(group
    "inputs;admission;batch;colour;errors;files;inputs;interrupt" "runs;many;memory;options;shard;streams;textures;tiles;tune;volume")
  list(POP_FRONT group name)
  list(TRANSFORM group REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/cli_\\1_test.cpp")
  onepass_compile_together(cli_tests ${name} ${group})
endforeach()
# With sanitizers, g++ 12 takes members of its own <regex> for uninitialised.
set_source_files_properties(${CMAKE_CURRENT_LIST_DIR}/cli_manual_test.cpp PROPERTIES COMPILE_OPTIONS
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
find_package(fmt REQUIRED)
target_include_directories(cli_tests PRIVATE ${PROJECT_SOURCE_DIR}/cli)
target_link_libraries(cli_tests PRIVATE files_support onepass::files JPEG::JPEG fmt::fmt
  nlohmann_json::nlohmann_json util)
target_compile_definitions(cli_tests PRIVATE ONEPASS_PROGRAM="$<TARGET_FILE:onepass_cli>")
add_dependencies(cli_tests onepass_cli)
# An rpath with an empty part makes the loader search the current directory.
if(CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT BUILD_SHARED_LIBS AND CMAKE_READELF)
  add_test(NAME cli_rpath COMMAND ${CMAKE_READELF} -d $<TARGET_FILE:onepass_cli>)
  set_tests_properties(cli_rpath PROPERTIES LABELS cli PASS_REGULAR_EXPRESSION "NEEDED"
    FAIL_REGULAR_EXPRESSION "RUNPATH;RPATH")
endif()
# The program does the work: g++ 12 compiles these tests in half the time.
target_compile_options(cli_tests PRIVATE -O0)
set_target_properties(cli_tests PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)  # which need the same options

onepass_test(cli_fourier_test cli cli_fourier_test.cpp cli_support.cpp)
target_link_libraries(cli_fourier_test PRIVATE onepass::files JPEG::JPEG nlohmann_json::nlohmann_json util)
target_compile_definitions(cli_fourier_test PRIVATE ONEPASS_PROGRAM="$<TARGET_FILE:onepass_cli>")
add_dependencies(cli_fourier_test onepass_cli)

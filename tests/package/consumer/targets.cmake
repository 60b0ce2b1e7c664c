# The programs that every CMake project here builds, and the tests that run them.
enable_testing()
add_executable(core ${CMAKE_CURRENT_LIST_DIR}/core.cpp)
target_link_libraries(core PRIVATE onepass::onepass)
add_test(NAME core COMMAND core)

if(TARGET onepass::files)
  add_executable(files ${CMAKE_CURRENT_LIST_DIR}/files.cpp)
  target_link_libraries(files PRIVATE onepass::files)
  add_test(NAME files COMMAND files)
endif()

# A C program with the C API.
add_executable(shift ${CMAKE_CURRENT_LIST_DIR}/shift.c)
target_link_libraries(shift PRIVATE onepass::onepass)
add_test(NAME shift COMMAND shift)

add_library(plugin MODULE ${CMAKE_CURRENT_LIST_DIR}/plugin.cpp)
target_link_libraries(plugin PRIVATE onepass::onepass)

# A shader header, found by the variable and by the property.
find_program(GLSLANG_VALIDATOR glslangValidator)
get_target_property(shaders onepass::onepass ONEPASS_SHADER_DIR)
if(NOT shaders STREQUAL onepass_SHADER_DIR OR NOT EXISTS ${onepass_SHADER_DIR}/onepass/depth_query.glsl)
  message(FATAL_ERROR "onepass_SHADER_DIR is '${onepass_SHADER_DIR}', the target's property '${shaders}'")
endif()
if(GLSLANG_VALIDATOR)
  add_test(NAME shader COMMAND ${GLSLANG_VALIDATOR} --quiet -V -I${onepass_SHADER_DIR} ${CMAKE_CURRENT_LIST_DIR}/cells.comp
    -o ${CMAKE_CURRENT_BINARY_DIR}/cells.spv)
endif()

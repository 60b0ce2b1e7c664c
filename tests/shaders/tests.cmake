# Tests of the shader headers that users include: samples/shaders and the shaders of this folder.

# The complete shaders of samples/shaders in both languages, with several values of their macros.
#   onepass_add_sample(SAMPLE [DEFINITION=VALUE...])   compiles SAMPLE.comp and SAMPLE.hlsl with these definitions
set(sample_table "")
set(sample_includes "")
set(sample_headers "")
set(sample_shaders "")
set(sample_kinds "")
set(sample_count 0)
set(sample_folder ${PROJECT_SOURCE_DIR}/samples/shaders)
macro(onepass_add_sample sample)
  math(EXPR sample_count "${sample_count} + 1")
  set(sample_definitions ${ARGN})  # if(IN_LIST) takes a variable, and ARGN of a macro is none
  set(sample_subgroup false)
  if("ONEPASS_SUBGROUP=1" IN_LIST sample_definitions)
    set(sample_subgroup true)
  endif()
  list(TRANSFORM sample_definitions PREPEND -D)
  foreach(language comp hlsl)
    set(sample_name sample_${sample}_${sample_count}_${language})
    set(sample_header ${CMAKE_BINARY_DIR}/sample_kernels/${sample_name}.h)
    set(sample_source ${sample_folder}/${sample}.${language})
    set(sample_flags --target-env vulkan1.2)
    if(language STREQUAL "hlsl")
      set(sample_flags -D --nsf --target-env vulkan1.1 -S comp -e main)
    endif()
    add_custom_command(OUTPUT ${sample_header}
      COMMAND ${ONEPASS_GLSLANG} --quiet -g0 ${sample_flags} -I${PROJECT_SOURCE_DIR}/shaders ${sample_definitions}
              --depfile ${sample_header}.d --vn ${sample_name} -o ${sample_header} ${sample_source}
      DEPENDS ${sample_source} DEPFILE ${sample_header}.d COMMENT "Sample ${sample}.${language} ${ARGN}" VERBATIM)
    list(APPEND sample_headers ${sample_header})
    # Of each sample the first variant with subgroup operations, and the first without.
    if(NOT "${sample_source}${sample_subgroup}" IN_LIST sample_kinds)
      list(APPEND sample_kinds ${sample_source}${sample_subgroup})
      string(REPLACE ";" " " sample_shader "${sample_source};${ARGN}")
      string(APPEND sample_shaders "${sample_shader}\n")
    endif()
    string(APPEND sample_includes "#include \"sample_kernels/${sample_name}.h\"\n")
    string(APPEND sample_table
      "    {\"${sample}\", \"${sample}.${language} ${ARGN}\", \"${ARGN}\", ${sample_name}, ${sample_subgroup}},\n")
  endforeach()
endmacro()

# Few variants of the pyramid: software Vulkan compiles each for seconds.
foreach(subgroup 0 1)
  onepass_add_sample(pyramid ONEPASS_SUBGROUP=${subgroup})
endforeach()
onepass_add_sample(custom_reduction ONEPASS_SUBGROUP=0 COMBINE=0)
onepass_add_sample(custom_reduction ONEPASS_SUBGROUP=0 COMBINE=1 ONEPASS_FOOTPRINT=3)
onepass_add_sample(custom_reduction ONEPASS_SUBGROUP=1 COMBINE=2)
foreach(combine 0 1 2 3)
  foreach(subgroup 0 1)
    onepass_add_sample(custom_reduction4 ONEPASS_SUBGROUP=${subgroup} COMBINE=${combine})
  endforeach()
endforeach()
set(sample_folder ${CMAKE_CURRENT_LIST_DIR})
onepass_add_sample(ordered_reduction ONEPASS_SUBGROUP=0 ELEMENT=0)
onepass_add_sample(ordered_reduction ONEPASS_SUBGROUP=1 ELEMENT=0)
onepass_add_sample(ordered_reduction ONEPASS_SUBGROUP=1 ELEMENT=1)
onepass_add_sample(ordered_reduction ONEPASS_SUBGROUP=0 ELEMENT=2)
onepass_add_sample(ordered_reduction ONEPASS_SUBGROUP=1 ELEMENT=3)
# Shaders of users of FidelityFX SPD 1.0, 2.0 and of the FidelityFX SDK.
onepass_add_sample(spd_0)
foreach(reduce 0 1 2)
  onepass_add_sample(spd_1 REDUCE=${reduce})
  onepass_add_sample(spd_1 SIZED=1 ONEPASS_REDUCTION=${reduce})
endforeach()
onepass_add_sample(spd_1 SPD_NO_WAVE_OPERATIONS=1)
onepass_add_sample(spd_1 ONEPASS_SUBGROUP=1)
onepass_add_sample(spd_1 SPD_LINEAR_SAMPLER=1)
onepass_add_sample(spd_1 SPD_LINEAR_SAMPLER=1 SIZED=1)
onepass_add_sample(spd_1 SIZED=1)
onepass_add_sample(spd_1 SIZED=1 REDUCE=1 SPD_NO_WAVE_OPERATIONS=1)
onepass_add_sample(spd_1 SIZED=1 ONEPASS_REDUCTION=0 SPD_NO_WAVE_OPERATIONS=1)
onepass_add_sample(spd_1 A_HALF=1)
onepass_add_sample(spd_1 A_HALF=1 SPD_PACKED_ONLY=1)
onepass_add_sample(spd_2 REDUCE=2)
onepass_add_sample(spd_2 SIZED=1 ONEPASS_REDUCTION=1 FFX_SPD_NO_WAVE_OPERATIONS=1)
onepass_add_sample(spd_2 FFX_HALF=1 FFX_SPD_PACKED_ONLY=1 SPD_LINEAR_SAMPLER=1)
onepass_add_sample(spd_2 FFX_HALF=1 FFX_SPD_PACKED_ONLY=1 REDUCE=1 FFX_SPD_NO_WAVE_OPERATIONS=1)
onepass_add_sample(spd_2 FFX_HALF=1 FFX_SPD_PACKED_ONLY=1 SIZED=1 ONEPASS_REDUCTION=0)
set(sample_folder ${PROJECT_SOURCE_DIR}/samples/shaders)

onepass_add_sample(tile_reduction)
onepass_add_sample(tile_reduction ONEPASS_REDUCTION=2)
onepass_add_sample(tile_reduction ONEPASS_TILE_STRATEGY=3 ONEPASS_SUBGROUP=1 ONEPASS_REDUCTION=0)
onepass_add_sample(tile_reduction ONEPASS_TILE_SIDE_LOG2=0u ONEPASS_TILE_READS_LOG2=0u)
onepass_add_sample(tile_reduction ONEPASS_TILE_STRATEGY=3 ONEPASS_SUBGROUP=1 ONEPASS_TILE_SIDE_LOG2=5u
  ONEPASS_TILE_READS_LOG2=2u)
onepass_add_sample(tile_reduction ONEPASS_TILE_SIDE_LOG2=4u ONEPASS_TILE_READS_LOG2=2u ONEPASS_REDUCTION=0)
onepass_add_sample(depth_query)
onepass_add_sample(reflection_march)
foreach(step 0 1 2 4)
  onepass_add_sample(reflection_denoise STEP=${step})
endforeach()
onepass_add_sample(fourier)
onepass_add_sample(fourier LENGTH=240u LANES=16u LINES=8u PASSES=2u RADIX_0=16u RADIX_1=15u RADIX_2=1u)
onepass_add_sample(fourier LENGTH=490u LANES=49u LINES=4u PASSES=3u RADIX_0=7u RADIX_1=7u RADIX_2=10u)
onepass_add_sample(fourier LENGTH=108u LANES=12u LINES=16u PASSES=2u RADIX_0=12u RADIX_1=9u RADIX_2=1u)
onepass_add_sample(fourier_filter)
onepass_add_sample(luminance)
onepass_add_sample(luminance ONEPASS_SUBGROUP=1)
onepass_add_sample(tone_map)
foreach(format 1 3 4 6 7)
  onepass_add_sample(blocks BC=${format})
endforeach()
foreach(format 1 6 7)
  onepass_add_sample(blocks BC=${format} ONEPASS_BLOCK_LUMA=true ONEPASS_BLOCK_WEIGHTED=true)
endforeach()

# The tests share the object of the table: reading the arrays takes seconds.
set(sample_table_source ${CMAKE_BINARY_DIR}/sample_kernels/table.cpp)
file(CONFIGURE OUTPUT ${sample_table_source} CONTENT [==[// Generated: every compiled variant of samples/shaders.
#include "tests/shaders/sample_kernels.hpp"

namespace onepass::testing {
namespace {

@sample_includes@
const SampleKernel kTable[] = {
@sample_table@};

}  // namespace

std::span<const SampleKernel> sample_kernels() { return kTable; }

}  // namespace onepass::testing
]==] @ONLY)
add_library(shared_sample_kernels OBJECT EXCLUDE_FROM_ALL ${sample_table_source} ${sample_headers})
target_include_directories(shared_sample_kernels PRIVATE ${PROJECT_SOURCE_DIR} ${CMAKE_BINARY_DIR})
target_link_libraries(shared_sample_kernels PRIVATE onepass_options)
onepass_test(shader_headers_test gpu shader_headers_test.cpp shader_testing.cpp tone_map/tone_map_oracle.cpp
  vulkan/vulkan_testing.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp
  $<TARGET_OBJECTS:shared_sample_kernels>)
target_include_directories(shader_headers_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(shader_headers_test PRIVATE ONEPASS_DOCS="${PROJECT_SOURCE_DIR}/docs"
  ONEPASS_SAMPLE_SHADERS="${PROJECT_SOURCE_DIR}/samples/shaders")

onepass_test(custom_reduction_test gpu custom_reduction_test.cpp shader_testing.cpp vulkan/vulkan_testing.cpp
  pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp $<TARGET_OBJECTS:shared_sample_kernels>)
target_include_directories(custom_reduction_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/samples/shaders)

onepass_test(reflection_shaders_test gpu reflection_shaders_test.cpp shader_testing.cpp reflection/reflection_scene.cpp
  vulkan/vulkan_testing.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp
  $<TARGET_OBJECTS:shared_sample_kernels>)
target_include_directories(reflection_shaders_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

onepass_test(block_shaders_test gpu block_shaders_test.cpp shader_testing.cpp vulkan/vulkan_testing.cpp
  pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp $<TARGET_OBJECTS:shared_sample_kernels>)
target_include_directories(block_shaders_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

onepass_test(spd_test gpu spd_test.cpp shader_testing.cpp vulkan/vulkan_testing.cpp pyramid/pyramid_oracle.cpp
  pyramid/pyramid_testing.cpp $<TARGET_OBJECTS:shared_sample_kernels>)
target_include_directories(spd_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

onepass_test(shader_setup_test unit shader_setup_test.cpp pyramid/pyramid_testing.cpp)
target_include_directories(shader_setup_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
find_program(C_COMPILER_FOR_TESTS NAMES gcc cc clang)
if(C_COMPILER_FOR_TESTS)
  add_test(NAME shader_setup_is_c99 COMMAND ${C_COMPILER_FOR_TESTS} -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror
    -fsyntax-only -I${PROJECT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR}/shaders
    -x c ${PROJECT_SOURCE_DIR}/include/onepass/shader_setup.h)
  set_tests_properties(shader_setup_is_c99 PROPERTIES LABELS unit)
endif()

# Macro combinations that must fail to compile, with their messages; the SPIR-V that wave operations become.
add_test(NAME shader_header_errors COMMAND ${CMAKE_COMMAND} -DGLSLANG=${GLSLANG_VALIDATOR} -DROOT=${PROJECT_SOURCE_DIR}
  -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/shader_header_errors -P ${CMAKE_CURRENT_LIST_DIR}/shader_header_errors.cmake)
add_test(NAME shader_header_names COMMAND ${CMAKE_COMMAND} -DGLSLANG=${GLSLANG_VALIDATOR} -DROOT=${PROJECT_SOURCE_DIR}
  -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/shader_header_names -P ${CMAKE_CURRENT_LIST_DIR}/shader_header_names.cmake)
find_program(SPIRV_DIS spirv-dis REQUIRED)
find_program(SPIRV_VAL spirv-val REQUIRED)
add_test(NAME shader_header_waves COMMAND ${CMAKE_COMMAND} -DGLSLANG=${GLSLANG_VALIDATOR} -DSPIRV_DIS=${SPIRV_DIS}
  -DSPIRV_VAL=${SPIRV_VAL} -DROOT=${PROJECT_SOURCE_DIR} -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/shader_header_waves
  -P ${CMAKE_CURRENT_LIST_DIR}/shader_header_waves.cmake)
set_tests_properties(shader_header_errors shader_header_names shader_header_waves PROPERTIES LABELS unit)

# The files that scripts/shader-files writes: the shaders above around them, and those that include what no sample does.
foreach(shader tests/shaders/shader_names.comp\ GROUP=1 tests/shaders/shader_names.comp\ GROUP=2
    tests/shaders/shader_names.comp\ GROUP=3
    src/tone_map/tone_map.comp\ ONEPASS_KEEP_NAMES=1 src/tone_map/local_exposure.comp\ ONEPASS_KEEP_NAMES=1
    tests/hlsl/tone_map.hlsl tests/hlsl/local_exposure.hlsl tests/shaders/two_headers.hlsl
    samples/shaders/blocks.comp\ BC=4 samples/shaders/blocks.hlsl\ BC=4 samples/shaders/blocks.comp\ BC=6
    samples/shaders/blocks.hlsl\ BC=6 samples/shaders/blocks.comp\ BC=7 samples/shaders/blocks.hlsl\ BC=7)
  string(APPEND sample_shaders "${PROJECT_SOURCE_DIR}/${shader}\n")
endforeach()
foreach(shader src/frame_tone_map/frame_tone_map.comp\ ONEPASS_KEEP_NAMES=1 tests/hlsl/frame_tone_map.hlsl)
  string(APPEND sample_shaders "${PROJECT_SOURCE_DIR}/${shader} ONEPASS_LUMINANCE_PASS=0 ONEPASS_LUMINANCE_FRAME=1\n")
endforeach()
file(WRITE ${CMAKE_BINARY_DIR}/sample_kernels/shaders.txt "${sample_shaders}")
if(ONEPASS_PYTHON)
  set(shader_files ${CMAKE_CURRENT_BINARY_DIR}/shader_files)
  add_test(NAME shader_files COMMAND ${CMAKE_COMMAND} -DPYTHON=${ONEPASS_PYTHON} -DGLSLANG=${GLSLANG_VALIDATOR}
    -DROOT=${PROJECT_SOURCE_DIR} -DFOLDER=${shader_files} -DSHADERS=${CMAKE_BINARY_DIR}/sample_kernels/shaders.txt
    -P ${CMAKE_CURRENT_LIST_DIR}/shader_files.cmake)
  add_test(NAME shader_files_errors COMMAND ${CMAKE_COMMAND} -DGLSLANG=${GLSLANG_VALIDATOR} -DROOT=${PROJECT_SOURCE_DIR}
    -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/shader_header_errors -DFILES=${shader_files}/files
    -P ${CMAKE_CURRENT_LIST_DIR}/shader_header_errors.cmake)
  add_test(NAME from_spd COMMAND ${CMAKE_COMMAND} -DPYTHON=${ONEPASS_PYTHON} -DGLSLANG=${GLSLANG_VALIDATOR}
    -DROOT=${PROJECT_SOURCE_DIR} -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/from_spd -DFILES=${shader_files}/files
    -P ${CMAKE_CURRENT_LIST_DIR}/from_spd.cmake)
  set(shader_files_tests shader_files_errors from_spd)
  if(C_COMPILER_FOR_TESTS)
    add_test(NAME shader_files_c99 COMMAND ${C_COMPILER_FOR_TESTS} -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror
      -fsyntax-only -I${shader_files}/files -x c ${shader_files}/files/onepass_shader_setup.h
      ${PROJECT_SOURCE_DIR}/samples/shaders/one_file.c)
    add_test(NAME shader_files_cpp COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -Wall -Wextra -Wpedantic -Wconversion -Werror
      -fsyntax-only -x c++ ${shader_files}/files/onepass_shader_setup.h)
    list(APPEND shader_files_tests shader_files_c99 shader_files_cpp)
  endif()
  set_tests_properties(shader_files PROPERTIES FIXTURES_SETUP shader_files LABELS unit)
  set_tests_properties(${shader_files_tests} PROPERTIES FIXTURES_REQUIRED shader_files LABELS unit)
else()
  onepass_left_out("shader_files: python3 not found")
endif()

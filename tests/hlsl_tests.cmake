# The shader headers in HLSL: glslang's HLSL front end compiles the library's kernels from tests/hlsl, and the tests of
# the GLSL kernels run on them.
#
#   onepass_add_hlsl_kernel(NAME SOURCE [DEFINITION=VALUE...])   compiles a file of tests/hlsl that replaces kernel NAME
#   onepass_hlsl_test(NAME KERNELS... )                          links a kernel table with these into test NAME
function(onepass_add_hlsl_kernel name source)
  set(header ${CMAKE_BINARY_DIR}/hlsl_kernels/${name}.h)
  set(definitions ${ARGN})
  list(TRANSFORM definitions PREPEND -D)
  # --nsf: images without a format. SPIR-V 1.3 is the newest version for which this front end declares buffers.
  add_custom_command(OUTPUT ${header}
    COMMAND ${ONEPASS_GLSLANG} --quiet -g0 -D --nsf --target-env vulkan1.1 -S comp -e main -I${PROJECT_SOURCE_DIR}/shaders
            -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/tests ${definitions} --depfile ${header}.d
            --vn kernel_${name} -o ${header} ${source}
    DEPENDS ${source} DEPFILE ${header}.d COMMENT "HLSL kernel ${name}" VERBATIM)
endfunction()

# The kernels named are those made of HLSL. Whether images are indexed by a variable, and which calls are inlined, is one to
# the front end: the switch serves all.
function(onepass_hlsl_test test)
  onepass_replace_kernels(${test} FOLDER hlsl_kernels STRIP "_indexed|_inlined" KERNELS ${ARGN})
endfunction()

set(hlsl_folder ${CMAKE_CURRENT_LIST_DIR}/hlsl)
set(pyramid_kernels "")
foreach(components 1 2 4)
  foreach(subgroup 0 1)
    set(name pyramid_${components})
    if(subgroup)
      string(APPEND name _subgroup)
    endif()
    onepass_add_hlsl_kernel(${name} ${hlsl_folder}/pyramid.hlsl COMPONENTS=${components} ONEPASS_SUBGROUP=${subgroup})
    list(APPEND pyramid_kernels ${name})
  endforeach()
  foreach(only two_to_one window)
    set(name pyramid_${components}_subgroup_${only})
    string(TOUPPER ONEPASS_${only}_ONLY macro)
    onepass_add_hlsl_kernel(${name} ${hlsl_folder}/pyramid.hlsl COMPONENTS=${components} ONEPASS_SUBGROUP=1 ${macro}=1)
    list(APPEND pyramid_kernels ${name})
  endforeach()
endforeach()
set(tile_kernels "")
foreach(components 1 2 4)
  foreach(strategy tree:2:0 subgroup:3:1)
    string(REPLACE : ";" strategy ${strategy})
    list(GET strategy 0 word)
    list(GET strategy 1 number)
    list(GET strategy 2 subgroup)
    onepass_add_hlsl_kernel(tile_reduction_${components}_${word} ${hlsl_folder}/tile_reduction.hlsl COMPONENTS=${components}
      STRATEGY=${number} ONEPASS_SUBGROUP=${subgroup})
    list(APPEND tile_kernels tile_reduction_${components}_${word})
  endforeach()
endforeach()
onepass_add_hlsl_kernel(luminance ${hlsl_folder}/luminance.hlsl ONEPASS_LUMINANCE_PASS=0)
onepass_add_hlsl_kernel(luminance_subgroup ${hlsl_folder}/luminance.hlsl ONEPASS_LUMINANCE_PASS=0 ONEPASS_SUBGROUP=1)
onepass_add_hlsl_kernel(luminance_partial ${hlsl_folder}/luminance.hlsl ONEPASS_LUMINANCE_PASS=1)
onepass_add_hlsl_kernel(luminance_join ${hlsl_folder}/luminance.hlsl ONEPASS_LUMINANCE_PASS=2)
onepass_add_hlsl_kernel(tone_map ${hlsl_folder}/tone_map.hlsl)
onepass_add_hlsl_kernel(local_exposure ${hlsl_folder}/local_exposure.hlsl)
onepass_add_hlsl_kernel(frame_tone_map ${hlsl_folder}/frame_tone_map.hlsl ONEPASS_LUMINANCE_PASS=0 ONEPASS_LUMINANCE_FRAME=1)
onepass_add_hlsl_kernel(frame_tone_map_subgroup ${hlsl_folder}/frame_tone_map.hlsl ONEPASS_LUMINANCE_PASS=0
  ONEPASS_LUMINANCE_FRAME=1 ONEPASS_SUBGROUP=1)
# The transforms, without operations on spectra and bloom. numthreads() fixes workgroups of 128, with ping-pong of 64.
set(fourier_kernels "")
set(fourier_ping_pong_kernels "")
macro(onepass_add_hlsl_fourier list file prefix suffix)
  foreach(stage rows_forward:1 rows_inverse:2 rows_buffer:3 columns:4)
    string(REPLACE : ";" stage ${stage})
    list(GET stage 0 word)
    list(GET stage 1 number)
    foreach(signals 1 2)
      if(word STREQUAL "columns" AND signals EQUAL 2 AND NOT "${prefix}" STREQUAL "")
        continue()
      endif()
      set(name fourier_${prefix}${word}_${signals}${suffix})
      onepass_add_hlsl_kernel(${name} ${hlsl_folder}/${file} STAGE=${number} ONEPASS_FOURIER_SIGNALS=${signals} OVER_SOURCE=0
        ${ARGN})
      list(APPEND ${list} ${name})
    endforeach()
  endforeach()
endmacro()
onepass_add_hlsl_fourier(fourier_kernels fourier.hlsl "" "" BLUESTEIN=0)
onepass_add_hlsl_fourier(fourier_kernels fourier.hlsl "" "_bluestein" BLUESTEIN=1)
onepass_add_hlsl_fourier(fourier_kernels fourier_four_step.hlsl "four_step_" "")
onepass_add_hlsl_fourier(fourier_ping_pong_kernels fourier_ping_pong.hlsl "ping_pong_" "")
onepass_add_hlsl_kernel(fourier_ping_pong_pass ${hlsl_folder}/fourier_ping_pong_pass.hlsl)
list(APPEND fourier_ping_pong_kernels fourier_ping_pong_pass)
onepass_add_hlsl_kernel(test_depth_query ${hlsl_folder}/depth_query_test.hlsl)

# In a shared library the linker could not replace find_kernel().
get_target_property(library_type onepass TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(support vulkan_testing.cpp pyramid_oracle.cpp pyramid_testing.cpp)
  # The filters leave out tests of workgroup sizes other than 256, which numthreads() fixes, and long tests.
  onepass_test(hlsl_pyramid_test gpu vulkan_pyramid_test.cpp coverage_oracle.cpp ${support})
  set_property(TEST hlsl_pyramid_test PROPERTY ENVIRONMENT "GTEST_FILTER=*RandomSizes:*StagesOfEveryKind*")
  onepass_hlsl_test(hlsl_pyramid_test ${pyramid_kernels})
  onepass_test(hlsl_tile_reduction_test gpu vulkan_tile_reduction_test.cpp tile_reduction_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_tile_reduction_test ${tile_kernels})
  set_property(TEST hlsl_tile_reduction_test PROPERTY ENVIRONMENT "GTEST_FILTER=-*EveryShape*:*EveryFormat*")
  onepass_test(hlsl_luminance_test gpu vulkan_luminance_test.cpp luminance_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_luminance_test luminance luminance_subgroup luminance_partial luminance_join)
  set_property(TEST hlsl_luminance_test PROPERTY ENVIRONMENT "GTEST_FILTER=*EveryMetering*:*SameBits*:*Adapts*")
  onepass_test(hlsl_tone_map_test gpu vulkan_tone_map_test.cpp tone_map_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_tone_map_test tone_map)
  set_property(TEST hlsl_tone_map_test PROPERTY ENVIRONMENT "GTEST_FILTER=-*SizesAndShapes*:*FormatsOf*")
  onepass_test(hlsl_local_exposure_test gpu vulkan_local_exposure_test.cpp local_exposure_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_local_exposure_test local_exposure tone_map)
  set_property(TEST hlsl_local_exposure_test PROPERTY ENVIRONMENT "GTEST_FILTER=*Definition*:*RecordedAgain*:*TheMeters*")
  onepass_test(hlsl_frame_tone_map_test gpu vulkan_frame_tone_map_test.cpp tone_map_oracle.cpp luminance_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_frame_tone_map_test frame_tone_map frame_tone_map_subgroup luminance luminance_subgroup tone_map)
  if(ONEPASS_FFTW_LIBRARY)
    foreach(technique "" _ping_pong)
      set(name hlsl_fourier${technique}_test)
      onepass_test(${name} gpu vulkan_fourier_test.cpp fourier_testing.cpp fourier_oracle.cpp ${support})
      target_include_directories(${name} PRIVATE ${ONEPASS_FFTW_INCLUDE_DIR})
      target_link_libraries(${name} PRIVATE TBB::tbb ${ONEPASS_FFTW_LIBRARY})
      onepass_hlsl_test(${name} ${fourier${technique}_kernels})
    endforeach()
    set_property(TEST hlsl_fourier_test PROPERTY ENVIRONMENT "GTEST_FILTER=*GroupsOf128*")
    # With the library's kernels other tests say the same in less time.
    set_property(TEST vulkan_fourier_test PROPERTY ENVIRONMENT "GTEST_FILTER=-*GroupsOf128*:*PingPongOfEveryKind*")
    set_property(TEST hlsl_fourier_ping_pong_test PROPERTY ENVIRONMENT "GTEST_FILTER=*PingPongOfEveryKind*")
  endif()
endif()

# Every function of the depth queries: the test of the GLSL header runs the same queries in HLSL.
onepass_test(hlsl_depth_query_test gpu vulkan_depth_query_test.cpp depth_query_gpu.cpp depth_query_testing.cpp
  vulkan_testing.cpp pyramid_oracle.cpp pyramid_testing.cpp ${CMAKE_BINARY_DIR}/hlsl_kernels/test_depth_query.h)
target_include_directories(hlsl_depth_query_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${CMAKE_BINARY_DIR})
target_compile_definitions(hlsl_depth_query_test PRIVATE ONEPASS_TEST_HLSL=1)

# The complete shaders of samples/shaders in both languages, with several values of their macros.
#   onepass_add_sample(SAMPLE [DEFINITION=VALUE...])   compiles SAMPLE.comp and SAMPLE.hlsl with these definitions
set(sample_table "")
set(sample_includes "")
set(sample_headers "")
set(sample_count 0)
set(sample_folder ${PROJECT_SOURCE_DIR}/samples/shaders)
macro(onepass_add_sample sample)
  math(EXPR sample_count "${sample_count} + 1")
  set(sample_subgroup false)
  if("ONEPASS_SUBGROUP=1" IN_LIST ARGN)
    set(sample_subgroup true)
  endif()
  set(sample_definitions ${ARGN})
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
set(sample_folder ${PROJECT_SOURCE_DIR}/samples/shaders)

onepass_add_sample(tile_reduction)
onepass_add_sample(tile_reduction ONEPASS_REDUCTION=2)
onepass_add_sample(tile_reduction ONEPASS_TILE_STRATEGY=3 ONEPASS_SUBGROUP=1 ONEPASS_REDUCTION=0)
onepass_add_sample(tile_reduction ONEPASS_TILE_SIDE_LOG2=0u ONEPASS_TILE_READS_LOG2=0u)
onepass_add_sample(tile_reduction ONEPASS_TILE_STRATEGY=3 ONEPASS_SUBGROUP=1 ONEPASS_TILE_SIDE_LOG2=5u
  ONEPASS_TILE_READS_LOG2=2u)
onepass_add_sample(tile_reduction ONEPASS_TILE_SIDE_LOG2=4u ONEPASS_TILE_READS_LOG2=2u ONEPASS_REDUCTION=0)
onepass_add_sample(depth_query)
onepass_add_sample(fourier)
onepass_add_sample(fourier LENGTH=240u LANES=16u LINES=8u PASSES=2u RADIX_0=16u RADIX_1=15u RADIX_2=1u)
onepass_add_sample(fourier LENGTH=490u LANES=49u LINES=4u PASSES=3u RADIX_0=7u RADIX_1=7u RADIX_2=10u)
onepass_add_sample(fourier LENGTH=108u LANES=12u LINES=16u PASSES=2u RADIX_0=12u RADIX_1=9u RADIX_2=1u)
onepass_add_sample(fourier_filter)
onepass_add_sample(luminance)
onepass_add_sample(luminance ONEPASS_SUBGROUP=1)
onepass_add_sample(tone_map)

# The tests share the object of the table: reading the arrays takes seconds.
set(sample_table_source ${CMAKE_BINARY_DIR}/sample_kernels/table.cpp)
file(CONFIGURE OUTPUT ${sample_table_source} CONTENT [==[// Generated: every compiled variant of samples/shaders.
#include "sample_kernels.hpp"

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
target_include_directories(shared_sample_kernels PRIVATE ${PROJECT_SOURCE_DIR}/tests ${CMAKE_BINARY_DIR})
target_link_libraries(shared_sample_kernels PRIVATE onepass_options)
onepass_test(shader_headers_test gpu shader_headers_test.cpp shader_testing.cpp tone_map_oracle.cpp vulkan_testing.cpp
  pyramid_oracle.cpp pyramid_testing.cpp $<TARGET_OBJECTS:shared_sample_kernels>)
target_include_directories(shader_headers_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(shader_headers_test PRIVATE ONEPASS_DOCS="${PROJECT_SOURCE_DIR}/docs"
  ONEPASS_SAMPLE_SHADERS="${PROJECT_SOURCE_DIR}/samples/shaders")

onepass_test(custom_reduction_test gpu custom_reduction_test.cpp shader_testing.cpp vulkan_testing.cpp pyramid_oracle.cpp
  pyramid_testing.cpp $<TARGET_OBJECTS:shared_sample_kernels>)
target_include_directories(custom_reduction_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/samples/shaders)

onepass_test(shader_setup_test unit shader_setup_test.cpp pyramid_testing.cpp)
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

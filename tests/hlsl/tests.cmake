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
            -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR} ${definitions} --depfile ${header}.d
            --vn kernel_${name} -o ${header} ${source}
    DEPENDS ${source} DEPFILE ${header}.d COMMENT "HLSL kernel ${name}" VERBATIM)
endfunction()

# The kernels named are those made of HLSL. Whether images are indexed by a variable, and which calls are inlined, is one to
# the front end: the switch serves all.
function(onepass_hlsl_test test)
  onepass_replace_kernels(${test} FOLDER hlsl_kernels STRIP "_indexed|_inlined" KERNELS ${ARGN})
endfunction()

set(hlsl_folder ${CMAKE_CURRENT_LIST_DIR})
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
foreach(stage classify prepare march temporal filter resolve)
  string(TOUPPER ${stage} macro)
  onepass_add_hlsl_kernel(reflection_${stage} ${hlsl_folder}/reflection.hlsl ${macro}=1)
endforeach()
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
set(block_kernels "")
foreach(format bc1:1 bc3:3 bc4:4 bc5:5 bc6h:6 bc7:7)
  string(REPLACE : ";" format ${format})
  list(GET format 0 word)
  list(GET format 1 number)
  onepass_add_hlsl_kernel(blocks_${word} ${hlsl_folder}/blocks.hlsl BC=${number})
  list(APPEND block_kernels blocks_${word})
endforeach()
onepass_add_hlsl_kernel(test_depth_query ${hlsl_folder}/depth_query_test.hlsl)

# In a shared library the linker could not replace find_kernel().
get_target_property(library_type onepass TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")
  set(support vulkan/vulkan_testing.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)
  # The filters leave out tests of workgroup sizes that numthreads() does not fix, and long tests.
  onepass_test(hlsl_pyramid_test gpu pyramid/vulkan_pyramid_test.cpp pyramid/coverage_oracle.cpp ${support})
  set_property(TEST hlsl_pyramid_test PROPERTY ENVIRONMENT "GTEST_FILTER=*RandomSizes:*StagesOfEveryKind*")
  onepass_hlsl_test(hlsl_pyramid_test ${pyramid_kernels})
  onepass_test(hlsl_tile_reduction_test gpu tile_reduction/vulkan_tile_reduction_test.cpp
    tile_reduction/tile_reduction_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_tile_reduction_test ${tile_kernels})
  set_property(TEST hlsl_tile_reduction_test PROPERTY ENVIRONMENT "GTEST_FILTER=-*EveryShape*:*EveryFormat*")
  onepass_test(hlsl_luminance_test gpu luminance/vulkan_luminance_test.cpp luminance/luminance_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_luminance_test luminance luminance_subgroup luminance_partial luminance_join)
  set_property(TEST hlsl_luminance_test PROPERTY ENVIRONMENT "GTEST_FILTER=*EveryMetering*:*SameBits*:*Adapts*")
  onepass_test(hlsl_tone_map_test gpu tone_map/vulkan_tone_map_test.cpp tone_map/tone_map_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_tone_map_test tone_map)
  set_property(TEST hlsl_tone_map_test PROPERTY ENVIRONMENT "GTEST_FILTER=-*SizesAndShapes*:*FormatsOf*")
  onepass_test(hlsl_local_exposure_test gpu local_exposure/vulkan_local_exposure_test.cpp
    local_exposure/local_exposure_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_local_exposure_test local_exposure tone_map)
  set_property(TEST hlsl_local_exposure_test PROPERTY ENVIRONMENT "GTEST_FILTER=*Definition*:*RecordedAgain*:*TheMeters*")
  onepass_test(hlsl_block_compressor_test gpu blocks/vulkan_block_compressor_test.cpp ${support})
  onepass_hlsl_test(hlsl_block_compressor_test ${block_kernels})
  onepass_test(hlsl_frame_tone_map_test gpu frame_tone_map/vulkan_frame_tone_map_test.cpp tone_map/tone_map_oracle.cpp
    luminance/luminance_oracle.cpp ${support})
  onepass_hlsl_test(hlsl_frame_tone_map_test frame_tone_map frame_tone_map_subgroup luminance luminance_subgroup tone_map)
  onepass_test(hlsl_reflection_test gpu reflection/vulkan_reflection_test.cpp reflection/vulkan_reflection_inputs_test.cpp
    reflection/vulkan_reflection_half_test.cpp reflection/reflection_rig.cpp reflection/reflection_scene.cpp ${support})
  onepass_hlsl_test(hlsl_reflection_test reflection_classify reflection_prepare reflection_march reflection_temporal
    reflection_filter reflection_resolve)
  set_property(TEST hlsl_reflection_test PROPERTY ENVIRONMENT "GTEST_FILTER=-*HoweverTheWorkIsShared*:*SaysWhatIsWrong*")
  if(ONEPASS_FFTW_LIBRARY)
    foreach(technique "" _ping_pong)
      set(name hlsl_fourier${technique}_test)
      onepass_test(${name} gpu fourier/vulkan_fourier_test.cpp fourier/fourier_testing.cpp fourier/fourier_oracle.cpp
        ${support})
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
onepass_test(hlsl_depth_query_test gpu depth_query/vulkan_depth_query_test.cpp depth_query/depth_query_gpu.cpp
  depth_query/depth_query_testing.cpp vulkan/vulkan_testing.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp
  ${CMAKE_BINARY_DIR}/hlsl_kernels/test_depth_query.h)
target_include_directories(hlsl_depth_query_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${CMAKE_BINARY_DIR})
target_compile_definitions(hlsl_depth_query_test PRIVATE ONEPASS_TEST_HLSL=1)

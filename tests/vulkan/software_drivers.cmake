# Short selections of the Vulkan tests on other software drivers than lavapipe as it is by default, and under further
# validation. All run with synchronization validation; label "long": ctest --preset dev -L long.
#
#     swiftshader_*   SwiftShader (scripts/swiftshader downloads it): subgroups and vectors of 4, workgroups of at most 256
#     lanes_4_*       lavapipe with vectors of 4 lanes: subgroups of 4
#     lanes_16_*      lavapipe with vectors of 16 lanes: subgroups of 16
#     gpu_validation_*  lavapipe under GPU-assisted validation, which checks accesses to descriptors and buffers in the
#                     kernels: two to three times as slow
#
# onepass_software_test(NAME TEST FILTER): NAME runs the program TEST on the driver that its prefix names.
function(onepass_software_test name test filter)
  if(NOT TARGET ${test})
    return()
  endif()
  set(command $<TARGET_FILE:${test}> --gtest_filter=${filter})
  if(name MATCHES "^swiftshader_")
    add_test(NAME ${name} COMMAND ${PROJECT_SOURCE_DIR}/scripts/swiftshader ${command})
  else()
    add_test(NAME ${name} COMMAND ${command})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS long TIMEOUT 1200 SKIP_RETURN_CODE 77)
  if(name MATCHES "^lanes_([0-9]+)_")
    math(EXPR bits "32 * ${CMAKE_MATCH_1}")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT "LP_NATIVE_VECTOR_WIDTH=${bits};LP_NUM_THREADS=4")
  elseif(name MATCHES "^gpu_validation_")
    set_tests_properties(${name} PROPERTIES ENVIRONMENT ONEPASS_TEST_VALIDATION=gpu)
  endif()
endfunction()

# Every technique.
onepass_software_test(swiftshader_pyramid vulkan_pyramid_test
  *.StagesOfEveryKind*:*.CoverageAgrees*:*.EveryExchange*)
onepass_software_test(swiftshader_mip_filter vulkan_mip_filter_test *)
onepass_software_test(swiftshader_spd spd_test *.FewerMips*:*.Rectangles*)
onepass_software_test(swiftshader_tile_reduction vulkan_tile_reduction_test
  *.MatchesTheOracleAroundWholeTiles:*.EveryShape*:*.MinAndMaxKeep*:*.TargetsAre*)
onepass_software_test(swiftshader_nonfinite nonfinite_policy_test *.MinAndMax*:*.TilesAre*)
onepass_software_test(swiftshader_depth_query vulkan_depth_query_test *)
onepass_software_test(swiftshader_fourier vulkan_fourier_test *.EveryRadix:*.HalvesAreTheNearest)
onepass_software_test(swiftshader_fourier_ops vulkan_fourier_ops_test
  *.FiltersOfAllKinds:*.HomomorphicFilters:*.SharedKernels*:*.RichardsonLucyOfAnyUnit:*.ShiftsAreFound)
onepass_software_test(swiftshader_bloom vulkan_bloom_test *.MatchesTheDefinition:*.NanAndInf*)
onepass_software_test(swiftshader_reflection vulkan_reflection_test
  *.MirrorsShow*:*.RoughSurfaces*:*.TheSameBits*:*.NoNan*)
# Without BC6H, for which its compiler has no memory, and without sources that begin at another level and slice, of which it
# makes other blocks: docs/textures.md, "Limits".
onepass_software_test(swiftshader_blocks vulkan_block_compressor_test -*.Light*:*.TextureHolds*)
onepass_software_test(swiftshader_block_shaders block_shaders_test -*.Light*)
onepass_software_test(swiftshader_luminance vulkan_luminance_test *.EveryMetering*)
onepass_software_test(swiftshader_tone_map vulkan_tone_map_test *.EveryOperator*:*.ExposureComes*)
onepass_software_test(swiftshader_local_exposure vulkan_local_exposure_test *.IsThatOfTheDefinition)
onepass_software_test(swiftshader_frame_tone_map vulkan_frame_tone_map_test *.IsMeterAndToneMap*)

# The kernels that depend on the size of subgroups.
foreach(lanes 4 16)
  onepass_software_test(lanes_${lanes}_pyramid vulkan_pyramid_test *.StagesOfEveryKind*:*.EveryExchange*)
  onepass_software_test(lanes_${lanes}_mip_filter vulkan_mip_filter_test *.LongSums*:*.WeightedAlpha*)
  onepass_software_test(lanes_${lanes}_tile_reduction vulkan_tile_reduction_test *.EveryShapeOfTheKernel*)
  onepass_software_test(lanes_${lanes}_fourier vulkan_fourier_test *.EveryRadix)
  onepass_software_test(lanes_${lanes}_luminance vulkan_luminance_test *.EveryMetering*:*.GivesTheSameBits*)
endforeach()

# GPU-assisted validation of every technique.
onepass_software_test(gpu_validation_pyramid vulkan_pyramid_reuse_test
  *.NoTexelLooks*:*.EveryFormOfSelfValidatingWords*:*.OneTileCompletes*)
onepass_software_test(gpu_validation_mip_filter vulkan_mip_filter_test *.SlicesAre*:*.LongSums*:*.WeightedAlpha*)
onepass_software_test(gpu_validation_tile_reduction vulkan_tile_reduction_test *.MinAndMaxKeep*:*.TargetsAre*)
onepass_software_test(gpu_validation_depth_query vulkan_depth_query_test *)
onepass_software_test(gpu_validation_fourier vulkan_fourier_test *.HalvesAreTheNearest)
onepass_software_test(gpu_validation_fourier_ops vulkan_fourier_ops_test
  *.HomomorphicFilters:*.SharedKernels*:*.RichardsonLucyOfAnyUnit:*.ShiftsAreFound)
onepass_software_test(gpu_validation_bloom vulkan_bloom_test *.NanAndInf*)
onepass_software_test(gpu_validation_reflection vulkan_reflection_test *.SlicesAre*:*.MemoryOf*)
onepass_software_test(gpu_validation_blocks vulkan_block_compressor_test *.EveryFormat*:*.Light*:*.TextureHolds*)
onepass_software_test(gpu_validation_luminance vulkan_luminance_test *.EveryMetering*)
onepass_software_test(gpu_validation_tone_map vulkan_tone_map_test *.ExposureComes*)
onepass_software_test(gpu_validation_local_exposure vulkan_local_exposure_test *.IsThatOfTheDefinition)
onepass_software_test(gpu_validation_frame_tone_map vulkan_frame_tone_map_test *.IsMeterAndToneMap*)

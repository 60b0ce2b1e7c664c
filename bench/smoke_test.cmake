# Runs PROGRAM on the smallest cases, on a software device where there is no GPU. Tests that its checks of outputs pass
# and that its rows appear, but no times. With PEERS and CPU_PEERS, the names of other
# libraries that the build has, also theirs.
# Call: cmake -DPROGRAM=... -DCSV=... [-DPEERS=... -DCPU_PEERS=...] -P smoke_test.cmake
file(REMOVE ${CSV})
execute_process(
  COMMAND ${PROGRAM} --software --rounds=1 --records=2 --warm-up=0 --csv=${CSV}
          "--benchmark_filter=/64x64(x6|x64)?/|reflection/vulkan/rgba16f/480x270/.*/throughput|cpu/r32f/1920x1080/.*threads:1/|tile_reduction/vulkan/r32f/1920x1080/.*/throughput"
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "onepass-bench: ${status}")
endif()

file(STRINGS ${CSV} lines)
foreach(expected
    "# cpu: ."
    "# commit: ."
    "name,engine,format,width,height,slices,reduction,footprint,path,mode,median_us,"
    "baseline/vulkan/rgba8/64x64/speed_of_light/throughput,vulkan,rgba8,64,64,1,,,speed_of_light,cold throughput,[0-9]"
    "pyramid/vulkan/rgba8/64x64/mean/aligned/single_dispatch/isolated,"
    "pyramid/vulkan/r32f/64x64/min/covering/per_level/throughput,"
    "pyramid/vulkan/rgba8/64x64/mean/covering/kaiser/isolated,vulkan,rgba8,64,64,1,mean,covering,kaiser,"
    "tile_reduction/vulkan/r32f/64x64/min/factor16/subgroup/throughput,"
    "tile_reduction/vulkan/r32f/1920x1080/min/factor16/subgroup/throughput,"
    "pyramid/vulkan/rg32f/64x64/mean/aligned/single_dispatch/throughput,"
    "pyramid/vulkan/d32f_r32f/64x64/min/covering/single_dispatch/throughput,"
    "tile_reduction/vulkan/d32f_r32f/64x64/min/factor16/subgroup/throughput,"
    "baseline/vulkan/d32f_r32f/64x64/levels_1_to_4/throughput,"
    "baseline/vulkan/r32f/64x64/read_only/throughput,"
    "baseline/vulkan/r32f/64x64/levels_1_to_4/throughput,"
    "fourier/vulkan/rgba32f/64x64/forward.inverse/shared_memory/isolated,vulkan,rgba32f,64,64,1,,,shared_memory,cold"
    "fourier/vulkan/rgba32f/64x64/columns_inverse/shared_memory/throughput,"
    "fourier/vulkan/rgba32f/64x64x6/complex/inverse/shared_memory/throughput,vulkan,rgba32f,64,64,6,,,shared_memory,cold"
    "fourier/vulkan/rgba32f/64x64/forward.inverse/four_step/throughput,"
    "fourier/vulkan/rgba32f/64x64/forward.inverse/ping_pong_radix2_computed/throughput,"
    "creation/vulkan/fourier/rgba32f/64x64/cold,vulkan,"
    "creation/vulkan/fourier/rgba32f/64x64/again,vulkan,"
    "creation/vulkan/pyramid/r32f/64x64/mean/aligned/warm_cache,vulkan,"
    "fourier/vulkan/rgba16f/64x64/forward.inverse/shared_memory/throughput,"
    "fourier/vulkan/rgba8/64x64/rows_forward/shared_memory_images/throughput,"
    "baseline/vulkan/rgba32f/64x64/forward.inverse/device_copy/throughput,"
    "convolution/vulkan/rgba32f/64x64/channels4/kernel15x15/zero/throughput,vulkan,rgba32f,64,64,1,,,convolution,cold"
    "bloom/vulkan/rgba16f/64x64/convolution/throughput,vulkan,rgba16f,64,64,1,,,convolution,cold"
    "bloom/cpu/rgba16f/64x64/convolution/threads:1,cpu,"
    "fourier/cpu/rg32f/64x64/complex/forward.inverse/threads:1,cpu,"
    "fourier/cpu/r32f/64x64/forward/threads:1,cpu,"
    "convolution/cpu/rgba32f/64x64/channels3/kernel15x15/mirror/threads:1,cpu,"
    "meter/vulkan/rgba16f/64x64/natural/throughput,vulkan,rgba16f,64,64,1,,,meter,cold throughput,[0-9]"
    "baseline/vulkan/rgba16f/64x64/natural/read_only/throughput,"
    "baseline/vulkan/rgba16f_rgba8_srgb/64x64/device_copy/throughput,"
    "tone_map/vulkan/rgba16f_rgba8_srgb/64x64/agx/throughput,"
    "local_exposure/vulkan/rgba16f_rgba8_srgb/64x64/agx/throughput,"
    "meter.tone_map/vulkan/rgba16f_rgba8_srgb/64x64/aces_narkowicz/throughput,"
    "frame_tone_map/vulkan/rgba16f_rgba8_srgb/64x64/agx/throughput,"
    "meter/cpu/rgba16f/64x64/natural/threads:1,cpu,"
    "baseline/cpu/rgba16f/64x64/natural/read_only/meter/threads:1,cpu,"
    "tone_map/cpu/rgba16f_rgba8_srgb/64x64/agx/threads:1,cpu,"
    "frame_tone_map/cpu/rgba16f_rgba8_srgb/64x64/agx/threads:1,cpu,"
    "local_exposure/cpu/rgba16f_rgba8_srgb/64x64/agx/threads:1,cpu,"
    "reflection/vulkan/rgba16f/480x270/quarter/throughput,vulkan,rgba16f,480,270,1,,,quarter,cold throughput,[0-9]"
    "reflection/vulkan/rgba16f/480x270/four/throughput,"
    "reflection/vulkan/rgba16f/480x270/one_without_filter_and_history/throughput,"
    "reflection/vulkan/rgba16f/480x270/half_resolution_one/throughput,"
    "reflection/vulkan/rgba16f/480x270/mirrors/throughput,"
    "reflection/vulkan/rgba16f/480x270/matte/throughput,"
    "blocks/vulkan/rgba8/64x64/bc1/throughput,vulkan,rgba8,64,64,1,,,bc1,cold throughput,[0-9]"
    "blocks/vulkan/rgba8/64x64/bc6h/isolated,"
    "blocks/vulkan/rgba8/64x64/mips.bc7/throughput,"
    "blocks/vulkan/rgba8/64x64/bc7_alpha/throughput,"
    "nonfinite/cpu/rgba16f/64x64/find/threads:1,cpu,"
    "volume/cpu/uint8/64x64x64/mean/levels1/threads:1,cpu,uint8,64,64,64,mean,"
    "pyramid/cpu/r32f/1920x1080/min/aligned/threads:1,cpu,"
    "baseline/cpu/r32f/1920x1080/memcpy/threads:1,cpu,")
  set(found ${lines})
  list(FILTER found INCLUDE REGEX "^${expected}")
  if(NOT found)
    message(FATAL_ERROR "no line '${expected}' in ${CSV}")
  endif()
endforeach()

if(NOT PEERS AND NOT CPU_PEERS)
  return()
endif()
file(REMOVE ${CSV})
execute_process(
  COMMAND ${PROGRAM} --software --rounds=1 --records=2 --warm-up=0 --csv=${CSV} --peers
          "--benchmark_filter=(/256x256(x6)?|reflection/vulkan/rgba16f/480x270)/.*(throughput|threads:1/)"
  RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "onepass-bench --peers: ${status}")
endif()
file(STRINGS ${CSV} lines)
foreach(peer ${PEERS} ${CPU_PEERS})
  set(found ${lines})
  list(FILTER found INCLUDE REGEX "^(pyramid|fourier|meter|frame_tone_map|reflection)/.*/(256x256|480x270)/.*/${peer}/(throughput,vulkan|threads:1,cpu),")
  if(NOT found)
    message(FATAL_ERROR "no line of ${peer} in ${CSV}")
  endif()
endforeach()

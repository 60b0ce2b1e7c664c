# The tone map and local exposure: formulas and curves, the CPU engine, the Vulkan engine, the kernels.
foreach(name code_table curve local_exposure operators plan program program_cache vulkan vulkan_host vulkan_local)
  target_sources(onepass PRIVATE tone_map/${name}.cpp)
endforeach()
if(ONEPASS_CPU_ENGINE)
  target_sources(onepass PRIVATE tone_map/cpu.cpp tone_map/row_codes.cpp tone_map/row_local.cpp tone_map/row_tone.cpp)
endif()
include(tone_map/kernels.cmake)

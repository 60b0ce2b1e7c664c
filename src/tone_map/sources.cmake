# The tone map: formulas and curves, the CPU engine, the Vulkan engine, its kernel.
foreach(name code_table cpu curve local_exposure operators plan program row_codes row_local row_tone vulkan vulkan_host
    vulkan_local)
  target_sources(onepass PRIVATE tone_map/${name}.cpp)
endforeach()
include(tone_map/kernels.cmake)

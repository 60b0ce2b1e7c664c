# The tone map: formulas and curves, the CPU engine, the Vulkan engine.
foreach(name cpu curve operators plan program row_tone)
  target_sources(onepass PRIVATE tone_map/${name}.cpp)
endforeach()

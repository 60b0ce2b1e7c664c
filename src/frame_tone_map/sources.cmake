# Metering and tone mapping of video in one pass: the CPU engine, the Vulkan engine, its kernels.
target_sources(onepass PRIVATE frame_tone_map/plan.cpp frame_tone_map/vulkan.cpp)
if(ONEPASS_CPU_ENGINE)
  target_sources(onepass PRIVATE frame_tone_map/cpu.cpp)
endif()
onepass_add_kernel(frame_tone_map ${CMAKE_CURRENT_LIST_DIR}/frame_tone_map.comp ONEPASS_LUMINANCE_PASS=0
  ONEPASS_LUMINANCE_FRAME=1 ONEPASS_MEMORY_MODEL=0 ONEPASS_SUBGROUP=0)
onepass_add_kernel(frame_tone_map_subgroup ${CMAKE_CURRENT_LIST_DIR}/frame_tone_map.comp ONEPASS_LUMINANCE_PASS=0
  ONEPASS_LUMINANCE_FRAME=1 ONEPASS_MEMORY_MODEL=0 ONEPASS_SUBGROUP=1)

# Metering and tone mapping of video in one pass: the CPU engine, the Vulkan engine, its kernels.
target_sources(onepass PRIVATE frame_tone_map/plan.cpp frame_tone_map/vulkan.cpp)
if(ONEPASS_CPU_ENGINE)
  target_sources(onepass PRIVATE frame_tone_map/cpu.cpp)
endif()
include(frame_tone_map/kernels.cmake)

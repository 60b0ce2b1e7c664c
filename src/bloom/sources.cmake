# Bloom: plans and kernels, the CPU engine, the Vulkan engine, its kernels.
target_sources(onepass PRIVATE bloom/kernel.cpp bloom/plan.cpp bloom/vulkan.cpp bloom/vulkan_host.cpp)
if(ONEPASS_CPU_ENGINE)
  target_sources(onepass PRIVATE bloom/cpu.cpp bloom/cpu_light.cpp)
endif()
include(bloom/kernels.cmake)

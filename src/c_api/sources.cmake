# The C interface: a thin layer over the public classes.
target_sources(onepass PRIVATE
  c_api/abi.cpp
  c_api/correlation.cpp
  c_api/deconvolution.cpp
  c_api/fourier.cpp
  c_api/fourier_operations.cpp
  c_api/frame_tone_map.cpp
  c_api/luminance.cpp
  c_api/pyramid.cpp
  c_api/tile_reduction.cpp
  c_api/tone_map.cpp
  c_api/vulkan_correlation.cpp
  c_api/vulkan_deconvolution.cpp
  c_api/vulkan_device.cpp
  c_api/vulkan_fourier.cpp
  c_api/vulkan_fourier_operations.cpp
  c_api/vulkan_frame_tone_map.cpp
  c_api/vulkan_luminance.cpp
  c_api/vulkan_pyramid.cpp
  c_api/vulkan_tile_reduction.cpp
  c_api/vulkan_tone_map.cpp
)
if(ONEPASS_CPU_ENGINE)
  foreach(name correlation deconvolution fourier fourier_operations frame_tone_map luminance pyramid pyramid_stream tile_reduction tone_map)
    target_sources(onepass PRIVATE c_api/cpu_${name}.cpp)
  endforeach()
  target_sources(onepass PRIVATE c_api/nonfinite.cpp)
endif()

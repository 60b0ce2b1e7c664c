# The C interface: a thin layer over the public classes.
block()
  set(options c_api/abi.cpp c_api/arguments.cpp c_api/options.cpp c_api/plans.cpp)
  set(vulkan c_api/vulkan_device.cpp c_api/vulkan_options.cpp)
  set(cpu c_api/cpu_pyramid_stream.cpp c_api/nonfinite.cpp)
  foreach(name bloom correlation deconvolution fourier fourier_operations frame_tone_map luminance pyramid tile_reduction
      tone_map)
    list(APPEND vulkan c_api/vulkan_${name}.cpp)
    list(APPEND cpu c_api/cpu_${name}.cpp)
  endforeach()
  target_sources(onepass PRIVATE ${options} ${vulkan})
  # Calls of engines stay in files of their own: a static program links only the engines that it calls.
  onepass_compile_together(onepass c_api_options ${options})
  if(ONEPASS_CPU_ENGINE)
    target_sources(onepass PRIVATE ${cpu})
  endif()
endblock()

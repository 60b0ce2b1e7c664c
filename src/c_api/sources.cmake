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
  # Calls of different engines and themes are not compiled together: a static program links only the engines that it calls.
  onepass_compile_together(onepass c_api_options ${options})
  foreach(engine cpu vulkan)
    set(prefix c_api/${engine})
    onepass_compile_together(onepass c_api_${engine}_light
      ${prefix}_frame_tone_map.cpp ${prefix}_luminance.cpp ${prefix}_tone_map.cpp)
    onepass_compile_together(onepass c_api_${engine}_pyramids ${prefix}_pyramid.cpp ${prefix}_tile_reduction.cpp)
    onepass_compile_together(onepass c_api_${engine}_spectra ${prefix}_correlation.cpp ${prefix}_deconvolution.cpp
      ${prefix}_fourier.cpp ${prefix}_fourier_operations.cpp)
  endforeach()
  if(ONEPASS_CPU_ENGINE)
    target_sources(onepass PRIVATE ${cpu})
  endif()
endblock()

# Fourier transforms and the operations on spectra: plans, the CPU engine, the Vulkan engine, the kernels.
foreach(name dispatch_plan kernel_names plan tables vulkan vulkan_host vulkan_stage)
  target_sources(onepass PRIVATE fourier/${name}.cpp)
endforeach()
foreach(name convolution_plan correlation_peak correlation_plan deconvolution_plan filter_plan kernel_weights
    vulkan_convolution vulkan_correlation vulkan_deconvolution vulkan_filter vulkan_fused vulkan_operations_host vulkan_step)
  target_sources(onepass PRIVATE fourier/${name}.cpp)
endforeach()
if(ONEPASS_CPU_ENGINE)
  foreach(name cpu cpu_columns cpu_convolution cpu_correlation cpu_deconvolution cpu_filter cpu_image_rows
      cpu_kernel_spectrum cpu_rows line_kernels line_plan)
    target_sources(onepass PRIVATE fourier/${name}.cpp)
  endforeach()
endif()
include(fourier/kernels.cmake)

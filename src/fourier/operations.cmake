# Sources of the operations on spectra: convolution, correlation, deconvolution, filters.
target_sources(onepass PRIVATE
  fourier/convolution_plan.cpp
  fourier/correlation_peak.cpp
  fourier/correlation_plan.cpp
  fourier/deconvolution_plan.cpp
  fourier/filter_plan.cpp
  fourier/kernel_weights.cpp
  fourier/vulkan_convolution.cpp
  fourier/vulkan_correlation.cpp
  fourier/vulkan_deconvolution.cpp
  fourier/vulkan_filter.cpp
  fourier/vulkan_fused.cpp
  fourier/vulkan_operations_host.cpp
  fourier/vulkan_step.cpp
)
if(ONEPASS_CPU_ENGINE)
  target_sources(onepass PRIVATE fourier/cpu_convolution.cpp fourier/cpu_correlation.cpp fourier/cpu_deconvolution.cpp
    fourier/cpu_filter.cpp fourier/cpu_spectral.cpp)
endif()

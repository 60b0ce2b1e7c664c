# Kernels of the steps before, between and after the transforms of operations on spectra. STEP numbers are those of
# src/fourier/fourier_operation_params.h.
onepass_add_kernel(fourier_spectrum ${CMAKE_CURRENT_LIST_DIR}/fourier_spectrum.comp)
set(number 0)
foreach(step load logarithm start divide correct blend store exponential brightest)
  math(EXPR number "${number} + 1")
  onepass_add_kernel(fourier_texels_${step} ${CMAKE_CURRENT_LIST_DIR}/fourier_texels.comp STEP=${number})
endforeach()
set(number 0)
foreach(step luminance mean window power product count scale peak highest nearest result)
  math(EXPR number "${number} + 1")
  onepass_add_kernel(fourier_correlation_${step} ${CMAKE_CURRENT_LIST_DIR}/fourier_correlation.comp STEP=${number})
endforeach()

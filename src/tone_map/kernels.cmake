# The kernel of the tone map. Operators, formats and shapes of curves are specialization constants.
onepass_add_kernel_table(SOURCE tone_map.comp ROWS
  "tone_map")
# The kernel that makes the grid of local exposure, in a dispatch before it.
onepass_add_kernel_table(SOURCE local_exposure.comp ROWS
  "local_exposure")
# In CUDA C++.
onepass_add_cuda_kernels(SOURCE tone_map.cu ROWS
  "cuda_tone_map")
onepass_add_cuda_kernels(SOURCE local_exposure.cu ROWS
  "cuda_local_exposure")

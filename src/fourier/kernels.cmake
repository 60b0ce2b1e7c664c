# Every variant of the transform kernels: fourier_<stage>[_buffer]_<signals>[_bluestein], and for the ping-pong technique
# fourier_ping_pong_<stage>[_buffer]_<signals>. The number of a stage is that of src/fourier/fourier_stage.glsl.
function(onepass_add_fourier_kernels stage number)
  foreach(signals 1 2)
    foreach(side "" _buffer)
      if(side AND NOT stage MATCHES rows)
        continue()
      endif()
      set(buffer 0)
      if(side)
        set(buffer 1)
      endif()
      set(definitions STAGE=${number} ONEPASS_FOURIER_SIGNALS=${signals} SOURCE_BUFFER=${buffer} TARGET_BUFFER=${buffer})
      onepass_add_kernel(fourier_${stage}${side}_${signals} ${CMAKE_CURRENT_LIST_DIR}/fourier.comp ${definitions} BLUESTEIN=0)
      if(NOT stage STREQUAL columns_both)
        onepass_add_kernel(fourier_${stage}${side}_${signals}_bluestein ${CMAKE_CURRENT_LIST_DIR}/fourier.comp
          ${definitions} BLUESTEIN=1)
      endif()
      onepass_add_kernel(fourier_ping_pong_${stage}${side}_${signals} ${CMAKE_CURRENT_LIST_DIR}/fourier_ping_pong.comp
        ${definitions})
    endforeach()
  endforeach()
endfunction()

onepass_add_fourier_kernels(rows_forward 1)
onepass_add_fourier_kernels(columns_forward 2)
onepass_add_fourier_kernels(columns_inverse 3)
onepass_add_fourier_kernels(rows_inverse 4)
onepass_add_fourier_kernels(columns_both 5)

# Adds every variant of the transform kernels: fourier_<stage>[_buffer]_<signals>[_bluestein], and for passes between
# buffers fourier_four_step_<stage>[_buffer]_<signals> and fourier_ping_pong_<stage>[_buffer]_<signals>. Stage numbers
# are those of src/fourier/fourier_stage.glsl.
# _alpha: the target's alpha is copied from a source image.
# Two signals per value serve three and four real channels, and two complex signals.
function(onepass_add_fourier_kernels stage number side signals)
  set(buffer 0)
  if(side STREQUAL _buffer)
    set(buffer 1)
  endif()
  set(alpha 0)
  if(side STREQUAL _alpha)
    set(alpha 1)
  endif()
  set(definitions STAGE=${number} ONEPASS_FOURIER_SIGNALS=${signals} SOURCE_BUFFER=${buffer} TARGET_BUFFER=${buffer}
    PASS_ALPHA=${alpha})
  if(stage STREQUAL columns_both)
    # This kernel contains two transforms. Compiled as calls they take five times as long on NVIDIA.
    onepass_add_inlined_kernel(fourier_${stage}${side}_${signals} ${CMAKE_CURRENT_LIST_DIR}/fourier.comp ${definitions}
      BLUESTEIN=0)
  else()
    onepass_add_kernel(fourier_${stage}${side}_${signals} ${CMAKE_CURRENT_LIST_DIR}/fourier.comp ${definitions} BLUESTEIN=0)
    onepass_add_kernel(fourier_${stage}${side}_${signals}_bluestein ${CMAKE_CURRENT_LIST_DIR}/fourier.comp ${definitions}
      BLUESTEIN=1)
  endif()
  if(NOT stage MATCHES columns OR signals EQUAL 1)
    foreach(technique four_step ping_pong)
      onepass_add_kernel(fourier_${technique}_${stage}${side}_${signals}
        ${CMAKE_CURRENT_LIST_DIR}/fourier_${technique}.comp ${definitions})
    endforeach()
  endif()
endfunction()

foreach(row rows_forward:1 rows_inverse:4)
  string(REPLACE : ";" row ${row})
  list(GET row 0 stage)
  list(GET row 1 number)
  onepass_add_fourier_kernels(${stage} ${number} "" 1)
  onepass_add_fourier_kernels(${stage} ${number} "" 2)
  onepass_add_fourier_kernels(${stage} ${number} _buffer 1)
  onepass_add_fourier_kernels(${stage} ${number} _buffer 2)
endforeach()
foreach(signals 1 2)
  onepass_add_fourier_kernels(columns_forward 2 "" ${signals})
  onepass_add_fourier_kernels(columns_inverse 3 "" ${signals})
  onepass_add_fourier_kernels(columns_both 5 "" ${signals})
endforeach()
onepass_add_fourier_kernels(rows_inverse 4 _alpha 2)

# Variants that count the bytes that invocations read and write, for a test.
if(ONEPASS_BUILD_TESTS)
  foreach(row rows_forward:1:2 rows_forward:1:1 columns_forward:2:1 columns_forward:2:2 columns_inverse:3:1 columns_inverse:3:2
      rows_inverse:4:1 rows_inverse:4:2)
    string(REPLACE : ";" row ${row})
    list(GET row 0 stage)
    list(GET row 1 number)
    list(GET row 2 signals)
    set(definitions STAGE=${number} ONEPASS_FOURIER_SIGNALS=${signals} SOURCE_BUFFER=0 TARGET_BUFFER=0 COUNT_TRAFFIC=1)
    onepass_add_kernel(fourier_${stage}_${signals}_counted ${CMAKE_CURRENT_LIST_DIR}/fourier.comp ${definitions} BLUESTEIN=0)
    if(NOT stage MATCHES columns OR signals EQUAL 1)
      foreach(technique four_step ping_pong)
        onepass_add_kernel(fourier_${technique}_${stage}_${signals}_counted
          ${CMAKE_CURRENT_LIST_DIR}/fourier_${technique}.comp ${definitions})
      endforeach()
    endif()
  endforeach()
endif()

# Tests of Fourier transforms and of the operations on spectra. Oracle: FFTW in double precision, used by tests only.
# Needs no FFTW.
onepass_test(cpu_fourier_progress_test cpu cpu_fourier_progress_test.cpp pyramid/pyramid_testing.cpp)
target_include_directories(cpu_fourier_progress_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

find_path(ONEPASS_FFTW_INCLUDE_DIR fftw3.h)
find_library(ONEPASS_FFTW_LIBRARY fftw3)
if(NOT ONEPASS_FFTW_INCLUDE_DIR OR NOT ONEPASS_FFTW_LIBRARY)
  onepass_left_out("tests of Fourier transforms: FFTW not found")
  return()
endif()

set(fourier_testing fourier_testing.cpp fourier_oracle.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)

function(onepass_fourier_test name label)
  onepass_test(${name} ${label} ${name}.cpp ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${ONEPASS_FFTW_INCLUDE_DIR})
  target_link_libraries(${name} PRIVATE TBB::tbb ${ONEPASS_FFTW_LIBRARY})
endfunction()

onepass_fourier_test(fourier_plan_test cpu)
onepass_fourier_test(cpu_fourier_test cpu ${fourier_testing})
onepass_fourier_test(cpu_volume_fourier_test cpu cpu_volume_deconvolution_test.cpp)
# The test replaces operator new, which sanitizers do too.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  onepass_fourier_test(cpu_volume_memory_test cpu)
endif()
onepass_fourier_test(vulkan_fourier_test gpu ${fourier_testing} vulkan/vulkan_testing.cpp)
# Kernels that count the bytes that invocations read and write. Bluestein's of whole lines and those of operations on spectra
# are not among them.
get_target_property(library_type onepass TYPE)
if(library_type STREQUAL "STATIC_LIBRARY")  # in a shared library the linker could not replace find_kernel()
  set(counted_kernels "")
  set(fourier_folder ${PROJECT_SOURCE_DIR}/src/fourier)
  function(onepass_add_counted_kernels prefix)
    foreach(stage rows_forward:1 rows_inverse:2 columns:4)
      string(REPLACE : ";" stage ${stage})
      list(GET stage 0 word)
      list(GET stage 1 number)
      foreach(signals 1 2)
        if(word STREQUAL "columns" AND signals EQUAL 2 AND NOT "${prefix}" STREQUAL "")
          continue()
        endif()
        set(name fourier_${prefix}${word}_${signals})
        string(REGEX REPLACE "_$" "" file fourier_${prefix})
        onepass_add_kernel_header(${name}_counted ${fourier_folder}/${file}.comp COUNT_TRAFFIC=1 STAGE=${number}
          ONEPASS_FOURIER_SIGNALS=${signals} OVER_SOURCE=0 BLUESTEIN=0)
        list(APPEND counted_kernels ${name})
      endforeach()
    endforeach()
    set(counted_kernels ${counted_kernels} PARENT_SCOPE)
  endfunction()
  onepass_add_counted_kernels("")
  onepass_add_counted_kernels("four_step_")
  onepass_add_counted_kernels("ping_pong_")
  onepass_add_kernel_header(fourier_ping_pong_pass_counted ${fourier_folder}/fourier_ping_pong_pass.comp COUNT_TRAFFIC=1)
  onepass_fourier_test(vulkan_fourier_traffic_test gpu ${fourier_testing} vulkan/vulkan_testing.cpp)
  onepass_replace_kernels(vulkan_fourier_traffic_test FOLDER kernels SUFFIX _counted
    KERNELS ${counted_kernels} fourier_ping_pong_pass)
endif()
onepass_fourier_test(vulkan_fourier_ops_test gpu vulkan/vulkan_testing.cpp pyramid/pyramid_oracle.cpp
  pyramid/pyramid_testing.cpp)

# The kernels of stages.
get_property(kernels GLOBAL PROPERTY ONEPASS_EMBEDDED_KERNELS)
list(FILTER kernels INCLUDE REGEX "^fourier_.*(rows|columns)_")
list(JOIN kernels " " kernels)
onepass_test(fourier_kernel_names_test unit fourier_kernel_names_test.cpp)
target_include_directories(fourier_kernel_names_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(fourier_kernel_names_test PRIVATE "ONEPASS_STAGE_KERNELS=\"${kernels}\"")

# Operations on spectra: convolution, filters, correlation, deconvolution.
foreach(name cpu_convolution_test cpu_filter_test cpu_correlation_test cpu_deconvolution_test cpu_match_test)
  onepass_fourier_test(${name} cpu fourier_ops_oracle.cpp)
endforeach()

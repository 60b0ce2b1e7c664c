# Tests of bloom: the CPU engine, and the Vulkan engine on lavapipe with validation. Oracle: the definition, in double.
if(NOT ONEPASS_FFTW_LIBRARY OR NOT ONEPASS_FFTW_INCLUDE_DIR)  # searched by fourier/tests.cmake
  onepass_left_out("tests of bloom: FFTW not found")
  return()
endif()
set(bloom_testing bloom_oracle.cpp fourier/fourier_ops_oracle.cpp)
function(onepass_bloom_test name label)
  onepass_test(${name} ${label} ${name}.cpp ${bloom_testing} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(${name} SYSTEM PRIVATE ${ONEPASS_FFTW_INCLUDE_DIR})
  target_link_libraries(${name} PRIVATE TBB::tbb ${ONEPASS_FFTW_LIBRARY})
endfunction()
onepass_bloom_test(cpu_bloom_test cpu)
onepass_bloom_test(vulkan_bloom_test gpu vulkan/vulkan_testing.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)

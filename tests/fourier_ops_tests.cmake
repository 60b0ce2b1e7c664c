# Tests of convolution, filters, correlation and deconvolution. Oracle: FFTW in double precision, used by tests only.
find_library(ONEPASS_FFTW3 fftw3 REQUIRED)
find_path(ONEPASS_FFTW3_INCLUDE fftw3.h REQUIRED)

function(onepass_fourier_ops_test name)
  onepass_test(${name} cpu ${name}.cpp fourier_ops_oracle.cpp)
  target_link_libraries(${name} PRIVATE hwy::hwy TBB::tbb ${ONEPASS_FFTW3})
  target_include_directories(${name} SYSTEM PRIVATE ${ONEPASS_FFTW3_INCLUDE})
endfunction()

onepass_fourier_ops_test(cpu_convolution_test)
onepass_fourier_ops_test(cpu_filter_test)
onepass_fourier_ops_test(cpu_correlation_test)
onepass_fourier_ops_test(cpu_deconvolution_test)

if(TARGET onepass_cli)
  find_package(JPEG REQUIRED)
  find_package(nlohmann_json REQUIRED)
  onepass_test(cli_fourier_test cli cli_fourier_test.cpp cli_support.cpp)
  target_link_libraries(cli_fourier_test PRIVATE onepass::files JPEG::JPEG nlohmann_json::nlohmann_json util)
  target_compile_definitions(cli_fourier_test PRIVATE ONEPASS_PROGRAM="$<TARGET_FILE:onepass_cli>")
  add_dependencies(cli_fourier_test onepass_cli)
endif()

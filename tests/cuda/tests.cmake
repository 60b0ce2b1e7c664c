# Kernels in CUDA C++: on the host, against the CPU engine, and compiled to PTX.
set(cuda_kernels pyramid mean tile_reduction luminance tone_map depth_query fourier blocks)
list(TRANSFORM cuda_kernels APPEND _kernel.cpp OUTPUT_VARIABLE cuda_sources)
list(APPEND cuda_sources tile_reduction_64_kernel.cpp)
onepass_test(cuda_shader_test unit cuda_shader_test.cpp cuda_device.cpp workgroups.cpp ${cuda_sources} tone_map/tone_map_oracle.cpp
  pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)
target_include_directories(cuda_shader_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_compile_definitions(cuda_shader_test PRIVATE ONEPASS_PTX_FOLDER="${CMAKE_CURRENT_BINARY_DIR}/cuda_ptx")
target_link_libraries(cuda_shader_test PRIVATE ${CMAKE_DL_LIBS})
# As a device would compile them: numbers such as 0.5 are floats. Their names are those of shaders, not of C++.
list(TRANSFORM cuda_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(cuda_flags -Xclang -cl-single-precision-constant)
else()
  set(cuda_flags -fsingle-precision-constant)
endif()
set_source_files_properties(${cuda_sources} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
  COMPILE_OPTIONS "${cuda_flags};-w")

find_program(ONEPASS_CUDA_CLANG NAMES clang++-19 clang++-16 clang++-14 clang++)
if(ONEPASS_CUDA_CLANG)
  add_test(NAME cuda_ptx COMMAND ${CMAKE_COMMAND} "-DCLANG=${ONEPASS_CUDA_CLANG}" "-DKERNELS=${cuda_kernels}"
    -DROOT=${PROJECT_SOURCE_DIR} -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/cuda_ptx -P ${CMAKE_CURRENT_LIST_DIR}/cuda_ptx.cmake)
  set_tests_properties(cuda_ptx PROPERTIES LABELS unit FIXTURES_SETUP cuda_ptx)
  if(TEST cuda_shader_test)
    set_tests_properties(cuda_shader_test PROPERTIES FIXTURES_REQUIRED cuda_ptx)
  endif()
else()
  onepass_left_out("cuda_ptx: clang++ not found")
endif()

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

# The library's CUDA engine. The kernels run on the host, in the text that clang compiles to PTX; with ONEPASS_TEST_CUDA=0 the
# same programs run the PTX on a device.
#
#   onepass_cuda_test(NAME MODULES MODULE... SOURCES FILE...)   a test with the kernels of MODULEs
function(onepass_cuda_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "MODULES;SOURCES")
  set(objects "")
  foreach(module IN LISTS test_MODULES)
    get_property(rows GLOBAL PROPERTY ONEPASS_CUDA_ROWS_OF_${module})
    foreach(row IN LISTS rows)
      string(REGEX REPLACE " +" ";" definitions "${row}")
      list(POP_FRONT definitions kernel)
      get_property(text GLOBAL PROPERTY ONEPASS_CUDA_SOURCE_OF_${kernel})
      list(APPEND objects $<TARGET_OBJECTS:host_${kernel}>)
      if(TARGET host_${kernel})
        continue()
      endif()
      add_library(host_${kernel} OBJECT EXCLUDE_FROM_ALL cuda/host_variant.cpp)
      target_compile_definitions(host_${kernel} PRIVATE TEXT="${module}/${text}" KERNEL=${kernel} ${definitions})
      target_compile_options(host_${kernel} PRIVATE ${cuda_flags} -w)
      target_include_directories(host_${kernel} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
      target_link_libraries(host_${kernel} PRIVATE onepass::onepass)
    endforeach()
  endforeach()
  onepass_test(${name} unit ${test_SOURCES} cuda_testing.cpp fake_driver.cpp workgroups.cpp pyramid/pyramid_oracle.cpp
    pyramid/pyramid_testing.cpp ${objects})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_definitions(${name} PRIVATE ONEPASS_PTX_FOLDER="${ONEPASS_KERNEL_FOLDER}")
endfunction()

if(ONEPASS_CUDA_KERNELS AND NOT ONEPASS_COMPILED_KERNELS)
  onepass_cuda_test(cuda_pyramid_test MODULES pyramid SOURCES cuda_pyramid_test.cpp cuda_pyramid_testing.cpp)
  onepass_cuda_test(cuda_tile_reduction_test MODULES tile_reduction
    SOURCES cuda_tile_reduction_test.cpp tile_reduction/tile_reduction_oracle.cpp)
  onepass_cuda_test(cuda_tone_map_test MODULES tone_map
    SOURCES cuda_tone_map_test.cpp tone_map/tone_map_oracle.cpp local_exposure/local_exposure_oracle.cpp)
  onepass_cuda_test(cuda_luminance_test MODULES luminance tone_map
    SOURCES cuda_luminance_test.cpp luminance/luminance_oracle.cpp)

  # The same driver as a library with the name of NVIDIA's, behind the C functions.
  set(hosts "")
  foreach(module pyramid tile_reduction luminance tone_map)
    get_property(rows GLOBAL PROPERTY ONEPASS_CUDA_ROWS_OF_${module})
    list(APPEND hosts ${rows})
  endforeach()
  list(TRANSFORM hosts REPLACE " .*" "")
  list(TRANSFORM hosts PREPEND host_)
  set_property(TARGET ${hosts} PROPERTY POSITION_INDEPENDENT_CODE ON)
  list(TRANSFORM hosts REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
  add_library(fake_cuda SHARED cuda/fake_library.cpp cuda/fake_driver.cpp cuda/workgroups.cpp ${objects})
  target_include_directories(fake_cuda PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src
    ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(fake_cuda PRIVATE onepass_options)
  set_target_properties(fake_cuda PROPERTIES OUTPUT_NAME cuda VERSION 1 SOVERSION 1
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/fake_cuda CXX_VISIBILITY_PRESET hidden)
  onepass_test(c_api_cuda_test unit c_api/c_api_cuda_test.cpp c_api/c_api_cuda_light_test.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)
  target_link_libraries(c_api_cuda_test PRIVATE "-Wl,--no-as-needed" fake_cuda)
else()
  onepass_left_out("cuda_*_test, c_api_cuda_test: clang++, perl or xz not found")
endif()

# onepass_add_sample(NAME SOURCES FILE... SHADERS FILE...): the program NAME, target sample_NAME, from files of the current
# folder and from common/gpu.cpp. Shader STEM.EXTENSION becomes the array kernel_STEM_EXTENSION of kernels/STEM_EXTENSION.h.
find_program(GLSLANG_VALIDATOR glslangValidator REQUIRED)

function(onepass_add_sample name)
  cmake_parse_arguments(PARSE_ARGV 1 sample "" "" "SOURCES;SHADERS")
  set(common ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(headers "")
  foreach(shader IN LISTS sample_SHADERS)
    string(REPLACE "." "_" kernel ${shader})
    set(source ${CMAKE_CURRENT_SOURCE_DIR}/${shader})
    set(header ${CMAKE_CURRENT_BINARY_DIR}/kernels/${kernel}.h)
    add_custom_command(OUTPUT ${header}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/kernels
      COMMAND ${GLSLANG_VALIDATOR} --quiet --target-env vulkan1.2 -I${onepass_SHADER_DIR} --depfile ${header}.d
              --vn kernel_${kernel} -o ${header} ${source}
      DEPENDS ${source} DEPFILE ${header}.d COMMENT "Shader ${shader}" VERBATIM)
    list(APPEND headers ${header})
  endforeach()
  add_executable(sample_${name} ${sample_SOURCES} ${common}/gpu.cpp ${headers})
  set_target_properties(sample_${name} PROPERTIES OUTPUT_NAME ${name})
  target_compile_features(sample_${name} PRIVATE cxx_std_20)
  target_include_directories(sample_${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${common}/.. ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(sample_${name} PRIVATE onepass::onepass onepass::files)
  if(TARGET onepass_options)  # the warnings of onepass's own build
    target_link_libraries(sample_${name} PRIVATE onepass_options)
  endif()
endfunction()

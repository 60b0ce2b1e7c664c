# cmake -DGLSLANG= -DROOT= -DFOLDER= -P shader_header_names.cmake: the shader headers leave no macro without their prefix
# behind, and compile together with user code that owns HLSL's names of types.
file(MAKE_DIRECTORY ${FOLDER})
file(GLOB headers ${ROOT}/shaders/onepass/*)
if(NOT headers)
  message(FATAL_ERROR "no headers in ${ROOT}/shaders/onepass")
endif()
foreach(header IN LISTS headers)
  cmake_path(GET header FILENAME name)
  file(READ ${header} text)
  if(name STREQUAL "prelude_names.glsl")  # undefined by the other one of the pair
    file(READ ${ROOT}/shaders/onepass/prelude_names_end.glsl end)
    string(APPEND text "${end}")
  endif()
  string(REGEX MATCHALL "\n *# *define +[A-Za-z0-9_]+" definitions "\n${text}")
  foreach(definition IN LISTS definitions)
    string(REGEX REPLACE ".*define +" "" macro "${definition}")
    if(NOT macro MATCHES "^(ONEPASS_|onepass_)" AND NOT text MATCHES "\n *# *undef +${macro}\n")
      message(SEND_ERROR "${name} leaves ${macro} defined")
    endif()
  endforeach()
endforeach()

foreach(group 1 2)
  foreach(subgroup 0 1)
    execute_process(COMMAND ${GLSLANG} --quiet --target-env vulkan1.2 -I${ROOT}/shaders -DGROUP=${group}
        -DONEPASS_SUBGROUP=${subgroup} -o ${FOLDER}/unused.spv ${ROOT}/tests/shader_names.comp
      RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
      message(SEND_ERROR "group ${group} of shader_names.comp, ONEPASS_SUBGROUP ${subgroup}:\n${output}")
    endif()
  endforeach()
endforeach()

# spirv_hash.cmake: for scripts with GLSLANG and FOLDER: hash_of() sets `out` to the hash of a shader's SPIR-V. ARGN:
# options.
function(hash_of out shader)
  set(flags --target-env vulkan1.2)
  if(shader MATCHES "hlsl$")
    set(flags -D --nsf --target-env vulkan1.1 -e main)
  endif()
  execute_process(COMMAND ${GLSLANG} --quiet -g0 -S comp ${flags} ${ARGN} -o ${FOLDER}/shader.spv ${shader}
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "${shader} ${ARGN}:\n${output}")
  endif()
  file(SHA256 ${FOLDER}/shader.spv hash)
  set(${out} ${hash} PARENT_SCOPE)
endfunction()

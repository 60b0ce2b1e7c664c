# cmake -DPYTHON= -DGLSLANG= -DROOT= -DFOLDER= -DFILES= -P from_spd.cmake: shaders with the includes of FidelityFX SPD,
# changed by bench/peers/from_spd.py, have the SPIR-V of the shaders that the tests run. FILES has the files of
# scripts/shader-files.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

include(${CMAKE_CURRENT_LIST_DIR}/spirv_hash.cmake)

foreach(name spd_0.comp spd_0.hlsl spd_1.comp spd_1.hlsl spd_2.comp spd_2.hlsl)
  file(READ ${ROOT}/tests/shaders/${name} text)
  string(REGEX REPLACE "#include \"onepass/spd_types[^\n]*" "  #  include <vendor/ffx_a.h>  // types" text "${text}")
  string(REGEX REPLACE "#include \"onepass/spd\\.[^\n]*" "#include \"../ffx-spd/ffx_spd.h\"" text "${text}")
  string(REPLACE "#define ONEPASS_SPD_WITHOUT_SLICES 1\n" "" text "${text}")
  file(WRITE ${FOLDER}/${name} "${text}")
  execute_process(COMMAND ${PYTHON} ${ROOT}/bench/peers/from_spd.py ${FOLDER}/${name} OUTPUT_VARIABLE output
    COMMAND_ERROR_IS_FATAL ANY)
  set(added 3)
  if(name MATCHES "^spd_0")
    set(added 4)
  endif()
  if(NOT output MATCHES "2 lines removed, ${added} added")
    message(SEND_ERROR "${name}: ${output}")
  endif()
  hash_of(expected ${ROOT}/tests/shaders/${name} -I${ROOT}/shaders)
  hash_of(actual ${FOLDER}/${name} -I${FILES})
  if(NOT actual STREQUAL expected)
    message(SEND_ERROR "${name}: SPIR-V differs")
  endif()
endforeach()

# --keep-types leaves the types, --language decides for a header.
file(WRITE ${FOLDER}/both.h "#include \"ffx_a.h\"\n#include \"ffx_spd.h\"\n")
execute_process(COMMAND ${PYTHON} ${ROOT}/bench/peers/from_spd.py --keep-types --language=hlsl ${FOLDER}/both.h
  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
file(READ ${FOLDER}/both.h text)
if(NOT text STREQUAL "#include \"ffx_a.h\"\n#include \"onepass_spd.hlsl\"\n")
  message(SEND_ERROR "both.h: ${text}")
endif()

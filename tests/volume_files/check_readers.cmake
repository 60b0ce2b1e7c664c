# check_readers.cmake: runs check_readers.py, with zarrita where npm installs it in the folder WORK. Takes DUMP, PYTHON,
# NODE, NPM, SOURCE (this folder) and WORK.
set(zarrita "")
if(NODE AND NPM)
  file(MAKE_DIRECTORY ${WORK})
  foreach(name package.json package-lock.json read.js)
    file(COPY_FILE ${SOURCE}/zarrita/${name} ${WORK}/${name} ONLY_IF_DIFFERENT)
  endforeach()
  if(NOT EXISTS ${WORK}/node_modules/zarrita/package.json)
    execute_process(COMMAND ${NPM} ci --no-audit --no-fund --ignore-scripts WORKING_DIRECTORY ${WORK}
      RESULT_VARIABLE status ERROR_VARIABLE error)
    if(NOT status EQUAL 0 AND NOT error MATCHES
        "EAI_AGAIN|EAI_FAIL|ENOTFOUND|ECONNREFUSED|ENETUNREACH|EHOSTUNREACH|ETIMEDOUT")
      message(FATAL_ERROR "npm ci failed with ${status}:\n${error}")
    endif()
  endif()
  if(EXISTS ${WORK}/node_modules/zarrita/package.json)
    set(zarrita ${NODE} ${WORK})
  endif()
endif()
execute_process(COMMAND ${PYTHON} ${SOURCE}/check_readers.py ${DUMP} ${zarrita} RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "check_readers.py failed with ${status}")
endif()

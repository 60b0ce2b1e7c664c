# viewer_decoders.cmake: runs viewer_decoders.js on the files of viewer_frames.py. Takes PYTHON, NODE, SOURCE (this
# folder), DECODERS and WORK, a folder.
file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
execute_process(COMMAND ${PYTHON} ${SOURCE}/viewer_frames.py ${WORK} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${NODE} ${SOURCE}/viewer_decoders.js ${DECODERS} ${WORK} COMMAND_ERROR_IS_FATAL ANY)
file(REMOVE_RECURSE ${WORK})

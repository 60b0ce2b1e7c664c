# onepass_reference: the API reference by Doxygen, in reference/html of the build. Any warning fails it.
find_program(DOXYGEN_PROGRAM doxygen)
if(NOT DOXYGEN_PROGRAM OR NOT EXISTS ${PROJECT_SOURCE_DIR}/docs/reference)  # a source distribution has no docs
  return()
endif()
configure_file(${PROJECT_SOURCE_DIR}/docs/reference/Doxyfile.in ${PROJECT_BINARY_DIR}/Doxyfile @ONLY)
add_custom_target(onepass_reference COMMAND ${DOXYGEN_PROGRAM} ${PROJECT_BINARY_DIR}/Doxyfile
  COMMAND ${PROJECT_SOURCE_DIR}/docs/reference/check.py ${PROJECT_BINARY_DIR}/reference/xml VERBATIM)

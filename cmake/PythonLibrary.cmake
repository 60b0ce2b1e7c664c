# onepass_python_library: the shared library that the Python module (python/) loads: both libraries in one file, of which
# only the C functions are visible. setup.py builds it and puts it into the package.
if(NOT TARGET onepass_files)
  message(FATAL_ERROR "onepass: ONEPASS_BUILD_PYTHON needs ONEPASS_BUILD_FILES=ON")
endif()
if(BUILD_SHARED_LIBS OR NOT ONEPASS_C_API)
  message(FATAL_ERROR "onepass: ONEPASS_BUILD_PYTHON needs BUILD_SHARED_LIBS=OFF and ONEPASS_C_API=ON")
endif()

# Objects, not archives: --exclude-libs hides the symbols of archives (cmake/Library.cmake). The archives are named for
# the libraries that they need.
add_library(onepass_python_library SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:onepass> $<TARGET_OBJECTS:onepass_files>)
target_link_libraries(onepass_python_library PRIVATE onepass_files onepass)
set_target_properties(onepass_python_library PROPERTIES LINKER_LANGUAGE CXX OUTPUT_NAME onepass
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)
if(WIN32)
  set_target_properties(onepass_python_library PROPERTIES PREFIX "")  # onepass.dll, from every compiler
elseif(UNIX AND NOT APPLE)
  file(WRITE ${PROJECT_BINARY_DIR}/python/python.map "{ global: onepass_*; local: *; };\n")
  target_link_options(onepass_python_library PRIVATE LINKER:--version-script=${PROJECT_BINARY_DIR}/python/python.map
    LINKER:--strip-debug)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_link_options(onepass_python_library PRIVATE LINKER:--no-undefined)
  endif()
endif()

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
  # onepass.dll and libonepass.dll.a, from every compiler. Without a list the linker of MinGW exports every symbol.
  set_target_properties(onepass_python_library PROPERTIES PREFIX "" IMPORT_PREFIX lib
    ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python)
  set(exports "LIBRARY onepass.dll\nEXPORTS\n")
  file(GLOB headers ${PROJECT_SOURCE_DIR}/include/onepass/onepass*.h)
  foreach(header IN LISTS headers)
    file(READ ${header} text)
    string(REGEX MATCHALL "ONEPASS_API [^;(]*[(]" found "${text}")
    foreach(declaration IN LISTS found)
      string(REGEX REPLACE ".*[ *\n]([a-z0-9_]+)[(]" "  \\1\n" name "${declaration}")
      string(APPEND exports "${name}")
    endforeach()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${header})
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/python/onepass.def CONTENT "${exports}" @ONLY)
  target_sources(onepass_python_library PRIVATE ${PROJECT_BINARY_DIR}/python/onepass.def)
elseif(UNIX AND NOT APPLE)
  file(WRITE ${PROJECT_BINARY_DIR}/python/python.map "{ global: onepass_*; local: *; };\n")
  target_link_options(onepass_python_library PRIVATE LINKER:--version-script=${PROJECT_BINARY_DIR}/python/python.map
    LINKER:--strip-debug)
  if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
    target_link_options(onepass_python_library PRIVATE LINKER:--no-undefined)
  endif()
endif()

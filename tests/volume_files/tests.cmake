# Tests of onepass/volume_files.hpp.
if(NOT TARGET onepass_files)
  return()
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  onepass_left_out("volume_files_test: volumes in files are built on Linux only")
  return()
endif()
onepass_test(volume_files_test unit volume_deconvolution_test.cpp volume_files_test.cpp volume_files_safety_test.cpp
  volume_sets_test.cpp zarr_files.cpp zarr_reader.cpp)
target_link_libraries(volume_files_test PRIVATE files_support nlohmann_json::nlohmann_json)
if("BLOSC" IN_LIST ONEPASS_FILES_OPTIONAL)
  pkg_check_modules(ONEPASS_BLOSC REQUIRED IMPORTED_TARGET blosc)
  target_link_libraries(volume_files_test PRIVATE PkgConfig::ONEPASS_BLOSC)
endif()
target_include_directories(volume_files_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
# Hundreds of outputs, each of which is synced to its file system: in memory that is faster.
if(EXISTS /dev/shm)
  set_property(TEST volume_files_test APPEND PROPERTY ENVIRONMENT TMPDIR=/dev/shm)
endif()

# Other programs open the outputs.
if(TARGET onepass_cli)
  set(found 1)
  if(ONEPASS_PYTHON)
    execute_process(COMMAND ${ONEPASS_PYTHON} -c "import numcodecs, numpy, zarr" RESULT_VARIABLE found ERROR_QUIET)
  endif()
  if(found EQUAL 0)
    set(codecs zstd none)
    if("BLOSC" IN_LIST ONEPASS_FILES_OPTIONAL)
      list(APPEND codecs blosc-lz4 blosc-zstd)
    endif()
    add_test(NAME volume_files_other_programs
      COMMAND ${ONEPASS_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check.py $<TARGET_FILE:onepass_cli> ${codecs})
    set_tests_properties(volume_files_other_programs PROPERTIES LABELS unit TIMEOUT 600)
  else()
    onepass_left_out("volume_files_other_programs: python3-zarr not found")
  endif()
endif()

# The page of --viewer: its decoders, and its slices in a browser
find_program(ONEPASS_CHROMIUM chromium)
if(TARGET onepass_cli AND NODE_PROGRAM AND found EQUAL 0)
  add_test(NAME volume_viewer_decoders
    COMMAND ${CMAKE_COMMAND} -DPYTHON=${ONEPASS_PYTHON} -DNODE=${NODE_PROGRAM} -DSOURCE=${CMAKE_CURRENT_LIST_DIR}
      -DDECODERS=${PROJECT_SOURCE_DIR}/src/volume_files/volume_viewer_decode.js
      -DWORK=${CMAKE_CURRENT_BINARY_DIR}/viewer_frames -P ${CMAKE_CURRENT_LIST_DIR}/viewer_decoders.cmake)
  set_tests_properties(volume_viewer_decoders PROPERTIES LABELS unit TIMEOUT 600)
else()
  onepass_left_out("volume_viewer_decoders: node or python3-zarr not found")
endif()
if(TARGET onepass_cli AND NODE_PROGRAM AND ONEPASS_CHROMIUM)
  add_test(NAME volume_viewer_page
    COMMAND ${NODE_PROGRAM} ${CMAKE_CURRENT_LIST_DIR}/viewer_page.js $<TARGET_FILE:onepass_cli> ${ONEPASS_CHROMIUM})
  set_tests_properties(volume_viewer_page PROPERTIES LABELS unit TIMEOUT 600)
else()
  onepass_left_out("volume_viewer_page: node or chromium not found")
endif()

# Readers alone
include(${CMAKE_CURRENT_LIST_DIR}/readers.cmake)

# Tests of the readers of volumes: volume_source.hpp.
onepass_test(volume_readers_test unit volume_sources_test.cpp volume_zarr_test.cpp zarr_array_test.cpp
  zarr_files.cpp)
target_link_libraries(volume_readers_test PRIVATE files_support)
target_include_directories(volume_readers_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
if("BLOSC" IN_LIST ONEPASS_FILES_OPTIONAL)
  pkg_check_modules(ONEPASS_BLOSC REQUIRED IMPORTED_TARGET blosc)
  target_link_libraries(volume_readers_test PRIVATE PkgConfig::ONEPASS_BLOSC)
endif()
if(EXISTS /dev/shm)
  set_property(TEST volume_readers_test APPEND PROPERTY ENVIRONMENT TMPDIR=/dev/shm)
endif()

# Other programs write volumes, and read those of the tests.
set(found 1)
if(ONEPASS_PYTHON AND "TIFF" IN_LIST ONEPASS_FILES_OPTIONAL AND "BLOSC" IN_LIST ONEPASS_FILES_OPTIONAL)
  execute_process(COMMAND ${ONEPASS_PYTHON} -c "import nibabel, numcodecs, numpy, PIL, tifffile, zarr"
    RESULT_VARIABLE found ERROR_QUIET)
endif()
if(found EQUAL 0)
  add_executable(volume_dump volume_files/volume_dump.cpp)
  target_link_libraries(volume_dump PRIVATE onepass::files onepass_options nlohmann_json::nlohmann_json)
  target_include_directories(volume_dump PRIVATE ${PROJECT_SOURCE_DIR}/src)
  add_test(NAME volume_readers_other_programs
    COMMAND ${CMAKE_COMMAND} -DDUMP=$<TARGET_FILE:volume_dump> -DPYTHON=${ONEPASS_PYTHON} -DNODE=${NODE_PROGRAM}
      -DNPM=${NPM_PROGRAM} -DSOURCE=${CMAKE_CURRENT_LIST_DIR} -DWORK=${CMAKE_CURRENT_BINARY_DIR}/zarrita
      -P ${CMAKE_CURRENT_LIST_DIR}/check_readers.cmake)
  set_tests_properties(volume_readers_other_programs PROPERTIES LABELS "unit;more" TIMEOUT 600)
else()
  onepass_left_out("volume_readers_other_programs: python3-nibabel, -pil, -tifffile, -zarr, libtiff or Blosc not found")
endif()

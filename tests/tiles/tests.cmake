# Tests of onepass/tiles.hpp.
if(NOT TARGET onepass_files)
  return()
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  onepass_left_out("tiles_test: tiles are built on Linux only")
  return()
endif()
if("TIFF" IN_LIST ONEPASS_FILES_OPTIONAL)
  onepass_test(tiles_test unit tiles_labels_test.cpp tiles_mosaic_test.cpp tiles_readers_test.cpp tiles_shards_test.cpp
    tiles_slides_test.cpp tiles_test.cpp tiles_traits_test.cpp tiles_zarr_test.cpp tiles_support.cpp files/trait_files.cpp)
  target_link_libraries(tiles_test PRIVATE files_support)
  target_include_directories(tiles_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # Thousands of outputs, each of which is synced to its file system: in memory that takes 40 s instead of minutes.
  if(EXISTS /dev/shm)
    set_property(TEST tiles_test APPEND PROPERTY ENVIRONMENT TMPDIR=/dev/shm)
  endif()
  # What must not be destroyed or trusted; calls of the C library are replaced.
  onepass_test(tiles_safety_test unit tiles_safety_test.cpp tiles_damage_test.cpp tiles_disk.cpp tiles_memory.cpp
    tiles_support.cpp)
  target_link_libraries(tiles_safety_test PRIVATE files_support)
  target_include_directories(tiles_safety_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
  if(EXISTS /dev/shm)
    set_property(TEST tiles_safety_test APPEND PROPERTY ENVIRONMENT TMPDIR=/dev/shm)
  endif()
else()
  onepass_left_out("tiles_test: the library was built without TIFF")
endif()

# Other programs open the outputs.
if(TARGET onepass_cli)
  set(found 1)
  if(ONEPASS_PYTHON)
    execute_process(COMMAND ${ONEPASS_PYTHON} -c "import numpy, PIL, tifffile, zarr" RESULT_VARIABLE found ERROR_QUIET)
  endif()
  if(found EQUAL 0)
    add_test(NAME tiles_other_programs
      COMMAND ${ONEPASS_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/check.py $<TARGET_FILE:onepass_cli>)
    set_tests_properties(tiles_other_programs PROPERTIES LABELS unit TIMEOUT 1200)
  else()
    onepass_left_out("tiles_other_programs: python3-pil, python3-tifffile or python3-zarr not found")
  endif()
endif()

# Tests of the readers of volumes: volume_source.hpp.
onepass_test(volume_readers_test unit zarr_array_test.cpp volume_zarr_test.cpp zarr_files.cpp)
target_link_libraries(volume_readers_test PRIVATE files_support)
target_include_directories(volume_readers_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
if("BLOSC" IN_LIST ONEPASS_FILES_OPTIONAL)
  pkg_check_modules(ONEPASS_BLOSC REQUIRED IMPORTED_TARGET blosc)
  target_link_libraries(volume_readers_test PRIVATE PkgConfig::ONEPASS_BLOSC)
endif()

# Other programs write volumes, and read those of the tests.
add_executable(volume_dump volume_files/volume_dump.cpp)
target_link_libraries(volume_dump PRIVATE onepass::files onepass_options nlohmann_json::nlohmann_json)
target_include_directories(volume_dump PRIVATE ${PROJECT_SOURCE_DIR}/src)

# files_support: files made by the formats' own libraries, for tests and fuzz targets alike.
if(TARGET files_support OR NOT TARGET onepass_files)
  return()
endif()
find_package(PNG REQUIRED)
find_package(JPEG REQUIRED)
find_package(OpenEXR CONFIG REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(LCMS REQUIRED IMPORTED_TARGET lcms2)
add_library(files_support STATIC ${CMAKE_CURRENT_LIST_DIR}/files_bombs.cpp ${CMAKE_CURRENT_LIST_DIR}/files_seeds.cpp
  ${CMAKE_CURRENT_LIST_DIR}/files_support.cpp)
target_link_libraries(files_support
  PUBLIC onepass::files PNG::PNG JPEG::JPEG OpenEXR::OpenEXR PkgConfig::ZSTD PkgConfig::LCMS ZLIB::ZLIB PRIVATE onepass_options)
target_include_directories(files_support PUBLIC ${CMAKE_CURRENT_LIST_DIR})

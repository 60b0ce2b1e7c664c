# Tests of onepass::files. The formats' own libraries write the test files, so that the oracle is independent of the
# code under test.
if(NOT TARGET onepass_files)
  return()
endif()
# Tests of optional formats that the library was built with.
set(FILES_OPTIONAL_TESTS "")
if("TIFF" IN_LIST ONEPASS_FILES_OPTIONAL)
  list(APPEND FILES_OPTIONAL_TESTS files_tiff_errors_test.cpp files_tiff_rows_test.cpp files_tiff_test.cpp
    files_tiff_write_test.cpp)
endif()
if("WEBP" IN_LIST ONEPASS_FILES_OPTIONAL)
  list(APPEND FILES_OPTIONAL_TESTS files_webp_test.cpp)
endif()
if("LCMS" IN_LIST ONEPASS_FILES_OPTIONAL)
  list(APPEND FILES_OPTIONAL_TESTS files_color_test.cpp files_profile_test.cpp)
endif()

foreach(name TIFF WEBP LCMS)
  if(NOT name IN_LIST ONEPASS_FILES_OPTIONAL)
    onepass_left_out("tests of files that need ${name}: the library was built without it")
  endif()
endforeach()

if(NOT WIN32)
  set(FILES_POSIX_TESTS files_atomic_posix_test.cpp files_errors_posix_test.cpp files_links_test.cpp)
endif()
onepass_test(files_tests unit
  ${FILES_POSIX_TESTS}
  files_atomic_test.cpp
  files_cmyk_test.cpp
  files_dds_test.cpp
  files_errors_test.cpp
  files_exr_header_test.cpp
  files_exr_picture_test.cpp
  files_exr_test.cpp
  files_hdr_test.cpp
  files_jpeg_test.cpp
  files_jpeg_write_test.cpp
  files_ktx2_test.cpp
  files_pfm_test.cpp
  files_png_test.cpp
  files_pnm_test.cpp
  files_rows_test.cpp
  files_signal_test.cpp
  files_statement_test.cpp
  files_tga_test.cpp
  ${FILES_OPTIONAL_TESTS})
target_link_libraries(files_tests PRIVATE files_support)
target_include_directories(files_tests PRIVATE ${PROJECT_SOURCE_DIR}/src)
foreach(group
    "a;atomic;atomic_posix;cmyk;errors;errors_posix;hdr;ktx2;links;pfm;pnm;signal" "b;exr_header;exr_picture;jpeg;jpeg_write"
    "c;exr;png;tga;tiff;tiff_write" "d;tiff_errors;color" "e;webp;profile;statement" "f;dds")
  list(POP_FRONT group name)
  list(TRANSFORM group REPLACE "(.+)" "${CMAKE_CURRENT_LIST_DIR}/files_\\1_test.cpp")
  onepass_compile_together(files_tests ${name} ${group})
endforeach()

onepass_test(files_set_test unit files_set_test.cpp)
target_link_libraries(files_set_test PRIVATE files_support)

# The test replaces malloc, which sanitizers do too.
if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
  onepass_test(files_memory_test unit files_memory_test.cpp support/allocation_counter.cpp)
  target_link_libraries(files_memory_test PRIVATE files_support)
endif()

onepass_test(files_mutation_test fuzz files_mutation_test.cpp)
target_link_libraries(files_mutation_test PRIVATE files_support)

# An independent parser reads the KTX2 files.
find_program(NODE_PROGRAM NAMES node nodejs)
find_program(NPM_PROGRAM npm)
if(NODE_PROGRAM AND NPM_PROGRAM)
  add_executable(files_ktx2_samples files/files_ktx2_samples.cpp)
  target_link_libraries(files_ktx2_samples PRIVATE onepass::files onepass_options)
  add_test(NAME files_ktx_parse
    COMMAND ${CMAKE_COMMAND} -DSAMPLES=$<TARGET_FILE:files_ktx2_samples> -DNODE=${NODE_PROGRAM} -DNPM=${NPM_PROGRAM}
      -DSOURCE=${PROJECT_SOURCE_DIR}/tests/ktx_parse -DWORK=${CMAKE_CURRENT_BINARY_DIR}/ktx_parse
      -P ${PROJECT_SOURCE_DIR}/tests/ktx_parse/run.cmake)
  set_tests_properties(files_ktx_parse PROPERTIES LABELS unit TIMEOUT 600
    SKIP_REGULAR_EXPRESSION "SKIPPED: no network")
else()
  onepass_left_out("files_ktx_parse: node or npm not found")
endif()

# Tests of the documentation, and of files that a script writes from the C++ headers.
# Every code block of the README and the pages, as it stands.
if(ONEPASS_PYTHON AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME pages COMMAND ${ONEPASS_PYTHON} ${CMAKE_CURRENT_LIST_DIR}/pages.py ${PROJECT_SOURCE_DIR}
    ${CMAKE_CURRENT_BINARY_DIR}/pages ${CMAKE_CXX_COMPILER} ${CMAKE_C_COMPILER} ${GLSLANG_VALIDATOR} ${CMAKE_COMMAND})
  set_tests_properties(pages PROPERTIES LABELS unit TIMEOUT 600)
  # The sizes are those of a build with all tools that compiles its kernels.
  if(SPIRV_OPT AND XZ_PROGRAM AND PERL_PROGRAM AND NOT ONEPASS_COMPILED_KERNELS)
    add_test(NAME kernel_page COMMAND ${ONEPASS_PYTHON} ${PROJECT_SOURCE_DIR}/scripts/kernel-page --check
      ${PROJECT_BINARY_DIR})
    set_tests_properties(kernel_page PROPERTIES LABELS unit)
  else()
    onepass_left_out("kernel_page: kernels of another build, or spirv-opt, xz or perl not found")
  endif()
else()
  onepass_left_out("pages, kernel_page: python3 not found, or a build for another platform")
endif()
if(ONEPASS_PYTHON)
  # Files that follow from the C++ headers and api/table.py.
  add_test(NAME api_files COMMAND ${PROJECT_SOURCE_DIR}/scripts/generate-api --check)
  set_tests_properties(api_files PROPERTIES LABELS unit)
else()
  onepass_left_out("api_files: python3 not found")
endif()

# Tests of the library as a dependency: installed files, exported symbols, and programs outside the project that use the
# library in every way that docs/installing.md names. The tests are shell scripts; each can be run by hand.
if(NOT ONEPASS_INSTALL OR NOT UNIX OR APPLE OR NOT TARGET onepass_cli OR CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  return()
endif()
set(here ${CMAKE_CURRENT_LIST_DIR})
set(work ${PROJECT_BINARY_DIR}/package_tests)
# Further builds lie beside this one if this one is inside the source tree, so that relative paths are the same for a
# compiler cache too.
set(builds ${work}/build)
cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${PROJECT_BINARY_DIR} inside)
if(inside)
  set(builds ${PROJECT_BINARY_DIR})
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
# The further builds use the kernels of this one, and its compiler and flags, so that the compiler cache has their objects.
set(alike -DONEPASS_COMPILED_KERNELS=${PROJECT_BINARY_DIR}/kernels
  -DCMAKE_BUILD_TYPE=${CMAKE_BUILD_TYPE} -DCMAKE_CXX_COMPILER=${CMAKE_CXX_COMPILER}
  "-DCMAKE_CXX_FLAGS=${CMAKE_CXX_FLAGS}" "-DCMAKE_CXX_FLAGS_${build_type}=${CMAKE_CXX_FLAGS_${build_type}}"
  -DONEPASS_WARNINGS_AS_ERRORS=${ONEPASS_WARNINGS_AS_ERRORS})
set(assertions "")
if(NOT "${CMAKE_CXX_FLAGS_${build_type}} ${CMAKE_CXX_FLAGS}" MATCHES "NDEBUG")
  set(assertions --assertions)
endif()

# onepass_package_test(NAME COMMAND...)
function(onepass_package_test name)
  add_test(NAME package_${name} COMMAND ${ARGN})
  set_tests_properties(package_${name} PROPERTIES LABELS package TIMEOUT 1200)
endfunction()
# onepass_needs(FIXTURE NAMES...): these tests run after package_FIXTURE.
function(onepass_needs fixture)
  set_tests_properties(package_${fixture} PROPERTIES FIXTURES_SETUP package_${fixture})
  list(TRANSFORM ARGN PREPEND package_)
  set_property(TEST ${ARGN} APPEND PROPERTY FIXTURES_REQUIRED package_${fixture})
endfunction()

# Static libraries of this build.
onepass_package_test(install_static ${here}/install.sh ${PROJECT_BINARY_DIR} ${work}/static)
onepass_package_test(find_static ${here}/find_package.sh ${work}/find_static ${work}/static static -DCOMPONENTS=files)
# onepass::onepass alone must not need the libraries of onepass::files.
onepass_package_test(find_core ${here}/find_package.sh ${work}/find_core ${work}/static static
  -DCMAKE_DISABLE_FIND_PACKAGE_PNG=ON -DCMAKE_DISABLE_FIND_PACKAGE_JPEG=ON -DCMAKE_DISABLE_FIND_PACKAGE_OpenEXR=ON
  -DCMAKE_DISABLE_FIND_PACKAGE_PkgConfig=ON)
onepass_package_test(pkg_config_static ${here}/pkg_config.sh ${work}/pkg_config_static ${work}/static static)
onepass_package_test(samples ${here}/samples.sh ${work}/samples ${work}/static)
onepass_package_test(links ${here}/links.py ${work}/static)
onepass_package_test(examples ${here}/examples.py ${work}/static ${work}/examples ${CMAKE_CXX_COMPILER} ${CMAKE_C_COMPILER})
# GCC only: clang emits calls of std::terminate() into every noexcept function that calls another one.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  onepass_package_test(calls_core ${here}/symbols.sh called ${assertions} $<TARGET_FILE:onepass>)
  onepass_package_test(calls_files ${here}/symbols.sh called ${assertions} $<TARGET_FILE:onepass_files>)
endif()
onepass_package_test(symbols_self ${here}/symbols.sh self ${CMAKE_CXX_COMPILER} ${work}/symbols)
onepass_package_test(headers_gcc ${here}/headers.sh ${work}/static g++)
onepass_needs(install_static find_static find_core pkg_config_static samples links examples headers_gcc)
find_program(CLANG_PROGRAM NAMES clang++-14 clang++)
find_program(CLANG16_PROGRAM clang++-16)
if(CLANG_PROGRAM)
  onepass_package_test(headers_clang ${here}/headers.sh ${work}/static ${CLANG_PROGRAM})
  onepass_needs(install_static headers_clang)
  if(CLANG16_PROGRAM)
    onepass_package_test(headers_clang16 ${here}/headers.sh ${work}/static ${CLANG16_PROGRAM})
    onepass_needs(install_static headers_clang16)
  endif()
else()
  onepass_left_out("package_headers_clang: clang not found")
endif()

# The Vulkan engine alone: a build of its own.
onepass_package_test(vulkan_only ${here}/vulkan_only.sh ${work}/vulkan_only ${PROJECT_SOURCE_DIR} ${alike})

# Shared libraries: a build of their own.
set(shared ${builds}.shared)
onepass_package_test(build_shared ${here}/build_shared.sh ${shared} ${PROJECT_SOURCE_DIR} ${alike})
onepass_package_test(install_shared ${here}/install.sh ${shared} ${work}/shared)
onepass_package_test(find_shared ${here}/find_package.sh ${work}/find_shared ${work}/shared shared -DCOMPONENTS=files)
onepass_package_test(pkg_config_shared ${here}/pkg_config.sh ${work}/pkg_config_shared ${work}/shared shared)
foreach(name onepass onepass_files)
  set(folder ${shared}/src)
  if(name STREQUAL onepass_files)
    set(folder ${shared}/src/files)
  endif()
  onepass_package_test(shows_${name} ${here}/symbols.sh shown ONEPASS_${ONEPASS_ABI} ${folder}/lib${name}.so)
endforeach()
onepass_package_test(debian ${here}/debian.sh ${shared} ${work}/debian)
onepass_needs(build_shared install_shared shows_onepass shows_onepass_files debian)
onepass_needs(install_shared find_shared pkg_config_shared)

# onepass as a part of another project.
onepass_package_test(subproject ${here}/subproject.sh ${builds}.inside ${PROJECT_SOURCE_DIR} ${alike})

# The API reference.
if(TARGET onepass_reference)
  onepass_package_test(reference ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target onepass_reference)
  onepass_package_test(declared ${here}/declared.py ${PROJECT_BINARY_DIR}/reference/xml ${shared}/src/libonepass.so
    ${shared}/src/files/libonepass_files.so)
  onepass_needs(reference declared)
  onepass_needs(build_shared declared)
endif()

# cmake --install: libraries, headers, shader headers, the program, documents; find_package(onepass), pkg-config.
#
# Components: runtime (onepass), files_runtime (onepass::files), devel, program. All paths are relative, so that an
# installed tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(ONEPASS_INSTALL_CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/onepass)
set(ONEPASS_INSTALL_SHADERDIR ${CMAKE_INSTALL_DATADIR}/onepass/shaders)
get_property(ONEPASS_BUILT_TECHNIQUES TARGET onepass PROPERTY ONEPASS_TECHNIQUES)
set(ONEPASS_ENGINES vulkan)
if(ONEPASS_CPU_ENGINE)
  set(ONEPASS_ENGINES cpu vulkan)
endif()
set(ONEPASS_SHARED OFF)
if(BUILD_SHARED_LIBS)
  set(ONEPASS_SHARED ON)
endif()

# The program finds the libraries installed with it by a relative rpath; in /usr the loader finds them without one. A
# static build needs none: CMake would reserve the space for it in the build tree's program by an rpath of colons, which
# makes the loader search the current directory.
set(rpath "")
if(BUILD_SHARED_LIBS AND UNIX AND NOT APPLE AND NOT CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_FULL_LIBDIR BASE_DIRECTORY ${CMAKE_INSTALL_FULL_BINDIR} OUTPUT_VARIABLE way)
  set(rpath "$ORIGIN/${way}")
endif()

# onepass_install_library(TARGET EXPORT COMPONENT)
function(onepass_install_library target export component)
  if(rpath)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN")
  endif()
  install(TARGETS ${target} EXPORT ${export}
    RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component} NAMELINK_COMPONENT devel
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT devel
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(EXPORT ${export} NAMESPACE onepass:: DESTINATION ${ONEPASS_INSTALL_CMAKEDIR} COMPONENT devel)
endfunction()

onepass_install_library(onepass onepassTargets runtime)
set(unwanted "")
if(TARGET onepass_files)
  onepass_install_library(onepass_files onepass_filesTargets files_runtime)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
    set(unwanted PATTERN tiles.hpp EXCLUDE PATTERN volume_files.hpp EXCLUDE)
  endif()
else()
  set(unwanted PATTERN files.hpp EXCLUDE PATTERN tiles.hpp EXCLUDE PATTERN volume_files.hpp EXCLUDE)
endif()
if(TARGET onepass_cli)
  set_target_properties(onepass_cli PROPERTIES INSTALL_RPATH "${rpath}")
  install(TARGETS onepass_cli DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
endif()

# Headers that C++ and shaders share are installed in both include folders.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/onepass DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT devel
  FILES_MATCHING PATTERN *.h PATTERN *.hpp ${unwanted})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shaders/onepass DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT devel
  FILES_MATCHING PATTERN *.h)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/shaders/onepass DESTINATION ${ONEPASS_INSTALL_SHADERDIR} COMPONENT devel
  FILES_MATCHING PATTERN *.h PATTERN *.glsl PATTERN *.hlsl PATTERN *.hlsli)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${PROJECT_SOURCE_DIR}/CONTRIBUTING.md
  ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT devel)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT devel
  FILES_MATCHING PATTERN *.md PATTERN *.png PATTERN *.jpg PATTERN *.svg PATTERN *.csv)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/samples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT devel)
set(link_folders "")
foreach(pair DOCS=${CMAKE_INSTALL_DOCDIR} INCLUDES=${CMAKE_INSTALL_INCLUDEDIR} SHADERS=${ONEPASS_INSTALL_SHADERDIR})
  string(REGEX MATCH "^([A-Z]+)=(.*)" matched ${pair})
  string(APPEND link_folders
    "cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY / OUTPUT_VARIABLE prefix)\n"
    "set(${CMAKE_MATCH_1} ${CMAKE_MATCH_2})\n"
    "cmake_path(ABSOLUTE_PATH ${CMAKE_MATCH_1} BASE_DIRECTORY \${prefix})\n"
    "set(${CMAKE_MATCH_1} \$ENV{DESTDIR}\${${CMAKE_MATCH_1}})\n")
endforeach()
install(CODE "${link_folders}" COMPONENT devel)
install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/InstallLinks.cmake COMPONENT devel)

# The C++ run-time libraries, which programs in C must link if the library is static.
set(ONEPASS_CXX_LIBRARIES ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER ONEPASS_CXX_LIBRARIES INCLUDE REGEX "^(stdc\\+\\+|c\\+\\+|m)$")
list(REMOVE_DUPLICATES ONEPASS_CXX_LIBRARIES)
list(TRANSFORM ONEPASS_CXX_LIBRARIES PREPEND -l)  # a bare name could be a target of the program's project

# find_package(onepass CONFIG)
set(compatibility SameMajorVersion)
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(compatibility SameMinorVersion)
endif()
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/onepassConfig.cmake.in ${PROJECT_BINARY_DIR}/onepassConfig.cmake
  INSTALL_DESTINATION ${ONEPASS_INSTALL_CMAKEDIR} PATH_VARS ONEPASS_INSTALL_SHADERDIR)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/onepassConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${PROJECT_BINARY_DIR}/onepassConfig.cmake ${PROJECT_BINARY_DIR}/onepassConfigVersion.cmake
  DESTINATION ${ONEPASS_INSTALL_CMAKEDIR} COMPONENT devel)

# pkg-config. If the library is static, the program links its dependencies: pkg-config --static.
set(ONEPASS_PC_PREFIX ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
  cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig OUTPUT_VARIABLE way)
  set(ONEPASS_PC_PREFIX "\${pcfiledir}/${way}")
endif()
foreach(folder LIBDIR INCLUDEDIR)
  set(ONEPASS_PC_${folder} ${CMAKE_INSTALL_${folder}})
  if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_${folder}}")
    set(ONEPASS_PC_${folder} "\${prefix}/${CMAKE_INSTALL_${folder}}")
  endif()
endforeach()
set(ONEPASS_PC_SHADERDIR "\${prefix}/${ONEPASS_INSTALL_SHADERDIR}")
if(IS_ABSOLUTE "${ONEPASS_INSTALL_SHADERDIR}")
  set(ONEPASS_PC_SHADERDIR ${ONEPASS_INSTALL_SHADERDIR})
endif()
foreach(field CFLAGS REQUIRES LIBS HIDE FILES_REQUIRES FILES_HIDE)
  set(ONEPASS_PC_${field} "")
endforeach()
if(NOT ONEPASS_SHARED)
  if(WIN32)
    set(ONEPASS_PC_CFLAGS " -DONEPASS_STATIC")
  elseif(UNIX AND NOT APPLE)
    set(ONEPASS_PC_HIDE " -Wl,--exclude-libs,libonepass.a")  # as in cmake/Library.cmake
    set(ONEPASS_PC_FILES_HIDE " -Wl,--exclude-libs,libonepass_files.a")
  endif()
  if(ONEPASS_CPU_ENGINE)
    set(ONEPASS_PC_REQUIRES "tbb")
  endif()
  set(ONEPASS_PC_FILES_REQUIRES "libpng zlib libjpeg OpenEXR libzstd")
  foreach(pair TIFF=libtiff-4 WEBP=libwebp LCMS=lcms2 DEFLATE=libdeflate BLOSC=blosc)
    string(REGEX MATCH "^([A-Z]+)=(.*)" matched ${pair})
    if(CMAKE_MATCH_1 IN_LIST ONEPASS_FILES_OPTIONAL)
      string(APPEND ONEPASS_PC_FILES_REQUIRES " ${CMAKE_MATCH_2}")
    endif()
  endforeach()
  set(libraries ${CMAKE_DL_LIBS})
  list(TRANSFORM libraries PREPEND -l)
  if(ONEPASS_ASTC)
    list(APPEND libraries -lastcenc)
  endif()
  list(APPEND libraries ${ONEPASS_CXX_LIBRARIES})
  list(JOIN libraries " " ONEPASS_PC_LIBS)
endif()
list(JOIN ONEPASS_ENGINES " " ONEPASS_PC_ENGINES)
list(JOIN ONEPASS_BUILT_TECHNIQUES " " ONEPASS_PC_TECHNIQUES)
configure_file(${PROJECT_SOURCE_DIR}/cmake/onepass.pc.in ${PROJECT_BINARY_DIR}/onepass.pc @ONLY)
set(descriptions ${PROJECT_BINARY_DIR}/onepass.pc)
if(TARGET onepass_files)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/onepass-files.pc.in ${PROJECT_BINARY_DIR}/onepass-files.pc @ONLY)
  list(APPEND descriptions ${PROJECT_BINARY_DIR}/onepass-files.pc)
endif()
install(FILES ${descriptions} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT devel)

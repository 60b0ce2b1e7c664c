# cpack: Debian packages. cmake --preset shared && cmake --build --preset shared && cpack --preset shared.
#
#   libonepass0.2, libonepass-files0.2   the shared libraries     onepass   the program
#   libonepass-dev                       headers, shader headers, CMake and pkg-config files, documents
#   python3-onepass                      the Python module, of shared libraries in /usr
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME onepass)
set(CPACK_PACKAGE_VENDOR "the onepass authors")
set(CPACK_PACKAGE_CONTACT "The onepass authors <authors@onepass.invalid>" CACHE STRING "Maintainer that packages name")
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY >=)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
  WORLD_READ WORLD_EXECUTE)

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # the first line of each package's own description
set(about "onepass turns images into mip chains, hierarchical depth buffers, spectra and
exposures in as few trips through memory as can be, on the CPU and on Vulkan.")

# onepass_package(COMPONENT PACKAGE SECTION WHAT DEPENDS): the package of one component.
set(CPACK_COMPONENTS_ALL "")
macro(onepass_package component package section what depends)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_PACKAGE_DEPENDS "${depends}")
  set(CPACK_COMPONENT_${upper}_DESCRIPTION
    "mip chains, spectra and tone mapping: ${what}\n${about}\nThis package has ${what}.")
  # Every package has a copyright file and a changelog.
  set(documents ${CMAKE_INSTALL_DATADIR}/doc/${package})
  install(FILES ${PROJECT_BINARY_DIR}/package/copyright ${PROJECT_BINARY_DIR}/package/changelog.gz DESTINATION ${documents}
    COMPONENT ${component} EXCLUDE_FROM_ALL)
endmacro()

file(READ LICENSE licence)
string(REGEX REPLACE "^MIT License\n\nCopyright [^\n]*\n\n" "" licence "${licence}")
string(STRIP "${licence}" licence)
string(REPLACE "\n\n" "\n.\n" licence "${licence}")
string(REPLACE "\n" "\n " licence "${licence}")
file(READ LICENSE holders)
string(REGEX MATCH "Copyright[^\n]*" holders "${holders}")
string(REGEX REPLACE "^Copyright \\(c\\) " "" holders "${holders}")
file(CONFIGURE OUTPUT package/copyright CONTENT [[Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: onepass

Files: *
Copyright: @holders@
License: Expat
 @licence@
]] @ONLY)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/package)
string(TIMESTAMP today "%a, %d %b %Y 00:00:00 +0000" UTC)  # of SOURCE_DATE_EPOCH, where it is set
file(CONFIGURE OUTPUT package/changelog CONTENT [[onepass (@PROJECT_VERSION@) unstable; urgency=medium

  * See CHANGELOG.md in libonepass-dev.

 -- @CPACK_PACKAGE_CONTACT@  @today@
]] @ONLY)
find_program(GZIP_PROGRAM gzip)
if(GZIP_PROGRAM)
  execute_process(COMMAND ${GZIP_PROGRAM} -9nc ${PROJECT_BINARY_DIR}/package/changelog
    OUTPUT_FILE ${PROJECT_BINARY_DIR}/package/changelog.gz)
else()
  file(ARCHIVE_CREATE OUTPUT ${PROJECT_BINARY_DIR}/package/changelog.gz PATHS ${PROJECT_BINARY_DIR}/package/changelog FORMAT raw
    COMPRESSION GZip COMPRESSION_LEVEL 9)
endif()
# The trigger runs ldconfig after installation and removal of the libraries. CPack adds scripts that call it as well, unless
# scripts are named; it skips those that do not exist, with a warning.
set(triggers ${PROJECT_BINARY_DIR}/package/triggers)
file(WRITE ${triggers} "activate-noawait ldconfig\n")
list(APPEND triggers ${PROJECT_BINARY_DIR}/package/none/postinst ${PROJECT_BINARY_DIR}/package/none/postrm)

set(libraries "")
if(ONEPASS_SHARED)
  set(same "(= ${PROJECT_VERSION})")
  onepass_package(runtime libonepass${ONEPASS_ABI} libs "the library" "")
  set(libraries "libonepass${ONEPASS_ABI} ${same}")
  if(TARGET onepass_files)
    onepass_package(files_runtime libonepass-files${ONEPASS_ABI} libs "readers and writers of image files"
      "libonepass${ONEPASS_ABI} ${same}")
    string(APPEND libraries ", libonepass-files${ONEPASS_ABI} ${same}")
  endif()
  set(linked "libvulkan-dev")
else()
  set(linked "libvulkan-dev")
  if(ONEPASS_CPU_ENGINE)
    string(APPEND linked ", libtbb-dev")
    if(ONEPASS_ASTC)
      string(APPEND linked ", libastcenc-dev")
    endif()
  endif()
  if(TARGET onepass_files)
    string(APPEND linked ", libpng-dev, zlib1g-dev, libjpeg-dev, libopenexr-dev, libzstd-dev")
    foreach(pair TIFF=libtiff-dev WEBP=libwebp-dev LCMS=liblcms2-dev DEFLATE=libdeflate-dev BLOSC=libblosc-dev)
      string(REGEX MATCH "^([A-Z]+)=(.*)" matched ${pair})
      if(CMAKE_MATCH_1 IN_LIST ONEPASS_FILES_OPTIONAL)
        string(APPEND linked ", ${CMAKE_MATCH_2}")
      endif()
    endforeach()
  endif()
endif()
string(REGEX REPLACE "^, " "" needs "${libraries}, ${linked}")
onepass_package(devel libonepass-dev libdevel "headers and shader headers" "${needs}")
if(TARGET onepass_cli)
  onepass_package(program onepass graphics "the program" "${libraries}")
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS libvulkan1)
endif()
# The module is plain Python, which loads the installed libraries by their soname: one package for every processor. Python
# looks for modules of packages in /usr only.
if(ONEPASS_SHARED AND TARGET onepass_files AND CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  onepass_package(python python3-onepass python "the Python module"
    "python3 (>= 3.9), python3-numpy (>= 1:1.21), libonepass-files${ONEPASS_ABI} ${same}")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
  set(modules lib/python3/dist-packages)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/python/onepass DESTINATION ${modules} COMPONENT python EXCLUDE_FROM_ALL
    FILES_MATCHING PATTERN *.py PATTERN py.typed PATTERN __pycache__ EXCLUDE)
  # What pip and importlib.metadata read. Without a list of files pip leaves the module to apt.
  file(CONFIGURE OUTPUT package/METADATA CONTENT [[Metadata-Version: 2.1
Name: onepass
Version: @PROJECT_VERSION@
Summary: @PROJECT_DESCRIPTION@
License: MIT
Requires-Python: >=3.9
Requires-Dist: numpy>=1.21
]] @ONLY)
  file(WRITE ${PROJECT_BINARY_DIR}/package/INSTALLER "apt\n")
  install(FILES ${PROJECT_BINARY_DIR}/package/METADATA ${PROJECT_BINARY_DIR}/package/INSTALLER
    DESTINATION ${modules}/onepass-${PROJECT_VERSION}.dist-info COMPONENT python EXCLUDE_FROM_ALL)
  # Compiled modules are made on installation, by the installed Python, and removed with the package.
  file(WRITE ${PROJECT_BINARY_DIR}/package/postinst
    "#!/bin/sh\nset -e\nif [ \"$1\" = configure ]; then py3compile -p python3-onepass; fi\n")
  file(WRITE ${PROJECT_BINARY_DIR}/package/prerm "#!/bin/sh\nset -e\npy3clean -p python3-onepass\n")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/package/postinst ${PROJECT_BINARY_DIR}/package/prerm)
endif()
if(ONEPASS_SHARED)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SUGGESTS libvulkan1)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${triggers})
  set(CPACK_DEBIAN_FILES_RUNTIME_PACKAGE_CONTROL_EXTRA ${triggers})
endif()
# dpkg-shlibdeps looks for the program's libraries in the build folders, because their packages are not installed.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src ${PROJECT_BINARY_DIR}/src/files)
include(CPack)

# onepass_library(TARGET): the common properties of both libraries: include folder, visible symbols, file names.
#
# While the major version is 0, any minor version may change the ABI. Both numbers are therefore in the soname, in the
# symbol versions and in the names of packages.
set(ONEPASS_ABI ${PROJECT_VERSION_MAJOR})
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(ONEPASS_ABI 0.${PROJECT_VERSION_MINOR})
endif()

# Static and shared libraries are compiled alike, on ELF with the same command, so that a compiler cache serves the
# second build. --exclude-libs hides the symbols of a static library in the shared object (such as a plugin) that links
# it.
function(onepass_library target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
    VISIBILITY_INLINES_HIDDEN ON SOVERSION ${ONEPASS_ABI} VERSION ${PROJECT_VERSION} DEFINE_SYMBOL "")
  get_target_property(type ${target} TYPE)
  set(elf OFF)
  if(UNIX AND NOT APPLE)
    set(elf ON)
  endif()
  if(type STREQUAL "STATIC_LIBRARY")
    if(WIN32)
      target_compile_definitions(${target} PUBLIC ONEPASS_STATIC)
    elseif(elf)
      target_link_options(${target} INTERFACE LINKER:--exclude-libs,lib${target}.a)
    endif()
    return()
  endif()
  if(WIN32)
    target_compile_definitions(${target} PRIVATE ONEPASS_BUILDING)
  elseif(elf)
    # Hidden visibility does not apply to instantiations of templates from other headers. The script hides these too,
    # and sets symbol versions.
    set(script ${PROJECT_BINARY_DIR}/onepass.map)
    configure_file(${PROJECT_SOURCE_DIR}/cmake/onepass.map.in ${script} @ONLY)
    target_link_options(${target} PRIVATE LINKER:--version-script=${script})
    if(NOT CMAKE_CXX_FLAGS MATCHES "-fsanitize=")
      target_link_options(${target} PRIVATE LINKER:--no-undefined)
    endif()
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${script})
  endif()
endfunction()

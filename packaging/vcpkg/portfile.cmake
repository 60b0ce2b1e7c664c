# Builds the unpacked source release that the environment variable ONEPASS_SOURCE names. Untried: see ../README.md.
if(NOT DEFINED ENV{ONEPASS_SOURCE})
  message(FATAL_ERROR "onepass: set ONEPASS_SOURCE to the folder of the unpacked source release, and pass "
    "--x-keep-env-vars=ONEPASS_SOURCE or VCPKG_KEEP_ENV_VARS")
endif()
set(SOURCE_PATH "$ENV{ONEPASS_SOURCE}")

vcpkg_check_features(OUT_FEATURE_OPTIONS options FEATURES
  cpu ONEPASS_CPU_ENGINE
  files ONEPASS_BUILD_FILES)
vcpkg_cmake_configure(SOURCE_PATH "${SOURCE_PATH}" OPTIONS ${options}
  -DONEPASS_BUILD_CLI=OFF -DONEPASS_BUILD_TESTS=OFF -DONEPASS_BUILD_BENCH=OFF -DONEPASS_BUILD_SAMPLES=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/onepass)
vcpkg_fixup_pkgconfig()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")

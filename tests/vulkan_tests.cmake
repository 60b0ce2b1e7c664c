# Tests of the Vulkan engine: lavapipe with validation layers, unless the environment names another device.
foreach(name vulkan_pyramid_test vulkan_pyramid_reuse_test)
  onepass_test(${name} gpu ${name}.cpp vulkan_testing.cpp pyramid_oracle.cpp pyramid_testing.cpp)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
endforeach()

# Tests of reflections: options and noise; the Vulkan engine on lavapipe with validation. Oracle: a hall, traced in double.
onepass_test(reflection_plan_test unit reflection_plan_test.cpp)
target_include_directories(reflection_plan_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
onepass_test(vulkan_reflection_test gpu vulkan_reflection_test.cpp vulkan_reflection_inputs_test.cpp
  vulkan_reflection_half_test.cpp reflection_rig.cpp reflection_scene.cpp vulkan/vulkan_testing.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp)
target_include_directories(vulkan_reflection_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
# The pictures of docs/reflection.md: scripts/reflection-pictures
if(TARGET onepass_files)
  add_executable(reflection_pictures EXCLUDE_FROM_ALL reflection/reflection_pictures.cpp
    $<TARGET_OBJECTS:shared_reflection_rig> $<TARGET_OBJECTS:shared_reflection_scene>
    $<TARGET_OBJECTS:shared_vulkan_testing> $<TARGET_OBJECTS:shared_pyramid_oracle>
    $<TARGET_OBJECTS:shared_pyramid_testing>)
  target_link_libraries(reflection_pictures PRIVATE onepass::files onepass::onepass onepass_options GTest::gtest)
  target_include_directories(reflection_pictures PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
endif()

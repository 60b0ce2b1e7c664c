# Tests of the particles sample: they run the built program.
if(TARGET sample_particles)
  add_test(NAME sample_particles_test COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:sample_particles>
    -DFOLDER=${CMAKE_CURRENT_BINARY_DIR}/sample_particles -P ${CMAKE_CURRENT_LIST_DIR}/sample_particles_test.cmake)
  set_tests_properties(sample_particles_test PROPERTIES LABELS gpu TIMEOUT 300)
endif()

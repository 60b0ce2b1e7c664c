# Tests of volume pyramids: every type, reduction and step against the definition.
onepass_test(cpu_volume_test cpu cpu_volume_test.cpp cpu_volume_part_test.cpp support/allocation_counter.cpp)
target_link_libraries(cpu_volume_test PRIVATE TBB::tbb)
target_include_directories(cpu_volume_test PRIVATE ${PROJECT_SOURCE_DIR}/src)

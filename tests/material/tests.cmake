# Tests of materials: levels of normal maps and roughness against their definition and rendered highlights.
onepass_test(material_test cpu material_test.cpp)
target_link_libraries(material_test PRIVATE TBB::tbb)
target_include_directories(material_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
onepass_test(material_highlight_test cpu material_highlight_test.cpp)

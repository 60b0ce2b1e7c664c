# Tests of depth queries: the C++ functions, and the shader header in a compute shader beside them.
onepass_test(depth_query_test unit depth_query_cells_test.cpp depth_query_depth_test.cpp depth_query_testing.cpp
  pyramid_oracle.cpp pyramid_testing.cpp)
onepass_test(depth_query_property_test property depth_query_occlusion_test.cpp depth_query_march_test.cpp
  depth_query_testing.cpp pyramid_oracle.cpp pyramid_testing.cpp)

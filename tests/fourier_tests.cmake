# Tests of transforms. FFTW is the oracle.
find_path(ONEPASS_FFTW_INCLUDE_DIR fftw3.h REQUIRED)
find_library(ONEPASS_FFTW_LIBRARY fftw3 REQUIRED)

set(fourier_testing fourier_oracle.cpp pyramid_oracle.cpp pyramid_testing.cpp)
foreach(test cpu_fourier_test fourier_plan_test)
  onepass_test(${test} cpu ${test}.cpp ${fourier_testing})
  target_include_directories(${test} PRIVATE ${PROJECT_SOURCE_DIR}/src ${ONEPASS_FFTW_INCLUDE_DIR})
  target_link_libraries(${test} PRIVATE hwy::hwy TBB::tbb ${ONEPASS_FFTW_LIBRARY})
endforeach()

onepass_test(vulkan_fourier_test gpu vulkan_fourier_test.cpp fourier_testing.cpp vulkan_testing.cpp ${fourier_testing})
target_include_directories(vulkan_fourier_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${ONEPASS_FFTW_INCLUDE_DIR})
target_link_libraries(vulkan_fourier_test PRIVATE hwy::hwy TBB::tbb ${ONEPASS_FFTW_LIBRARY})

onepass_test(vulkan_fourier_ops_test gpu vulkan_fourier_ops_test.cpp vulkan_testing.cpp pyramid_oracle.cpp pyramid_testing.cpp)
target_include_directories(vulkan_fourier_ops_test PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(vulkan_fourier_ops_test PRIVATE hwy::hwy TBB::tbb)

onepass_test(vulkan_fourier_traffic_test gpu vulkan_fourier_traffic_test.cpp fourier_testing.cpp vulkan_testing.cpp
  ${fourier_testing})
target_include_directories(vulkan_fourier_traffic_test PRIVATE ${PROJECT_SOURCE_DIR}/src ${ONEPASS_FFTW_INCLUDE_DIR})
target_link_libraries(vulkan_fourier_traffic_test PRIVATE hwy::hwy TBB::tbb ${ONEPASS_FFTW_LIBRARY})

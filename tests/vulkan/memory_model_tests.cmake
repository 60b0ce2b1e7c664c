# The kernels that exchange values between workgroups, in the Vulkan memory model: the proof that the protocols of
# shaders/onepass/workgroup_exchange.glsl and luminance_meter.glsl are right in its terms. The library's own kernels use coherent
# buffers and memory barriers, which are faster (docs/architecture.md).
get_target_property(library_type onepass TYPE)
if(NOT library_type STREQUAL "STATIC_LIBRARY")  # in a shared library the linker could not replace find_kernel()
  return()
endif()

# onepass_add_memory_model_kernel(LIST NAME SOURCE [MACRO=VALUE...])
function(onepass_add_memory_model_kernel list name source)
  onepass_add_kernel_header(${name}_memory_model ${PROJECT_SOURCE_DIR}/src/${source} ONEPASS_MEMORY_MODEL=1 ${ARGN})
  set(${list} ${${list}} ${name} PARENT_SCOPE)
endfunction()
set(pyramid_kernels "")
foreach(components 1 2 4)
  set(macros COMPONENTS=${components} INDEXED_IMAGES=0 MULTISAMPLE=0 STORAGE_SOURCE=0)
  onepass_add_memory_model_kernel(pyramid_kernels pyramid_${components} pyramid/pyramid.comp ${macros} TIGHT=0 ONEPASS_SUBGROUP=0)
  onepass_add_memory_model_kernel(pyramid_kernels pyramid_${components}_subgroup pyramid/pyramid.comp ${macros} TIGHT=0
    ONEPASS_SUBGROUP=1)
  onepass_add_memory_model_kernel(pyramid_kernels pyramid_tight_${components} pyramid/pyramid.comp ${macros} TIGHT=1
    ONEPASS_SUBGROUP=0)
endforeach()
set(meter_kernels "")
onepass_add_memory_model_kernel(meter_kernels luminance luminance/luminance.comp ONEPASS_LUMINANCE_PASS=0 ONEPASS_SUBGROUP=0)
onepass_add_memory_model_kernel(meter_kernels luminance_subgroup luminance/luminance.comp ONEPASS_LUMINANCE_PASS=0
  ONEPASS_SUBGROUP=1)

# onepass_memory_model_test(NAME TEST FILTER KERNELS SOURCES...)
function(onepass_memory_model_test name test filter kernels)
  onepass_test(${name} gpu ${test}.cpp vulkan_testing.cpp pyramid/pyramid_oracle.cpp pyramid/pyramid_testing.cpp ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
  # A kernel without indices of images, for stages of every kind, does the work of its variants.
  onepass_replace_kernels(${name} FOLDER kernels SUFFIX _memory_model STRIP "_indexed|_inlined|_two_to_one|_window"
    NEEDS has_memory_model KERNELS ${kernels})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "GTEST_FILTER=${filter};LP_NUM_THREADS=4")
endfunction()
onepass_memory_model_test(memory_model_pyramid_test pyramid/vulkan_pyramid_test "*EveryExchange*:*AtomicSelfValidatingWords*"
  "${pyramid_kernels}" pyramid/coverage_oracle.cpp)
onepass_memory_model_test(memory_model_pyramid_reuse_test pyramid/vulkan_pyramid_reuse_test
  "*TightStrips*:*TightFootprints*:*EveryFormOfSelfValidatingWords*" "${pyramid_kernels}" pyramid/coverage_oracle.cpp)
onepass_memory_model_test(memory_model_luminance_test luminance/vulkan_luminance_test "*WithAndWithoutSubgroups*:*SameBits*"
  "${meter_kernels}" luminance/luminance_oracle.cpp)

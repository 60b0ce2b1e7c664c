# Other libraries, timed beside this one by `onepass-bench --peers`.
#
# On a GPU: ONEPASS_BENCH_PEERS is a folder with their sources, in sub-folders as `scripts/peers FOLDER` clones them. A peer
# without a sub-folder is left out. Their shaders are compiled with the program, so that it can be taken to a machine
# without a compiler.
#
# On a CPU: those that are installed, if ONEPASS_BENCH_CPU_PEERS is on.
set(peers "")  # the words of those found, as in names of benchmarks
set(cpu_peers "")
set(ONEPASS_BENCH_PEERS "" CACHE PATH "Folder with the sources of other libraries to measure; see scripts/peers")

target_sources(onepass_bench PRIVATE
  peers/cpu_peer_bench.cpp
  peers/cpu_peers.cpp
  peers/cuda.cpp
  peers/cufft.cpp
  peers/fourier_peer_bench.cpp
  peers/fourier_peers.cpp
  peers/light_peer_bench.cpp
  peers/peer_levels.cpp
  peers/pyramid_peer_bench.cpp
  peers/pyramid_peers.cpp
  peers/reflection_peer_bench.cpp
)

# cuda.cpp and cufft.cpp load CUDA and cuFFT when the program runs.
target_link_libraries(onepass_bench PRIVATE ${CMAKE_DL_LIBS})

# onepass_find_peer(OUT NAME FILE): OUT is the folder of the peer NAME if it contains FILE, else empty.
function(onepass_find_peer out name file)
  set(${out} "" PARENT_SCOPE)
  if(NOT ONEPASS_BENCH_PEERS)
    return()
  endif()
  if(EXISTS ${ONEPASS_BENCH_PEERS}/${name}/${file})
    set(${out} ${ONEPASS_BENCH_PEERS}/${name} PARENT_SCOPE)
  else()
    message(STATUS "onepass-bench: no peer ${name}: no ${ONEPASS_BENCH_PEERS}/${name}/${file}")
  endif()
endfunction()

# onepass_add_peer_kernel(NAME SOURCE [MACRO=VALUE...]): a kernel of onepass_bench; ONEPASS_KERNEL_OPTIONS are more
# options of the compiler.
function(onepass_add_peer_kernel name source)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/peers)
  onepass_add_kernel_header(${name} ${source} ${ARGN})
  target_sources(onepass_bench PRIVATE ${PROJECT_BINARY_DIR}/kernels/${name}.h)
endfunction()

onepass_find_peer(spd FidelityFX-SPD ffx-spd/ffx_spd.h)
if(spd)
  set(ONEPASS_KERNEL_OPTIONS -I${spd}/ffx-spd)
  set(rgba8 SPD_FORMAT=rgba8 SPD_CHANNELS=4)
  set(rgba16f SPD_FORMAT=rgba16f SPD_CHANNELS=4)
  set(r32f SPD_FORMAT=r32f SPD_CHANNELS=1)
  set(sampler SPD_SAMPLER=1 SPD_HALF=0 SPD_MIN=0)
  set(load SPD_SAMPLER=0 SPD_HALF=0 SPD_MIN=0)
  set(half SPD_SAMPLER=1 SPD_HALF=1 SPD_MIN=0)
  set(min SPD_SAMPLER=0 SPD_HALF=0 SPD_MIN=1)
  foreach(variant rgba8_sampler rgba8_load rgba8_half rgba16f_sampler rgba16f_load rgba16f_half
                  r32f_sampler r32f_load r32f_min)
    string(REPLACE "_" ";" words ${variant})
    list(GET words 0 format)
    list(GET words 1 way)
    onepass_add_peer_kernel(peer_spd_${variant} spd.comp ${${format}} ${${way}} SPD_DYNAMIC=1)
    onepass_add_peer_kernel(peer_spd_${variant}_switch spd.comp ${${format}} ${${way}} SPD_DYNAMIC=0)
  endforeach()
  unset(ONEPASS_KERNEL_OPTIONS)
  target_sources(onepass_bench PRIVATE peers/spd.cpp)
  target_compile_definitions(onepass_bench PRIVATE ONEPASS_BENCH_SPD)
  list(APPEND peers spd spd_load)  # spd_half only on some devices
endif()

# nvpro_pyramid's shaders are compiled as they are.
onepass_find_peer(nvpro vk_compute_mipmaps nvpro_pyramid/nvpro_pyramid_dispatch.hpp)
if(nvpro)
  set(shaders ${nvpro}/nvpro_pyramid)
  onepass_add_peer_kernel(peer_nvpro_fast ${shaders}/srgba8_mipmap_fast_pipeline.comp)
  onepass_add_peer_kernel(peer_nvpro_general ${shaders}/srgba8_mipmap_general_pipeline.comp)
  target_sources(onepass_bench PRIVATE peers/nvpro.cpp)
  target_include_directories(onepass_bench SYSTEM PRIVATE ${shaders})
  target_compile_definitions(onepass_bench PRIVATE ONEPASS_BENCH_NVPRO)
  list(APPEND peers nvpro)
  find_package(Vulkan REQUIRED)
  target_link_libraries(onepass_bench PRIVATE Vulkan::Vulkan)
endif()

# So is the mip generator of DXVK.
onepass_find_peer(dxvk dxvk src/dxvk/shaders/dxvk_mipgen.comp)
if(dxvk)
  onepass_add_peer_kernel(peer_dxvk_mipgen ${dxvk}/src/dxvk/shaders/dxvk_mipgen.comp)
  target_sources(onepass_bench PRIVATE peers/dxvk.cpp)
  target_compile_definitions(onepass_bench PRIVATE ONEPASS_BENCH_DXVK)  # not in `peers`: only on some devices
endif()

# The shaders of FidelityFX SSSR and its denoiser are compiled as they are. They name formats of storage images that are not
# those of the SDK's images; Vulkan wants the same, so that macros replace the names.
onepass_find_peer(sssr FidelityFX-SDK sdk/include/FidelityFX/gpu/sssr/ffx_sssr_intersect.h)
if(sssr)
  set(shaders ${sssr}/sdk/src/backends/vk/shaders)
  set(ONEPASS_KERNEL_OPTIONS -S comp -I${sssr}/sdk/include/FidelityFX/gpu)
  set(common FFX_GPU=1 FFX_GLSL=1)
  set(formats ${common} FFX_SSSR_OPTION_INVERTED_DEPTH=1 rgba32f=rgba16f r32f=r8 rg32f=rg8)
  onepass_add_peer_kernel(peer_sssr_classify ${shaders}/sssr/ffx_sssr_classify_tiles_pass.glsl ${formats})
  onepass_add_peer_kernel(peer_sssr_noise ${shaders}/sssr/ffx_sssr_prepare_blue_noise_texture_pass.glsl ${formats})
  onepass_add_peer_kernel(peer_sssr_arguments ${shaders}/sssr/ffx_sssr_prepare_indirect_args_pass.glsl ${formats})
  onepass_add_peer_kernel(peer_sssr_intersect ${shaders}/sssr/ffx_sssr_intersect_pass.glsl ${formats})
  foreach(pass reproject prefilter resolve_temporal)
    string(REPLACE "_temporal" "" name ${pass})
    set(file ${shaders}/denoiser/ffx_denoiser_${pass}_reflections_pass.glsl)
    onepass_add_peer_kernel(peer_sssr_${name} ${file} ${common} FFX_HALF=0)
    onepass_add_peer_kernel(peer_sssr_${name}_half ${file} ${common} FFX_HALF=1)
  endforeach()
  unset(ONEPASS_KERNEL_OPTIONS)
  target_sources(onepass_bench PRIVATE peers/sssr.cpp peers/sssr_resources.cpp)
  target_include_directories(onepass_bench SYSTEM PRIVATE ${sssr}/sdk/src/components/sssr)
  target_compile_definitions(onepass_bench PRIVATE ONEPASS_BENCH_SSSR)
  list(APPEND peers sssr sssr_trace)  # sssr_half only on some devices
endif()

# VkFFT compiles its shaders at run time with glslang (Debian: glslang-dev, spirv-tools). It calls Vulkan by name, so
# that the loader is linked.
onepass_find_peer(vkfft VkFFT vkFFT/vkFFT.h)
if(vkfft)
  find_path(ONEPASS_BENCH_GLSLANG_INCLUDE glslang_c_interface.h PATH_SUFFIXES glslang/Include)
  set(libraries "")
  # In the order of their dependencies. Some versions of glslang have fewer libraries.
  foreach(name glslang SPIRV MachineIndependent GenericCodeGen OGLCompiler OSDependent SPIRV-Tools-opt SPIRV-Tools)
    find_library(ONEPASS_BENCH_LIBRARY_${name} lib${name}.a)
    if(ONEPASS_BENCH_LIBRARY_${name})
      list(APPEND libraries ${ONEPASS_BENCH_LIBRARY_${name}})
    endif()
  endforeach()
  if(ONEPASS_BENCH_GLSLANG_INCLUDE AND ONEPASS_BENCH_LIBRARY_glslang AND ONEPASS_BENCH_LIBRARY_SPIRV)
    target_sources(onepass_bench PRIVATE peers/vkfft.cpp)
    # The warnings are about code of VkFFT that is inlined.
    set_source_files_properties(peers/vkfft.cpp PROPERTIES COMPILE_DEFINITIONS "VKFFT_BACKEND=0;VK_API_VERSION=11"
      COMPILE_OPTIONS -Wno-maybe-uninitialized)
    target_include_directories(onepass_bench SYSTEM PRIVATE ${vkfft}/vkFFT ${ONEPASS_BENCH_GLSLANG_INCLUDE})
    target_compile_definitions(onepass_bench PRIVATE ONEPASS_BENCH_VKFFT)
    list(APPEND peers vkfft_c2c2 vkfft_r2c4)
    find_package(Vulkan REQUIRED)
    find_package(Threads REQUIRED)
    target_link_libraries(onepass_bench PRIVATE ${libraries} Vulkan::Vulkan Threads::Threads)
  else()
    message(STATUS "onepass-bench: no peer VkFFT: no static glslang (Debian: glslang-dev, spirv-tools)")
  endif()
endif()

# libplacebo detects the peak of an image and tone-maps it on a GPU (Debian: libplacebo-dev).
option(ONEPASS_BENCH_PLACEBO "Link libplacebo, where installed, into onepass-bench" OFF)
if(ONEPASS_BENCH_PLACEBO)
  find_package(PkgConfig)
  if(PkgConfig_FOUND)
    pkg_check_modules(ONEPASS_BENCH_LIBPLACEBO IMPORTED_TARGET libplacebo)
  endif()
  if(ONEPASS_BENCH_LIBPLACEBO_FOUND)
    target_sources(onepass_bench PRIVATE peers/placebo.cpp)
    target_compile_definitions(onepass_bench PRIVATE ONEPASS_BENCH_PLACEBO)
    target_link_libraries(onepass_bench PRIVATE PkgConfig::ONEPASS_BENCH_LIBPLACEBO)
    list(APPEND peers libplacebo)
  else()
    message(STATUS "onepass-bench: no peer libplacebo (Debian: libplacebo-dev)")
  endif()
endif()

# CUB comes with CUDA's compiler. Its kernels are compiled for CMAKE_CUDA_ARCHITECTURES.
option(ONEPASS_BENCH_CUB "Compile CUB's reduction and histogram, where nvcc is, into onepass-bench" OFF)
if(ONEPASS_BENCH_CUB)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES 80 90)
    endif()
    enable_language(CUDA)
    add_library(onepass_bench_cub STATIC peers/cub.cu)
    target_include_directories(onepass_bench_cub PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    set_target_properties(onepass_bench_cub PROPERTIES CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON)
    target_sources(onepass_bench PRIVATE peers/cub.cpp)
    target_compile_definitions(onepass_bench PRIVATE ONEPASS_BENCH_CUB)
    target_link_libraries(onepass_bench PRIVATE onepass_bench_cub)
  else()
    message(STATUS "onepass-bench: no peer CUB: no nvcc")
  endif()
endif()

# Libraries that halve images on a CPU (Debian: libopencv-imgproc-dev, libvips-dev, libopenimageio-dev).
option(ONEPASS_BENCH_CPU_PEERS "Link OpenCV, libvips and OpenImageIO, where installed, into onepass-bench" OFF)

# onepass_link_cpu_peer(NAME INCLUDE LIBRARY...): the peer NAME, whose adapter is peers/NAME.cpp; nothing if one is missing.
function(onepass_link_cpu_peer name include)
  string(TOUPPER ${name} upper)
  list(JOIN ARGN "" libraries)
  foreach(part IN ITEMS "${include}" "${libraries}" ${ARGN})
    if(NOT part)
      return()
    endif()
  endforeach()
  target_sources(onepass_bench PRIVATE peers/${name}.cpp)
  target_include_directories(onepass_bench SYSTEM PRIVATE ${include})
  target_compile_definitions(onepass_bench PRIVATE ONEPASS_BENCH_${upper})
  target_link_libraries(onepass_bench PRIVATE ${ARGN})
  set(cpu_peers ${cpu_peers} ${name} PARENT_SCOPE)
endfunction()

if(ONEPASS_BENCH_CPU_PEERS)
  find_path(ONEPASS_BENCH_OPENCV_INCLUDE opencv2/imgproc.hpp PATH_SUFFIXES opencv4)
  find_library(ONEPASS_BENCH_OPENCV_IMGPROC opencv_imgproc)
  find_library(ONEPASS_BENCH_OPENCV_CORE opencv_core)
  onepass_link_cpu_peer(opencv "${ONEPASS_BENCH_OPENCV_INCLUDE}" "${ONEPASS_BENCH_OPENCV_IMGPROC}"
    "${ONEPASS_BENCH_OPENCV_CORE}")
  find_package(PkgConfig)
  if(PkgConfig_FOUND)
    pkg_check_modules(ONEPASS_BENCH_VIPS vips)
  endif()
  onepass_link_cpu_peer(vips "${ONEPASS_BENCH_VIPS_INCLUDE_DIRS}" "${ONEPASS_BENCH_VIPS_LINK_LIBRARIES}")
  find_path(ONEPASS_BENCH_OPENIMAGEIO_INCLUDE OpenImageIO/imagebufalgo.h)
  find_library(ONEPASS_BENCH_OPENIMAGEIO_LIBRARY OpenImageIO)
  find_library(ONEPASS_BENCH_OPENIMAGEIO_UTIL OpenImageIO_Util)
  onepass_link_cpu_peer(openimageio "${ONEPASS_BENCH_OPENIMAGEIO_INCLUDE}" "${ONEPASS_BENCH_OPENIMAGEIO_LIBRARY}"
    "${ONEPASS_BENCH_OPENIMAGEIO_UTIL}")
  message(STATUS "onepass-bench: libraries on the CPU: ${cpu_peers}")
endif()

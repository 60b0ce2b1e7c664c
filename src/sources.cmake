# Every source of onepass::onepass, module by module.
#
#   onepass_core(FOLDER GROUP FILES...)   FOLDER/FILE.cpp, in every build
#   onepass_cpu(FOLDER GROUP FILES...)    the same in builds with the CPU engine
#
#   onepass_if(TECHNIQUE FUNCTION ARGUMENTS...)   FUNCTION(ARGUMENTS...) where the technique is built
#
# GROUP: as in onepass_sources() of cmake/Options.cmake. A group is one engine of one module at most, or plain arithmetic: a
# static program links little that it does not call. The CPU engine's files "apart" have vector code, which takes long.
macro(onepass_core)
  onepass_sources(onepass ${ARGN})
endmacro()
macro(onepass_cpu)
  if(ONEPASS_CPU_ENGINE)
    onepass_sources(onepass ${ARGN})
  endif()
endmacro()

macro(onepass_if technique function)
  if("${technique}" IN_LIST onepass_built)
    cmake_language(CALL ${function} ${ARGN})
  endif()
endmacro()

# The techniques, and those that they call.
set(onepass_all_techniques pyramid tile_reduction depth_query fourier luminance tone_map frame_tone_map bloom
  reflection blocks)
set(onepass_needs_tile_reduction pyramid)
set(onepass_needs_depth_query pyramid)
set(onepass_needs_frame_tone_map luminance tone_map)
set(onepass_needs_bloom pyramid fourier)
set(onepass_needs_reflection pyramid)
set(onepass_built ${ONEPASS_TECHNIQUES})
if(NOT onepass_built)
  set(onepass_built ${onepass_all_techniques})
endif()
foreach(technique IN LISTS onepass_built)
  if(NOT technique IN_LIST onepass_all_techniques)
    list(JOIN onepass_all_techniques " " all)
    message(FATAL_ERROR "ONEPASS_TECHNIQUES: '${technique}' is none of ${all}")
  endif()
  list(APPEND onepass_built ${onepass_needs_${technique}})
endforeach()
list(REMOVE_DUPLICATES onepass_built)
set_property(TARGET onepass PROPERTY ONEPASS_TECHNIQUES ${onepass_built})
foreach(technique IN LISTS onepass_all_techniques)
  if(NOT technique IN_LIST onepass_built)
    string(TOUPPER ${technique} upper)
    target_compile_definitions(onepass PRIVATE ONEPASS_WITHOUT_${upper})
  endif()
endforeach()

# What all techniques share
onepass_core(image images format image row_spec srgb)
onepass_core(image apart color)
onepass_cpu(image row_codecs row_codec row_codec_scalar)
onepass_cpu(image apart nonfinite row_decode row_encode row_nonfinite row_rgb row_srgb)
onepass_core(cpu processes control_groups process_limits views)
onepass_cpu(cpu apart simd_target workers)
if(NOT ONEPASS_CPU_ENGINE)
  # convert_colors(), the peak search of correlations and cpu::reduce_pyramid() then use the calling thread only.
  onepass_core(cpu apart workers_serial)
endif()
onepass_core(vulkan vulkan
  compute_kernel device device_report host_image image_view json_reader kernel_limits kernel_needs known_drivers memory
  reconvergence run_together tunings tunings_text
  lzma unpack_kernel)
onepass_core(cuda cuda device images kernel)
onepass_core(cuda apart driver)
onepass_core(vulkan apart kernels loader)  # kernels: tests that replace kernels replace find_kernel()

# Block-compressed textures
onepass_core(blocks block_decoders astc decode decode_bptc decompress format plan)
onepass_cpu(blocks block_encoders compress pack_bc7)
onepass_cpu(blocks apart encode_bc1 encode_bc4 encode_bc6h encode_bc7)
if("blocks" IN_LIST onepass_built)
  onepass_core(blocks blocks_vulkan vulkan vulkan_host)
endif()

# Textures of materials
onepass_cpu(material apart pictures roughness)

# Volumes
onepass_cpu(volume volume_cpu cpu levels plan rows)
onepass_cpu(volume apart row_mean row_order)

# Pyramids and tile reductions
if("pyramid" IN_LIST onepass_built)
  onepass_cpu(reduction apart
    box_kernels row_fold row_fold_scalar row_fold_source row_fold_srgb row_fold_unorm8 row_fold_wide row_fused
    row_fused_srgb row_tile row_tile_srgb)
  onepass_core(pyramid pyramid_plans coverage dispatch_plan filter_plan mip_filter plan stage_constants)
  onepass_core(pyramid pyramid_vulkan vulkan vulkan_binding vulkan_filter vulkan_host)
  onepass_core(pyramid apart cuda)
  onepass_core(pyramid apart cpu_custom)
  onepass_cpu(pyramid pyramid_cpu
    cpu cpu_axis cpu_band cpu_chain cpu_mip_filter cpu_mode cpu_stage cpu_stream cpu_stream_levels cpu_strip cpu_tight
    halving_axis)
  onepass_cpu(pyramid apart row_mip_filter)
endif()
if("tile_reduction" IN_LIST onepass_built)
  onepass_core(tile_reduction pyramid_plans plan shares)
  onepass_core(tile_reduction tile_reduction_vulkan vulkan vulkan_host)
  onepass_core(tile_reduction apart cuda)
  onepass_cpu(tile_reduction apart cpu)
endif()

# Depth queries
if("depth_query" IN_LIST onepass_built)
  onepass_core(depth_query depth_queries cells depth march)
  onepass_core(depth_query apart projection)
endif()

# Transforms and operations on spectra
if("fourier" IN_LIST onepass_built)
  onepass_core(fourier fourier_plans
    convolution_plan correlation_peak correlation_plan deconvolution_plan dispatch_plan filter_plan kernel_names
    kernel_weights match_plan plan tables)
  onepass_core(fourier fourier_vulkan
    vulkan vulkan_convolution vulkan_correlation vulkan_deconvolution vulkan_filter vulkan_fused vulkan_host
    vulkan_operations_host vulkan_stage vulkan_step)
  onepass_cpu(fourier fourier_cpu
    cpu cpu_columns cpu_convolution cpu_correlation cpu_deconvolution cpu_filter cpu_image_rows cpu_kernel_spectrum cpu_match
    cpu_rows line_plan)
  onepass_cpu(fourier fourier_volume
    cpu_volume_convolution cpu_volume_deconvolution cpu_volume_passes cpu_volume_transform volume_kernel volume_plans
    voxel_rows)
  onepass_cpu(fourier apart line_kernels)
endif()

# Exposure, tone maps, bloom
if("luminance" IN_LIST onepass_built)
  onepass_core(luminance light_plans finish plan)
  onepass_core(luminance luminance_vulkan vulkan vulkan_host)
  onepass_core(luminance apart cuda)
  onepass_cpu(luminance apart cpu row_meter row_plain)
endif()
if("tone_map" IN_LIST onepass_built)
  onepass_core(tone_map light_plans code_table curve kernel_program local_exposure operators plan program)
  onepass_core(tone_map tone_map_vulkan vulkan vulkan_host)
  onepass_core(tone_map apart cuda program_cache vulkan_local)
  onepass_cpu(tone_map apart cpu row_codes row_local row_tone)
endif()
if("frame_tone_map" IN_LIST onepass_built)
  onepass_core(frame_tone_map light_plans plan)
  onepass_core(frame_tone_map apart vulkan)
  onepass_cpu(frame_tone_map apart cpu)
endif()
if("bloom" IN_LIST onepass_built)
  onepass_core(bloom light_plans kernel plan)
  onepass_core(bloom apart vulkan vulkan_host)
  onepass_cpu(bloom apart cpu cpu_light)
endif()

# Reflections
if("reflection" IN_LIST onepass_built)
  onepass_core(reflection apart blue_noise plan vulkan)
endif()

# Measurement of tunings, for all techniques
if(NOT ONEPASS_TECHNIQUES)
  onepass_core(tuning apart experiments measure runners search)
endif()

# The C functions: calls of different engines and themes are not compiled together
if(ONEPASS_C_API)
  onepass_core(c_api c_api_options arguments options plans)
  onepass_core(c_api apart abi cuda_device vulkan_device vulkan_options)
  if(NOT ONEPASS_TECHNIQUES)
    onepass_core(c_api apart vulkan_host)  # all techniques on host images
  endif()
  onepass_cpu(c_api apart cpu_blocks cpu_material cpu_volume nonfinite texels)
  onepass_if(blocks onepass_core c_api apart vulkan_blocks)
  onepass_if(bloom onepass_core c_api apart vulkan_bloom)
  onepass_if(bloom onepass_cpu c_api apart cpu_bloom)
  onepass_if(luminance onepass_core c_api c_api_cuda_light cuda_luminance)
  onepass_if(luminance onepass_core c_api c_api_vulkan_light vulkan_luminance)
  onepass_if(luminance onepass_cpu c_api c_api_cpu_light cpu_luminance)
  onepass_if(tone_map onepass_core c_api c_api_cuda_light cuda_tone_map)
  onepass_if(tone_map onepass_core c_api c_api_vulkan_light vulkan_tone_map)
  onepass_if(tone_map onepass_cpu c_api c_api_cpu_light cpu_tone_map)
  onepass_if(frame_tone_map onepass_core c_api c_api_vulkan_light vulkan_frame_tone_map)
  onepass_if(frame_tone_map onepass_cpu c_api c_api_cpu_light cpu_frame_tone_map)
  onepass_if(reflection onepass_core c_api apart vulkan_reflection)
  onepass_if(pyramid onepass_core c_api c_api_cuda_pyramids cuda_pyramid)
  onepass_if(pyramid onepass_core c_api c_api_vulkan_pyramids vulkan_pyramid)
  onepass_if(pyramid onepass_cpu c_api c_api_cpu_pyramids cpu_pyramid)
  onepass_if(pyramid onepass_cpu c_api apart cpu_pyramid_stream)
  onepass_if(tile_reduction onepass_core c_api c_api_cuda_pyramids cuda_tile_reduction)
  onepass_if(tile_reduction onepass_core c_api c_api_vulkan_pyramids vulkan_tile_reduction)
  onepass_if(tile_reduction onepass_cpu c_api c_api_cpu_pyramids cpu_tile_reduction)
  onepass_if(fourier onepass_core c_api c_api_vulkan_spectra
    vulkan_correlation vulkan_deconvolution vulkan_fourier vulkan_fourier_operations)
  onepass_if(fourier onepass_cpu c_api c_api_cpu_spectra
    cpu_correlation cpu_deconvolution cpu_fourier cpu_fourier_operations cpu_match)
  onepass_if(fourier onepass_cpu c_api apart cpu_volume_fourier)
endif()

# Kernels of the Vulkan engine
foreach(module blocks bloom fourier frame_tone_map luminance pyramid reflection tile_reduction tone_map)
  onepass_if(${module} include ${module}/kernels.cmake)
endforeach()

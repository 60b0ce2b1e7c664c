# Kernels of the CUDA engine: CUDA C++ compiled to PTX at build time by clang++, without NVIDIA's headers or toolkit.
#
#   onepass_add_cuda_kernels(SOURCE FILE ROWS ROW...)
#       Kernels compiled from FILE in the caller's folder. A row is a string "NAME [MACRO=VALUE...]"; the macro KERNEL is
#       NAME.
#   onepass_embed_cuda_kernels(TARGET)
#       Adds them to TARGET, in the sets of src/cuda/kernel.hpp, packed by cmake/pack_ptx.pl. Without the programs that
#       this needs the sets are empty.
#
# Constants of a kernel stay open until it is loaded (src/cuda/specialized.cuh), so that one PTX serves all formats.
option(ONEPASS_WITH_CUDA "Embed the kernels of the CUDA engine, where clang++, perl and xz are found" ${ONEPASS_DEFAULT_PROGRAM})
find_program(ONEPASS_CUDA_CLANG NAMES clang++-19 clang++-16 clang++-14 clang++)
set(ONEPASS_CUDA_KERNELS OFF)
if(ONEPASS_WITH_CUDA AND ONEPASS_CUDA_CLANG AND PERL_PROGRAM AND XZ_PROGRAM)
  set(ONEPASS_CUDA_KERNELS ON)
elseif(ONEPASS_WITH_CUDA)
  message(STATUS "clang++, perl or xz not found: onepass is built without CUDA kernels")
endif()
# docs/shaders/cuda.md has the reasons. PTX 7.0 and compute capability 7.5: drivers compile it for every later device.
set(ONEPASS_CUDA_FLAGS -std=c++20 -x cuda --cuda-device-only --cuda-gpu-arch=sm_75 -nocudainc -nocudalib
  -Xclang -target-feature -Xclang +ptx70 -Xclang -cl-single-precision-constant
  -ffp-contract=on -mllvm -unroll-threshold=20000 -O3 -S -Wno-unknown-cuda-version
  -mllvm -nvptx-prec-divf32=1)  # divisions within 2 ULP, as in shaders

function(onepass_add_cuda_kernels)
  cmake_parse_arguments(PARSE_ARGV 0 table "" SOURCE ROWS)
  get_filename_component(module ${CMAKE_CURRENT_LIST_DIR} NAME)
  set_property(GLOBAL APPEND PROPERTY ONEPASS_CUDA_MODULES ${module})
  set(source ${CMAKE_CURRENT_LIST_DIR}/${table_SOURCE})
  set_property(GLOBAL APPEND PROPERTY ONEPASS_CUDA_ROWS_OF_${module} ${table_ROWS})
  foreach(row IN LISTS table_ROWS)
    string(REGEX REPLACE " +" ";" definitions "${row}")
    list(POP_FRONT definitions name)
    list(TRANSFORM definitions PREPEND -D)
    set_property(GLOBAL APPEND PROPERTY ONEPASS_CUDA_KERNELS_OF_${module} ${name})
    set_property(GLOBAL PROPERTY ONEPASS_CUDA_SOURCE_OF_${name} ${table_SOURCE})
    if(NOT ONEPASS_CUDA_KERNELS OR ONEPASS_COMPILED_KERNELS)
      continue()
    endif()
    set(ptx ${PROJECT_BINARY_DIR}/kernels/${name}.ptx)
    add_custom_command(OUTPUT ${ptx}
      COMMAND ${ONEPASS_CUDA_CLANG} ${ONEPASS_CUDA_FLAGS} -I${PROJECT_SOURCE_DIR}/shaders -I${PROJECT_SOURCE_DIR}/src
        ${definitions} -DKERNEL=${name} -MD -MF ${ptx}.d -MT ${ptx} -o ${ptx} ${source}
      DEPENDS ${source} DEPFILE ${ptx}.d COMMENT "CUDA kernel ${name}" VERBATIM)
  endforeach()
endfunction()

function(onepass_embed_cuda_kernels target)
  get_property(modules GLOBAL PROPERTY ONEPASS_CUDA_MODULES)
  set(sources "")
  foreach(module IN LISTS modules)
    get_property(names GLOBAL PROPERTY ONEPASS_CUDA_KERNELS_OF_${module})
    onepass_words_of_module(words ${module})
    set(set_name kCuda${words}Kernels)
    set(source ${ONEPASS_KERNEL_FOLDER}/${set_name}.cpp)
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(ONEPASS_COMPILED_KERNELS AND EXISTS ${source} AND ONEPASS_WITH_CUDA)
      target_sources(${target} PRIVATE ${source})
      continue()
    endif()
    if(ONEPASS_COMPILED_KERNELS OR NOT ONEPASS_CUDA_KERNELS)
      set(source ${PROJECT_BINARY_DIR}/no_cuda/${set_name}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT
        "#include \"cuda/kernel.hpp\"\nnamespace onepass::cuda {\nconst vulkan::KernelSet ${set_name};\n}\n")
      set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
      target_sources(${target} PRIVATE ${source})
      continue()
    endif()
    list(TRANSFORM names PREPEND ${ONEPASS_KERNEL_FOLDER}/ OUTPUT_VARIABLE files)
    list(TRANSFORM files APPEND .ptx)
    set(script ${PROJECT_SOURCE_DIR}/cmake/pack_ptx.pl)
    add_custom_command(OUTPUT ${source}
      COMMAND ${PERL_PROGRAM} ${script} ${XZ_PROGRAM} ${set_name} ${ONEPASS_KERNEL_FOLDER} ${names}
      DEPENDS ${files} ${script} ${PROJECT_SOURCE_DIR}/cmake/kernel_set.pl COMMENT "CUDA kernels of ${module}, packed" VERBATIM)
    list(APPEND sources ${source})
    target_sources(${target} PRIVATE ${source})
  endforeach()
  if(sources AND TARGET onepass_kernels)  # for source releases
    add_custom_target(onepass_cuda_kernels DEPENDS ${sources})
    add_dependencies(onepass_kernels onepass_cuda_kernels)
  endif()
endfunction()

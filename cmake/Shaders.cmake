# Shader kernels: GLSL compiled to SPIR-V at build time.
#
#   onepass_add_kernel_table(SOURCE FILE [DEFAULTS MACRO=VALUE...] ROWS ROW...)
#       Kernels of the library, compiled from FILE in the caller's folder. A row is a string
#       "NAME [INLINED | INLINED_TIDY] [MACRO=VALUE...]": C++ finds the kernel by NAME; macros that the row does not set
#       have the values of DEFAULTS. Where spirv-opt is installed, INLINED inlines all calls: NVIDIA's compiler keeps some,
#       and with them arrays in memory. INLINED_TIDY also removes the variables that this makes.
#   onepass_embed_kernels(TARGET)
#       Adds all of them to TARGET, in the sets of src/vulkan/kernels.hpp: one per folder, that of src/tone_map is
#       kToneMapKernels.
#   onepass_add_kernel_header(NAME SOURCE [MACRO=VALUE...])
#       A kernel of a sample, test or benchmark: an array kernel_NAME in kernels/NAME.h.
#
# Embedded kernels are compressed where Perl and xz are installed (cmake/pack_kernels.pl; src/vulkan/unpack_kernel.cpp
# decompresses them), else stored. spirv-dis and spirv-as make them smaller.
set(ONEPASS_COMPILED_KERNELS "" CACHE PATH "The folder kernels of another build of the same sources: its kernels are \
embedded, none is compiled; default: those of a source release")
if(NOT ONEPASS_COMPILED_KERNELS AND EXISTS ${PROJECT_SOURCE_DIR}/kernels)
  set(ONEPASS_COMPILED_KERNELS ${PROJECT_SOURCE_DIR}/kernels)
endif()
set(ONEPASS_KERNEL_FOLDER ${PROJECT_BINARY_DIR}/kernels)
if(ONEPASS_COMPILED_KERNELS)
  set(ONEPASS_KERNEL_FOLDER ${ONEPASS_COMPILED_KERNELS})
  find_program(GLSLANG_VALIDATOR glslangValidator)  # for kernels of samples, tests and benchmark
else()
  find_program(GLSLANG_VALIDATOR glslangValidator REQUIRED)
endif()
find_program(SPIRV_OPT spirv-opt)
# How kernels are compiled: glslangValidator allocates the built-in functions of GLSL anew for each of them, which takes
# more time than the kernel. On Linux the C library then asks for huge pages: half the time.
set(ONEPASS_GLSLANG ${GLSLANG_VALIDATOR})
if(CMAKE_HOST_SYSTEM_NAME STREQUAL "Linux" AND GLSLANG_VALIDATOR)
  set(ONEPASS_GLSLANG ${ONEPASS_ENV} GLIBC_TUNABLES=glibc.malloc.hugetlb=1 ${GLSLANG_VALIDATOR})
endif()
find_program(XZ_PROGRAM xz)
find_program(PERL_PROGRAM perl)
find_program(SPIRV_DIS spirv-dis)
find_program(SPIRV_AS spirv-as)
set(ONEPASS_SPIRV_TEXT "")
if(SPIRV_DIS AND SPIRV_AS)
  cmake_path(GET SPIRV_DIS PARENT_PATH ONEPASS_SPIRV_TEXT)
endif()

# The command line that compiles SOURCE, less its output. -g0: without the names of variables, a sixth of the size. Callers
# may set more options in ONEPASS_KERNEL_OPTIONS.
function(onepass_glslang_command out source)
  set(definitions ${ARGN} ONEPASS_KEEP_NAMES=1)  # for the kernels' own text: onepass/prelude_names.glsl
  list(TRANSFORM definitions PREPEND -D)
  cmake_path(GET source PARENT_PATH folder)
  set(${out} ${ONEPASS_GLSLANG} --quiet -g0 --target-env vulkan1.2 -I${PROJECT_SOURCE_DIR}/shaders
    -I${PROJECT_SOURCE_DIR}/src -I${folder} ${ONEPASS_KERNEL_OPTIONS} ${definitions} PARENT_SCOPE)
endfunction()

function(onepass_add_kernel_header name source)
  set(header ${PROJECT_BINARY_DIR}/kernels/${name}.h)
  onepass_glslang_command(command ${source} ${ARGN})
  add_custom_command(OUTPUT ${header}
    COMMAND ${command} --depfile ${header}.d --vn kernel_${name} -o ${header} ${source}
    DEPENDS ${source} DEPFILE ${header}.d COMMENT "Kernel ${name}" VERBATIM)
endfunction()

# Adds the kernel NAME to those of the caller's folder.
function(onepass_register_kernel name)
  get_filename_component(module ${CMAKE_CURRENT_LIST_DIR} NAME)
  get_property(modules GLOBAL PROPERTY ONEPASS_KERNEL_MODULES)
  if(NOT module IN_LIST modules)
    set_property(GLOBAL APPEND PROPERTY ONEPASS_KERNEL_MODULES ${module})
  endif()
  set_property(GLOBAL APPEND PROPERTY ONEPASS_KERNELS_OF_${module} ${name})
endfunction()

# Functions with several returns cannot be inlined before they have one.
set(ONEPASS_INLINE --merge-return --inline-entry-points-exhaustive --eliminate-dead-functions)
# Inlining makes a variable of each parameter. These passes remove them again: half of the module. They fold and contract
# no expression of floats, so that results have the same bits.
set(ONEPASS_TIDY --scalar-replacement --eliminate-local-single-block --eliminate-local-single-store --ssa-rewrite
  --eliminate-dead-code-aggressive --redundancy-elimination --merge-blocks)

# Compiles the kernel NAME and, where spirv-opt is installed, runs PASSES (a list) of it. Dense ids make other modules
# smaller when they are packed, but not those with nothing else done after inlining: their copies look alike.
function(onepass_define_kernel name source passes)
  set(module ${PROJECT_BINARY_DIR}/kernels/${name}.spv)
  set(compiled ${module})
  if(SPIRV_OPT)
    set(compiled ${PROJECT_BINARY_DIR}/kernels/${name}.compiled.spv)
    # Two commands: the dependencies that glslang writes are those of the file it writes.
    add_custom_command(OUTPUT ${module} COMMAND ${SPIRV_OPT} ${passes} ${compiled} -o ${module}
      DEPENDS ${compiled} COMMENT "Kernel ${name}, optimized" VERBATIM)
  endif()
  onepass_glslang_command(command ${source} ${ARGN})
  add_custom_command(OUTPUT ${compiled} COMMAND ${command} --depfile ${compiled}.d -o ${compiled} ${source}
    DEPENDS ${source} DEPFILE ${compiled}.d COMMENT "Kernel ${name}" VERBATIM)
  onepass_register_kernel(${name})
endfunction()

function(onepass_add_kernel_table)
  cmake_parse_arguments(PARSE_ARGV 0 table "" SOURCE "DEFAULTS;ROWS")
  foreach(row IN LISTS table_ROWS)
    string(REGEX REPLACE " +" ";" definitions "${row}")
    list(POP_FRONT definitions name)
    if(ONEPASS_COMPILED_KERNELS)
      onepass_register_kernel(${name})
      continue()
    endif()
    set(passes --compact-ids)
    if("INLINED" IN_LIST definitions)
      set(passes ${ONEPASS_INLINE})
    elseif("INLINED_TIDY" IN_LIST definitions)
      set(passes ${ONEPASS_INLINE} ${ONEPASS_TIDY} --compact-ids)
    endif()
    list(REMOVE_ITEM definitions INLINED INLINED_TIDY)
    foreach(definition IN LISTS definitions)
      if(NOT definition MATCHES "^[A-Za-z0-9_]+=")
        message(FATAL_ERROR "onepass_add_kernel_table: kernel ${name}: '${definition}' is neither INLINED, INLINED_TIDY nor "
          "MACRO=VALUE")
      endif()
    endforeach()
    foreach(default IN LISTS table_DEFAULTS)
      string(REGEX REPLACE "=.*" "" macro ${default})
      if(NOT definitions MATCHES "(^|;)${macro}=")
        list(APPEND definitions ${default})
      endif()
    endforeach()
    onepass_define_kernel(${name} ${CMAKE_CURRENT_LIST_DIR}/${table_SOURCE} "${passes}" ${definitions})
  endforeach()
endfunction()

# ToneMap of tone_map: the middle of the name of a set of kernels.
function(onepass_words_of_module out module)
  string(REPLACE "_" ";" words ${module})
  set(joined "")
  foreach(word IN LISTS words)
    string(SUBSTRING ${word} 0 1 first)
    string(SUBSTRING ${word} 1 -1 rest)
    string(TOUPPER ${first} first)
    string(APPEND joined ${first}${rest})
  endforeach()
  set(${out} ${joined} PARENT_SCOPE)
endfunction()

function(onepass_embed_kernels target)
  get_property(modules GLOBAL PROPERTY ONEPASS_KERNEL_MODULES)
  set(folder ${ONEPASS_KERNEL_FOLDER})
  set(all "")
  set(sources "")
  foreach(module IN LISTS modules)
    get_property(names GLOBAL PROPERTY ONEPASS_KERNELS_OF_${module})
    list(APPEND all ${names})
    onepass_words_of_module(words ${module})
    set(set_name k${words}Kernels)
    set(source ${folder}/${set_name}.cpp)
    target_sources(${target} PRIVATE ${source})
    list(APPEND sources ${source})
    set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    if(ONEPASS_COMPILED_KERNELS)
      if(NOT EXISTS ${source})
        message(FATAL_ERROR "ONEPASS_COMPILED_KERNELS: ${source} is missing: ${folder} is not the folder kernels of a "
          "finished build of these sources")
      endif()
      continue()
    endif()
    list(TRANSFORM names PREPEND ${folder}/ OUTPUT_VARIABLE modules_of_set)
    list(TRANSFORM modules_of_set APPEND .spv)
    if(PERL_PROGRAM AND XZ_PROGRAM)
      set(script ${PROJECT_SOURCE_DIR}/cmake/pack_kernels.pl ${PROJECT_SOURCE_DIR}/cmake/kernel_set.pl)
      list(GET script 0 program)
      set(command ${PERL_PROGRAM} ${program} ${XZ_PROGRAM} "${ONEPASS_SPIRV_TEXT}" ${set_name} ${folder} ${names})
    else()
      set(script ${PROJECT_SOURCE_DIR}/cmake/StoreKernels.cmake)
      list(JOIN names "," joined)
      set(command ${CMAKE_COMMAND} -DSET=${set_name} -DFOLDER=${folder} -DNAMES=${joined} -P ${script})
    endif()
    add_custom_command(OUTPUT ${source} COMMAND ${command} DEPENDS ${modules_of_set} ${script}
      COMMENT "Kernels of ${module}, packed" VERBATIM)
  endforeach()
  set_property(GLOBAL PROPERTY ONEPASS_EMBEDDED_KERNELS ${all})
  if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(onepass_kernels DEPENDS ${sources})  # for source releases
  endif()
endfunction()

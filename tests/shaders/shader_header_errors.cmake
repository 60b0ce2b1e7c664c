# cmake -DGLSLANG= -DROOT= -DFOLDER= [-DFILES=] -P shader_header_errors.cmake: shaders with missing or contradictory
# macros must fail to compile, in both languages, with a message that says why. With FILES, the headers are those that
# scripts/shader-files wrote to this folder.
cmake_policy(SET CMP0057 NEW)  # if(IN_LIST)
file(MAKE_DIRECTORY ${FOLDER})
set(failures 0)
set(count 0)

# expect(LANGUAGES HEADER SENTENCE DEFINITIONS...): HEADER has no file name extension; SENTENCE is part of the message.
function(expect languages header sentence)
  foreach(language IN LISTS languages)
    set(text "")
    if(language STREQUAL glsl)
      set(text "#version 460\n#extension GL_GOOGLE_include_directive : require\n")
    endif()
    foreach(definition IN LISTS ARGN)
      string(REPLACE "=" " " definition "${definition}")
      string(APPEND text "#define ${definition}\n")
    endforeach()
    set(file ${FOLDER}/${header}_${language}.comp)
    set(include "onepass/${header}.${language}")
    set(path -I${ROOT}/shaders)
    if(FILES)
      set(file ${FILES}/${header}_${language}_error.comp)  # beside them, without an include path
      set(include "onepass_${header}.${language}")
      set(path "")
    endif()
    string(APPEND text "#include \"${include}\"\nvoid main() {}\n")
    file(WRITE ${file} "${text}")
    set(flags --target-env vulkan1.2)
    if(language STREQUAL hlsl)
      set(flags -D --target-env vulkan1.1 -e main)
    endif()
    execute_process(COMMAND ${GLSLANG} ${flags} -S comp ${path} -o ${FOLDER}/unused.spv ${file}
      RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    string(FIND "${output}" "${sentence}" at)
    if(result EQUAL 0 OR at EQUAL -1)
      message(SEND_ERROR "${header}.${language} with ${ARGN}: expected '${sentence}', got\n${output}")
    endif()
  endforeach()
endfunction()

set(both glsl hlsl)
set(sound ONEPASS_ELEMENT=float ONEPASS_PARAMS=pc ONEPASS_FOOTPRINT=ONEPASS_COVERING "ONEPASS_COUNTERS(i)=counters[i]"
  "ONEPASS_INTERMEDIATE(i)=kept[i]")
expect("${both}" pyramid "define ONEPASS_ELEMENT, what a texel is" ONEPASS_PARAMS=pc ONEPASS_FOOTPRINT=1)
expect("${both}" pyramid "define ONEPASS_PARAMS, an expression" ONEPASS_ELEMENT=float ONEPASS_FOOTPRINT=1)
expect("${both}" pyramid "define ONEPASS_FOOTPRINT:" ONEPASS_ELEMENT=float ONEPASS_PARAMS=pc)
expect("${both}" pyramid "ONEPASS_TIGHT levels are not made of finer levels" ONEPASS_ELEMENT=float ONEPASS_PARAMS=pc
  ONEPASS_FOOTPRINT=ONEPASS_TIGHT)
expect("${both}" pyramid "ONEPASS_COLUMN_PASSES is 1, or 2" ${sound} ONEPASS_COLUMN_PASSES=3)
expect("${both}" pyramid "ONEPASS_WINDOW_ROWS is 8, 4 or 2" ${sound} ONEPASS_WINDOW_ROWS=3)
expect("${both}" pyramid "ONEPASS_ELEMENT_IS_STRUCT needs ONEPASS_SUBGROUP 0" ${sound} ONEPASS_ELEMENT_IS_STRUCT
  ONEPASS_SUBGROUP=1)
expect("${both}" pyramid "ONEPASS_REDUCE3_NESTS is for your own onepass_reduce2" ${sound} ONEPASS_REDUCTION=1
  ONEPASS_REDUCE3_NESTS)
expect("${both}" pyramid "ONEPASS_OWN_REDUCE4 needs ONEPASS_ALIGNED" ${sound} ONEPASS_OWN_REDUCE4)
expect("${both}" pyramid "ONEPASS_OWN_REDUCE4 takes the place of" ${sound} ONEPASS_OWN_REDUCE4 ONEPASS_REDUCTION=1)
expect("${both}" pyramid "ONEPASS_OWN_REDUCE4 takes the place of" ${sound} ONEPASS_OWN_REDUCE4 ONEPASS_REDUCE3_NESTS)
expect("${both}" pyramid "ONEPASS_WINDOW_ONLY needs ONEPASS_SUBGROUP 1" ${sound} ONEPASS_REDUCTION=1 ONEPASS_WINDOW_ONLY=1)
expect("${both}" pyramid "ONEPASS_WINDOW_ONLY and ONEPASS_TWO_TO_ONE_ONLY exclude" ${sound} ONEPASS_REDUCTION=1
  ONEPASS_WINDOW_ONLY=1 ONEPASS_SUBGROUP=1 ONEPASS_TWO_TO_ONE_ONLY=1)
expect("${both}" pyramid "ONEPASS_REDUCTION is ONEPASS_MEAN, ONEPASS_MIN" ${sound} ONEPASS_REDUCTION=4)
expect("${both}" pyramid "define ONEPASS_COUNTERS(i) and ONEPASS_INTERMEDIATE(i)" ONEPASS_ELEMENT=float ONEPASS_PARAMS=pc
  ONEPASS_FOOTPRINT=1 "ONEPASS_INTERMEDIATE(i)=kept[i]")
expect(glsl pyramid "a macro of yours has the name of an HLSL type" ${sound} float2=vec2)
expect(hlsl pyramid "ONEPASS_MEMORY_MODEL is for GLSL" ${sound} ONEPASS_MEMORY_MODEL=1)
set(sound ONEPASS_ELEMENT=float ONEPASS_TILE_COMPONENTS=1)
expect("${both}" tile_reduction "define ONEPASS_ELEMENT, the type of a texel" ONEPASS_TILE_COMPONENTS=1
  ONEPASS_TILE_STRATEGY=2)
expect("${both}" tile_reduction "define ONEPASS_TILE_COMPONENTS" ONEPASS_ELEMENT=float ONEPASS_TILE_STRATEGY=2)
expect("${both}" tile_reduction "define ONEPASS_TILE_STRATEGY: " ${sound} ONEPASS_TILE_STRATEGY=1)
expect("${both}" tile_reduction "components of ONEPASS_ELEMENT: 1, 2 or 4" ONEPASS_ELEMENT=float3 ONEPASS_TILE_COMPONENTS=3
  ONEPASS_TILE_STRATEGY=2)
expect("${both}" tile_reduction "define ONEPASS_TILE_STRATEGY: " ${sound} ONEPASS_TILE_STRATEGY=4)
expect("${both}" tile_reduction "ONEPASS_TILE_SUBGROUP shuffles" ${sound} ONEPASS_TILE_STRATEGY=3)
expect("${both}" tile_reduction "ONEPASS_REDUCTION needs ONEPASS_TILE_SOURCE_SIZE" ${sound} ONEPASS_TILE_STRATEGY=2
  ONEPASS_REDUCTION=1)
expect("${both}" tile_reduction "ONEPASS_MIN_MAX has two components" ${sound} ONEPASS_TILE_STRATEGY=2 ONEPASS_REDUCTION=3
  ONEPASS_TILE_SOURCE_SIZE=size)
expect("${both}" fourier "define ONEPASS_FOURIER_SIGNALS: 1" ONEPASS_FOURIER_SIGNALS=3)
expect("${both}" fourier "define ONEPASS_FOURIER_LENGTH, ONEPASS_FOURIER_LANES" ONEPASS_FOURIER_SIGNALS=1
  ONEPASS_FOURIER_LENGTH=8u)
expect("${both}" fourier "define ONEPASS_FOURIER_PASSES and" ONEPASS_FOURIER_SIGNALS=1
  ONEPASS_FOURIER_LENGTH=8u ONEPASS_FOURIER_LANES=1u ONEPASS_FOURIER_LINES=1u)
expect("${both}" luminance_meter "ONEPASS_LUMINANCE_PASS is 0 (one dispatch)" ONEPASS_LUMINANCE_PASS=3)
expect("${both}" luminance_meter "maps and meters in one dispatch" ONEPASS_LUMINANCE_PASS=1 ONEPASS_LUMINANCE_FRAME=1)
expect("${both}" tone_map "define ONEPASS_TONE_PROGRAM, a ToneMapProgram")
expect("${both}" tone_map "define all of ONEPASS_TONE_MIX" ONEPASS_TONE_PROGRAM=p "ONEPASS_TONE_CUBICS(i)=c[i]")
# The callbacks of SPD are missing, too, but a preprocessor stops first.
expect("${both}" spd "ONEPASS_SUBGROUP 1 and SPD_NO_WAVE_OPERATIONS exclude" ONEPASS_SUBGROUP=1 SPD_NO_WAVE_OPERATIONS)
expect("${both}" spd "define ONEPASS_SPD_SIZE, the size" ONEPASS_REDUCTION=ONEPASS_MEAN)
expect("${both}" spd "need single texels: undefine SPD_LINEAR_SAMPLER" ONEPASS_REDUCTION=ONEPASS_MAX
  "ONEPASS_SPD_SIZE=float2(1,1)" SPD_LINEAR_SAMPLER)
expect("${both}" spd "ONEPASS_FOOTPRINT is ONEPASS_ALIGNED" ONEPASS_FOOTPRINT=ONEPASS_EDGE)
expect("${both}" spd "ONEPASS_MIN_MAX has two components" ONEPASS_REDUCTION=ONEPASS_MIN_MAX "ONEPASS_SPD_SIZE=float2(1,1)")
expect(glsl spd "not in terms of the Vulkan memory model" ONEPASS_MEMORY_MODEL=1)
set(sound "ONEPASS_LOAD_NEAREST(level,cell)=0.5" "ONEPASS_LOAD_NORMAL(texel)=n")
expect("${both}" reflection_march "define ONEPASS_LOAD_NEAREST and ONEPASS_LOAD_NORMAL" ONEPASS_CLIP_FROM_WORLD=m)
expect("${both}" reflection_march "define ONEPASS_CLIP_FROM_WORLD and ONEPASS_WORLD_FROM_CLIP" ${sound}
  ONEPASS_WORLD_FROM_CLIP=m)
set(sound "ONEPASS_LOAD_SURFACE(texel)=s" "ONEPASS_LOAD_RAYS(texel,value,distance)=r" "ONEPASS_LOAD_LAST(a,b,c,d)=l")
expect("${both}" reflection_denoise "define ONEPASS_LOAD_SURFACE and ONEPASS_LOAD_RAYS" "ONEPASS_LOAD_SURFACE(texel)=s")
expect("${both}" reflection_denoise "define ONEPASS_LOAD_LIGHT and ONEPASS_LAST_PLACE" ${sound})
expect("${both}" reflection_denoise "define ONEPASS_WORLD_FROM_CLIP and both ONEPASS_LAST_" ${sound}
  "ONEPASS_LOAD_LIGHT(texel)=l" "ONEPASS_LAST_PLACE(texel,surface)=p")

if(FILES)
  return()
endif()

# Elements of half precision.
foreach(subgroup 0 1)
  execute_process(COMMAND ${GLSLANG} --target-env vulkan1.2 -S comp -I${ROOT}/shaders -DONEPASS_SUBGROUP=${subgroup}
    -o ${FOLDER}/unused.spv ${ROOT}/tests/shaders/half_elements.comp RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(SEND_ERROR "half_elements.comp with ONEPASS_SUBGROUP=${subgroup}:\n${output}")
  endif()
endforeach()

# The head of pyramid.glsl has few macros. Those that a header of pyramids has a default for are there or on the pages.
file(READ ${ROOT}/shaders/onepass/pyramid.glsl text)
string(REGEX REPLACE "#ifndef.*" "" head "${text}")
string(REGEX MATCHALL "ONEPASS_[A-Z0-9_]+" described "${head}")
list(REMOVE_DUPLICATES described)
list(LENGTH described count)
if(count GREATER 25)
  message(SEND_ERROR "the head of pyramid.glsl has ${count} macros, more than 25: ${described}")
endif()
foreach(page pyramid custom_reduction README)
  file(READ ${ROOT}/docs/shaders/${page}.md text)
  string(REGEX MATCHALL "ONEPASS_[A-Z0-9_]+" names "${text}")
  list(APPEND described ${names})
endforeach()
file(GLOB headers ${ROOT}/shaders/onepass/pyramid*.glsl ${ROOT}/shaders/onepass/workgroup_exchange.glsl)
foreach(header IN LISTS headers)
  file(READ ${header} text)
  string(REGEX MATCHALL "(#ifndef |#ifdef |defined\\()ONEPASS_[A-Z0-9_]*[A-Z0-9]" names "${text}")
  list(TRANSFORM names REPLACE ".*(ONEPASS_)" "\\1")
  foreach(name IN LISTS names)
    string(REGEX MATCH "#ifndef ${name}_" guard "${text}")
    if(NOT name IN_LIST described AND guard STREQUAL "")
      message(SEND_ERROR "${header}: ${name} is neither in the head of pyramid.glsl nor in docs/shaders/")
    endif()
  endforeach()
endforeach()

# Runs the ocean sample at small sizes under the validation layers: its fields agree with sums in double, its pictures and
# its table of times are written, wrong options are refused. Times are not checked.
# Call: cmake -DPROGRAM=... -DFOLDER=... -P sample_ocean_test.cmake
file(REMOVE_RECURSE ${FOLDER})

if(NOT DEFINED ENV{ONEPASS_TEST_DEVICE})
  set(ENV{ONEPASS_TEST_DEVICE} llvmpipe)
endif()
set(validation --validation)
if("$ENV{ONEPASS_TEST_VALIDATION}" STREQUAL "0")
  set(validation "")
endif()

# Runs the program, which must succeed, and sets `printed` to its output.
function(run_sample)
  execute_process(COMMAND ${PROGRAM} --device $ENV{ONEPASS_TEST_DEVICE} ${validation} ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE complaints)
  if(NOT status EQUAL 0 OR NOT complaints STREQUAL "")
    message(FATAL_ERROR "ocean ${ARGN}: ${status}\n${printed}\n${complaints}")
  endif()
  if(NOT printed MATCHES "fields agree with the sums in double")
    message(FATAL_ERROR "no word about the sums:\n${printed}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

function(expect_files)
  foreach(file ${ARGN})
    if(NOT EXISTS ${FOLDER}/${file})
      message(FATAL_ERROR "no ${FOLDER}/${file}")
    endif()
  endforeach()
endfunction()

run_sample(--texels 64 --size 161x91 --frames 40 --sequence 2 --timed 2 --output ${FOLDER}/small)
expect_files(small/ocean.png small/maps.png small/sequence/0000.png small/sequence/0001.png)
if(NOT printed MATCHES "\ninverse transform, 64x64, 6 slices of 2 signals +[0-9.]+ +[0-9.]+ +[0-9.]+\n" OR
   NOT printed MATCHES "\nmip chains of 9 layers +[0-9.]+")
  message(FATAL_ERROR "no table of times:\n${printed}")
endif()
# Long in the animation, calm, without and with much horizontal displacement, up to the default number of texels.
run_sample(--texels 128 --size 16x16 --frames 400 --wind 3 --choppiness 0 --timed 0 --output ${FOLDER}/calm)
run_sample(--texels 256 --size 64x36 --frames 2 --wind 25 --choppiness 2 --timed 0 --jpeg --output ${FOLDER}/storm)
expect_files(storm/ocean.jpg storm/maps.jpg)
if(printed MATCHES "microseconds")
  message(FATAL_ERROR "a table of times in spite of --timed 0:\n${printed}")
endif()

# Wrong options give status 2 and one line that names the option; later errors give status 1 and one line.
function(expect_error status expected)
  execute_process(COMMAND ${PROGRAM} ${ARGN} WORKING_DIRECTORY ${FOLDER}
    RESULT_VARIABLE got OUTPUT_QUIET ERROR_VARIABLE complaint)
  if(NOT got EQUAL status OR NOT complaint MATCHES "^ocean: [^\n]*${expected}[^\n]*\n$")
    message(FATAL_ERROR "ocean ${ARGN}: status ${got}, '${complaint}', not ${status}, '${expected}'")
  endif()
endfunction()
expect_error(2 "--size: '100' is not a size" --size 100)
expect_error(2 "'8' is not a number from 16 to 4096" --size 8x100)
expect_error(2 "--texels: '100' is not a power of two" --texels 100)
expect_error(2 "--texels: '2048' is not a number from 64 to 1024" --texels 2048)
expect_error(2 "--wind: 'nan'" --wind nan)
expect_error(2 "--choppiness: 'nan' is not a number from 0 to 2" --choppiness nan)
expect_error(2 "--frames: needs a value" --frames)
expect_error(2 "--frames: '1' is not a number from 2" --frames 1)
expect_error(2 "unknown option '--fast'" --fast)
expect_error(1 "no such device" --device "no such device")
expect_error(1 "ocean.png" --output ${FOLDER}/small/ocean.png/folder)

execute_process(COMMAND ${PROGRAM} --help RESULT_VARIABLE status OUTPUT_VARIABLE printed)
if(NOT status EQUAL 0 OR NOT printed MATCHES "--choppiness")
  message(FATAL_ERROR "--help: ${status}\n${printed}")
endif()

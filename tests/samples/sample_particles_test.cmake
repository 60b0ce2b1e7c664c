# Runs the particles sample at small sizes under the validation layers: both methods draw the same image, the visible
# share is near the requested one, the files are written, wrong options are refused. Times are not checked.
# Call: cmake -DPROGRAM=... -DFOLDER=... -P sample_particles_test.cmake
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
  execute_process(COMMAND ${PROGRAM} --device $ENV{ONEPASS_TEST_DEVICE} ${validation} --particles 20000 --frames 2 ${ARGN}
    RESULT_VARIABLE status OUTPUT_VARIABLE printed ERROR_VARIABLE complaints)
  if(NOT status EQUAL 0 OR NOT complaints STREQUAL "")
    message(FATAL_ERROR "particles ${ARGN}: ${status}\n${printed}\n${complaints}")
  endif()
  set(printed "${printed}" PARENT_SCOPE)
endfunction()

# The number after `what` in the output must be from `least` to `most`.
function(expect_between what least most)
  if(NOT printed MATCHES "${what} +([0-9.]+)")
    message(FATAL_ERROR "no line '${what}' in\n${printed}")
  endif()
  if(CMAKE_MATCH_1 LESS ${least} OR CMAKE_MATCH_1 GREATER ${most})
    message(FATAL_ERROR "${what} is ${CMAKE_MATCH_1}, not ${least} to ${most}\n${printed}")
  endif()
endfunction()

function(expect_files folder)
  foreach(name depth tiles particles full_reads)
    if(NOT EXISTS ${folder}/${name}.png)
      message(FATAL_ERROR "no ${folder}/${name}.png")
    endif()
  endforeach()
endfunction()

# If each of 20,000 particles is visible with probability p, the visible share has a standard deviation of at most
# 0.36 %; 1.5 % are 4 standard deviations.
foreach(size 320x180 319x179)
  foreach(factor 4 16)
    foreach(visible 0.3 0.8)
      set(folder ${FOLDER}/${size}_${factor})
      if(visible EQUAL 0.3)
        run_sample(--size ${size} --factor ${factor} --visible ${visible} --output ${folder})
        expect_between(visible 28.5 31.5)
      else()
        run_sample(--size ${size} --factor ${factor} --visible ${visible} --output ${folder} --reversed-z)
        expect_between(visible 78.5 81.5)
      endif()
      if(NOT printed MATCHES "of \\(a\\) and \\(b\\) are identical, bit for bit")
        message(FATAL_ERROR "not a word about (a) and (b):\n${printed}")
      endif()
      expect_between(particles 20000 20000)
      expect_between(proved 50 100)  # below 50 % tiles would be useless
      expect_files(${folder})
    endforeach()
  endforeach()
endforeach()

# Extremes: nothing visible, everything visible; one texel, one particle; a very narrow image.
run_sample(--size 64x64 --visible 0 --output ${FOLDER}/none)
expect_between(visible 0 0)
run_sample(--size 64x64 --visible 1 --output ${FOLDER}/all)
expect_between(visible 100 100)
run_sample(--size 1x1 --particles 1 --factor 64 --output ${FOLDER}/one)
run_sample(--size 5x333 --factor 2 --band 0.05 --output ${FOLDER}/narrow)

# The sweep writes a header and 3 * 3 * 2 * 2 rows: particle counts, visible fractions, warm and cold, (a) and (b).
run_sample(--size 160x90 --steps 2 --csv ${FOLDER}/sweep.csv --output ${FOLDER}/sweep)
file(STRINGS ${FOLDER}/sweep.csv lines)
list(LENGTH lines count)
if(NOT count EQUAL 37)
  message(FATAL_ERROR "${count} lines in ${FOLDER}/sweep.csv, not 37")
endif()
foreach(expected
    "^device,driver,width,height,factor,reversed_z,band,particles,visible_requested,visible,proved_of_visible,caches,test,full_read_share,median_us,least_us,most_us,build_us,build_and_draw_us,gain,gain_with_build$"
    ",160,90,16,0,0.900,1250,0.000,0.00000,0.00000,warm,full_resolution,1.00000,[0-9.]+,[0-9.]+,[0-9.]+,,,,$"
    ",160,90,16,0,0.900,5000,0.500,0.[45][0-9]+,[0-9.]+,cold,tile_first,0.[0-9]+,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,[0-9.]+,-?[0-9.]+,-?[0-9.]+$"
    ",160,90,16,0,0.900,20000,1.000,1.00000,[0-9.]+,warm,tile_first,")
  set(found ${lines})
  list(FILTER found INCLUDE REGEX "${expected}")
  if(NOT found)
    message(FATAL_ERROR "no line '${expected}' in ${FOLDER}/sweep.csv")
  endif()
endforeach()

# Wrong options give status 2 and one line that names the option; later errors give status 1 and one line.
function(expect_error status expected)
  execute_process(COMMAND ${PROGRAM} ${ARGN} WORKING_DIRECTORY ${FOLDER}
    RESULT_VARIABLE got OUTPUT_QUIET ERROR_VARIABLE complaint)
  if(NOT got EQUAL status OR NOT complaint MATCHES "^particles: [^\n]*${expected}[^\n]*\n$")
    message(FATAL_ERROR "particles ${ARGN}: status ${got}, '${complaint}', not ${status}, '${expected}'")
  endif()
endfunction()
expect_error(2 "--size: '100'" --size 100)
expect_error(2 "--size: '0x5'" --size 0x5)
expect_error(2 "--size: '9x99999'" --size 9x99999)
expect_error(2 "--visible" --visible 1.5)
expect_error(2 "--visible" --visible nan)
expect_error(2 "--visible" --visible much)
expect_error(2 "--particles" --particles 0)
expect_error(2 "--particles" --particles -4)
expect_error(2 "--factor" --factor 12)
expect_error(2 "--factor" --factor 128)
expect_error(2 "--band" --band 1)
expect_error(2 "--frames" --frames 0)
expect_error(2 "--sizes" --sizes 3x3)
expect_error(1 "no such device" --device "no such device")
expect_error(1 "missing" --csv ${FOLDER}/missing/sweep.csv)
expect_error(1 "sweep.csv" --output ${FOLDER}/sweep.csv/folder)

execute_process(COMMAND ${PROGRAM} --help RESULT_VARIABLE status OUTPUT_VARIABLE printed)
if(NOT status EQUAL 0 OR NOT printed MATCHES "--visible" OR NOT printed MATCHES "--csv")
  message(FATAL_ERROR "--help: ${status}\n${printed}")
endif()

# cmake -DSPIRV_OPT= -DINPUT= -DNAME= -DOUTPUT= -P InlineKernel.cmake: a C header with INPUT, a SPIR-V module, in which every
# call is replaced by what is called. Functions that return early are given one return first, or they could not be.
execute_process(COMMAND ${SPIRV_OPT} --merge-return --inline-entry-points-exhaustive --eliminate-dead-functions ${INPUT}
                        -o ${INPUT}.inlined
  RESULT_VARIABLE result OUTPUT_VARIABLE messages ERROR_VARIABLE messages)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "spirv-opt: ${messages}")
endif()
file(READ ${INPUT}.inlined bytes HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," words "${bytes}")
string(REGEX REPLACE "((0x........,)(0x........,)(0x........,)(0x........,)(0x........,)(0x........,)(0x........,)(0x........,))" "\\1\n" words "${words}")
file(WRITE ${OUTPUT} "const uint32_t kernel_${NAME}[] = {\n${words}};\n")

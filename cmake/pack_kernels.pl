# perl pack_kernels.pl XZ TOOLS SET FOLDER NAME...: writes FOLDER/SET.cpp, which defines the KernelSet SET
# (src/vulkan/kernels.hpp) of the SPIR-V modules FOLDER/NAME.spv. Modules follow each other in groups, which the program
# XZ compresses. What makes variants of one kernel alike, so that they compress to a fiftieth:
#
#   1. Ids are renamed: a type, constant or variable has one id in all modules of the set, in which it has the same
#      declaration; other ids follow in the order in which they first appear. TOOLS is the folder of spirv-dis and
#      spirv-as, or empty, and ids stay as they are.
#   2. In functions, an id that is not one of 1's shared ids becomes its distance from the largest before it.
#   3. A word is stored in as many bytes as it needs.
#
# src/vulkan/unpack_kernel.cpp is the inverse of 2 and 3.
use strict;
use warnings;
use FindBin;
require "$FindBin::Bin/kernel_set.pl";
# A group's bytes before compression: larger groups are smaller in all, and take longer to decompress.
use constant {GROUP_BYTES => 1 << 21, HEADER => 5, BOUND => 3, SCHEMA => 4, OP_FUNCTION => 54};

# The lines of a module as text.
sub disassemble {
  my ($tools, $path) = @_;
  my $text = qx{"$tools/spirv-dis" --raw-id --no-indent --no-header --no-color "$path"};
  die "spirv-dis failed for $path\n" if $? != 0;
  return split /\n/, $text;
}

# New ids of a module's global declarations: %$shared maps the text of a declaration, which names other ids by their new
# ones and has its decorations, to its id.
sub share_ids {
  my ($shared, @lines) = @_;
  my (%ids, %decorations, %seen);
  for (@lines) {
    push @{$decorations{$1}}, $_ =~ s/^(\S+) %\d+/$1/r if /^Op(?:Member)?Decorate %(\d+)/;
  }
  for (@lines) {
    last if /= OpFunction /;
    my ($id, $declaration) = /^%(\d+) = (.*)/ or next;
    $declaration =~ s/%(\d+)/%$ids{$1}/g;
    $declaration = join ';', $declaration, sort @{$decorations{$id} // []};
    $declaration .= ';again' while $seen{$declaration}++;
    $shared->{$declaration} = 1 + keys %$shared if !exists $shared->{$declaration};
    $ids{$id} = $shared->{$declaration};
  }
  return \%ids;
}

# The words of the module with ids renamed: %$ids has those of global declarations.
sub rename_ids {
  my ($tools, $folder, $ids, $shared_count, @lines) = @_;
  my $next = $shared_count + 1;
  s/%(\d+)/'%' . ($ids->{$1} \/\/= $next++)/ge for @lines;
  my ($text, $module) = ("$folder/renamed.$$.txt", "$folder/renamed.$$.spv");
  write_file($text, join "\n", @lines, '');
  system("$tools/spirv-as", '--preserve-numeric-ids', '--target-env', 'spv1.5', $text, '-o', $module) == 0
    or die "spirv-as failed\n";
  my @words = unpack 'V*', read_file($module);
  unlink $text, $module;
  return @words;
}

# The numbers of a module in bytes, the highest seven bits of a number first; the eighth bit says that more follow. The
# header's unused word holds the number of shared ids. An instruction is its opcode, its length and its other words: twice
# each word, or twice the distance and 1.
sub encode {
  my ($shared_count, @words) = @_;
  $words[SCHEMA] = $shared_count;
  my @numbers = @words[0 .. HEADER - 1];
  my $bound = $words[BOUND];
  my $span = $bound - $shared_count - 1;
  my ($largest, $in_function) = ($shared_count, 0);
  my $length;
  for (my $at = HEADER; $at < @words; $at += $length) {
    $length = $words[$at] >> 16;
    die "not a SPIR-V module\n" if $length == 0 || $at + $length > @words;
    my $opcode = $words[$at] & 0xFFFF;
    $in_function ||= $opcode == OP_FUNCTION;
    push @numbers, $opcode, $length;
    for my $word (@words[$at + 1 .. $at + $length - 1]) {
      if ($in_function && $word > $shared_count && $word < $bound) {
        push @numbers, 2 * (($largest + 1 - $word) % $span) + 1;
        $largest = $word if $word > $largest;
      } else {
        push @numbers, 2 * $word;
      }
    }
  }
  return pack 'w*', @numbers;
}

my ($xz, $tools, $set, $folder, @names) = @ARGV;
my (%shared, %lines, %ids);
if ($tools ne '') {
  for my $name (@names) {
    $lines{$name} = [disassemble($tools, "$folder/$name.spv")];
    $ids{$name} = share_ids(\%shared, @{$lines{$name}});
  }
}
my @kernels;
for my $name (@names) {
  my @words = $tools eq '' ? unpack('V*', read_file("$folder/$name.spv"))
                           : rename_ids($tools, $folder, $ids{$name}, scalar keys %shared, @{$lines{$name}});
  push @kernels, [$name, encode(scalar keys %shared, @words)];
}
write_kernel_set($xz, $set, $folder, 'vulkan/kernels.hpp', 'onepass::vulkan', GROUP_BYTES, @kernels);

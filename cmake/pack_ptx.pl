# perl pack_ptx.pl XZ SET FOLDER NAME...: writes FOLDER/SET.cpp, which defines the KernelSet SET (src/cuda/kernel.hpp) of
# the files FOLDER/NAME.ptx. Files follow each other in groups, which the program XZ compresses. What makes them a
# thirtieth:
#
#   1. Comments and indentation are removed.
#   2. Registers and labels are numbered in the order in which they first appear; each is written as its distance from the
#      largest number of its class so far, 0 for a new one.
#
# src/cuda/kernel.cpp is the inverse of 2.
use strict;
use warnings;
use FindBin;
require "$FindBin::Bin/kernel_set.pl";
use constant {GROUP_BYTES => 1 << 22};    # before compression: larger groups take longer to decompress

sub pack_text {
  my ($text) = @_;
  $text =~ s{[ \t]*//[^\n]*}{}g;
  $text =~ s/\n[ \t]+/\n/g;
  $text =~ s/^\n+//;
  $text =~ s/\n\n+/\n/g;
  $text =~ s/[ \t]+/ /g;
  $text =~ s/, /,/g;
  my (%numbers, %count);
  my $distance = sub {
    my ($class, $number) = @_;
    $count{$class} //= 0;
    my $known = $numbers{$class}{$number};
    return $class . ($count{$class} - $known) if defined $known;
    $numbers{$class}{$number} = $count{$class}++;
    return $class . 0;
  };
  $text =~ s/(%[a-z]+|BB0_)(\d+)/$distance->($1, $2)/ge;
  return $text;
}

my ($xz, $set, $folder, @names) = @ARGV;
my @kernels = map { [$_, pack_text(read_file("$folder/$_.ptx"))] } @names;
write_kernel_set($xz, $set, $folder, 'cuda/kernel.hpp', 'onepass::cuda', GROUP_BYTES, @kernels);

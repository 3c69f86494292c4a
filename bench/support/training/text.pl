# Lines matched, rewritten and counted.
my $rounds = shift || 700;
my $seed = 7;
sub random { $seed = ($seed * 1103515245 + 12345) % 2147483648; return $seed % $_[0] }
my @words = map { join '', map { chr(97 + random(26)) } 0 .. 2 + random(7) } 1 .. 400;
my (%count, $found, $length);
for my $round (1 .. $rounds) {
  my @lines = map { sprintf '%04d %s: %s=%s; %s', random(3000), map { $words[random(400)] } 1 .. 4 } 1 .. 150;
  for (@lines) {
    next unless /^(\d+)\s+(\w+): (\w+)=(\w+)/;
    $count{$2}++;
    $found++ if $1 > 1500 && $3 =~ /[aeiou]{2}/;
    s/([a-m]+)/\u$1/g;
    $length += length join '-', reverse split /[ =;]+/;
    tr/a-z//d if index($_, 'Ab') > 0;
    $length += length;
  }
}
my @top = (sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count)[0 .. 4];
print "@top ", $found + 0, " $length\n";

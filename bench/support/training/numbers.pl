# Arithmetic: primes, a matrix, an n-body step, Collatz.
my $rounds = shift || 700;
my ($sum, @primes) = (0);
for my $round (1 .. $rounds) {
  my @sieve = (1) x 1500;
  for my $i (2 .. 38) { next unless $sieve[$i]; for (my $j = $i * $i; $j < 1500; $j += $i) { $sieve[$j] = 0 } }
  @primes = grep { $sieve[$_] } 2 .. 1499;
  my @a = map { my $r = $_; [map { ($r * $_ + $round) % 11 } 0 .. 11] } 0 .. 11;
  my @c;
  for my $i (0 .. 11) { for my $j (0 .. 11) { my $s = 0; $s += $a[$i][$_] * $a[$_][$j] for 0 .. 11; $c[$i][$j] = $s } }
  $sum += $c[$_][11 - $_] for 0 .. 11;
  my ($x, $v) = (1.0, 0.1);
  for (1 .. 300) { my $f = -$x / (1 + $x ** 2); $v += $f * 0.01; $x += $v * 0.01; $sum += int(abs($x) * 3) & 1 }
  for my $n (1 .. 60) { my $k = $n + $round; while ($k != 1) { $k = $k % 2 ? 3 * $k + 1 : $k / 2; $sum++ } }
}
print scalar(@primes), " $sum\n";

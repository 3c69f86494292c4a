# Cells in a hash, a search in a grid, and edit distances: other work than what is trained.
my $rounds = shift || 300;
my %cell = map { $_ => 1 } map { my $x = $_; map { "$x,$_" } grep { ($x * 7 + $_ * 13) % 5 < 2 } 0 .. 12 } 0 .. 12;
for (1 .. $rounds) {
  my %near;
  for my $at (keys %cell) {
    my ($x, $y) = split /,/, $at;
    for my $dx (-1 .. 1) { for my $dy (-1 .. 1) { $near{($x + $dx) . ',' . ($y + $dy)}++ if $dx || $dy } }
  }
  %cell = map { $_ => 1 } grep { $near{$_} == 3 || $near{$_} == 2 && $cell{$_} } keys %near;
}
my @words = map { my $n = $_; join '', map { chr 97 + ($n * $_ * 17) % 23 } 1 .. 9 } 1 .. $rounds * 8;
my $total = 0;
for my $a (@words) {
  for my $b (@words[0 .. 4]) {
    my @row = 0 .. length $b;
    for my $i (1 .. length $a) {
      my ($before, $c) = ($row[0]++, substr $a, $i - 1, 1);
      for my $j (1 .. length $b) {
        my $cost = $before + ($c ne substr $b, $j - 1, 1);
        $before = $row[$j];
        $row[$j]++;
        $row[$j] = $row[$j - 1] + 1 if $row[$j - 1] + 1 < $row[$j];
        $row[$j] = $cost if $cost < $row[$j];
      }
    }
    $total += $row[-1];
  }
}
my (%seen, @queue) = ();
@queue = ([0, 0, 0]);
while (my $at = shift @queue) {
  my ($x, $y, $d) = @$at;
  next if $x < 0 || $y < 0 || $x > 70 || $y > 70 || $seen{$x}{$y}++ || ($x * $y) % 7 == 5;
  $total += $d;
  push @queue, [$x + 1, $y, $d + 1], [$x - 1, $y, $d + 1], [$x, $y + 1, $d + 1], [$x, $y - 1, $d + 1];
}
print scalar(keys %cell), " $total\n";

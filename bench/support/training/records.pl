# Records written as text and read back by a parser, then grouped: other work than what is trained.
my $rounds = shift || 300;
my $seed = 99;
sub random { $seed = ($seed * 1103515245 + 12345) % 2147483648; return $seed % $_[0] }
sub encode {
  my ($value) = @_;
  return '[' . join(',', map { encode($_) } @$value) . ']' if ref $value eq 'ARRAY';
  return '{' . join(',', map { "\"$_\":" . encode($value->{$_}) } sort keys %$value) . '}' if ref $value eq 'HASH';
  return $value =~ /^-?\d+$/ ? $value : "\"$value\"";
}
sub decode {
  my ($text) = @_;
  if ($$text =~ /\G\[/gc) { my @list; until ($$text =~ /\G\]/gc) { push @list, decode($text); $$text =~ /\G,/gc } return \@list }
  if ($$text =~ /\G\{/gc) {
    my %map;
    until ($$text =~ /\G\}/gc) { $$text =~ /\G"(\w+)":/gc; my $key = $1; $map{$key} = decode($text); $$text =~ /\G,/gc }
    return \%map;
  }
  return $1 if $$text =~ /\G"([^"]*)"/gc;
  return $1 if $$text =~ /\G(-?\d+)/gc;
  die "at " . pos($$text);
}
my %group;
for my $round (1 .. $rounds) {
  my @records = map { { id => random(9999), name => 'n' . random(60), tags => [map { 't' . random(9) } 1 .. 4], at => { x => random(50), y => -random(50) } } } 1 .. 120;
  my $text = encode(\@records);
  my $again = decode(\$text);
  for my $one (@$again) {
    my $slot = $group{$one->{name}} ||= { n => 0, tags => {}, far => 0 };
    $slot->{n}++;
    $slot->{tags}{$_}++ for @{$one->{tags}};
    my $far = abs($one->{at}{x}) + abs($one->{at}{y});
    $slot->{far} = $far if $far > $slot->{far};
  }
}
my @names = sort { $group{$b}{n} <=> $group{$a}{n} || $a cmp $b } keys %group;
print join(' ', map { "$_=$group{$_}{n}/$group{$_}{far}/" . scalar(keys %{$group{$_}{tags}}) } @names[0 .. 9]), "\n";

# Objects with methods, closures and a queue: an event simulation.
my $rounds = shift || 700;
my $seed = 42;
sub random { $seed = ($seed * 1103515245 + 12345) % 2147483648; return $seed % $_[0] }

package Account;
sub new { my ($class, %given) = @_; return bless { balance => 0, history => [], %given }, $class }
sub add { my ($self, $amount) = @_; $self->{balance} += $amount; push @{$self->{history}}, $amount; return $self }
sub fee { return 0 }
sub total { my $self = shift; my $sum = 0; $sum += $_ for @{$self->{history}}; return $sum - $self->fee }

package Account::Business;
our @ISA = ('Account');
sub fee { my $self = shift; return @{$self->{history}} * 0.25 }

package main;
my $sum = 0;
for my $round (1 .. $rounds) {
  my @accounts = map { (random(3) ? 'Account' : 'Account::Business')->new(name => "a$_") } 1 .. 50;
  my @queue = map { [random(1000), random(50)] } 1 .. 200;
  @queue = sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @queue;
  my $handler = sub { my ($event) = @_; $accounts[$event->[1]]->add($event->[0] % 97); };
  while (my $event = shift @queue) {
    $handler->($event);
    push @queue, [$event->[0] + 1, ($event->[1] + 7) % 50] if random(10) < 5 && @queue < 500;
  }
  my %by = map { $_->{name} => $_->total } @accounts;
  $sum += $by{$_} for sort keys %by;
}
print "$sum\n";

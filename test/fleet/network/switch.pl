#!/usr/bin/perl
# An Ethernet switch in user space, with delay, loss and partitions between each two ports: the kernel of a machine may have no
# `netem`, and a frame that is lost here is lost to the real TCP of both hosts.
#
#   switch.pl SEED PORT...            makes a TAP device `tap-PORT` for each port, and prints `ready`
#
# Commands, a line each, on standard input; each is answered by a line:
#
#   rule FROM TO DELAY JITTER LOSS    milliseconds, milliseconds and a share; a loss of 1 cuts the connection
#   clear                             removes all rules
#   count                             prints the frames that were passed on, and that a rule delayed or lost
#
# The order of the frames between two ports stays as it was. It ends with its standard input.
use strict;
use warnings;
use Fcntl;
use Time::HiRes qw(time);

my ($seed, @names) = @ARGV;
srand($seed);
$| = 1;

my ($TUNSETIFF, $IFF_TAP_NO_PI) = (0x400454ca, 0x1002);
my (@taps, %port_of);
for my $port (0 .. $#names) {
  sysopen(my $tap, '/dev/net/tun', O_RDWR | O_NONBLOCK) or die "/dev/net/tun: $!\n";
  my $request = pack('a16 S x22', "tap-$names[$port]", $IFF_TAP_NO_PI);
  ioctl($tap, $TUNSETIFF, $request) or die "TUNSETIFF: $!\n";
  push @taps, $tap;
  $port_of{$names[$port]} = $port;
}
fcntl(STDIN, F_SETFL, fcntl(STDIN, F_GETFL, 0) | O_NONBLOCK);

my (%table, %rules, %queues, %last);
my %count = (passed => 0, delayed => 0, lost => 0);
my $commands = '';
my $reading = '';
vec($reading, fileno($_), 1) = 1 for @taps, \*STDIN;
my %tap_at = map { fileno($taps[$_]) => $_ } 0 .. $#taps;
print "ready\n";

while (1) {
  my $now = time;
  my $wait;
  for my $queue (values %queues) {
    next unless @$queue;
    my $left = $queue->[0][0] - $now;
    $wait = $left if !defined $wait || $left < $wait;
  }
  $wait = 0 if defined $wait && $wait < 0;
  my $ready = select(my $readable = $reading, undef, undef, $wait);
  if ($ready > 0) {
    for my $tap (grep { vec($readable, fileno($taps[$_]), 1) } 0 .. $#taps) {
      # A share for each port: none of them keeps the others waiting.
      for (1 .. 32) {
        my $got = sysread($taps[$tap], my $frame, 65536);
        last unless $got;
        receive($tap, $frame);
      }
    }
    if (vec($readable, fileno(STDIN), 1)) {
      my $got = sysread(STDIN, $commands, 65536, length $commands);
      exit 0 if defined $got && $got == 0;
      command($1) while $commands =~ s/^([^\n]*)\n//;
    }
  }
  $now = time;
  for my $queue (values %queues) {
    while (@$queue && $queue->[0][0] <= $now) {
      my $due = shift @$queue;
      put($due->[1], $due->[2]);
    }
  }
}

sub receive {
  my ($from, $frame) = @_;
  my $target = substr($frame, 0, 6);
  $table{substr($frame, 6, 6)} = $from;
  my $to = $table{$target};
  if (ord($target) & 1 || !defined $to) {
    pass($from, $_, $frame) for grep { $_ != $from } 0 .. $#taps;
  } elsif ($to != $from) {
    pass($from, $to, $frame);
  }
}

sub pass {
  my ($from, $to, $frame) = @_;
  my $pair = "$from $to";
  my $rule = $rules{$pair};
  if (!defined $rule) {
    return put($to, $frame) unless $queues{$pair} && @{$queues{$pair}};
    $rule = [0, 0, 0];
  }
  my ($delay, $jitter, $loss) = @$rule;
  if ($loss > 0 && rand() < $loss) {
    $count{lost}++;
    return;
  }
  my $due = time + ($delay + $jitter * (2 * rand() - 1)) / 1000;
  $due = $last{$pair} if defined $last{$pair} && $last{$pair} > $due;
  $last{$pair} = $due;
  $count{delayed}++;
  push @{$queues{$pair}}, [$due, $to, $frame];
}

# A device that is down takes no frame.
sub put {
  my ($to, $frame) = @_;
  $count{passed}++ if defined syswrite($taps[$to], $frame);
}

sub command {
  my ($name, @words) = split ' ', $_[0];
  if ($name eq 'rule') {
    my ($from, $to, @rule) = @words;
    my ($a, $b) = @port_of{$from, $to};
    return print "no such port\n" unless defined $a && defined $b && @rule == 3;
    if (grep { $_ != 0 } @rule) { $rules{"$a $b"} = \@rule } else { delete $rules{"$a $b"} }
    print "ok\n";
  } elsif ($name eq 'clear') {
    %rules = ();
    print "ok\n";
  } elsif ($name eq 'count') {
    print join(' ', @count{qw(passed delayed lost)}), "\n";
  } else {
    print "no such command\n";
  }
}

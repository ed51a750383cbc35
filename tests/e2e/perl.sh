# Perl: regular expressions, sorting, fork and pipes, sockets, signals, alarms, interpreter threads.
# needs: /usr/bin/perl
cat >script.pl <<'PERL'
use strict;
use warnings;
use threads;
use threads::shared;
use Socket;
use Digest::SHA qw(sha256_hex);
use POSIX qw(:sys_wait_h);
$| = 1;

my %h;
$h{($_ * 7919) % 10007}++ for 1 .. 50000;
print scalar(keys %h), " ", sha256_hex(join ",", map { "$_=$h{$_}" } sort { $a <=> $b } keys %h), "\n";
my $text = join " ", map { sprintf "%x", $_ * $_ } 1 .. 5000;
my $n = () = $text =~ /\b(\w)\w*\1\b/g;
(my $copy = $text) =~ s/(\d+)([a-f]+)/$2$1/g;
print "$n ", sha256_hex($copy), "\n";

pipe(my $r, my $w);
for my $i (1 .. 4) {
  next if fork;
  close $r;
  syswrite $w, "child $i\n";
  exit $i;
}
close $w;
print sort <$r>;
my @status;
while ((my $pid = wait) > 0) { push @status, $? >> 8 }
print "@{[sort @status]}\n";

socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or die;
if (!fork) { close $a; my $line = <$b>; syswrite $b, uc $line; POSIX::_exit(0) }
close $b;
syswrite $a, "over a socket\n";
print scalar <$a>;
wait;

my $got = 0;
$SIG{USR1} = sub { $got++ };
kill USR1 => $$ for 1 .. 10;
print "signals $got\n";
eval { local $SIG{ALRM} = sub { die "alarm\n" }; alarm 1; select undef, undef, undef, 60; };
print $@;

my $sum : shared = 0;
my @t = map { threads->create(sub { for (1 .. 1000) { lock $sum; $sum++ } return $_[0] * 2 }, $_) } 1 .. 4;
print join(",", map { $_->join } @t), " $sum\n";
print `echo backtick; exit 4`, $? >> 8, "\n";
eval { die { code => 42 } };
print "$@->{code}\n";
die "the end\n";
PERL
outcome $R /usr/bin/perl script.pl

# memcached with four threads under eight clients that check every answer.
# needs: /usr/bin/memcached /usr/bin/perl
$R /usr/bin/memcached -u root -s ./socket -t 4 -m 64 -c 64 &
server=$!
await test -S socket
cat >client.pl <<'PERL'
use strict;
use warnings;
use IO::Socket::UNIX;
my ($me, $rounds) = @ARGV;
my $s = IO::Socket::UNIX->new("./socket") or die "no server: $!";
sub ask { my ($text) = @_; print $s $text; $s->flush; my $line = <$s>; $line =~ s/\r\n//; return $line }
my $wrong = 0;
for my $i (1 .. $rounds) {
  my $value = "$me-$i-" . "x" x ($i % 2000);
  my $key = "k$me-" . $i % 500;
  $wrong++ if ask("set $key 0 0 " . length($value) . "\r\n$value\r\n") ne "STORED";
  $wrong++ if ask("get $key\r\n") ne "VALUE $key 0 " . length $value;
  my $got = <$s>;
  $wrong++ if $got ne "$value\r\n" || <$s> ne "END\r\n";
  $wrong++ if ask("incr shared 1\r\n") !~ /^\d+$/;
}
print "client $me: $wrong wrong\n";
PERL
ask() { perl -MIO::Socket::UNIX -e '
  my $s = IO::Socket::UNIX->new("./socket"); print $s "$ARGV[0]\r\nquit\r\n"; print <$s>' "$@" | tr -d '\r'; }
ask $'set shared 0 0 1\r\n0'
for i in {1..8}; do perl client.pl "$i" 2000 & done | sort
ask 'get shared'
ask stats | grep -E ' (curr_items|cmd_get|cmd_set|get_hits|get_misses|incr_hits|threads) '
ask 'delete shared'
ask 'no-such-command'
kill -TERM $server
wait $server
echo "status $?"

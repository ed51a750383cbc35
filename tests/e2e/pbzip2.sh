# pbzip2 with two threads: what it writes, and what it makes of it again; a damaged file.
# needs: /usr/bin/pbzip2
mixed 10000000 data
sha256sum <data
$R /usr/bin/pbzip2 -p2 -c <data >packed
sha256sum <packed
$R /usr/bin/pbzip2 -p2 -d -c <packed | sha256sum
outcome $R /usr/bin/pbzip2 -t packed.none
head -c 500000 packed >torn
# How much comes out before the end is missed is a matter of timing.
outcome $R /usr/bin/pbzip2 -p2 -d -c <torn >/dev/null 2>&1

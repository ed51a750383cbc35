# pigz with two threads: what it writes, and what it makes of it again; a damaged file.
# needs: /usr/bin/pigz
mixed 20000000 data
sha256sum <data
$R /usr/bin/pigz -p2 -n -m -c <data >packed
sha256sum <packed
$R /usr/bin/pigz -d -c <packed | sha256sum
outcome $R /usr/bin/pigz -t packed.none
head -c 500000 packed >torn
# How much comes out before the end is missed is a matter of timing.
outcome $R /usr/bin/pigz -d -c <torn >/dev/null

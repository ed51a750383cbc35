# xz with two threads: what it writes, and what it makes of it again; a damaged file.
# needs: /usr/bin/xz
mixed 10000000 data
sha256sum <data
$R /usr/bin/xz -T2 --block-size=2MiB -2 -c <data >packed
sha256sum <packed
$R /usr/bin/xz -T2 -d -c <packed | sha256sum
outcome $R /usr/bin/xz -t packed.none
head -c 500000 packed >torn
# How much comes out before the end is missed is a matter of timing.
outcome $R /usr/bin/xz -T2 -d -c <torn >/dev/null

# zstd with two threads: what it writes, and what it makes of it again; a damaged file.
# needs: /usr/bin/zstd
mixed 20000000 data
sha256sum <data
$R /usr/bin/zstd -T2 -9 -c <data >packed
sha256sum <packed
$R /usr/bin/zstd -d -c <packed | sha256sum
outcome $R /usr/bin/zstd -t packed.none
head -c 500000 packed >torn
# How much comes out before the end is missed is a matter of timing.
outcome $R /usr/bin/zstd -d -c <torn >/dev/null

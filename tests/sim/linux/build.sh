#!/bin/bash
# build.sh: Linux for the simulated board (tests/sim/boot.sh): Image and initrd.
#
#   tests/sim/linux/build.sh SOURCE FOLDER
#
# SOURCE is a tree of the kernel, as Debian's linux-source-6.1 has it. Needs gcc-riscv64-linux-gnu, flex, bison and bc. It takes some minutes, once: then
# LINUX=FOLDER tests/sim/boot.sh boots, records and replays it.
set -eu
here=$(realpath "$(dirname "$0")") source=$(realpath "$1")
programs=$here/../programs workloads=$here/../workloads
mkdir -p "$2"
cd "$2"
cross=riscv64-linux-gnu-
make -C "$source" O="$PWD/kernel" ARCH=riscv CROSS_COMPILE=$cross KCONFIG_ALLCONFIG="$here/config" allnoconfig >/dev/null
make -C "$source" O="$PWD/kernel" ARCH=riscv CROSS_COMPILE=$cross -j"$(nproc)" Image
cp kernel/arch/riscv/boot/Image Image
${cross}gcc -O2 -static -o init "$here/init.c"
${cross}gcc -O2 -D_GNU_SOURCE -static -pthread -I "$programs" -o racey "$workloads/racey.c" -lm
${cross}gcc -O2 -D_GNU_SOURCE -static -pthread -I "$programs" -o threads "$programs/threads.c" -lm
${cross}gcc -O2 -static -pthread -o disk "$here/disk.c"
kernel/usr/gen_init_cpio - >initrd <<LIST
dir /dev 0755 0 0
dir /proc 0755 0 0
dir /bin 0755 0 0
nod /dev/console 0600 0 0 c 5 1
file /init $PWD/init 0755 0 0
file /bin/racey $PWD/racey 0755 0 0
file /bin/threads $PWD/threads 0755 0 0
file /bin/disk $PWD/disk 0755 0 0
LIST

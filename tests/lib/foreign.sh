#!/bin/bash
# Runs a command where the kernel itself starts AArch64 programs under qemu-user and finds their libraries in the usual places:
#
#   tests/lib/foreign.sh COMMAND ARGUMENT…
#
# All of it happens in namespaces of its own, so nothing of the machine changes. It takes Linux 6.7 or later, where such
# registrations belong to a user namespace; --probe tells whether it can be done.
set -u
emulator=/usr/bin/qemu-aarch64
libraries=/usr/aarch64-linux-gnu/lib

if [ "$1" = --inside ]; then
  shift
  # The header of a 64-bit ELF file for this machine. The kernel wants the escapes.
  header='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  {
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
      printf '%s' ":a64:M::$header:$mask:$emulator:OCPF" >/proc/sys/fs/binfmt_misc/register &&
      mount -t overlay overlay -o "lowerdir=$libraries:/usr/lib" /usr/lib
  } 2>/dev/null || exit 125
  exec "$@"
fi

inside=(unshare --user --map-root-user --mount "$0" --inside)
if [ "$1" = --probe ]; then
  exec "${inside[@]}" true 2>/dev/null
fi
exec "${inside[@]}" "$@"

#!/bin/bash
# Runs a command where the kernel itself starts programs of another machine under qemu-user and finds their libraries in the usual places:
#
#   tests/lib/foreign.sh TARGET COMMAND ARGUMENT…
#     TARGET    as its compiler is called: aarch64-linux-gnu, x86_64-linux-gnu
#
# All of it happens in namespaces of its own, so nothing of the machine changes. It takes Linux 6.7 or later, where such
# registrations belong to a user namespace; --probe instead of a command tells whether it can be done. Exit status 125 when it can't.
set -u
target=$1
shift
[[ $target == aarch64-* ]] && machine='\xb7' || machine='\x3e'

# Where the target's programs look for their interpreter in a folder that this machine does not have: the same files below another
# root, and that folder.
with_lib64() { # COMMAND…
  local entry
  mount -t tmpfs root /mnt || return
  for entry in /*; do
    if [ -L "$entry" ]; then
      cp -P "$entry" /mnt
    elif [ "$entry" != /mnt ] && [ -d "$entry" ]; then
      mkdir "/mnt$entry" && mount --rbind "$entry" "/mnt$entry" || return
    fi
  done
  mkdir /mnt/lib64 && ln -s "/usr/$target"/lib/ld-linux-*.so.* /mnt/lib64 || return
  # Its own $0 and arguments.
  # shellcheck disable=SC2016
  exec chroot /mnt /bin/sh -c 'cd "$0" && exec "$@"' "$PWD" "$@"
}

if [ "$1" = --inside ]; then
  shift
  # The header of a 64-bit ELF file for this machine. The kernel wants the escapes.
  header='\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00'$machine'\x00'
  mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  {
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc &&
      printf '%s' ":$target:M::$header:$mask:/usr/bin/qemu-${target%%-*}:OCPF" >/proc/sys/fs/binfmt_misc/register &&
      mount -t overlay overlay -o "lowerdir=/usr/$target/lib:/usr/lib" /usr/lib
  } 2>/dev/null || exit 125
  [[ $target == aarch64-* ]] || [ -e /lib64 ] || with_lib64 "$@" || exit 125
  exec "$@"
fi

inside=(unshare --user --map-root-user --mount "$0" "$target" --inside)
if [ "$1" = --probe ]; then
  exec "${inside[@]}" true 2>/dev/null
fi
exec "${inside[@]}" "$@"

#!/bin/bash
# The ioctl numbers of the installed kernel headers, as their macros say them. One line each:
#
#   NUMBER KIND NAME HEADER [TYPE]
#
# KIND: `none`, `read`, `write` or `both`, the direction that the number names, as seen from the program; `old` for a number from before
# there were directions. With `-pointer` behind it: the type is a structure, or leads to one, with a pointer in it that is declared as such.
#
#   tools/ioctls.sh [HEADER…]     default: all below /usr/include that the kernel has
#
# A macro is lazy: with the makers of numbers defined anew behind the header, it tells with what it was made.
set -u
cc=${CC:-cc}
include=${INCLUDE:-/usr/include}
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT

# Numbers from before there was a convention, by header.
old_names() { # HEADER
  case $1 in
    asm-generic/ioctls.h) echo '(T[A-Z]|FIO)[A-Z0-9]+' ;;
    linux/kd.h) echo '(KD|KIO|GIO_|PIO_)[A-Z_]+' ;;
    linux/vt.h) echo 'VT_[A-Z_]+' ;;
    linux/hdreg.h) echo 'HDIO_[A-Z0-9_]+' ;;
    linux/cdrom.h) echo '(CDROM|DVD_)[A-Z0-9_]+' ;;
    linux/fb.h) echo 'FBIO[A-Z_]+' ;;
    linux/lp.h) echo 'LP[A-Z]+' ;;
    linux/loop.h) echo 'LOOP_[A-Z0-9_]+' ;;
    linux/i2c-dev.h) echo 'I2C_(RETRIES|TIMEOUT|SLAVE|SLAVE_FORCE|TENBIT|FUNCS|RDWR|PEC|SMBUS)' ;;
    scsi/sg.h) echo 'SG_[A-Z_]+' ;;
    *) echo 'SIOC[A-Z0-9_]+' ;;
  esac
}

# What a compiler needs to read the header by itself.
prelude() { # HEADER
  printf '#include <%s>\n' stddef.h sys/types.h sys/socket.h sys/time.h linux/ioctl.h asm/termbits.h linux/types.h linux/if.h
  case $1 in linux/atm_*) echo '#include <linux/atmdev.h>' ;; esac
  echo "#include <$1>"
}

# NAME KIND TYPE of each macro that makes a number; KIND ? where only the value can tell.
made() { # HEADER
  local name old
  old=$(old_names "$1")
  {
    prelude "$1"
    echo '#undef linux'
    printf '#undef %s\n' _IO _IOR _IOW _IOWR _IOC
    echo '#define _IO(letter, nr) @none none'
    echo '#define _IOR(letter, nr, type) @read type'
    echo '#define _IOW(letter, nr, type) @write type'
    echo '#define _IOWR(letter, nr, type) @both type'
    echo '#define _IOC(direction, letter, nr, size) @both none'
    sed -nE 's/^[[:space:]]*#[[:space:]]*define[[:space:]]+([A-Za-z][A-Za-z0-9_]*)[[:space:]].*/\1/p' "$include/$1" | sort -u |
      while read -r name; do printf '#ifdef %s\n@@ "%s" %s\n#endif\n' "$name" "$name" "$name"; done
  } | $cc -std=gnu11 -E -P -x c - 2>/dev/null |
    sed -nE "s/^@@ \"([A-Za-z0-9_]+)\" \(*@ ?(none|read|write|both) ?([^()]*)\)*\$/\1 \2 \3/p
             s/^@@ \"($old)\" \(?\(?(0x[0-9a-fA-F]+|[0-9]+)[ +0-9]*\)?\)?\$/\1 old none/p"
}

# NAME NUMBER of those that are constants: what the compiler does not understand is left out.
numbers() { # HEADER, names on standard input
  local names name round
  names=$(cat)
  for round in 1 2; do
    {
      prelude "$1"
      for name in $names; do echo "void at_$name(void) { __asm__ volatile(\"@@ $name %c0\" :: \"i\"((unsigned)($name))); }"; done
    } >"$work/numbers.c"
    ! $cc -std=gnu11 -w -S -o "$work/numbers.s" "$work/numbers.c" 2>"$work/errors" || break
    [ "$round" = 1 ] || return 0
    # Only lines of this very file can be left out.
    names=$(echo "$names" | grep -vxFf <(sed -nE "s,^$work/numbers\.c:([0-9]+):.*error.*,\1,p" "$work/errors" | sort -u |
      while read -r name; do sed -nE "${name}s/^void at_([A-Za-z0-9_]+).*/\1/p" "$work/numbers.c"; done))
  done
  sed -nE 's/^[[:space:]]*@@ ([A-Za-z0-9_]+) (-?[0-9]+)$/\1 \2/p' "$work/numbers.s"
}

# Structures and unions that have a pointer in them, or others that have, one a line.
with_pointers() { # HEADER
  prelude "$1" | $cc -std=gnu11 -E -P -x c - 2>/dev/null | tr '\n' ' ' | sed 's/[{};]/&\n/g' |
    awk '
      # Where a body begins its name is on the stack; a member counts for all that it lies in.
      /\{$/ { name = ""; if (match($0, /(struct|union)[ \t]+[A-Za-z0-9_]+/)) { name = substr($0, RSTART, RLENGTH); gsub(/[ \t]+/, " ", name) }
              typedef[depth + 1] = /typedef/; stack[++depth] = name; next }
      /\}$/ { next_closes = 1 }
      depth && /;$/ && !closing {
        if ($0 ~ /\*/) for (i = 1; i <= depth; i++) direct[stack[i]] = 1
        if (match($0, /(struct|union)[ \t]+[A-Za-z0-9_]+/)) { inner = substr($0, RSTART, RLENGTH); gsub(/[ \t]+/, " ", inner)
          for (i = 1; i <= depth; i++) if (stack[i] != "") holds[stack[i], inner] = 1 }
      }
      { if (closing) { closing = 0; if (was_typedef && match($0, /[A-Za-z0-9_]+[ \t]*;$/)) { alias = substr($0, RSTART, RLENGTH); gsub(/[ \t;]/, "", alias); aliases[alias] = closed } }
        if (next_closes) { next_closes = 0; if (depth) { closed = stack[depth]; was_typedef = typedef[depth]; depth-- } closing = 1 } }
      END {
        delete direct[""]
        do { more = 0
          for (pair in holds) { split(pair, two, SUBSEP); if (!(two[1] in direct) && two[2] in direct) { direct[two[1]] = 1; more = 1 } }
        } while (more)
        for (name in direct) print name
        for (alias in aliases) if (aliases[alias] in direct) print alias
      }'
}

look_through() { # HEADER
  made "$1" | sort -u >"$work/made"
  [ -s "$work/made" ] || return 0
  cut -d ' ' -f 1 "$work/made" | numbers "$1" >"$work/values"
  with_pointers "$1" >"$work/pointers"
  awk -v header="$1" '
    FILENAME ~ /pointers$/ { pointer[$0] = 1; next }
    FILENAME ~ /values$/ { value[$1] = $2 < 0 ? $2 + 4294967296 : $2; next }
    $1 in value {
      name = $1; kind = $2; type = $0; sub(/^[^ ]+ [^ ]+ ?/, "", type); sub(/[ \t]+$/, "", type)
      if (type in pointer || type ~ /\*/) kind = kind "-pointer"
      if (kind == "old" && (value[name] < 256 || value[name] > 65535)) next # some other constant
      printf "0x%x %s %s %s %s\n", value[name], kind, name, header, type
    }' "$work/pointers" "$work/values" "$work/made"
}

if [ $# = 0 ]; then
  cd "$include" || exit 2
  mapfile -t headers < <(find asm-generic linux misc mtd rdma scsi sound video xen drm -name '*.h' 2>/dev/null | sort)
  set -- "${headers[@]}"
fi
for header in "$@"; do
  # Most have none.
  if [ "$(old_names "$header")" != "$(old_names none)" ] || grep -qE '_IO[RWC]*\b|\bSIOC' "$include/$header"; then
    look_through "$header"
  fi
done

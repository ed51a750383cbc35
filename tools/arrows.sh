#!/bin/bash
# Checks that folders of src use each other in one direction only, as mk/rooms says: by what files include, and by the symbols
# of the objects that were built. A folder may have FILES_MOST files.
#
#   tools/arrows.sh [-l] [BUILD]
#     -l       list the arrows between rooms instead, with their numbers
#     BUILD    the build folder whose objects are looked at (default: build)
#
# mk/rooms has chains: a room may use those that stand before it in a chain, and all that these may use. A file belongs to the room with the
# longest name that its path begins with. Two kinds of symbols may be defined further up than they are used: what the interface of an
# instruction set declares (`interface HEADER`, which may include more of it), and what the entries in assembly call (`entries FILE`), by which
# the kernel and generated code come in.
set -u
cd "$(dirname "$0")/.." || exit 2
list=
[ "${1:-}" != -l ] || { list=yes && shift; }
build=${1:-build}
sources=$PWD/src # an object whose source has gone is none

includes() { # FROM TO, both paths below src
  grep -rHoE '^#include "[^"]+"' src --include='*.[chS]' --include='*.cu' | sed -E 's,^src/([^:]+):#include "(.*)",\1 \2 include,'
}

# The objects of one program: FROM TO SYMBOL for every symbol that one defines and another uses.
uses() { # FOLDER
  (cd "$1" 2>/dev/null && find . -name '*.o' | sort | sed 's,^\./,,' | while read -r object; do [ ! -e "$sources/${object%.o}" ] || echo "$object"; done |
    xargs -r nm -A 2>/dev/null) |
    awk '{ sub(/\.o:.*/, "", $1); kind = $(NF - 1); name = $NF
           if (kind == "U") used[++count] = $1 " " name
           else if (kind ~ /[TDBRVWC]/) defined[name] = $1 }
         END { for (i = 1; i <= count; i++) { split(used[i], use, " ")
                 if (defined[use[2]] != "" && defined[use[2]] != use[1]) print use[1], defined[use[2]], use[2] } }'
}

FILES_MOST=40
crowded=$(find src -type f | sed 's,/[^/]*$,,' | sort | uniq -c | awk -v most="$FILES_MOST" '$1 > most { print $2 " has " $1 " files: more than " most }')
[ -z "$crowded" ] || { echo "$crowded" && [ -n "$list" ] || exit 1; }

{ includes && uses "$build/engine" && uses "$build/cli"; } |
  awk -v list="$list" '
    function room(path,  found, name) {
      for (name in is_room) if (index(path, name "/") == 1 && length(name) > length(found)) found = name
      return found == "" ? "nowhere: " path : found
    }
    FILENAME == "mk/rooms" {
      if (/^#/ || !NF) next
      if ($1 == "interface") { while ((getline line < ("src/" $2)) > 0) interface = interface line "\n"; entries[$2] = 1; next }
      if ($1 == "entries") { entries[$2] = 1; next }
      for (i = 1; i <= NF; i++) { is_room[$i] = 1; for (j = 1; j < i; j++) may[$i, $j] = 1 }
      next
    }
    FNR == 1 { for (via in is_room) for (one in is_room) for (other in is_room) if ((one, via) in may && (via, other) in may) may[one, other] = 1 }
    {
      from = room($1); to = room($2)
      if (from == to) next
      arrows[from " -> " to]++
      if ((from, to) in may) next
      if ($1 in entries) next
      if ($3 != "include" && ($3 ~ /^mem(cpy|set|move|cmp)$/ || index(interface, $3 "(") || index(interface, $3 "["))) next
      print $1 " uses " $2 ($3 == "include" ? "" : " (" $3 ")") ": no arrow leads from " from " to " to
      failed = 1
    }
    END {
      if (list) for (arrow in arrows) print arrow, arrows[arrow] | "sort"
      exit failed && !list
    }' mk/rooms -

# Sourced by whoever writes a section of docs/performance.md. Each has markers of its own and leaves the others' sections alone.
# shellcheck shell=bash disable=SC2154

# The kind of machine, not which one.
machine() {
  local cpu
  cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
  [ -n "$cpu" ] || cpu=$(lscpu | sed -n 's/^ *Model name: *//p' | head -n 1)
  echo "${cpu:-unknown CPU}, $(nproc) cores, Linux $(uname -r | cut -d - -f 1), $(uname -m)"
}

# Puts standard input between the section's markers, or appends it to the page.
write_section() { # FILE SECTION TOOL
  local page=$1 begin="<!-- $2: begin, written by $3 -->" end="<!-- $2: end -->"
  mkdir -p "$(dirname "$page")"
  [ -e "$page" ] || printf '# Performance\n' >"$page"
  grep -qF "$begin" "$page" || printf '\n%s\n%s\n' "$begin" "$end" >>"$page"
  cat >"$work/section"
  awk -v begin="$begin" -v end="$end" -v section="$work/section" '
    $0 == begin { print; while ((getline line < section) > 0) print line; inside = 1 }
    $0 == end { inside = 0 }
    !inside || $0 == end { if ($0 != begin) print }' "$page" >"$work/page" && cat "$work/page" >"$page"
  echo "$3: wrote $page" >&2
}

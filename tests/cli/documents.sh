# What the documents say of the sources.

# Every `file.c:function` of ARCHITECTURE.md is there: src/engine/FILE, or src/FILE, defines it.
case_walks() {
  local root=${LIB%/tests/*} step file name found=0
  while IFS=: read -r file name; do
    step=$root/src/engine/$file
    [ -f "$step" ] || step=$root/src/${file#src/}
    [ -f "$step" ] || fail "$file:$name: no such file"
    # A definition: the name at the margin, and no semicolon behind its arguments.
    awk -v name="$name" '
      /^[a-z_].*\(/ && index($0, name "(") && match($0, "[ *]" name "\\(") { open = 1 }
      open && /\{$/ { found = 1 }
      open && /[;{]$/ { open = 0 }
      END { exit !found }' "$step" || fail "$file:$name: not defined there"
    found=$((found + 1))
  done < <(grep -oE '`[a-z0-9_/]+\.c:[a-z0-9_]+`' "$root/ARCHITECTURE.md" | tr -d '\140')
  [ "$found" -ge 40 ] || fail "only $found steps found"
}

# Sourced by bench/run: the rows it measured, held against the bars, printed as tables and as a page.
# Everything works on $work/rows, which holds the lines "bench KIND=NAME mode=MODE [VALUE=…] … verdict=…" in order.
# shellcheck shell=bash disable=SC2154,SC2016

bar_of() { # KIND=NAME MODE
  local row mode bar
  while read -r row mode bar; do
    # The pattern is meant as one.
    # shellcheck disable=SC2053
    [[ $mode == "$2" && $1 == $row ]] && { echo "$bar"; return; }
  done < <(grep -v '^#' bench/bars)
  echo -
}

# Closes a row: an empty value means that the row failed.
finish_row() { # KIND=NAME MODE DETAILS UNIT VALUE
  local bar verdict
  bar=$(bar_of "$1" "$2")
  if [ -z "$5" ]; then
    verdict=failed
  elif [ "$bar" = - ]; then
    verdict=-
  else
    verdict=$(awk -v value="$5" -v bar="$bar" 'BEGIN { print value <= bar ? "ok" : "over" }')
  fi
  echo "bench $1 mode=$2 ${3:+$3 }$4=${5:--} bar=$bar verdict=$verdict" | tee -a "$work/rows"
}

# Shown and held against its bar, but not in the mean: deep recursion overruns the processor's return predictor
# natively and not when returns are translated to indirect jumps, so its ratio can be far below one and
# would hide what the other kernels cost.
outside_mean=calls_ackermann

# Over the kernels of a mode; nothing when one of them failed.
geomean() { # MODE
  grep -v "^bench kernel=$outside_mean " "$work/rows" |
    sed -n "s/^bench kernel=.* mode=$1 .*ratio=\([^ ]*\) .*/\1/p" |
    awk '$1 == "-" { failed = 1 } { sum += log($1 == "-" ? 1 : $1) }
         END { if (NR > 0 && !failed) printf "%.3f", exp(sum / NR) }'
}

# The lines of one kind as a Markdown table, one row per name, modes side by side.
table() { # KIND HEADINGS
  awk -v kind="$1" -v headings="$2" '
    function show(bar, verdict) { return bar == "-" ? (verdict == "failed" ? "failed" : "") : bar " " verdict }
    {
      split("", field)
      for (i = 2; i <= NF; i++) { eq = index($i, "="); field[substr($i, 1, eq - 1)] = substr($i, eq + 1) }
      if (!(kind in field)) next
      name = field[kind]
      if (!(name in cells)) { order[++names] = name; cells[name] = "" }
      native = ""; value = ""; spent = ""
      for (key in field) {
        if (key ~ /^native_/) native = field[key]
        else if (key ~ /^(ratio|over_)/) value = field[key]
        else if (key == "cpu_s") spent = field[key]
      }
      if (cells[name] == "") cells[name] = sprintf("| %-16s | %8s |", name, native)
      if (kind == "kernel" || kind == "program") cells[name] = cells[name] sprintf(" %7s |", spent)
      cells[name] = cells[name] sprintf(" %7s | %-10s |", value, show(field["bar"], field["verdict"]))
    }
    END {
      if (!names) exit
      count = split(headings, heading, ",")
      for (i = 1; i <= count; i++) { top = top "| " heading[i] " "; rule = rule (i == 1 ? "|---" : "|---:") }
      print ""; print top "|"; print rule "|"
      for (i = 1; i <= names; i++) print cells[order[i]]
    }' "$work/rows"
}

print_tables() {
  local time='native s,run s,over native,bar,checked s,over native,bar'
  table kernel "kernel,$time"
  table program "program,$time"
  table startup 'start-up,native ms,ms over,bar'
  table memory 'peak memory,native MB,MB over,bar'
}

section_text() {
  echo '## Engine'
  echo
  echo "Measured by \`bench/run --write\` on: $(machine). Medians of $rounds interleaved rounds${quick:+ (quick)}; what the host of the virtual machine has disturbed is measured again."
  echo 'Times are user and system CPU seconds, children included; "over native" is the median of the rounds'\'' ratios.'
  echo '"run" is `reprise run`, "checked" is `reprise run --check=accesses`. A bar is the most that its row may be.'
  echo "The geomean leaves out $outside_mean: natively its depth overruns the processor's return predictor, so its"
  echo 'ratio says more about that than about translation.'
  print_tables
}

# Sourced by bench/orders: geomeans against their bars, the section of docs/performance.md, its plot.
# The rows are in $work/table, $work/means, $work/episodes and $work/scaling.
# shellcheck shell=bash disable=SC2154,SC2016

# What all tables read rows with: value["record"] and so on of the line.
readonly read_row='
  function read_row(   i, at) {
    split("", value)
    for (i = 2; i <= NF; i++) { at = index($i, "="); value[substr($i, 1, at - 1)] = substr($i, at + 1) }
  }'

# Bars: dag records in 2.0 of native time, no program in more than 6, and replays in 1.4; logs of dag, scalar and arcs have at most 4
# bytes per thousand instructions.
geomeans() { # THREADS
  local scheme
  for scheme in $orders; do
    awk -v n="$1" -v scheme="$scheme" "$read_row"'
      { read_row() }
      value["threads"] != n || value["scheme"] != scheme { next }
      $NF == "failed" { failed++; next }
      {
        record += log(value["record"]); replay += log(value["replay"]); count++
        raw += log(value["raw"] + 1e-4); disk += log(value["disk"] + 1e-4)
        if (value["record"] + 0 > worst) worst = value["record"] + 0
      }
      END {
        if (!count) exit
        record = exp(record / count); replay = exp(replay / count); raw = exp(raw / count); disk = exp(disk / count)
        over = failed || (scheme == "dag" && n == 2 && (record > 2 || worst > 6 || replay > 1.4)) || (scheme ~ /^(dag|scalar|arcs)$/ && raw > 4)
        printf "order kernel=geomean threads=%d scheme=%s record=%.2f replay=%.2f worst_record=%.2f raw=%.3f disk=%.3f failed=%d verdict=%s\n",
          n, scheme, record, replay, worst, raw, disk, failed, over ? "over" : "ok"
      }' "$work/table"
  done
}

# One line per program, the schemes side by side.
schemes_table() { # FIELD TITLE THREADS
  awk -v field="$1" -v title="$2" -v n="$3" -v schemes="$orders" "$read_row"'
    BEGIN {
      count = split(schemes, scheme)
      top = "| " title " | native s |"; rule = "|---|---:|"
      for (i = 1; i <= count; i++) { top = top " " scheme[i] " |"; rule = rule "---:|" }
      print top; print rule
    }
    { read_row() }
    value["threads"] != n { next }
    {
      name = value["kernel"]
      if (!(name in native)) { order[++names] = name; native[name] = "" }
      if (value["native_s"] != "") native[name] = value["native_s"]
      cell[name, value["scheme"]] = $NF == "failed" ? "failed" : value[field] + 0
    }
    END {
      for (k = 1; k <= names; k++) {
        text = "| " order[k] " | " native[order[k]] " |"
        for (i = 1; i <= count; i++) text = text " " cell[order[k], scheme[i]] " |"
        print text
      }
      print ""
    }' "$work/table" "$work/means"
}

# Replay time over native and bytes per thousand instructions by the size of episodes.
episodes_table() {
  awk -v sizes="$sizes" "$read_row"'
    BEGIN {
      count = split(sizes, size)
      top = "| program |"; rule = "|---|"
      for (i = 1; i <= count; i++) { top = top " " (size[i] ? size[i] : "any") " |"; rule = rule "---:|" }
      print top; print rule
    }
    { read_row(); sub("dag/", "", value["scheme"]); name = value["kernel"] }
    !(name in seen) { seen[name] = 1; order[++names] = name }
    { cell[name, value["scheme"]] = $NF == "failed" ? "failed" : sprintf("%.2f, %.2f B", value["replay"], value["raw"]) }
    END {
      for (k = 1; k <= names; k++) {
        text = "| " order[k] " |"
        for (i = 1; i <= count; i++) text = text " " cell[order[k], size[i]] " |"
        print text
      }
      print ""
    }' "$work/episodes"
}

# How much longer scalar takes to replay than dag.
scaling_table() {
  awk -v threads="$scaling" "$read_row"'
    BEGIN {
      count = split(threads, n)
      top = "| program |"; rule = "|---|"
      for (i = 1; i <= count; i++) { top = top " " n[i] " threads: dag, scalar, scalar / dag |"; rule = rule "---:|" }
      print top; print rule
    }
    { read_row(); name = value["kernel"] }
    !(name in seen) { seen[name] = 1; order[++names] = name }
    { replay[name, value["threads"], value["scheme"]] = $NF == "failed" ? 0 : value["replay"] }
    END {
      for (k = 1; k <= names; k++) {
        text = "| " order[k] " |"
        for (i = 1; i <= count; i++) {
          dag = replay[order[k], n[i], "dag"]; scalar = replay[order[k], n[i], "scalar"]
          text = text (dag && scalar ? sprintf(" %.2f, %.2f, %.1f |", dag, scalar, scalar / dag) : " failed |")
        }
        print text
      }
      print ""
    }' "$work/scaling"
}

# What the tables of growing numbers of threads are made of: rows by program and number of threads, and which programs run at least
# four times as fast natively on 16 threads as on one.
readonly read_growth='
  { read_row(); name = value["kernel"]; n = value["threads"] }
  name == "geomean" { next }
  !(name in seen) { seen[name] = 1; order[++names] = name }
  $NF == "failed" { next }
  { native[name, n] = value["native_s"]; record[name, n, value["scheme"]] = value["record"]; replay[name, n, value["scheme"]] = value["replay"] }
  function scales(name) { return native[name, 16] && 16 * native[name, 1] / native[name, 16] >= 4 }'

# Bars at 16 threads: dag records in 3.0 of native time and replays in 2.0, and three times as fast as scalar what scales natively.
growth_verdict() {
  awk "$read_row$read_growth"'
    END {
      for (k = 1; k <= names; k++) {
        name = order[k]; dag = replay[name, 16, "dag"]; scalar = replay[name, 16, "scalar"]
        if (!dag || !scalar) { failed++; continue }
        records += log(record[name, 16, "dag"]); replays += log(dag); count++
        if (scales(name)) { scaling++; if (scalar / dag < 3) behind++ }
      }
      if (!count) exit
      over = failed || exp(records / count) > 3 || exp(replays / count) > 2 || behind
      printf "scaling threads=16 record=%.2f replay=%.2f scale_natively=%d dag_below_3_times_scalar=%d failed=%d verdict=%s\n",
        exp(records / count), exp(replays / count), scaling, behind, failed, over ? "over" : "ok"
    }' "$work/table"
}

growth_text() {
  printf '## Scaling\n\n'
  echo "Measured by \`bench/orders --scaling --percent $percent --rounds $rounds\` on: $(machine). Wall time over native wall time of the same round. The input grows with the threads: each has half of the usual one."
  echo
  awk "$read_row$read_growth"'
    BEGIN {
      print "| program | threads | native s | record dag | replay dag | replay scalar | scalar / dag | record chunk |"
      print "|---|---:|---:|---:|---:|---:|---:|---:|"
    }
    function cell(v) { return v ? v : "failed" }
    END {
      split("1 2 4 8 16", threads, " ")
      for (k = 1; k <= names; k++)
        for (i = 1; i <= 5; i++) {
          name = order[k]; n = threads[i]; dag = replay[name, n, "dag"]; scalar = replay[name, n, "scalar"]
          printf "| %s%s | %d | %s | %s | %s | %s | %s | %s |\n", name, scales(name) ? "" : " (does not scale)", n, native[name, n],
            cell(record[name, n, "dag"]), cell(dag), cell(scalar), dag && scalar ? sprintf("%.1f", scalar / dag) : "-",
            cell(record[name, n, "chunk"])
        }
      print ""
    }' "$work/table"
  grep '^scaling ' "$work/means" | sed 's/^/    /'
  echo
}

# Karma's figure 9: a line per program through its sizes of episodes; log size to the right, replay time upwards, both logarithmic.
plot_episodes() {
  awk "$read_row"'
    function x_of(v) { return left + width * (log(v) - x0) / (x1 - x0) }
    function y_of(v) { return top + height - height * (log(v) - y0) / (y1 - y0) }
    function text(x, y, anchor, what) {
      printf "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"%s\" font-size=\"12\">%s</text>\n", x, y, anchor, what
    }
    $NF == "failed" { next }
    {
      read_row(); name = value["kernel"]; raw = value["raw"] + 0.001; time = value["replay"]
      if (!(name in points)) order[++names] = name
      i = ++points[name]; x[name, i] = raw; y[name, i] = time
      label[name, i] = value["scheme"] == "dag/0" ? "any" : substr(value["scheme"], 5)
      if (!count++ || log(raw) < x0) x0 = log(raw)
      if (count == 1 || log(raw) > x1) x1 = log(raw)
      if (count == 1 || log(time) < y0) y0 = log(time)
      if (count == 1 || log(time) > y1) y1 = log(time)
    }
    END {
      left = 60; top = 30; width = 640; height = 400
      x0 -= 0.2; x1 += 0.2; y0 -= 0.1; y1 += 0.1
      split("#1b6ca8 #c8553d #588157 #7b2d8b #b08900 #444444 #008b8b #d81b60", colour, " ")
      printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 860 490\" font-family=\"sans-serif\">\n"
      printf "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n", left, top, width, height
      text(left + width / 2, 480, "middle", "bytes of order log per thousand instructions")
      text(left - 45, 20, "start", "replay time over native")
      for (e = -3; e <= 2; e++)
        for (m = 1; m <= 5; m += 4) {
          v = m * 10 ^ e
          if (log(v) > x0 && log(v) < x1) {
            printf "<path d=\"M%.0f %d v%d\" stroke=\"#ddd\"/>\n", x_of(v), top, height
            text(x_of(v), top + height + 16, "middle", v)
          }
        }
      split("1 1.4 2 3 4 6 10 20 40", mark, " ")
      for (i = 1; i in mark; i++)
        if (log(mark[i]) > y0 && log(mark[i]) < y1) {
          printf "<path d=\"M%d %.0f h%d\" stroke=\"#ddd\"/>\n", left, y_of(mark[i]), width
          text(left - 6, y_of(mark[i]) + 4, "end", mark[i])
        }
      for (k = 1; k <= names; k++) {
        name = order[k]; path = ""
        for (i = 1; i <= points[name]; i++) {
          path = path sprintf("%s%.1f %.1f", i == 1 ? "M" : "L", x_of(x[name, i]), y_of(y[name, i]))
          printf "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>%s: %s</title></circle>\n",
            x_of(x[name, i]), y_of(y[name, i]), colour[k], name, label[name, i]
        }
        printf "<path d=\"%s\" fill=\"none\" stroke=\"%s\"/>\n", path, colour[k]
        printf "<rect x=\"720\" y=\"%d\" width=\"12\" height=\"12\" fill=\"%s\"/>\n", 30 + 20 * k, colour[k]
        text(738, 41 + 20 * k, "start", name)
      }
      print "</svg>"
    }' "$work/episodes"
}

# Which scheme is the default, from the table of two threads.
default_text() {
  awk "$read_row"'
    { read_row() }
    value["kernel"] == "geomean" && value["threads"] == 2 {
      record[value["scheme"]] = value["record"]; replay[value["scheme"]] = value["replay"]; worst[value["scheme"]] = value["worst_record"]
    }
    END {
      printf "`chunk` is the default. It records every program that can be recorded, those too that share memory between processes at full\n"
      printf "speed; one thread pays for little but its system calls, and at two threads it records in %s of native time, at worst in %s, and replays in\n", record["chunk"], worst["chunk"]
      printf "%s, where `dag` records in %s, at worst in %s, and replays in %s. `dag` is for threads that compute apart for long, on many processors: with\n", replay["chunk"], record["dag"], worst["dag"], replay["dag"]
      printf "`chunk` their number is what they lose. Of its like `scalar` replays in %s and `arcs` in %s. To count tokens as the hardware of Karma does (`tokens`) instead of\n", replay["scalar"], replay["arcs"]
      printf "naming the episode in PRED records in %s and replays in %s.\n", record["tokens"], replay["tokens"]
    }' "$work/means"
}

orders_text() {
  local n
  echo '## Orders'
  echo
  echo "Measured by \`bench/orders --write\` on: $(machine). Medians of $rounds interleaved rounds, kernels at $percent% of their usual work."
  echo 'Wall time over native wall time of the same round; what the host of the virtual machine has disturbed is measured again. `tokens` is `dag` with PRED and SUCC as sets of threads, and wake-ups that are counted, as in the hardware of Karma.'
  echo '`sysbench_mutex` has the mutexes and the loops between them that sysbench takes by default. `sysbench_hot` has 64 mutexes and hardly anything between them, the worst that a directory in software can meet.'
  for n in $threads; do
    printf '\n### %s threads\n\n' "$n"
    schemes_table record 'recording over native' "$n"
    schemes_table replay 'replay over native' "$n"
    schemes_table record_beyond 'recording, beyond start-up' "$n" | grep -v geomean
    schemes_table replay_beyond 'replay, beyond start-up' "$n" | grep -v geomean
    schemes_table record_cores 'cores busy, recording' "$n" | grep -v geomean
    schemes_table replay_cores 'cores busy, replay' "$n" | grep -v geomean
    schemes_table raw 'log, bytes per 1,000 instructions' "$n"
    schemes_table disk 'the same, compressed' "$n"
  done
  printf '### The default\n\n'
  default_text
  printf '\n### Memory\n\nPermission maps, directory and rings: peak memory of `record --order=dag` over that of `run`.\n\n'
  grep '^memory ' "$work/means" | sed 's/^/    /'
  printf '\n### Replay speed and log size\n\n'
  echo 'Karma, figure 9: replay time over native and bytes of log per 1,000 instructions by `--max-episode`; [plotted](episodes.svg).'
  echo
  episodes_table
  printf '### Graph and timestamps\n\nKarma, figure 10: replay time over native of `dag` and of `scalar`, and how they compare.\n\n'
  scaling_table
}

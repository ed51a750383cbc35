# shellcheck shell=bash
# The same moment is the same state, whichever way a replay comes to it: tests/debug/visits.py.
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

VISITS=${SOAK:+1000}
STEPS=${SOAK:+100}

visited() { # NAME ORDER
  ORDER=$2 recorded "$1"
  CLIENT_SECONDS=${SOAK:+3000} client <<END
from visits import *
visit("$1.rec", ${VISITS:-16}, 1)
END
  nobody_left
}

case_threads_in_chunk() { visited counters chunk; }
case_threads_in_dag() { visited counters dag; }
case_processes_in_chunk() { visited processes chunk; }
case_processes_in_dag() { visited processes dag; }
case_signals_in_chunk() { visited workers chunk; }
case_signals_in_dag() { visited workers dag; }

case_there_and_back() {
  local order
  for order in chunk dag; do
    ORDER=$order recorded counters
    CLIENT_SECONDS=${SOAK:+3000} client <<END
from visits import *
there_and_back("counters.rec", "2@500", ${STEPS:-25})
END
  done
}

# A digest that does not see what changes would be of no use.
case_digests_differ() {
  recorded counters
  client <<'END'
remote = Remote("counters.rec")
seen = set()
for i in range(10):
    seen.add(remote.monitor("digest"))
    assert remote.monitor("digest") in seen
    expect(remote.ask("s"), "T05.*")
assert len(seen) == 10, seen
assert remote.close() == 0
END
}

# Threads made again from a checkpoint have their names, and their memory can be read though the process's first thread is gone.
case_names_and_a_first_thread_that_ends() {
  local order
  for order in chunk dag; do
    ORDER=$order recorded workers
    client <<'END'
from visits import *
remote = Remote("--apart=1", "workers.rec")
seek(remote, "end")
lengths = instructions("workers.rec")
for thread in (3, 1, 3):
    seek(remote, f"{thread}@{lengths[thread] * 3 // 4}")
    names = re.findall('name="([^"]*)"', remote.ask("qXfer:threads:read::0,fff"))
    assert f"worker {thread - 1}" in names, names
    assert remote.memory(BASE, 4) == b"\x7fELF"
assert remote.close() == 0
END
  done
}

# The last turn may be that of a process which was killed when the first one had ended.
case_end_is_a_moment() {
  local order
  for order in chunk dag scalar arcs; do
    ORDER=$order recorded survived 3
    grep -q '^killed: 1:' survived.rec/manifest || fail "$order: nobody survived: $(cat survived.rec/manifest)"
    look 0 replay --quiet --goto=end survived.rec
    grep -q '^thread .* has the turn' err || fail "$order: $(cat err)"
    mv err first
    look 0 replay --quiet --goto=end survived.rec
    cmp first err || fail "$order: another end"
  done
}

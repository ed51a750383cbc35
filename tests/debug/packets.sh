# shellcheck shell=bash
# The remote protocol, packet by packet.
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

case_every_break_is_hit() {
  recorded counters
  client <<'END'
remote = Remote("counters.rec")
expect(remote.ask(f"Z0,{symbol('counters', 'add'):x},4"), "OK")
hits, seen = 0, set()
while not "replaylog:end" in (reply := remote.ask("c")):
    hits += 1
    seen.add(remote.monitor("when"))
assert hits == 8000, hits
assert len(seen) == 8000, len(seen)
assert remote.output.startswith(b"begin\n8000\n"), remote.output
expect(remote.ask("c"), "W03")
assert remote.close() == 0
END
}

# A new break empties the code cache, so the address of the last x87 instruction can't be found there any more. The program is shown it all the same.
case_x87_pointer_outlives_code() {
  recorded pointer
  client <<'END'
from visits import *
remote = Remote("pointer.rec")
expect(remote.ask("QPassSignals:1e"), "OK")
expect(remote.ask(f"Z0,{symbol('pointer', 'calculated'):x},1"), "OK")
expect(remote.ask("c"), "T05.*")
expect(remote.ask(f"z0,{symbol('pointer', 'calculated'):x},1"), "OK")
moment, digest = remote.monitor("when"), remote.monitor("digest")
expect(remote.ask(f"Z0,{symbol('pointer', 'main'):x},1"), "OK")
expect(remote.ask("s"), "T05.*")
states = [remote.monitor("digest")]
assert seek(remote, moment) == moment
assert remote.monitor("digest") == digest
expect(remote.ask("s"), "T05.*")
states.append(remote.monitor("digest"))
assert states[0] == states[1], states
expect(remote.ask(f"Z0,{symbol('pointer', 'on_signal'):x},1"), "OK")
expect(remote.ask(f"z0,{symbol('pointer', 'on_signal'):x},1"), "OK")
expect(remote.ask("c"), "T05.*replaylog:end.*")
expect(remote.ask("c"), "W00")
assert remote.close() == 0
END
}

case_framing() {
  recorded counters
  client <<'END'
remote = Remote("counters.rec", acknowledge=True)
remote.raw(b"$qC#00")
assert remote.byte() == b"-"
remote.raw(b"$q$qC#b4")
assert remote.byte() == b"+"
expect(remote.receive().decode(), "QC[0-9a-f]+")
remote.raw(b"-")
expect(remote.receive().decode(), "QC[0-9a-f]+")
remote.raw(b"\x03++-garbage")
expect(remote.receive().decode(), "QC[0-9a-f]+")
expect(remote.ask("QStartNoAckMode"), "OK")
remote.acknowledge = False
expect(remote.ask("vMustReplyEmpty"), "")
expect(remote.ask(""), "")
assert remote.close() == 0
END
}

case_threads_and_registers() {
  recorded counters
  client <<'END'
remote = Remote("counters.rec")
supported = remote.ask("qSupported:multiprocess+;swbreak+;fork-events+;exec-events+")
for feature in ("multiprocess+", "ReverseStep+", "ReverseContinue+", "QCatchSyscalls+", "qXfer:features:read+"):
    assert feature in supported, supported
thread = expect(remote.ask("?"), "T05thread:(p([0-9a-f]+)\\.([0-9a-f]+));")[1]
expect(remote.ask("qfThreadInfo"), "m" + thread.replace(".", "\\."))
expect(remote.ask("qsThreadInfo"), "l")
expect(remote.ask("T" + thread), "OK")
expect(remote.ask("Tp1.1"), "E01")
expect(remote.ask("Hg" + thread), "OK")
expect(remote.ask("Hgp1.1"), "E01")
expect(remote.ask("Hx0"), "E01")
xml = remote.ask("qXfer:features:read:target.xml:0,fff")
assert xml[0] in "lm" and "<target>" in xml
expect(remote.ask("qXfer:nonsense:read::0,10"), "")
expect(remote.ask("qXfer:features:read"), "")
registers = remote.registers()
expect(registers, "([0-9a-f]{2})+")
expect(remote.ask("p0"), registers[:16])
expect(remote.ask("pffff"), "E01")
threads = remote.ask("qXfer:threads:read::0,fff")
assert "R-thread 0" in threads, threads
expect(bytes.fromhex(remote.ask("qThreadExtraInfo," + thread)).decode(), ".*R-thread 0 at position 0")
expect(remote.ask("qAttached:" + thread.split(".")[0][1:]), "1")
expect(remote.ask("qTStatus"), "")
assert remote.close() == 0
END
}

case_memory() {
  recorded counters
  client <<'END'
remote = Remote("counters.rec")
assert remote.memory(BASE, 4) == b"\x7fELF"
expect(remote.ask("m0,4"), "E0e")
expect(remote.ask("m680000000000,4"), "E0e")
expect(remote.ask("mffffffffffffff00,100"), "E0e")
expect(remote.ask("m,"), "")
expect(remote.ask("m10"), "E01")
assert len(remote.memory(BASE, 0x100)) == 0x100
for packet in ("M%x,2:00" % BASE, "M%x,1" % BASE, "X%x,2:a" % BASE, "M", "G00", "P0=00", "Pffff=00", "P0"):
    expect(remote.ask(packet), "E01")
for packet in ("M0,1:00", "M680000000000,1:00", "X8000000000000000,1:a"):
    expect(remote.ask(packet), "E0e")
assert remote.memory(BASE, 4) == b"\x7fELF"
assert remote.close() == 0
END
}

case_moments_are_the_same_every_time() {
  recorded counters
  client <<'END'
import hashlib, random
random.seed(1)
remote = Remote("counters.rec")
def digest():
    total = symbol("counters", "total")
    parts = [remote.monitor("when"), remote.memory(total, 4).hex()]
    for thread in remote.ask("qfThreadInfo")[1:].split(","):
        expect(remote.ask("Hg" + thread), "OK")
        parts.append(remote.registers())
    return parts
expect(remote.ask(f"Z0,{symbol('counters', 'add'):x},4"), "OK")
seen = {}
for i in range(40):
    for _ in range(random.randint(1, 60)):
        remote.ask("c")
    for _ in range(random.randint(0, 5)):
        remote.ask("s")
    state = digest()
    seen[state[0]] = state
for moment in random.sample(sorted(seen), 12):
    expect(remote.monitor("seek " + moment), "at " + moment)
    expect(remote.ask("bc"), "T00thread:.*;")
    assert digest() == seen[moment], moment
assert remote.close() == 0
END
}

case_steps_backwards() {
  recorded counters
  client <<'END'
remote = Remote("counters.rec")
expect(remote.ask(f"Z0,{symbol('counters', 'add'):x},4"), "OK")
remote.ask("c")
states = []
for i in range(12):
    states.append((remote.monitor("when"), remote.registers()))
    expect(remote.ask("s"), "T05thread:.*")
while states:
    expect(remote.ask("bs"), "T05thread:[0-9a-f]+;")
    assert (remote.monitor("when"), remote.registers()) == states.pop()
expect(remote.ask("bc"), "T05thread:[0-9a-f]+;replaylog:begin;")
expect(remote.ask("bs"), "T05thread:[0-9a-f]+;replaylog:begin;")
assert remote.close() == 0
END
}

# An interrupt that meets a replay which has stopped already is obeyed by the next run: it does not begin.
case_interrupt_comes_late() {
  recorded counters
  client <<'END'
remote = Remote("counters.rec")
expect(remote.ask(f"Z0,{symbol('counters', 'add'):x},4"), "OK")
for run in ("c", "s", "bc", "bs", "vCont;c"):
    expect(remote.ask("c"), "T05thread:.*;")
    moment = remote.monitor("when")
    remote.raw(b"\x03")
    expect(remote.ask(run), "T02thread:[0-9a-f]+;")
    expect(remote.monitor("when"), moment)
expect(remote.ask("bc"), "T05thread:.*;")
assert remote.close() == 0
END
}

case_client_goes_away() {
  recorded counters
  client <<'END'
import signal, time
remote = Remote("counters.rec")
expect(remote.ask(f"Z0,{symbol('counters', 'add'):x},4"), "OK")
remote.send("c")
remote.process.stdin.close()
assert remote.process.wait(timeout=60) == 0
remote = Remote("counters.rec")
expect(remote.ask(f"Z0,{symbol('counters', 'add'):x},4"), "OK")
remote.ask("c")
remote.process.kill()
remote.process.wait()
END
  nobody_left
}

case_bad_arguments() {
  refuses 2 'expected a port' "$REPRISE" gdbserver --port=x nothing
  refuses 2 'no such option' "$REPRISE" gdbserver --nonsense
  refuses 2 'no such recording' "$REPRISE" gdbserver ./nothing
  recorded counters
  mkfifo client && exec <>client # who says nothing, and does not leave
  refuses 2 'no moment' "$REPRISE" gdbserver --at=nonsense counters.rec
  refuses 125 'no such moment' "$REPRISE" gdbserver --at=99@5 counters.rec
  refuses 125 'no such moment' "$REPRISE" gdbserver --at=99999:0:5:0 counters.rec
  refuses 125 'no such moment' "$REPRISE" gdbserver --at=event:99999999 counters.rec
  refuses 125 'no such moment' "$REPRISE" gdbserver --at=crash counters.rec
}

# The way to where the session begins is not gone to its end for nobody.
case_client_leaves_early() {
  DEFINES=-DROUNDS=20000000 recorded spins
  look 0 gdbserver --at=0:0:99999999999999:0 spins.rec </dev/null
  [ ! -s err ] || fail "$(cat err)"
}

# The table of packets, each with its answer.
case_every_packet_of_the_manual() {
  recorded counters
  client <<'END'
import packet_table, re
fill_in = {"ADD": f"{symbol('counters', 'add'):x}", "TOTAL": f"{symbol('counters', 'total'):x}", "PROGRAM": os.path.abspath("counters").encode().hex()}
def begin():
    remote = Remote("counters.rec")
    expect(remote.ask(f"Z0,{fill_in['ADD']},4"), "OK")
    fill_in["THREAD"] = expect(remote.ask("c"), "T05thread:([0-9a-f]+);")[1]
    expect(remote.ask(f"z0,{fill_in['ADD']},4"), "OK")
    fill_in["PROCESS"] = expect(remote.ask("qProcessInfo"), "pid:([0-9a-f]+);.*")[1]
    return remote
def filled(packet):
    return re.sub("|".join(fill_in), lambda name: fill_in[name[0]], packet)
seen = 0
for group, entries in packet_table.TABLE.items():
    remote = begin()
    for packet, wanted in entries:
        got = remote.ask(filled(packet))
        assert re.fullmatch(wanted, got, flags=re.S), f"{group}: {packet}: got {got!r}, wanted {wanted!r}"
        seen += 1
    assert remote.memory(BASE, 4) == b"\x7fELF", group
    assert remote.close() == 0, group
for packet, wanted in packet_table.LAST:
    remote = begin()
    remote.send(filled(packet))
    if wanted:
        expect(remote.receive().decode(), wanted)
    assert remote.process.wait(timeout=60) == 0, packet
    seen += 1
print(seen, "packets")
END
  nobody_left
}

# The same state at the same moment, however it was come to, in recordings of threads that ran at once.
moments_agree() { # ORDER
  ORDER=$1 recorded counters
  client <<'END'
remote = Remote("counters.rec")
def state():
    parts = [remote.monitor("when"), remote.memory(symbol("counters", "total"), 4).hex()]
    for thread in remote.ask("qfThreadInfo")[1:].split(","):
        expect(remote.ask("Hg" + thread), "OK")
        parts.append(remote.registers())
    return parts
expect(remote.ask(f"Z0,{symbol('counters', 'add'):x},4"), "OK")
seen = []
for i in range(60):
    expect(remote.ask("c"), "T05thread:.*;")
    if i % 10 == 0:
        expect(remote.ask("s"), "T05thread:.*;")
        seen.append(state())
while seen:
    wanted = seen.pop(len(seen) // 2)
    expect(remote.monitor("seek " + wanted[0]), "at " + wanted[0])
    expect(remote.ask("bc"), "T00thread:.*;")
    assert state() == wanted, wanted[0]
expect(remote.ask(f"z0,{symbol('counters', 'add'):x},4"), "OK")
expect(remote.ask("c"), ".*replaylog:end;")
expect(remote.ask("c"), "W03")
assert remote.output.startswith(b"begin\n8000\n"), remote.output
assert remote.close() == 0
END
}

case_moments_in_dag() { moments_agree dag; }
case_moments_in_scalar() { moments_agree scalar; }
case_moments_in_arcs() { moments_agree arcs; }
case_moments_in_tokens() { moments_agree tokens; }

# With a checkpoint wherever one can be made, the way back leads over many of them.
back_over_checkpoints() { # ORDER
  ORDER=$1 recorded counters
  client <<'END'
remote = Remote("--apart=0", "counters.rec")
def state():
    parts = [remote.monitor("when"), remote.memory(symbol("counters", "total"), 4).hex()]
    for thread in remote.ask("qfThreadInfo")[1:].split(","):
        expect(remote.ask("Hg" + thread), "OK")
        parts.append(remote.registers())
    return parts
expect(remote.ask(f"Z0,{symbol('counters', 'add'):x},4"), "OK")
seen = []
for i in range(120):
    expect(remote.ask("c"), "T05thread:.*;")
    seen.append(state())
for i in range(8):
    assert state() == seen.pop(), i
    expect(remote.ask("bc"), "T05thread:.*;")
for i in (100, 30, 80, 3):
    expect(remote.monitor("seek " + seen[i][0]), "at " + seen[i][0])
    expect(remote.ask("bc"), "T00thread:.*;")
    assert state() == seen[i], i
expect(remote.ask(f"z0,{symbol('counters', 'add'):x},4"), "OK")
expect(remote.ask("c"), ".*replaylog:end;")
assert remote.output.startswith(b"begin\n8000\n") and remote.output.count(b"begin") == 1, remote.output
expect(remote.ask("bs"), "T05thread:.*;")
expect(remote.ask("c"), ".*replaylog:end;")
expect(remote.ask("c"), "W03")
assert remote.close() == 0
END
  nobody_left
}

case_back_over_checkpoints_in_chunk() { back_over_checkpoints chunk; }
case_back_over_checkpoints_in_dag() { back_over_checkpoints dag; }
case_back_over_checkpoints_in_arcs() { back_over_checkpoints arcs; }

# Whatever comes, the server answers, or ends as it was told to.
case_any_packets() {
  recorded counters
  client <<'END'
import random
random.seed(7)
starts = ["q", "Q", "v", "vFile:open:", "vFile:pread:", "vFile:fstat:", "vFile:close:", "vFile:readlink:", "vCont", "vCont;s:", "vCont;r",
          "qXfer:features:read:", "qXfer:auxv:read::", "qXfer:threads:read::", "qSymbol:", "qGetTLSAddr:", "qRcmd,", "QPassSignals:",
          "QCatchSyscalls:", "qSupported:", "H", "Hg", "Hc", "T", "m", "M", "X", "Z0,", "Z2,", "z0,", "z2,", "p", "P", "g", "G", "?", "s", "bs", "!"]
def rest():
    kind = random.randrange(4)
    if kind == 0:
        return bytes(random.randrange(256) for _ in range(random.randrange(40)))
    if kind == 1:
        return b",".join(b"%x" % random.getrandbits(random.choice((3, 16, 48, 64, 80))) for _ in range(random.randrange(5)))
    if kind == 2:
        return random.choice([b";", b":", b"p-1.-1", b"p0.0", b"-1", b"0", b"1;", b"c:p1.1;s"]) * random.randrange(1, 4)
    return b"7468" * random.randrange(200)
remote = Remote("counters.rec")
for i in range(700):
    if remote.ask(random.choice(starts).encode() + rest())[:1] in ("W", "X"):
        assert remote.close() == 0
        remote = Remote("counters.rec")
    if i % 100 == 0:
        remote.raw(bytes(random.randrange(256) for _ in range(50)).replace(b"$", b"").replace(b"\x04", b""))
expect(remote.ask("Hg0"), "OK")
assert remote.memory(BASE, 4) == b"\x7fELF"
assert remote.close() == 0
END
  nobody_left
}

# Threads that end, or are ended by others, in every way there is: the replay comes to its end, and stops on the way.
case_ends_of_threads() {
  local name order
  for name in thr_exec thr_exit_from_thread thr_cond proc_orphan proc_vfork; do
    for order in chunk dag; do
      rm -rf ends.rec
      "$REPRISE" record --order=$order -o ends.rec -- "$PROGRAMS/$name" >recorded.out 2>&1
      echo $? >status
      client <<'END'
status = int(open("status").read())
remote = Remote("ends.rec")
while "replaylog:end" not in (reply := remote.ask("c")):
    expect(reply, "T.*")
expect(remote.ask("bs"), "T05thread:.*")
expect(remote.ask("c"), ".*replaylog:end;")
expect(remote.ask("c"), f"W{status:02x}")
assert remote.close() == 0
END
    done
  done
  nobody_left
}

# One client at a port of the loopback interface: it interrupts an endless run, and goes away in the middle of one.
case_port() {
  recorded spins
  client <<'END'
import signal, socket
class AtPort(Remote):
    def __init__(self, recording):
        self.process = subprocess.Popen([os.environ["REPRISE"], "gdbserver", "--port=0", recording], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.port = int(expect(self.process.stderr.readline(), r"reprise: listening at 127\.0\.0\.1:(\d+)\n")[1])
        self.socket = socket.create_connection(("127.0.0.1", self.port))
        self.acknowledge, self.output, self.buffer = True, b"", b""
        expect(self.ask("QStartNoAckMode"), "OK")
        self.acknowledge = False
    def raw(self, data):
        self.socket.sendall(data)
    def byte(self):
        if not self.buffer:
            self.buffer = self.socket.recv(65536)
            assert self.buffer, "the server is gone"
        first, self.buffer = self.buffer[:1], self.buffer[1:]
        return first
remote = AtPort("spins.rec")
try:
    socket.create_connection(("127.0.0.1", remote.port)).close()
    sys.exit("a second client was let in")
except ConnectionRefusedError:
    pass
remote.send("c")
remote.raw(b"\x03")
reply = remote.receive().decode()
expect(reply, "T(02|05)thread:.*")
expect(remote.ask("g"), "[0-9a-f]+")
remote.socket.close()
assert remote.process.wait(timeout=60) == 0
remote = AtPort("spins.rec")
remote.send("c")
remote.socket.close()
assert remote.process.wait(timeout=60) == 0
END
  nobody_left
}

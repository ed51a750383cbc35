# shellcheck shell=bash
# The debug adapter protocol: a client that does what an editor does.
# needs: /usr/bin/gdb
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

editor() { # a script on standard input, for tests/debug/adapter.py
  { echo 'from adapter import *' && echo "PROGRAMS, HERE = '$debug_here/programs/', '$PWD/'" && cat; } >script.py
  PYTHONPATH=$debug_here PYTHONDONTWRITEBYTECODE=1 timeout "$HANGS" python3 script.py >out 2>&1 || fail "client: $(cat out)"
  nobody_left
}

# From the crash backwards to the store of another thread, by a data breakpoint.
crash_has_a_cause() { # ORDER
  ORDER=$1 recorded overwritten 139
  editor <<'END'
source = PROGRAMS + "overwritten.c"
adapter = Adapter(recording=HERE + "overwritten.rec", at="crash")
adapter.begin()
same(adapter.top()[0], "main")
shared = adapter.variables(adapter.evaluate("shared")["variablesReference"])
same(shared["pointer"]["value"], "0x8")
info = adapter.ask("dataBreakpointInfo", variablesReference=adapter.evaluate("shared")["variablesReference"], name="pointer")
assert info["description"].startswith("pointer (8 bytes at 0x"), info
[watch] = adapter.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "write"}])["breakpoints"]
assert watch["verified"], watch
stop = adapter.go("reverseContinue", "data breakpoint")
same(stop["hitBreakpointIds"], [watch["id"]])
same(adapter.top(), ("fill", line_of(source, "shared.values[i] = i")))
same(adapter.locals()["i"]["value"], "8")
assert stop["threadId"] != 1, stop
same(adapter.frames(1)[-1]["name"], "main")
adapter.go("reverseContinue", "data breakpoint")
same(adapter.top(), ("main", line_of(source, "shared.pointer = &target")))
adapter.go("reverseContinue", "pause")
assert "begins" in adapter.stop["description"], adapter.stop
same(adapter.close(), 0)
END
}

case_crash_has_a_cause_in_chunk() { crash_has_a_cause chunk; }
case_crash_has_a_cause_in_dag() { crash_has_a_cause dag; }

# Lines forwards, and the same lines backwards.
lines_back_and_forth() { # ORDER
  ORDER=$1 OPTIMIZE=-O0 recorded shapes
  editor <<'END'
source = PROGRAMS + "shapes.c"
adapter = Adapter(recording=HERE + "shapes.rec")
first, inside = line_of(source, "int sum = 0"), line_of(source, "return width")
same([b["line"] for b in adapter.lines(source, first)], [first])
adapter.begin()
stop = adapter.go("continue", "breakpoint")
same(adapter.top(), ("measure", first))
states = []
for i in range(6):
    states.append((adapter.command("when"), adapter.top()))
    adapter.go("next", "step")
for state in reversed(states):
    adapter.go("stepBack")
    same(adapter.top(), state[1])
same(adapter.command("when"), states[0][0])
for i in range(5):
    adapter.go("stepIn", "step", granularity="instruction")
for i in range(5):
    adapter.go("stepBack", granularity="instruction")
same(adapter.command("when"), states[0][0])
adapter.lines(source)
[function] = adapter.ask("setFunctionBreakpoints", breakpoints=[{"name": "area"}])["breakpoints"]
same(adapter.go("continue", "function breakpoint")["hitBreakpointIds"], [function["id"]])
same([f["name"] for f in adapter.frames()[:3]], ["area", "measure", "main"])
adapter.go("stepOut", "step")
same(adapter.top()[0], "measure")
same(adapter.close(), 0)
END
}

case_lines_back_and_forth_in_chunk() { lines_back_and_forth chunk; }
case_lines_back_and_forth_in_dag() { lines_back_and_forth dag; }

case_breakpoints() {
  recorded counters
  editor <<'END'
source = PROGRAMS + "counters.c"
adapter = Adapter(recording=HERE + "counters.rec")
line = line_of(source, "own += amount")
places = adapter.lines(source, {"line": line, "condition": "total == 100"}, {"line": 100000}, {"line": 1, "condition": "("}, {"line": 1, "hitCondition": "never"})
same([b["verified"] for b in places], [True, False, False, False])
assert "N, >N" in places[3]["message"], places
adapter.begin()
same(adapter.go("continue", "breakpoint")["hitBreakpointIds"], [places[0]["id"]])
same(adapter.evaluate("total")["result"], "100")
same(adapter.evaluate("total + 1", "hover")["result"], "101")
[place] = adapter.lines(source, {"line": line, "hitCondition": "3"})
adapter.go("continue")
same(adapter.evaluate("total")["result"], "103")
same(adapter.lines(source, {"line": line, "hitCondition": "3"})[0]["id"], place["id"])
adapter.go("continue")
same(adapter.evaluate("total")["result"], "104")
adapter.lines(source)
address = adapter.evaluate("&add")["memoryReference"]
[place] = adapter.ask("setInstructionBreakpoints", breakpoints=[{"instructionReference": address}])["breakpoints"]
assert place["verified"], place
adapter.go("continue", "instruction breakpoint")
same(int(adapter.frames()[0]["instructionPointerReference"], 16), int(address, 16))
adapter.ask("setInstructionBreakpoints", breakpoints=[])
info = adapter.ask("dataBreakpointInfo", name="total", frameId=adapter.frames()[0]["id"])
adapter.ask("setDataBreakpoints", breakpoints=[{"dataId": info["dataId"], "accessType": "readWrite", "condition": "total == 200"}])
adapter.go("continue", "data breakpoint")
same(adapter.evaluate("total")["result"], "200")
same(adapter.ask("dataBreakpointInfo", name="1 + 1")["dataId"], None)
adapter.ask("setDataBreakpoints", breakpoints=[])
stop = adapter.go("continue")
assert "ends" in stop.get("description", ""), (stop, adapter.output)
assert "begin\n8000\n" in adapter.output, adapter.output
adapter.ask("continue", threadId=1)
same(adapter.event("exited")["body"]["exitCode"], 3)
adapter.event("terminated")
adapter.ask("restart")
adapter.stopped()
same(adapter.command("when"), "0:0:0:0")
adapter.ask("disconnect")
same(adapter.process.wait(timeout=60), 0)
END
}

case_variables_and_memory() {
  OPTIMIZE=-O0 recorded shapes
  editor <<'END'
import base64
source = PROGRAMS + "shapes.c"
adapter = Adapter(recording=HERE + "shapes.rec", commands=["set print pretty on"])
adapter.lines(source, line_of(source, "return sum"))
adapter.begin()
adapter.go("continue", "breakpoint")
names = adapter.locals()
same(names["sum"]["value"], "28")
shapes = adapter.variables(names["shapes"]["variablesReference"])
assert {"name", "width", "height", "next", "points"} <= set(shapes), shapes
same(shapes["width"]["value"], "2")
assert '"first"' in shapes["name"]["value"], shapes
same(shapes["points"]["indexedVariables"], 100)
points = adapter.variables(shapes["points"]["variablesReference"], start=40, count=2)
same({name: p["value"] for name, p in points.items()}, {"40": "1600", "41": "1681"})
following = adapter.variables(shapes["next"]["variablesReference"])
same(following["width"]["value"], "4")
same(adapter.evaluate(following["width"]["evaluateName"])["result"], "4")
memory = adapter.ask("readMemory", memoryReference=shapes["name"]["memoryReference"], count=6)
same(base64.b64decode(memory["data"]), b"first\0")
same(adapter.ask("readMemory", memoryReference="0x0", count=8)["unreadableBytes"], 8)
place = adapter.frames()[0]["instructionPointerReference"]
listed = adapter.ask("disassemble", memoryReference=place, instructionOffset=-3, instructionCount=9)["instructions"]
same(len(listed), 9)
same(int(listed[3]["address"], 16), int(place, 16))
assert all(i["instructionBytes"] for i in listed), listed
frame = adapter.frames()[0]
scopes = adapter.ask("scopes", frameId=frame["id"])["scopes"]
registers = adapter.variables(scopes[1]["variablesReference"])
assert len(registers) > 16, registers
assert "no longer" in adapter.refused("scopes", frameId=frame["id"] + 100000)
same(adapter.evaluate("print shapes->width", "repl")["result"], "$1 = 2")
same(adapter.ask("evaluate", expression="sum + 1", context="repl")["result"], "29")
assert "No symbol" in adapter.refused("evaluate", expression="nothing", context="watch")
moment = adapter.command("when")
assert any(t["label"] == "seek" for t in adapter.ask("completions", text="see", column=4)["targets"])
adapter.command("seek 50%")
adapter.stopped("goto")
assert adapter.command("when") != moment
adapter.command("seek " + moment)
adapter.stopped("goto")
same(adapter.command("when"), moment)
same(adapter.locals()["sum"]["value"], "28")
adapter.ask("evaluate", expression="last shapes->width", context="repl", frameId=adapter.frames()[0]["id"])
adapter.stopped("goto")
same(adapter.top()[0], "fill")
same(adapter.close(), 0)
END
}

# While the replay runs, breakpoints can be set, and it can be stopped, in both directions. It runs until then: a condition never holds.
case_pauses() {
  recorded spins
  editor <<'END'
source = PROGRAMS + "spins.c"
never = {"line": line_of(source, "count++"), "condition": "count == -1"}
adapter = Adapter(recording=HERE + "spins.rec")
adapter.lines(source, never)
adapter.begin()
adapter.ask("continue", threadId=1)
assert "runs" in adapter.refused("stackTrace", threadId=1)
same(len(adapter.ask("threads")["threads"]), 1)
adapter.ask("pause", threadId=1)
adapter.stopped("pause")
assert adapter.frames()
adapter.ask("continue", threadId=1)
[place] = adapter.lines(source, line_of(source, "printf"))
assert place["verified"], place
stop = adapter.stopped("breakpoint")
same(stop["hitBreakpointIds"], [place["id"]])
adapter.lines(source, never)
moment = adapter.command("when")
adapter.ask("reverseContinue", threadId=1)
adapter.ask("pause", threadId=1)
adapter.stopped("pause")
adapter.ask("reverseContinue", threadId=1)
adapter.lines(source)
adapter.stopped("pause")
same(adapter.command("when"), "0:0:0:0")
adapter.ask("terminate")
adapter.event("terminated")
same(adapter.close(), 0)
END
}

case_exceptions() {
  OPTIMIZE=-O0 recorded throws
  editor <<'END'
source = PROGRAMS + "throws.cc"
adapter = Adapter(recording=HERE + "throws.rec")
same([b["verified"] for b in adapter.ask("setExceptionBreakpoints", filters=["throw", "catch", "nonsense"])["breakpoints"]][2], False)
adapter.begin()
adapter.go("continue", "exception")
same(adapter.ask("exceptionInfo", threadId=1)["exceptionId"], "C++ throw")
assert "refuse" in [f["name"].split("(")[0] for f in adapter.frames()], adapter.frames()
adapter.go("continue", "exception")
same(adapter.ask("exceptionInfo", threadId=1)["exceptionId"], "C++ catch")
adapter.lines(source, line_of(source, "return box.count - 1"))
adapter.go("continue", "breakpoint")
box = adapter.variables(adapter.locals()["box"]["variablesReference"])
same((box["count"]["value"], box["limit"]["value"]), ("1", "3"))
adapter.ask("setExceptionBreakpoints", filters=[])
same(adapter.close(), 0)
END
}

case_refusals() {
  recorded counters
  editor <<'END'
adapter = Adapter()
adapter.ask("initialize", adapterID="reprise")
assert "not supported" in adapter.refused("attach", pid=1)
assert "not supported" in adapter.refused("gotoTargets")
assert "no recording" in adapter.refused("threads")
assert "no such recording" in adapter.refused("launch", recording="./nothing")
assert "no moment" in adapter.refused("launch", recording=HERE + "counters.rec", at="nonsense")
assert "no such moment" in adapter.refused("launch", recording=HERE + "counters.rec", at="crash")
assert "not found" in adapter.refused("launch", recording=HERE + "counters.rec", gdb="no-such-gdb")
assert "no name" in adapter.refused("launch", recording=7)
for content in (b"{", b"[]", b"null", b'{"type": "request"}', b'"\\ud800"', b"[" * 100000, b""):
    adapter.raw(b"Content-Length: %d\r\n\r\n" % len(content) + content)
adapter.raw(b"content-type: x\r\nContent-Length:  2\r\n\r\n{}")
adapter.ask("launch", recording=HERE + "counters.rec")
assert adapter.output.count("no JSON") == 3 and adapter.output.count("no request") == 5, adapter.output
assert "already" in adapter.refused("launch", recording=HERE + "counters.rec")
assert "thread" in adapter.refused("stackTrace", threadId=-1)
assert "thread" in adapter.refused("next", threadId="x")
assert "path" in adapter.refused("setBreakpoints", source=5)
assert "no address" in adapter.refused("readMemory", memoryReference="; shell", count=1)
assert "count" in adapter.refused("readMemory", memoryReference="0x1", count=10**12)
adapter.refused("variables", variablesReference=10**18)
adapter.refused("evaluate")
adapter.refused("evaluate", expression="1\n-gdb-exit\n", context="watch")
adapter.ask("threads")
same(adapter.close(), 0)
END
}

case_speaks_something_else() {
  local bytes status
  for bytes in 'nonsense\n' 'Content-Length: x\r\n\r\n' 'Content-Length: 99999999999\r\n\r\n' '\r\n\r\n'; do
    # shellcheck disable=SC2059 # bytes are a format
    printf "$bytes" | timeout "$HANGS" "$REPRISE" dap >out 2>err
    status=$?
    [ "$status" = 125 ] || fail "$bytes: status $status"
    [ "$(wc -l <err)" = 1 ] && grep -q 'does not speak the debug adapter protocol' err || fail "$bytes: $(cat err)"
    [ ! -s out ] || fail "$bytes: $(cat out)"
  done
  timeout "$HANGS" "$REPRISE" dap </dev/null >out 2>err || fail "nobody: status $?"
  refuses 2 'no such argument' "$REPRISE" dap nonsense
}

# The editor goes away: in the middle of a message, while the replay runs, and killed with the adapter.
case_client_goes_away() {
  recorded spins
  editor <<'END'
source = PROGRAMS + "spins.c"
def runs():
    adapter = Adapter(recording=HERE + "spins.rec")
    adapter.lines(source, {"line": line_of(source, "count++"), "condition": "count == -1"})
    adapter.begin()
    return adapter
adapter = Adapter(recording=HERE + "spins.rec")
adapter.raw(b"Content-Length: 100\r\n\r\n{")
same(adapter.close(), 0)
adapter = runs()
adapter.ask("continue", threadId=1)
same(adapter.close(), 0)
adapter = runs()
adapter.send("continue", {"threadId": 1})
adapter.send("disconnect", {})
adapter.process.wait(timeout=60)
adapter = runs()
adapter.ask("continue", threadId=1)
adapter.process.kill()
adapter.process.wait()
END
  recorded counters
  editor <<'END'
adapter = Adapter(recording=HERE + "counters.rec")
adapter.begin()
gdb = int(adapter.command("python print(__import__('os').getpid())"))
os.kill(gdb, 9)
adapter.event("terminated")
assert "gdb has ended" in adapter.output, adapter.output
assert "no recording" in adapter.refused("threads")
same(adapter.close(), 0)
END
}

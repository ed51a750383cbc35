"""Measures a session with a recording of bench/looked.c, for bench/debug: lines of a name and milliseconds of wall time, the median and the most of so many tries.

    bench/debug_session.py PROGRAM RECORDING TRIES
"""
import os
import random
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../tests/debug"))
from remote import Remote, expect, symbol

PROGRAM, RECORDING, TRIES = sys.argv[1], sys.argv[2], int(sys.argv[3])


def milliseconds(action):
    begun = time.monotonic()
    action()
    return (time.monotonic() - begun) * 1000


def tell(name, times):
    print(name, f"{statistics.median(times):.1f}", f"{max(times):.1f}", flush=True)


def seek(remote, moment):
    expect(remote.monitor("seek " + moment).splitlines()[-1], "at .*")
    expect(remote.ask("bc"), "T00.*")


def hits(remote, function):
    """The moments at which the function is called, up to the end of the recording."""
    moments = []
    expect(remote.ask(f"Z0,{symbol(PROGRAM, function):x},1"), "OK")
    while "replaylog" not in remote.ask("c"):
        moments.append(remote.monitor("when"))
    expect(remote.ask(f"z0,{symbol(PROGRAM, function):x},1"), "OK")
    return moments


def main():
    random.seed(1)
    end = [milliseconds(lambda: subprocess.run([os.environ["REPRISE"], "replay", "-q", "--goto=end", RECORDING], check=True, stderr=subprocess.DEVNULL))
           for _ in range(3)]
    tell("end", end)
    if not TRIES:
        return
    remote = Remote(RECORDING)
    moments = hits(remote, "mark")
    places = random.sample(moments, min(TRIES, len(moments)))
    tell("seek", [milliseconds(lambda: seek(remote, moment)) for moment in places])
    first, later = [], []
    for moment in places:
        seek(remote, moment)
        first.append(milliseconds(lambda: expect(remote.ask("bs"), "T05.*")))
        later.append(milliseconds(lambda: expect(remote.ask("bs"), "T05.*")))
    tell("step", first)
    tell("again", later)
    seek(remote, moments[0])
    rings = hits(remote, "ring")
    expect(remote.ask(f"Z0,{symbol(PROGRAM, 'ring'):x},1"), "OK")
    backwards = []
    for moment in random.sample(rings[1:], min(TRIES, len(rings) - 1)):
        seek(remote, moment)
        backwards.append(milliseconds(lambda: expect(remote.ask("bc"), "T05.*")))
        assert remote.monitor("when") == rings[rings.index(moment) - 1]
    tell("back", backwards)
    remote.close()


main()

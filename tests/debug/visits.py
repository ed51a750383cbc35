"""Moments of a recording, each visited in three ways: forwards from the beginning, by way of checkpoints, and backwards. The digest of all registers
and all memory has to be the same each time."""
import json
import random
import subprocess

from remote import *


def instructions(recording):
    """How many each thread executes."""
    command = [os.environ["REPRISE"], "stat", "--json", recording]
    lines = map(json.loads, subprocess.run(command, capture_output=True, check=True).stdout.splitlines())
    return [line["instructions"] for line in lines if line["is"] == "thread"]


def positions(recording, count):
    """Places of the recording, chosen at random: THREAD@POSITION."""
    threads = [pair for pair in enumerate(instructions(recording)) if pair[1]]
    for _ in range(count):
        thread, length = random.choice(threads)
        yield f"{thread}@{random.randrange(length)}"


def seek(remote, place):
    """Goes there: the moment."""
    moment = expect(remote.monitor("seek " + place).splitlines()[-1], "at (.*)")[1]
    expect(remote.ask("bc"), "T00thread:.*;")
    return moment


def is_over(reply):
    return "replaylog:end" in reply or reply[0] in "WX"


def forwards(recording, count):
    """Digests by moment: of random instructions, and of random events, each reached from the beginning of the recording."""
    seen = {}
    remote = Remote("--apart=1000000", recording)
    for place in positions(recording, count - count // 4):
        moment = seek(remote, place)
        seen[moment] = remote.monitor("digest")
    seek(remote, "begin")
    expect(remote.ask("QCatchSyscalls:1"), "OK")
    for _ in range(count // 4):
        for _ in range(random.randrange(1, 6)):
            if is_over(remote.ask("c")):
                seek(remote, "begin")
        seen[remote.monitor("when")] = remote.monitor("digest")
    assert remote.close() == 0
    return seen


def visit(recording, count, seed):
    random.seed(seed)
    seen = forwards(recording, count)
    remote = Remote("--apart=1", recording)
    seek(remote, "end")
    for moment in random.sample(sorted(seen), len(seen)):
        assert seek(remote, moment) == moment
        assert remote.monitor("digest") == seen[moment], f"by way of checkpoints: {moment}"
        for _ in range(random.randrange(1, 4)):
            if is_over(remote.ask("s")):
                break
        # Until it is there: a step of another thread may have gone far, and events share their position.
        for _ in range(6):
            if remote.monitor("when") == moment:
                assert remote.monitor("digest") == seen[moment], f"backwards: {moment}"
                break
            expect(remote.ask("bs"), "T05.*")
    assert remote.close() == 0
    print(f"{len(seen)} moments")


def there_and_back(recording, place, steps):
    """Steps, and as many steps back: the same states in the other order."""
    remote = Remote(recording)
    seek(remote, place)
    states = []
    for _ in range(steps):
        states.append((remote.monitor("when"), remote.monitor("digest")))
        if is_over(remote.ask("s")):
            break
    while states:
        expect(remote.ask("bs"), "T05thread:.*;")
        state = states.pop()
        assert (remote.monitor("when"), remote.monitor("digest")) == state, state
    assert remote.close() == 0

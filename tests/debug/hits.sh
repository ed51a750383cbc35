# shellcheck shell=bash
# Every hit is told once, forwards and backwards, wherever checkpoints lie.
source "$(dirname "${BASH_SOURCE[0]}")/session.bash"

# With a checkpoint at every moment where one can be made, of which many lie in the middle of a call, the hits are those without any.
every_hit() { # ORDER
  ORDER=$1 recorded hits
  client <<'END'
def begin(apart):
    remote = Remote(f"--apart={apart}", "hits.rec")
    expect(remote.ask(f"Z0,{symbol('hits', 'main'):x},4"), "OK")
    expect(remote.ask("c"), "T05.*")
    expect(remote.ask("QCatchSyscalls:1"), "OK")
    expect(remote.ask(f"Z0,{symbol('hits', 'on_signal'):x},4"), "OK")
    if os.environ["MACHINE"] == "x86_64":  # elsewhere clients are told of the same access again
        expect(remote.ask(f"Z2,{symbol('hits', 'written'):x},4"), "OK")
    return remote
def way(remote, packet, is_over):
    """What the client is told, and where the replay stands then; apart, and without the place, the watched accesses: they are told behind the instruction or call, and
    backwards before it."""
    told, watched = [], []
    while not is_over(reply := remote.ask(packet)):
        if "watch" in reply:
            watched.append(reply)
        else:
            told.append((reply, remote.monitor("when")))
    return told + (watched if packet == "c" else watched[::-1])
def to_end(remote):
    return way(remote, "c", lambda reply: "replaylog:end" in reply)
def to_main(remote):
    return way(remote, "bc", lambda reply: remote.monitor("when") == main)
def backwards(told):
    count = len([1 for one in told if not isinstance(one, str)])
    return told[:count][::-1] + told[count:]
def compare(name, got, wanted):
    wrong = next((i for i, (a, b) in enumerate(zip(got, wanted)) if a != b), 0)
    assert got == wanted, (name, len(got), len(wanted), wrong, got[wrong:][:3], wanted[wrong:][:3])
remote = begin(1000000)
main = remote.monitor("when")
wanted = to_end(remote)
assert remote.close() == 0
for kind, count in ("watch", 12 if os.environ["MACHINE"] == "x86_64" else 0), ("syscall_entry", 25), ("syscall_return", 25), ("T1e", 6):
    assert len([1 for told in wanted if kind in str(told)]) >= count, (kind, wanted)
remote = begin(0)
compare("forwards", to_end(remote), wanted)
compare("backwards", backwards(to_main(remote)), wanted)
compare("forwards again", to_end(remote), wanted)
assert remote.close() == 0
END
  nobody_left
}

case_at_checkpoints_in_chunk() { every_hit chunk; }
case_at_checkpoints_in_dag() { every_hit dag; }

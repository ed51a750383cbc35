"""Commands for gdb that belong to a recording: when, seek, last, checkpoint, restart, reprise threads; and scripts for its libraries.

They are made of the `monitor` commands of `reprise gdbserver`. A seek moves the replay first; the reverse-continue that follows tells gdb where it
stands now."""
import os
import re
import sys

import gdb


def monitor(command):
    try:
        return gdb.execute("monitor " + command, to_string=True).strip()
    except gdb.error as error:
        raise gdb.GdbError(f"no recording is being debugged: {error}")


def when():
    return monitor("when")


def travel(command):
    """Moves the replay, and tells gdb where it stands now. What is told of the place."""
    # What the program writes on the way comes first.
    output, _, answer = monitor(command).rpartition("\n")
    if output:
        print(output)
    if not answer.startswith("at "):
        raise gdb.GdbError(answer)
    gdb.execute("reverse-continue")
    unnamed = gdb.selected_frame().name() is None
    gdb.execute("sharedlibrary", to_string=True)  # those that were loaded on the way
    if unnamed and gdb.selected_frame().name() is not None:
        gdb.execute("frame")
    return answer


def seek(place):
    travel("seek " + place)


class When(gdb.Command):
    """Tell the moment where the replay stands: TURN:THREAD:POSITION:EVENT. Every replay of the recording comes to it."""

    def __init__(self):
        super().__init__("when", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print(when())


class Seek(gdb.Command):
    """Go to a place in the recording, forwards or backwards: seek MOMENT | THREAD@POSITION | event:N | N% | begin | end | crash.
MOMENT is what `when' tells; THREAD@POSITION and event:N are as in `reprise dump'; N% is so much of the instructions
of the busiest thread; crash is the signal that ended the program."""

    def __init__(self):
        super().__init__("seek", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if not argument.strip():
            raise gdb.GdbError("seek where? (a moment, THREAD@POSITION, event:N, N%, begin, end or crash)")
        seek(argument.strip())


class Last(gdb.Command):
    """Go back to the last write of a variable or address: last EXPRESSION | last ADDRESS. Again: to the write before that."""

    def __init__(self):
        super().__init__("last", gdb.COMMAND_RUNNING, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        if not argument.strip():
            raise gdb.GdbError("last write of what? (an expression or an address)")
        try:
            value = gdb.parse_and_eval(argument)
        except gdb.error as error:
            raise gdb.GdbError(str(error))
        if value.address is not None:
            address, size = int(value.address), value.type.sizeof
        else:
            address, size = int(value), 1
        told = travel(f"last {address:x},{size:x}")
        print(f"the last write of {argument}: {told}, thread {gdb.selected_thread().ptid[1]}")


class Checkpoints:
    """Moments by number."""

    moments = {}


class Checkpoint(gdb.Command):
    """Remember this moment; `restart N' comes back to it. `info checkpoints' is `checkpoint list'."""

    def __init__(self):
        super().__init__("checkpoint", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        if argument.strip() == "list":
            for number, (moment, place) in Checkpoints.moments.items():
                print(f"{number}\t{moment}\t{place}")
            return
        number = len(Checkpoints.moments) + 1
        place = gdb.execute("frame 0", to_string=True).splitlines()[0]
        Checkpoints.moments[number] = (when(), place)
        print(f"Checkpoint {number} at {Checkpoints.moments[number][0]}")


class Restart(gdb.Command):
    """Come back to a checkpoint: restart N. Without N: to the beginning of the recording."""

    def __init__(self):
        super().__init__("restart", gdb.COMMAND_RUNNING)

    def invoke(self, argument, from_tty):
        text = argument.strip()
        if not text:
            seek("begin")
        elif text.isdigit() and int(text) in Checkpoints.moments:
            seek(Checkpoints.moments[int(text)][0])
        else:
            raise gdb.GdbError(f"{text}: no such checkpoint")


class Reprise(gdb.Command):
    """Commands of Reprise: reprise threads."""

    def __init__(self):
        super().__init__("reprise", gdb.COMMAND_STATUS, prefix=True)


class Threads(gdb.Command):
    """Tell what each thread of the recording does, and what it waits for."""

    def __init__(self):
        super().__init__("reprise threads", gdb.COMMAND_STATUS)

    def invoke(self, argument, from_tty):
        print(monitor("threads"))


class Scripts:
    """Scripts for libraries, such as the printers of the C++ library. gdb loads them by itself only for libraries that it finds in this machine's folders, and those of a
    recording come from the recording."""

    FOLDER = os.path.join(os.path.dirname(gdb.PYTHONDIR), "auto-load")
    loaded = set()

    @classmethod
    def load(cls, event):
        library = event.new_objfile.filename or ""
        if not library.startswith("target:/") or not gdb.parameter("auto-load python-scripts"):
            return
        script = cls.FOLDER + os.path.realpath(library[len("target:"):]) + "-gdb.py"
        if script in cls.loaded or not os.path.exists(script):
            return
        cls.loaded.add(script)
        with open(script) as file:  # it looks for its modules beside the library otherwise
            sys.path += re.findall("^pythondir = '(/.*)'$", file.read(), re.MULTILINE)
        try:
            gdb.execute("source " + script)
        except gdb.error as error:
            print(f"{script}: {error}")


gdb.events.new_objfile.connect(Scripts.load)
# All processes of a recording go on together. gdb would show old registers of those that it does not resume.
gdb.execute("set schedule-multiple on")
for command in (When, Seek, Last, Checkpoint, Restart, Reprise, Threads):
    command()

"""Backtraces for `reprise backtrace`, which runs this in a batch session of gdb and prints what it writes to a descriptor of its own."""
import json
import os
import re

import gdb


def told_threads():
    """What the replay tells of its threads, by process and id: R-thread, name, position and what it does."""
    pattern = re.compile(r"^thread (\d+)  process (\d+), id (\d+), (.*), position (\d+): (.*)$")
    told = {}
    for line in gdb.execute("monitor threads", to_string=True).splitlines():
        found = pattern.match(line)
        if found:
            thread, process, number, name, position, state = found.groups()
            told[int(process), int(number)] = (int(thread), name, int(position), state)
    return told


def arguments_of(frame):
    """Names and values of the function's arguments, as gdb prints them."""
    values = {}
    try:
        block = frame.block()
        while block.function is None:
            block = block.superblock
    except RuntimeError:
        return values  # there is no debug information
    for symbol in block:
        if not symbol.is_argument:
            continue
        try:
            values[symbol.name] = str(frame.read_var(symbol))
        except (gdb.error, RuntimeError) as error:
            values[symbol.name] = f"<{error}>"
    return values


def object_of(frame):
    """The executable or library that the frame's code is in, under the name that it had; None: that is not known."""
    name = gdb.solib_name(frame.pc())
    if name is None and frame.function() is not None:
        name = frame.function().symtab.objfile.filename
    return None if name is None else re.sub("^target:", "", name)


def describe_frame(frame):
    place = frame.find_sal()
    described = {"level": frame.level(), "pc": hex(frame.pc()), "function": frame.name(), "arguments": arguments_of(frame)}
    if place.symtab is not None:
        described["file"], described["line"] = place.symtab.fullname(), place.line
    described["object"] = object_of(frame)
    return {key: value for key, value in described.items() if value is not None}


def frames():
    """The selected thread's frames, the innermost first, and why there are no more, if that is not the end of the stack."""
    described = []
    frame = gdb.newest_frame()
    try:
        while frame is not None:
            described.append(describe_frame(frame))
            last, frame = frame, frame.older()
        reason = last.unwind_stop_reason()
        if reason in (gdb.FRAME_UNWIND_NO_REASON, gdb.FRAME_UNWIND_OUTERMOST):
            return described, None
        return described, gdb.frame_stop_reason_string(reason)
    except gdb.error as error:
        return described, str(error)


def as_object(moment, head):
    described, stopped = frames()
    made = {"moment": moment, **head, "frames": described}
    if stopped is not None:
        made["incomplete"] = stopped
    return json.dumps(made) + "\n"


def as_text(head):
    title = f"thread {head['thread']}  process {head['process']}, id {head['id']}, {head['name']}, position {head['position']}: {head['state']}\n"
    return title + gdb.execute("backtrace", to_string=True)


def backtrace(descriptor, all_threads, wants_objects):
    gdb.execute("sharedlibrary", to_string=True)
    moment = gdb.execute("monitor when", to_string=True).strip()
    told = told_threads()
    parts = []
    threads = [gdb.selected_thread()]
    if all_threads:
        threads = [thread for inferior in gdb.inferiors() for thread in inferior.threads()]
        threads.sort(key=lambda thread: told.get(thread.ptid[:2], (0,))[0])
    for thread in threads:
        thread.switch()
        names = ("thread", "name", "position", "state")
        head = {"process": thread.ptid[0], "id": thread.ptid[1], **dict(zip(names, told[thread.ptid[:2]]))}
        parts.append(as_object(moment, head) if wants_objects else as_text(head))
    with os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace") as out:
        if not wants_objects:
            out.write(f"at {moment}\n")
        out.write(("" if wants_objects else "\n").join(parts))

"""A client of the remote protocol, for tests: starts `reprise gdbserver` and exchanges packets with it."""
import os
import re
import subprocess
import sys


class Remote:
    def __init__(self, *arguments, acknowledge=False):
        command = [os.environ["REPRISE"], "gdbserver", *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.acknowledge = True
        self.output = b""
        self.buffer = b""
        if not acknowledge:
            expect(self.ask("QStartNoAckMode"), "OK")
            self.acknowledge = False

    def raw(self, data):
        self.process.stdin.write(data)

    def send(self, packet):
        data = packet if isinstance(packet, bytes) else packet.encode()
        escaped = b"".join(bytes([0x7D, c ^ 0x20]) if c in b"$#*}" else bytes([c]) for c in data)
        self.raw(b"$" + escaped + b"#%02x" % (sum(escaped) & 0xFF))

    def byte(self):
        if not self.buffer:
            self.buffer = os.read(self.process.stdout.fileno(), 65536)
            if not self.buffer:
                raise EOFError("the server is gone")
        first, self.buffer = self.buffer[:1], self.buffer[1:]
        return first

    def take(self):
        """The next packet, as bytes; None: it was the program's output, or a line for the user."""
        while self.byte() != b"$":
            pass
        content = b""
        while (c := self.byte()) != b"#":
            content += c
        total = int(self.byte() + self.byte(), 16)
        assert total == sum(content) & 0xFF, "a wrong checksum"
        if self.acknowledge:
            self.raw(b"+")
        content = re.sub(rb"}(.)", lambda m: bytes([m[1][0] ^ 0x20]), content, flags=re.S)
        if content[:1] == b"O" and content != b"OK":
            self.output += bytes.fromhex(content[1:].decode())
            return None
        return content

    def receive(self):
        """The next reply, as bytes."""
        while (content := self.take()) is None:
            pass
        return content

    def ask(self, packet):
        self.send(packet)
        return self.receive().decode("latin1")

    def monitor(self, command):
        reply = self.ask("qRcmd," + command.encode().hex())
        return "" if reply == "OK" else bytes.fromhex(reply).decode().strip()

    def registers(self):
        return self.ask("g")

    def memory(self, address, count):
        return bytes.fromhex(self.ask(f"m{address:x},{count:x}"))

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=60)


def expect(got, wanted):
    if not re.fullmatch(wanted, got, flags=re.S):
        sys.exit(f"got {got!r}, wanted {wanted!r}")
    return re.fullmatch(wanted, got, flags=re.S)


def symbol(program, name):
    """The address of a symbol of a program that is linked to a fixed address."""
    lines = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    value = next(int(line.split()[0], 16) for line in lines if line.split()[-1] == name)
    return value


PC = 16 if os.environ["MACHINE"] == "x86_64" else 32  # the number of the program counter
BASE = 0x400000  # of programs that are linked to a fixed address

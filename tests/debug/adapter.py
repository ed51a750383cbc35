"""A client of the debug adapter protocol, for tests: starts `reprise dap`, sends requests and looks at answers and events."""
import json
import os
import subprocess
import sys


class Adapter:
    def __init__(self, **launch):
        self.process = subprocess.Popen([os.environ["REPRISE"], "dap"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.buffer = b""
        self.sequence = 0
        self.events = []
        self.output = ""
        self.stop = None
        if launch:
            self.capabilities = self.ask("initialize", adapterID="reprise", linesStartAt1=True)
            self.ask("launch", **launch)
            self.event("initialized")

    def begin(self):
        """The end of the configuration: the place where the replay stands."""
        self.ask("configurationDone")
        return self.stopped()

    def raw(self, data):
        self.process.stdin.write(data)

    def send(self, command, arguments):
        self.sequence += 1
        content = json.dumps({"seq": self.sequence, "type": "request", "command": command, "arguments": arguments}).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(content) + content)
        return self.sequence

    def fill(self):
        more = os.read(self.process.stdout.fileno(), 65536)
        if not more:
            raise EOFError("the adapter is gone")
        self.buffer += more

    def receive(self):
        while b"\r\n\r\n" not in self.buffer:
            self.fill()
        header, _, self.buffer = self.buffer.partition(b"\r\n\r\n")
        length = int(header.split(b":")[1])
        while len(self.buffer) < length:
            self.fill()
        content, self.buffer = self.buffer[:length], self.buffer[length:]
        message = json.loads(content)
        if message.get("event") == "output":
            self.output += message["body"]["output"]
        return message

    def response(self, number):
        """The answer to a request; events that come before it are kept."""
        while True:
            message = self.receive()
            if message["type"] == "response":
                assert message["request_seq"] == number, message
                return message
            self.events.append(message)

    def ask(self, command, **arguments):
        message = self.response(self.send(command, arguments))
        assert message["success"], message
        return message.get("body", {})

    def refused(self, command, **arguments):
        """Why the request has failed."""
        message = self.response(self.send(command, arguments))
        assert not message["success"], message
        return message["message"]

    def event(self, *names):
        """The next event of these names."""
        while True:
            message = self.events.pop(0) if self.events else self.receive()
            if message.get("event") in names:
                return message

    def stopped(self, reason=None):
        message = self.event("stopped", "terminated")
        assert message["event"] == "stopped", (message, self.output)
        self.stop = message["body"]
        assert reason is None or self.stop["reason"] == reason, self.stop
        return self.stop

    def go(self, command, reason=None, **arguments):
        self.ask(command, threadId=(self.stop or {}).get("threadId", 1), **arguments)
        return self.stopped(reason)

    def frames(self, thread=None):
        return self.ask("stackTrace", threadId=thread or self.stop["threadId"])["stackFrames"]

    def top(self):
        """The innermost function and its line."""
        frame = self.frames()[0]
        return frame["name"], frame["line"]

    def variables(self, reference, **arguments):
        return {v["name"]: v for v in self.ask("variables", variablesReference=reference, **arguments)["variables"]}

    def locals(self, frame=0):
        scopes = self.ask("scopes", frameId=self.frames()[frame]["id"])["scopes"]
        return self.variables(next(s for s in scopes if s["name"] == "Locals")["variablesReference"])

    def evaluate(self, expression, context="watch", frame=0):
        return self.ask("evaluate", expression=expression, context=context, frameId=self.frames()[frame]["id"])

    def command(self, text):
        return self.ask("evaluate", expression=text, context="repl")["result"]

    def lines(self, source, *wanted):
        """Breakpoints: lines, or objects with more about them."""
        wanted = [w if isinstance(w, dict) else {"line": w} for w in wanted]
        return self.ask("setBreakpoints", source={"path": source}, breakpoints=wanted)["breakpoints"]

    def close(self):
        self.process.stdin.close()
        return self.process.wait(timeout=60)


def line_of(source, text):
    """The number of the first line that holds the text."""
    for number, line in enumerate(open(source), 1):
        if text in line:
            return number
    sys.exit(f"{source} has no line with {text!r}")


def same(got, wanted):
    if got != wanted:
        sys.exit(f"got {got!r}, wanted {wanted!r}")
